"""Writes `docs/settings.md` from the models: every setting, its variable, its default and what it is for."""

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, SecretStr

from firstfault.agent.settings.names import env_name
from firstfault.agent.settings.settings import Settings
from firstfault.tools.generated import settle

_HEAD = """# Settings

Made by `python -m firstfault.agent.settings.page`; do not edit.

Settings stand in `firstfault.toml` in the current folder, or in the file that `firstfault --config FILE` names. The
environment overrides them: `FIRSTFAULT_` and the name in capitals, with `__` between levels; tables and lists as JSON.
An unknown name is refused with the nearest one there is. `firstfault config show` prints what is in force, where it
comes from, and no secret. Without any setting everything runs on this machine, without a model.
"""


def settings_page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *_section(Settings, "")])


def _section(model: type[BaseModel], above: str) -> Iterator[str]:
    table = above.removesuffix(".")
    yield f"## [{table}]\n" if table else "## At the top\n"
    yield f"{' '.join((inspect.getdoc(model) or '').split())}\n"
    yield "| setting | variable | default | meaning |"
    yield "| --- | --- | --- | --- |"
    meanings = _meanings(model)
    below: list[tuple[type[BaseModel], str]] = []
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            below.append((kind, f"{above}{name}."))
            continue
        default = field.get_default(call_default_factory=True)
        shown = "" if default is None else f"`{json.dumps(default, default=_spelled)}`"
        cells = (f"`{above}{name}`", f"`{env_name(above + name)}`", shown, meanings.get(name, ""))
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
    yield ""
    for kind, path in below:
        yield from _section(kind, path)


def _meanings(model: type[BaseModel]) -> dict[str, str]:
    """Return the text under each field of the class."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    found: dict[str, str] = {}
    name = ""
    for node in tree.body if isinstance(tree, ast.ClassDef) else ():
        match node:
            case ast.AnnAssign(target=ast.Name(id=field)):
                name = field
            case ast.Expr(value=ast.Constant(value=str(text))) if name:
                found[name] = " ".join(text.split())
            case _:
                name = ""
    return found


def _spelled(value: object) -> object:
    return "********" if isinstance(value, SecretStr) else str(value)


def main(arguments: list[str]) -> int:
    """Write `docs/settings.md`, or with `--check` return 1 when it is not what the models say."""
    page = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
    return settle({page: settings_page()}, arguments, "firstfault.agent.settings.page")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
