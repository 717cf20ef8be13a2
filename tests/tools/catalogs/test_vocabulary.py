import re
from pathlib import Path

from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.catalogs.tables import read_table
from firstfault.tools.catalogs.vocabulary import OBJECT_SIGNALS, main, signals_page

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_what_the_tables_say() -> None:
    page = ROOT / "docs" / "signals.md"
    hint = "run `python -m firstfault.tools.catalogs.vocabulary`"
    assert page.read_text(encoding="utf-8") == signals_page(), hint
    assert main(["--check"]) == 0


def test_every_signal_is_on_the_page() -> None:
    page = signals_page()
    assert all(f"`{pattern.signal}`" in page for pattern in all_patterns())


def test_what_detectors_say_is_what_the_table_lists() -> None:
    sources = [*(ROOT / "tools/extract/kube").glob("*.py"), ROOT / "tools/extract/packages.py"]
    spoken = {
        re.sub(r"\{[^}]*\}", "*", name)
        for source in sources
        for name in re.findall(r'"((?:kube|host)\.[a-z_{}.]+)"', source.read_text(encoding="utf-8"))
    }
    listed = {row["signal"] for row in read_table(OBJECT_SIGNALS)}
    said = {name for name in spoken if not name.endswith("*")}
    assert said - listed == set()
    alive = {name for name in listed if name.startswith(("kube.", "host.")) and "{" not in name}
    assert {name for name in alive - said if not name.startswith("kube.sched.")} == set()
