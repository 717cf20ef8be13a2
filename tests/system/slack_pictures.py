"""Draws every message of the chat as people see it: `make pictures` writes docs/img/slack-*.png.

The messages are the golden files of tests/agent/slack; the drawing is evals/preview in a headless browser.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from firstfault.evals.preview.pages import Screen, page
from firstfault.evals.sim.kube_json import Body
from tests.system.programs import document, screenshot

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "agent" / "slack" / "golden"
PICTURES = ROOT / "docs" / "img"
LEAST_WINDOW = 600
"""A browser window is never narrower; what is beside the message is cut off."""
MOST_HEIGHT = 9000
"""Of one screenshot."""
COLOURS = 160
_MEASURED = re.compile(
    r'<main data-name="([^"]+)"[^>]* data-top="(\d+)" data-height="(\d+)" data-overflow="(-?\d+)"'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """Where a message was laid out. Units: CSS pixels. overflow: how much sticks out of the screen."""

    top: int
    height: int
    overflow: int


def goldens(screen: Screen) -> dict[str, Body]:
    """Return the messages that are drawn for a screen: all for a phone, those of the channel itself for a desk."""
    files = sorted(GOLDEN.glob("*.json" if screen is Screen.PHONE else "card-*.json"))
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def laid_out(contents: Mapping[str, Body], screen: Screen, folder: Path) -> dict[str, Laid]:
    """Return where a browser puts each message."""
    file = folder / "page.html"
    file.write_text(page(contents, screen), encoding="utf-8")
    rows = _MEASURED.findall(document(file, folder))
    return {
        name: Laid(top=int(top), height=int(height), overflow=int(over)) for name, top, height, over in rows
    }


def batches(laid: Mapping[str, Laid]) -> Iterator[list[str]]:
    """Yield names whose messages fit into one screenshot."""
    names: list[str] = []
    height = 0
    for name, each in laid.items():
        if names and height + each.height > MOST_HEIGHT:
            yield names
            names, height = [], 0
        names.append(name)
        height += each.height
    yield names


def draw(names: Sequence[str], contents: Mapping[str, Body], screen: Screen, folder: Path) -> None:
    """Write the pictures of some messages."""
    chosen = {name: contents[name] for name in names}
    laid = laid_out(chosen, screen, folder)
    height = sum(each.height for each in laid.values())
    shot = folder / "shot.png"
    screenshot(folder / "page.html", shot, width=max(screen.value, LEAST_WINDOW), height=height + 200)
    with Image.open(shot) as whole:
        for name, each in laid.items():
            box = (0, each.top, screen.value, each.top + each.height)
            kept = whole.crop(box).convert("RGB").quantize(COLOURS)
            kept.save(PICTURES / f"slack-{name}-{screen.name.lower()}.png", optimize=True)


def main() -> int:
    """Draw all of them anew."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("slack-*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        for screen in Screen:
            contents = goldens(screen)
            for names in batches(laid_out(contents, screen, Path(folder))):
                draw(names, contents, screen, Path(folder))
    sys.stdout.write(f"{len(list(PICTURES.glob('slack-*.png')))} pictures in {PICTURES}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
