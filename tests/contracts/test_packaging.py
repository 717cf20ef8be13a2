"""sdist → wheel loses no module and no data file, and takes along no recorded case but the demo."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from tests.contracts.planting import ROOT

LAYERS = ("agent", "tools", "policies", "evals")
DEMO = "gpu-079"


@pytest.fixture(scope="module", name="built")
def built_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with an sdist and the wheel that was built from it, with what is in .venv only."""
    folder = tmp_path_factory.mktemp("dist")
    command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module", name="wheel")
def wheel_fixture(built: Path) -> set[str]:
    """What the wheel installs."""
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_has_every_file_of_the_tree(wheel: set[str]) -> None:
    tree = {name for name in _tree() if not _is_a_case(name) or f"/cases/{DEMO}/" in name}
    assert wheel - {"firstfault/evals/cases/ATTRIBUTION.md"} == tree


def test_the_wheel_has_the_demo_case_and_its_attribution(wheel: set[str]) -> None:
    cases = {PurePosixPath(name).parts[3] for name in wheel if _is_a_case(name)}
    assert cases == {DEMO, "ATTRIBUTION.md"}
    assert "firstfault/evals/cases/gpu-079/raw/kernel.log" in wheel


def test_the_wheel_installs_nothing_beside_firstfault(wheel: set[str]) -> None:
    assert {PurePosixPath(name).parts[0] for name in wheel} == {"firstfault"}


def test_the_sdist_has_every_case_and_every_test(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    cases = {path.name for path in (ROOT / "evals" / "cases").iterdir() if path.is_dir()}
    assert {name.split("/")[2] for name in names if name.startswith("evals/cases/gpu")} <= cases
    assert len({name.split("/")[2] for name in names if name.endswith("/truth.yaml")}) == len(cases)
    assert "tests/contracts/test_packaging.py" in names


def _is_a_case(name: str) -> bool:
    return name.startswith("firstfault/evals/cases/")


def _tree() -> set[str]:
    """Every file of the packages, named as it should be installed."""
    roots = {ROOT / layer: f"firstfault/{layer}" for layer in LAYERS}
    roots |= {ROOT / "src" / "firstfault" / "cli": "firstfault/cli"}
    files = {
        f"{package}/{path.relative_to(root).as_posix()}"
        for root, package in roots.items()
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return files | {"firstfault/__init__.py", "firstfault/py.typed"}
