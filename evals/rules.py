"""How many cases and how many inputs of our own each rule hits: the guard against rules made for one case.

A rule that a single case sets off and no input of our own is suspect; a rule that nothing sets off is untested.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from firstfault.evals.traces import Rule, RuleKind

FEW = 1
"""A rule hit by this many cases or fewer must be explained, unless inputs of our own hit it too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The cases and own inputs that set off one rule."""

    rule: Rule
    cases: tuple[str, ...]
    inputs: tuple[str, ...]

    @property
    def is_single(self) -> bool:
        """Return whether one case alone sets it off."""
        return len(self.cases) == FEW and not self.inputs

    @property
    def is_untested(self) -> bool:
        """Return whether nothing sets it off."""
        return not self.cases and not self.inputs


def count_hits(
    rules: Iterable[Rule], cases: Mapping[str, frozenset[Rule]], inputs: Mapping[str, frozenset[Rule]]
) -> tuple[Hits, ...]:
    """Return the hits of every known rule and of every rule that was seen, by kind and id."""
    seen = (rule for traced in (*cases.values(), *inputs.values()) for rule in traced)
    return tuple(
        Hits(
            rule=rule,
            cases=tuple(sorted(name for name, traced in cases.items() if rule in traced)),
            inputs=tuple(sorted(name for name, traced in inputs.items() if rule in traced)),
        )
        for rule in sorted({*rules, *seen})
    )


_HEAD = "# Rules and what hits them\n\nWritten by `firstfault evals rules`. Do not edit: the next run replaces it.\n"
_FEW = """
Listed are the rules that a single case hits and no input of our own, and those that nothing hits; `firstfault evals
rules` prints all. A criterion, contradiction or mechanism with a single hit has a reason beside it, or is taken out. A
signal is a word of the vocabulary, taken from the documentation of the tool that prints it: alone it decides nothing, and
that few recordings hold it says only that such a recording was not published. What nothing hits has been tried on the
example line of its table row, and on nothing else.
"""


def rules_table(
    hits: Iterable[Hits], reasons: Mapping[str, str] | None = None, *, only_few: bool = False
) -> str:
    """Return the hits as Markdown, a table for each kind, rules with a single hit and without any pointed out.

    reasons: why a rule with a single hit is no rule for one case, by its id, as people wrote it.
    only_few: list only those, and say what that means.
    """
    listed = tuple(hits)
    parts = [_HEAD + (_FEW if only_few else "")]
    for kind in RuleKind:
        of_kind = [each for each in listed if each.rule.kind is kind]
        single = sum(each.is_single for each in of_kind)
        untested = sum(each.is_untested for each in of_kind)
        parts.append(
            f"\n## {kind} ({len(of_kind)}: {single} hit by one case only, {untested} by nothing)\n\n"
        )
        shown = [each for each in of_kind if not only_few or each.is_single or each.is_untested]
        if not shown:
            parts.append("None.\n")
            continue
        parts.append("| rule | cases | own inputs | note |\n|---|---|---|---|\n")
        parts.extend(
            f"| `{each.rule.id}` | {len(each.cases)} | {len(each.inputs)} | {_note(each, reasons or {})} |\n"
            for each in shown
        )
    return "".join(parts)


def rules_document(hits: Iterable[Hits]) -> dict[str, object]:
    """Return the hits as plain JSON values. Shape: schema, rules[] of kind, id, cases[], inputs[]."""
    return {
        "schema": "firstfault.rules/v1",
        "rules": [
            {
                "kind": each.rule.kind,
                "id": each.rule.id,
                "cases": list(each.cases),
                "inputs": list(each.inputs),
            }
            for each in hits
        ],
    }


def _note(hits: Hits, reasons: Mapping[str, str]) -> str:
    reason = reasons.get(hits.rule.id, "")
    if hits.is_untested:
        return reason or "nothing hits it"
    if not hits.is_single:
        return ""
    return f"only {hits.cases[0]}" + (f": {reason}" if reason else "")
