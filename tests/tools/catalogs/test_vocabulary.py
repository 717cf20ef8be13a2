from pathlib import Path

from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.catalogs.vocabulary import main, signals_page

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_what_the_tables_say() -> None:
    page = ROOT / "docs" / "signals.md"
    hint = "run `python -m firstfault.tools.catalogs.vocabulary`"
    assert page.read_text(encoding="utf-8") == signals_page(), hint
    assert main(["--check"]) == 0


def test_every_signal_is_on_the_page() -> None:
    page = signals_page()
    assert all(f"`{pattern.signal}`" in page for pattern in all_patterns())
