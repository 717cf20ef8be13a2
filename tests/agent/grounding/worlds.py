"""A small incident for grounding: a GPU off the bus, two switches that echo it, a pod that cannot start."""

from firstfault.agent.findings import (
    Diagnosis,
    Hypothesis,
    Owner,
    Role,
    Standing,
    TimelineEntry,
    Verdict,
)
from firstfault.agent.grounding.claims import Absent, Claim, ClosedSets, Quote
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Coverage, CoverageState
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.signals import pod, signal


def switch(name: str) -> EntityRef:
    return EntityRef(kind=EntityKind.NVSWITCH, name=name, node="gpu-n7")


LOST = signal("xid.79", line=3, node="gpu-n7", uptime_s=6781741.548779, attributes={"xid": 79})
FIRST_ECHO = signal(
    "sxid.20034",
    line=6,
    uptime_s=6781753.400584,
    entity=switch("0000:06:00"),
    attributes={"sxid": 20034, "link": 48},
)
SECOND_ECHO = signal(
    "sxid.20034",
    line=7,
    uptime_s=6781753.404587,
    entity=switch("0000:05:00"),
    attributes={"sxid": 20034, "link": 63},
)
NOT_STARTED = signal(
    "kube.pod.create_failed",
    path="raw/runtime.log",
    kind=Kind.RUNTIME_LOG,
    entity=pod("trainer"),
    at_s=5,
    count=12,
)
SIGNALS = (LOST, FIRST_ECHO, SECOND_ECHO, NOT_STARTED)
ROLES = (Role.CAUSE, Role.ECHO, Role.ECHO, Role.SYMPTOM)
TIMELINE = tuple(TimelineEntry(signal=s, role=r, because="") for s, r in zip(SIGNALS, ROLES, strict=True))
EVIDENCE = tuple(s.evidence for s in SIGNALS)
HYPOTHESES = (
    Hypothesis(
        failure_class="gpu.fell_off_bus", standing=Standing.SUPPORTED, because="", supporting=(LOST.evidence,)
    ),
    Hypothesis(
        failure_class="nvlink.switch_fault",
        standing=Standing.RULED_OUT,
        because="",
        contradicting=(LOST.evidence, FIRST_ECHO.evidence),
    ),
    Hypothesis(failure_class="host.pcie_link", standing=Standing.UNTESTED, because=""),
)
DIAGNOSIS = Diagnosis(
    verdict=Verdict.LIKELY,
    failure_class="gpu.fell_off_bus",
    summary="GPU 0000:91:00 no longer answers on the PCIe bus",
    owner=Owner.PLATFORM,
    layer="gpu",
    culprit=LOST.entity,
    first_fault=LOST,
    evidence=(LOST.evidence,),
)
CLOSED = ClosedSets(
    hypotheses=HYPOTHESES,
    diagnosis=DIAGNOSIS,
    classes={
        "gpu.fell_off_bus": (
            "GPU no longer answers on the PCIe bus",
            "the driver reports that it has fallen off the bus",
            "often the riser or the slot is to blame",
        ),
        "nvlink.switch_fault": ("NVSwitch itself faults",),
    },
    class_names=("gpu.fell_off_bus", "nvlink.switch_fault", "host.pcie_link", "gpu.slow", "storage.full"),
    glosses={
        "sxid.20034": "NVLink LTSSM fault of a link",
        "kube.pod.create_failed": "container could not be created",
    },
)
COVERAGE = (
    Coverage(source="test", kind=Kind.RUNTIME_LOG, state=CoverageState.COMPLETE, path="raw/runtime.log"),
    Coverage(source="test", kind=Kind.KERNEL_LOG, state=CoverageState.PARTIAL, path="raw/kernel.log"),
)


def claim(text: str, *cited: Signal, about: str | None = None, absent: Absent | None = None) -> Claim:
    """Return a claim that quotes what it cites, correctly."""
    return Claim(
        text=text,
        evidence=tuple(s.evidence.id for s in cited),
        quotes=tuple(Quote(evidence=s.evidence.id, text=s.evidence.excerpt[:20]) for s in cited),
        about=about,
        absent=absent,
    )
