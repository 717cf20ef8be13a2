"""Writes `docs/classes/`: for every failure class what it looks for, what rules it out, and where that is written."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from firstfault.agent.classes.definitions import ClassDefinition, Predicate, load_classes
from firstfault.agent.classes.matching import name_fits
from firstfault.agent.classes.wording import condition, names, open_names
from firstfault.tools.catalogs.taxonomy import failure_classes
from firstfault.tools.generated import settle

_NOTE = "Made by `python -m firstfault.agent.classes.pages`; do not edit."
_INDEX = f"""# Failure classes

{_NOTE}

Every class is a file of data, `agent/classes/definitions/<class>.yaml`, tested by one engine against the signals of an
incident ([signals](../signals.md)). A decisive sign in machine output is enough to name the class where nothing
contradicts it; a strong one names it unless a rival explains the same; a weak one only points there. For CONFIRMED a
second independent source must agree, or the sign must prove itself
([when](../adr/0012-observations-that-prove-themselves.md)), and the rivals must be ruled out. What people say supports a
class and never confirms one. Inputs of our own for each class are in `tests/classes/<class>/`; `firstfault evals rules`
counts which rules they and the recorded cases hit, and `firstfault explain` prints how a class came out in one incident.

| class | what it is | owner |
|---|---|---|
"""


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    classes = load_classes()
    meanings = failure_classes()
    found = {f"{each.failure_class}.md": "\n".join(_page(each, classes, meanings)) for each in classes}
    rows = (
        f"| [{each.failure_class}]({each.failure_class}.md) | {_cell(meanings.get(each.failure_class, ''))} | {each.owner} |\n"
        for each in classes
    )
    return {"README.md": _INDEX + "".join(rows), **found}


def _page(
    definition: ClassDefinition, classes: Iterable[ClassDefinition], meanings: dict[str, str]
) -> Iterator[str]:
    yield f"# {definition.failure_class}\n\n{_NOTE}\n"
    yield f"{meanings.get(definition.failure_class, open_names(definition.title))}\n"
    yield f"Owner: {definition.owner}" + _owners(definition) + "."
    if not definition.confirmable:
        proven = ", but for what proves itself (below)" if any(c.proof for c in definition.looks_for) else ""
        yield f"It is never CONFIRMED{proven}: machine output alone cannot prove it."
    yield "\n## What it looks for\n"
    yield from _criteria((each.strength, each.id, each.because, each) for each in definition.looks_for)
    yield from _proofs(definition)
    yield from _ruled_out(definition)
    yield from _told_apart(definition, classes)
    yield from _mechanisms(definition)
    yield from _advice(definition)
    yield "\n## Written from\n"
    yield from (f"- {source}" for source in definition.sources)
    yield ""


def _owners(definition: ClassDefinition) -> str:
    rules = [f"{rule.owner} when {condition(rule)}" for rule in definition.owners]
    return "; " + "; ".join(rules) if rules else ""


def _criteria(rows: Iterable[tuple[object, str, str, Predicate]]) -> Iterator[str]:
    yield "| strength | sign | why | signals |"
    yield "|---|---|---|---|"
    for strength, name, because, predicate in rows:
        yield f"| {strength} | {name} | {_cell(open_names(because))} | {_cell(condition(predicate))} |"


def _proofs(definition: ClassDefinition) -> Iterator[str]:
    """Yield the signs that need no second source, each with the reason."""
    proofs = [(each.id, each.proof, each.source) for each in definition.looks_for if each.proof is not None]
    if not proofs:
        return
    yield "\n## What proves itself\n\nNo second source is needed, where it was read first-hand:\n"
    for name, proof, source in proofs:
        where = ", ".join(kind.value for kind in proof.kinds)
        yield f"- {name}, read in {where}: {proof.because}" + (f" ({source})" if source else "")


def _ruled_out(definition: ClassDefinition) -> Iterator[str]:
    if not definition.contradicted_by and not definition.absences:
        return
    yield "\n## What speaks against it\n"
    for each in definition.contradicted_by:
        yield f"- {open_names(each.because)}: {condition(each)}"
    for absence in definition.absences:
        kinds = ", ".join(str(kind) for kind in absence.kind)
        expected = names(absence.expects)
        yield f"- {open_names(absence.because)}: none of {expected} in a {kinds} that was read whole"


def _told_apart(definition: ClassDefinition, classes: Iterable[ClassDefinition]) -> Iterator[str]:
    rivals = [each.failure_class for each in classes if name_fits(each.failure_class, definition.rivals)]
    if rivals:
        links = ", ".join(f"[{name}]({name}.md)" for name in rivals if name != definition.failure_class)
        yield f"\n## What looks alike\n\n{links}"
    if definition.explains:
        yield f"\n## What follows from it\n\n{names(definition.explains)}"
    begins = (*definition.first_fault, *definition.roots)
    if begins:
        yield f"\n## Where it begins\n\nThe first fault is the earliest of the first of these that was seen: {names(begins)}"


def _mechanisms(definition: ClassDefinition) -> Iterator[str]:
    if not definition.mechanisms:
        return
    yield "\n## Mechanisms\n\n| mechanism | when | owner |\n|---|---|---|"
    for each in definition.mechanisms:
        when = condition(each) or "otherwise"
        yield f"| {each.name} | {_cell(when)} | {each.owner or definition.owner} |"


def _advice(definition: ClassDefinition) -> Iterator[str]:
    if definition.needs:
        yield "\n## What else would tell\n"
    for need in definition.needs:
        yield f"- {need.kind}: {need.would_tell}" + (f": `{need.command}`" if need.command else "")
    if definition.actions:
        yield "\n## What to do\n"
    for each in definition.actions:
        when = condition(each)
        yield f"- `{each.action}` on the {each.target}: {open_names(each.why)}" + (
            f" (when {when})" if when else ""
        )
    if definition.do_not:
        yield "\n## What not to do\n"
    for each in definition.do_not:
        when = condition(each)
        yield f"- `{each.action}`: {open_names(each.why)}" + (f" (when {when})" if when else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` return 1 when they are not what the definitions say."""
    folder = Path(__file__).resolve().parents[2] / "docs" / "classes"
    wanted = {folder / name: text for name, text in pages().items()}
    return settle(wanted, arguments, "firstfault.agent.classes.pages", there=folder.glob("*.md"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
