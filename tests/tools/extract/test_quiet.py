"""A machine is well only where it was read whole, was found without a fault, and its counters were seen clean."""

from dataclasses import replace

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.evidence import Document
from firstfault.tools.extract import extract
from firstfault.tools.extract.quiet import DEVICE_CLEAN, MACHINE_QUIET
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.signals import Signal
from tests.documents import document


def whole(text: str, kind: Kind, path: str) -> Document:
    """Return a document of node n-1 that its source read to the end."""
    return replace(document(text, kind, path, node="n-1"), complete=True)


LOG = whole(
    "[   12.4] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07\n", Kind.KERNEL_LOG, "raw/k.log"
)
CSV = "index, pci.bus_id, ecc.errors.uncorrected.volatile.total\n0, 00000000:1B:00.0, {}\n"
SMI = whole(CSV.format(0), Kind.NVIDIA_SMI, "raw/smi.csv")
SERIES = (
    '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",'
    '"gpu":"0","Hostname":"n-1"},"values":[[1780000000,"0"],[1780000060,"0"]]}]}}'
)
METRICS = whole(SERIES, Kind.PROMETHEUS_RESPONSE, "raw/dbe.json")


def quiet(*documents: Document) -> list[Signal]:
    """Return the statements of health that the documents give."""
    found = extract(documents, [read(each, NO_CONTEXT) for each in documents], NO_CONTEXT)
    return [each for each in found if each.name == MACHINE_QUIET]


@pytest.mark.parametrize("counters", [SMI, METRICS], ids=["tool", "metrics"])
def test_a_whole_log_and_clean_counters_are_health(counters: Document) -> None:
    (found,) = quiet(LOG, counters)
    assert found.entity.name == "n-1"
    assert found.attributes["logs"] == "raw/k.log"
    assert {each.path for each in found.all_evidence} == {"raw/k.log", counters.path}


@pytest.mark.parametrize(
    "documents",
    [
        (LOG,),
        (SMI,),
        (replace(LOG, complete=False), SMI),
        (LOG, replace(SMI, complete=False)),
        (whole("", Kind.KERNEL_LOG, "raw/k.log"), SMI),
        (LOG, whole(CSV.format("[N/A]"), Kind.NVIDIA_SMI, "raw/smi.csv")),
        (LOG, whole(CSV.format(2), Kind.NVIDIA_SMI, "raw/smi.csv")),
        (LOG, SMI, whole("[9.1] NVRM: Xid (PCI:0000:1b:00): 31, pid=1\n", Kind.KERNEL_LOG, "raw/k2.log")),
        (LOG, SMI, document("step 1\n", Kind.APPLICATION_LOG, "raw/job.log")),
        (LOG, SMI, document("The node hangs again.\n", Kind.OPERATOR_NOTES, "raw/notes.txt")),
    ],
    ids=[
        "no counters", "no log", "cut log", "cut counters", "empty log", "not supported", "errors counted", "a fault",
        "a cut log of a job", "a person complains",
    ],
)  # fmt: skip
def test_anything_less_is_not(documents: tuple[Document, ...]) -> None:
    assert not quiet(*documents)


CLEAN = """GPU 00000000:1B:00.0
    Remapped Rows
        Pending                           : No
        Remapping Failure Occurred        : No
    Clocks Event Reasons
        SW Power Cap                      : Active
        HW Slowdown                       : Not Active
"""


def clean(*documents: Document) -> list[str]:
    """Return the names of the signals of health that the documents give."""
    found = extract(documents, [read(each, NO_CONTEXT) for each in documents], NO_CONTEXT)
    return [each.name for each in found if each.name in {MACHINE_QUIET, DEVICE_CLEAN}]


HEALTHY_NODE = """
apiVersion: v1
kind: Node
metadata: {name: n-2}
status: {conditions: [{type: Ready, status: "True", reason: KubeletReady}]}
"""


def test_a_node_that_is_well_takes_nothing_from_clean_counters() -> None:
    node = document(HEALTHY_NODE, Kind.KUBE_OBJECTS, "raw/node.yaml")
    assert clean(document(CLEAN, Kind.NVIDIA_SMI, "raw/q.txt"), node) == [DEVICE_CLEAN]
    ill = document(HEALTHY_NODE.replace('"True"', '"False"'), Kind.KUBE_OBJECTS, "raw/node.yaml")
    assert clean(document(CLEAN, Kind.NVIDIA_SMI, "raw/q.txt"), ill) == []


def test_clean_counters_alone_are_a_hint_and_no_absence() -> None:
    assert clean(document(CLEAN, Kind.NVIDIA_SMI, "raw/q.txt")) == [DEVICE_CLEAN]


@pytest.mark.parametrize(
    "beside",
    [
        document("step 1\n", Kind.APPLICATION_LOG, "raw/job.log"),
        document("The node hangs again.\n", Kind.OPERATOR_NOTES, "raw/notes.txt"),
        document(CLEAN.replace(": No\n", ": Yes\n", 1), Kind.NVIDIA_SMI, "raw/q2.txt"),
    ],
    ids=["a log of a job", "a person complains", "a flag is up"],
)
def test_clean_counters_say_nothing_beside_anything_else(beside: Document) -> None:
    assert clean(document(CLEAN, Kind.NVIDIA_SMI, "raw/q.txt"), beside) == []
