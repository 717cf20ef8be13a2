"""A recording is a source like any other."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.tools.kinds import Kind
from firstfault.tools.recording import open_recording
from tests.conformance.source_laws import SourceLaws, Subject

MANIFEST = """id: c
question: q
opened_at: '2026-01-01T00:10:00Z'
sources:
- {path: raw/pod.log, kind: container_log, complete: true, pod: p, namespace: n}
- {path: raw/kernel.log, kind: kernel_log, node: gpu-7}
- {path: raw/gone.log, kind: journal}
not_collected: [kube_events]
"""
FILES = {
    "raw/pod.log": "2025-12-31T23:59:00Z before\n2026-01-01T00:00:30Z after\n2025-12-31T23:59:59Z late but before\n",
    "raw/kernel.log": "[1.000000] a\n[2.000000] audit: type=1 audit(1767225600.000:1): midnight\n[62.000000] after\n",
}


@pytest.fixture(params=["listed", "unlisted"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for path, text in {**FILES, **({"case.yaml": MANIFEST} if request.param == "listed" else {})}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


class TestRecording(SourceLaws):
    @pytest.fixture
    def subject(self, folder: Path) -> Subject:
        recording = open_recording(folder)
        return Subject(
            source=recording,
            held=(Kind.CONTAINER_LOG, Kind.KERNEL_LOG),
            context=recording.context,
            as_of=datetime(2026, 1, 1, tzinfo=UTC),
        )
