"""Draws every message of the chat as people see it: `python -m tests.system.slack_pictures` writes docs/img/slack-*.png.

The messages are the golden files of tests/agent/slack; the drawing is evals/preview in a headless browser.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image

from firstfault.evals.preview.pages import Screen, page
from tests.system.programs import document, screenshot

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "agent" / "slack" / "golden"
PICTURES = ROOT / "docs" / "img"
MARGIN = 200
_MEASURED = re.compile(r'data-height="(\d+)" data-overflow="(-?\d+)"')


def draw(name: str, screen: Screen, folder: Path, picture: Path) -> tuple[int, int]:
    """Write the picture of one golden message; return its height, and how many pixels of it stick out of the screen."""
    content = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    file = folder / f"{name}.html"
    file.write_text(page(content, screen, name), encoding="utf-8")
    measured = _MEASURED.search(document(file, folder))
    assert measured is not None, f"{name} was not laid out"
    height, overflow = map(int, measured.groups())
    # A browser window has a least width, and a picture as high as the window; only the message is kept.
    screenshot(file, folder / "whole.png", width=max(screen.value, 600), height=height + MARGIN)
    with Image.open(folder / "whole.png") as whole:
        kept = whole.crop((0, 0, screen.value, height)).convert("RGB").quantize(160)
        kept.save(picture, optimize=True)
    return height, overflow


def names() -> list[str]:
    """Return the names of the golden messages."""
    return sorted(each.stem for each in GOLDEN.glob("*.json"))


def main() -> int:
    """Draw all of them for a phone, and the messages in the channel for a desk too."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in names():
            screens = (Screen.PHONE, Screen.DESK) if name.startswith("card-") else (Screen.PHONE,)
            for screen in screens:
                picture = PICTURES / f"slack-{name}-{screen.name.lower()}.png"
                height, overflow = draw(name, screen, Path(folder), picture)
                sys.stdout.write(f"{picture.name}: {screen.value} × {height}, {overflow} px stick out\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
