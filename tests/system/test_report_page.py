"""The demo's HTML report in a real browser."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from tests.system.programs import document, screenshot

pytestmark = pytest.mark.system

ROOT = Path(__file__).resolve().parents[2]
CASE = ROOT / "evals" / "cases" / "gpu-079"
WIDTH = 1200


@pytest.fixture(scope="module", name="page")
def page_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    page = folder / "report.html"
    command = (str(Path(sys.executable).parent / "firstfault"), "investigate", str(CASE), "--html", str(page))
    environment = {**os.environ, "XDG_STATE_HOME": str(folder)}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return page


def test_the_first_screen_tells_the_first_fault(page: Path, tmp_path: Path) -> None:
    shown = document(page, tmp_path)
    assert "gpu.fell_off_bus" in shown
    assert "raw/kernel.log:3" in shown


def test_the_browser_has_nothing_to_complain_about(page: Path, tmp_path: Path) -> None:
    log = screenshot(page, tmp_path / "report.png", width=WIDTH)
    assert [line for line in log.splitlines() if "CONSOLE" in line] == []


def test_the_page_is_laid_out_over_the_whole_screen(page: Path, tmp_path: Path) -> None:
    screenshot(page, tmp_path / "report.png", width=WIDTH)
    with Image.open(tmp_path / "report.png") as picture:
        dark = ImageChops.invert(picture.convert("1", dither=Image.Dither.NONE).convert("L"))
    box = dark.getbbox()
    assert box is not None
    left, _, right, bottom = box
    assert left < WIDTH / 4
    assert right > WIDTH / 2
    assert bottom > 800
