"""A copy of the tree in which every import contract is broken once, on purpose."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("agent", "tools", "policies", "evals", "src")

BREACHES: dict[str, tuple[tuple[str, str], ...]] = {
    "layers": (
        ("firstfault.tools.planted_layer", "firstfault.policies"),
        ("firstfault.policies.planted_layer", "firstfault.tools"),
        ("firstfault.tools.planted_layer", "firstfault.agent"),
        ("firstfault.policies.planted_layer", "firstfault.agent"),
        ("firstfault.agent.planted_layer", "firstfault.evals"),
        ("firstfault.evals.planted_layer", "firstfault.cli"),
    ),
    "slack-layers": (
        ("firstfault.agent.slack.blocks.planted_layer", "firstfault.agent.slack.ports.port"),
        ("firstfault.agent.slack.ports.planted_layer", "firstfault.agent.slack.outbound.sender"),
        ("firstfault.agent.slack.work.planted_layer", "firstfault.agent.slack.inbound.clicks"),
    ),
    "policies-are-pure": tuple(
        ("firstfault.policies.planted_effect", name)
        for name in (
            *(
                "kubernetes",
                "prometheus_api_client",
                "openai",
                "langgraph",
                "slack_bolt",
                "sqlalchemy",
                "requests",
            ),
            *(
                "httpx",
                "socket",
                "subprocess",
                "time",
                "random",
                "os",
                "pathlib",
                "secrets",
                "sqlite3",
                "uuid",
            ),
        )
    ),
    "tools-only-see": tuple(
        ("firstfault.tools.planted_effect", name)
        for name in ("openai", "langgraph", "slack_bolt", "sqlalchemy", "subprocess")
    ),
    "no-shell": (("firstfault.agent.planted_shell", "subprocess"),),
    "door-kubernetes": (
        ("firstfault.tools.planted_door", "kubernetes"),
        ("firstfault.agent.executor.planted_door", "kubernetes"),
        ("firstfault.cli.planted_door", "kubernetes"),
    ),
    "door-prometheus": (
        ("firstfault.tools.planted_door", "prometheus_api_client"),
        ("firstfault.tools.planted_door", "requests"),
    ),
    "door-openai": (
        ("firstfault.agent.model.planted_door", "openai"),
        ("firstfault.evals.planted_door", "openai"),
    ),
    "door-slack": (
        ("firstfault.agent.planted_door", "slack_bolt"),
        ("firstfault.agent.slack.outbound.planted_door", "slack_sdk"),
        ("firstfault.cli.planted_door", "slack_sdk"),
    ),
    "door-database": (
        ("firstfault.agent.planted_door", "sqlalchemy"),
        ("firstfault.agent.graph.planted_door", "alembic"),
    ),
    "door-langgraph": (
        ("firstfault.agent.store.planted_door", "langgraph"),
        ("firstfault.agent.planted_door", "psycopg"),
        ("firstfault.cli.planted_door", "sqlite3"),
    ),
    "door-hyperscan": (("firstfault.tools.extract.planted_door", "hyperscan"),),
    "door-cedar": (("firstfault.policies.planted_door", "cedarpy"),),
    "door-http": (
        ("firstfault.tools.planted_door", "httpx"),
        ("firstfault.agent.model.planted_door", "httpx2"),
        ("firstfault.agent.planted_door", "aiohttp"),
    ),
    "door-serve": (
        ("firstfault.agent.planted_door", "starlette"),
        ("firstfault.cli.planted_door", "uvicorn"),
    ),
    "cluster-writer": (
        ("firstfault.agent.planted_writer", "firstfault.agent.executor.cluster"),
        ("firstfault.cli.planted_writer", "firstfault.agent.executor.cluster"),
    ),
    "executor-has-no-model": (
        ("firstfault.cli.executor", "firstfault.agent.planted_bridge"),
        ("firstfault.agent.planted_bridge", "firstfault.agent.model"),
        ("firstfault.agent.executor.planted_model", "openai"),
    ),
    "no-cycles": (
        ("firstfault.agent.planted_left", "firstfault.agent.planted_right"),
        ("firstfault.agent.planted_right", "firstfault.agent.planted_left"),
    ),
}
"""Contract → imports that it forbids, each as importer and imported."""

UNDECLARED = "firstfault.planted_package"
"""A package beside the layers, which are exhaustive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What import-linter said. sections: contract name → why it is broken; a contract that is kept has none."""

    exit_code: int
    sections: dict[str, str]
    text: str


def lint_a_broken_copy(copy: Path, names: dict[str, str]) -> Verdict:
    """Return the verdict on a copy of the tree with every breach planted. names: contract id → its name."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, symlinks=True, ignore=_all_but_modules)
    shutil.copy(ROOT / "pyproject.toml", copy)
    _plant(copy)
    command = (sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main()")
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "COLUMNS": "400", "NO_COLOR": "1"}
    run = subprocess.run(
        (*command, "--no-cache", "--no-logo"),
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return Verdict(
        exit_code=run.returncode, sections=_sections(run.stdout, names), text=run.stdout + run.stderr
    )


def _all_but_modules(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".py") and not Path(folder, name).is_dir()]


def _plant(copy: Path) -> None:
    lines: dict[str, list[str]] = {UNDECLARED: [], "firstfault.agent.executor.cluster": []}
    for breaches in BREACHES.values():
        for importer, imported in breaches:
            lines.setdefault(importer, []).append(f"import {imported}\n")
    for module, imports in lines.items():
        path = copy / "src" / Path(*module.split("."))
        if path.is_dir() or module == UNDECLARED:
            path = path / "__init__"
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        with path.with_suffix(".py").open("a") as stream:
            stream.writelines(["\n", *imports])


def _sections(text: str, names: dict[str, str]) -> dict[str, str]:
    """Return what stands below each contract's name after `Broken contracts`."""
    _, _, broken = text.partition("\nBroken contracts\n")
    sections: dict[str, str] = {}
    current = ""
    for line in broken.splitlines():
        if line in names.values():
            current = line
        sections[current] = sections.get(current, "") + line + "\n"
    return sections
