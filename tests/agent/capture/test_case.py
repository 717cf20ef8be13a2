"""Names of documents never lead out of the folder, and never hide one another."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath

import yaml
from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.capture.case import CaseHeader, case_files
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer

HEADER = CaseHeader(id="c", question="q", opened_at=datetime(2026, 1, 1, tzinfo=UTC), environment={})
HOSTILE = ["../../etc/passwd", "/etc/passwd", "a/b", "a//b", "A/B", "..", ".", "", "a\0b", "a\nb", "é/ü"]


@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=20), max_size=8))
def test_every_document_has_a_file_of_its_own_inside_the_folder(names: Sequence[str]) -> None:
    documents = tuple(
        Document(path=name, kind=Kind.PLAIN, body=MemoryBody(b"x"), source="s", query="q") for name in names
    )
    *files, (last, manifest) = case_files(HEADER, [Answer(documents=documents)], lambda text: text)
    paths = [path for path, _ in files]
    assert last == "case.yaml"
    assert len({path.lower() for path in paths}) == len(names)
    assert all(path.startswith("raw") and ".." not in PurePosixPath(path).parts for path in paths)
    assert [row["path"] for row in yaml.safe_load(manifest)["sources"]] == paths
