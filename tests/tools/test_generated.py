"""Generated files are written where they differ, or told; what must go goes, or is told."""

from pathlib import Path

import pytest

from firstfault.tools.generated import settle

MODULE = "firstfault.example"


def test_what_differs_is_told_and_nothing_is_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same, other, over = tmp_path / "same.md", tmp_path / "other.md", tmp_path / "over.md"
    for file in (same, other, over):
        file.write_text("old", encoding="utf-8")
    wanted = {same: "old", other: "new", tmp_path / "missing.md": "new"}
    assert settle(wanted, ["--check"], MODULE, there=tmp_path.glob("*.md")) == 1
    told = capsys.readouterr().err
    assert [name for name in ("same", "other", "missing", "over") if f"{name}.md" in told] == [
        "other",
        "missing",
        "over",
    ]
    assert f"python -m {MODULE}" in told
    assert other.read_text(encoding="utf-8") == "old"
    assert over.is_file()


def test_once_written_nothing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    over = tmp_path / "over.md"
    over.write_text("old", encoding="utf-8")
    wanted = {tmp_path / "deep" / "new.md": "text: \N{MULTIPLICATION SIGN}"}
    assert settle(wanted, [], MODULE, there=[over]) == 0
    assert not over.exists()
    assert settle(wanted, ["--check"], MODULE) == 0
    assert capsys.readouterr().err == ""
