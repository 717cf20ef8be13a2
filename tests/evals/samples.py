"""Small case folders for tests of the evals."""

import json
from collections.abc import Mapping
from pathlib import Path

KERNEL = (
    "[1.0] NVRM: GPU at PCI:0000:91:00: GPU-1\n"
    "[1.1] NVRM: GPU Board Serial Number: 1\n"
    "[1.2] NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
)
TRUTH: Mapping[str, object] = {
    "failure_class": "gpu.fell_off_bus",
    "acceptable_classes": [],
    "layer": "gpu",
    "owner": "platform",
    "verdict": "name_cause",
    "certainty": "confirmed",
    "culprit": {"kind": "gpu", "name": "PCI:0000:91:00"},
    "first_fault": {"path": "raw/kernel.log", "line": 3, "at": None},
    "actions": {
        "expected": ["cordon_node"],
        "must_not": ["node_replace", "gpu_reset: while jobs use the node"],
    },
}


def write_case(folder: Path, raw: Mapping[str, str] | None = None, **truth: object) -> Path:
    """Return a new case folder: the kernel log of a lost GPU unless `raw` says otherwise."""
    for path, text in (raw or {"raw/kernel.log": KERNEL}).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    sources = [{"path": path, "kind": "kernel_log"} for path in raw or {"raw/kernel.log": KERNEL}]
    case = {"id": folder.name, "question": "why?", "sources": sources}
    (folder / "case.yaml").write_text(json.dumps(case), encoding="utf-8")
    (folder / "truth.yaml").write_text(json.dumps({**TRUTH, **truth}), encoding="utf-8")
    return folder
