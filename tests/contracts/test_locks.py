"""Lock files hold names, versions and hashes only, and what runs is what was tested."""

import re

from tests.contracts.planting import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock")
PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)", re.MULTILINE)
LINE = re.compile(r"[a-z0-9-]+==[^\s:]+( ; [^:\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")


def test_nothing_but_pins_and_hashes() -> None:
    for lock in LOCKS:
        lines = (ROOT / lock).read_text().splitlines()
        assert [line for line in lines if not LINE.fullmatch(line)] == []


def test_what_runs_is_pinned_alike_for_development() -> None:
    running, developing = (set(PIN.findall((ROOT / name).read_text())) for name in LOCKS)
    assert running <= developing
    assert "openai" in dict(running)
    assert "pytest" not in dict(running)
