"""Every message of the chat fits a phone, and has its picture in docs/img."""

from pathlib import Path

import pytest

from firstfault.evals.preview.pages import Screen
from tests.system.slack_pictures import PICTURES, goldens, laid_out

pytestmark = pytest.mark.system

HIGHEST_CARD = 1000
"""Units: CSS pixels on a phone: a screen and a half. Ours."""


@pytest.mark.parametrize("screen", Screen)
def test_nothing_sticks_out_of_the_screen(screen: Screen, tmp_path: Path) -> None:
    contents = goldens(screen)
    laid = laid_out(contents, screen, tmp_path)
    assert laid.keys() == contents.keys()
    assert {name: each.overflow for name, each in laid.items() if each.overflow > 0} == {}
    cards = {name: each.height for name, each in laid.items() if name.startswith(("card-", "approval-"))}
    cards.pop("card-hostile", None)
    assert {name: height for name, height in cards.items() if height > HIGHEST_CARD} == {}


def test_each_has_its_picture() -> None:
    wanted = {f"slack-{name}-{screen.name.lower()}.png" for screen in Screen for name in goldens(screen)}
    assert {file.name for file in PICTURES.glob("slack-*.png")} == wanted, "run `make pictures`"
