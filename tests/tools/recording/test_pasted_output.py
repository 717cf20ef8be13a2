"""What people paste among their notes: a tool's output is machine output, a sentence stays a statement."""

from pathlib import Path

import pytest

from firstfault.tools.kinds import Kind
from firstfault.tools.recording import open_recording


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "max locked memory       (kbytes, -l) 64\nopen files                      (-n) 1024\n",
            Kind.HOST_TOOL,
        ),
        ("[<0>] do_exit+0x1a7/0x3c0\n[<0>] exit_aio+0xe8/0xf0\n[<0>] mmput+0x35/0x150\n", Kind.KERNEL_LOG),
        (
            "We saw that max locked memory was 64 on the new nodes.\nThe old ones were fine.\n",
            Kind.OPERATOR_NOTES,
        ),
        (
            "The node rebooted.\nIt printed this:\nmax locked memory       (kbytes, -l) 64\nand then died.\n",
            Kind.OPERATOR_NOTES,
        ),
    ],
)
def test_notes_that_are_a_tools_output_are_read_as_such(text: str, kind: Kind, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "a.txt").write_text(text)
    (tmp_path / "case.yaml").write_text(
        "id: c\nquestion: q\nsources:\n- {path: raw/a.txt, kind: operator_notes}\n"
    )
    (document,) = open_recording(tmp_path).documents
    assert document.kind is kind
