"""The vendor's bundle: what the text says and admits, what is in the archive, and what never is."""

import io
import zipfile
from pathlib import Path

import yaml

from firstfault.agent.report.contract import Report
from firstfault.agent.ticket.bundle import bundle, cited
from firstfault.agent.ticket.identity import identity
from firstfault.agent.ticket.text import Ticket, ticket_text
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.recording import open_recording
from firstfault.tools.redaction import redact
from tests import reports

LOST = "NVRM: Xid (PCI:0000:91:00): 79, GPU has fallen off the bus."
LINE = reports.evidence("raw/kernel.log", 1, LOST)
GPU = reports.entity("gpu", "0000:91:00")
SECRET = "hf_" + "a1B2" * 9
QUERY = """\
==============NVSMI LOG==============
Driver Version                            : 570.124.06
CUDA Version                              : 12.8
Attached GPUs                             : 2
GPU 00000000:91:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Serial Number                         : 1653923000123
    GPU UUID                              : GPU-5c3a1c9e-26f0-4b2a-9b60-1f2d3c4b5a69
    VBIOS Version                         : 96.00.74.00.01
GPU 00000000:92:00.0
    Serial Number                         : 1653923000999
"""


def report(*actions: str) -> Report:
    """Return a report on a lost GPU that recommends `actions`."""
    return reports.report(
        diagnosis=reports.diagnosis(),
        timeline=[reports.entry("xid.79", GPU, LINE, role="cause", uptime_s=1.0)],
        evidence=[LINE],
        recommendations=[reports.recommendation(action, GPU, why=f"why {action}") for action in actions],
    )


def document(path: str, text: str, kind: Kind = Kind.KERNEL_LOG) -> Document:
    """Return a document."""
    return Document(path=path, kind=kind, body=MemoryBody(text.encode()), source="recording", query=path)


def names(archive: bytes) -> list[str]:
    """Return what is in the archive."""
    return zipfile.ZipFile(io.BytesIO(archive)).namelist()


def test_the_text_says_what_is_known_and_asks_for_the_rest() -> None:
    text = ticket_text(Ticket(report=report("open_vendor_ticket", "node_reboot")))

    assert LOST not in text.splitlines()[0]
    assert "why open_vendor_ticket" in text
    assert "why node_reboot" not in text
    assert "nothing that firstfault carried out" in text
    assert "nvidia-bug-report.log.gz of the machine of gpu 0000:91:00" in text
    assert "serial number and part number" in text


def test_what_was_done_and_what_the_tools_printed_is_in_the_text() -> None:
    known = (("Serial number", "1653923000123"), ("Driver", "570.124.06"))
    text = ticket_text(Ticket(report=report(), identity=known, done=("03:00 gpu_reset: failed",)))

    assert "Serial number   1653923000123" in text
    assert "03:00 gpu_reset: failed" in text
    assert "serial number and part number" not in text


def test_the_identity_is_that_of_the_culprit_and_of_its_machine() -> None:
    facts = read(
        document("q", QUERY, Kind.NVIDIA_SMI), ReadContext(opened_at=None, zone=None, as_of=None)
    ).facts

    assert dict(identity(GPU, facts)) == {
        "Product": "NVIDIA H100 80GB HBM3",
        "Serial number": "1653923000123",
        "UUID": "GPU-5c3a1c9e-26f0-4b2a-9b60-1f2d3c4b5a69",
        "VBIOS": "96.00.74.00.01",
        "Driver": "570.124.06",
        "CUDA": "12.8",
    }
    assert dict(identity(None, facts)) == {"Driver": "570.124.06", "CUDA": "12.8"}


def test_only_what_is_cited_goes_in_and_dumps_of_the_vendor() -> None:
    documents = [
        document(path, "x\n") for path in ("raw/kernel.log", "raw/other.log", "nvidia-bug-report.log")
    ]

    assert [each.path for each in cited(report(), documents)] == ["raw/kernel.log", "nvidia-bug-report.log"]


def test_the_archive_is_redacted_replayable_and_the_same_each_time(tmp_path: Path) -> None:
    kernel = document("raw/kernel.log", f"{LOST}\nHF_TOKEN={SECRET}\n")
    ticket = Ticket(report=report("open_vendor_ticket"))
    text, archive = bundle(ticket, [kernel], redact)

    assert bundle(ticket, [kernel], redact) == (text, archive)
    assert names(archive) == [
        "evidence/case.yaml",
        "evidence/raw/kernel.log",
        "report.html",
        "report.json",
        "ticket.txt",
    ]
    zipfile.ZipFile(io.BytesIO(archive)).extractall(tmp_path)
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or SECRET not in file.read_text()
    assert LOST in (tmp_path / "evidence/raw/kernel.log").read_text()
    assert (tmp_path / "ticket.txt").read_text() == text
    for path in ("report.json", "evidence/raw/kernel.log"):
        assert path in text
    assert yaml.safe_load((tmp_path / "evidence/case.yaml").read_text())["sources"][0]["kind"] == "kernel_log"
    assert open_recording(tmp_path / "evidence").manifest.question == ticket.report.incident.question
