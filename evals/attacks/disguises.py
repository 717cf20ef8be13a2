"""Changes to a recorded case that must not change what is found: order, names, clocks, noise, copies, line ends, cuts.

A disguise gets a copy of a case folder and changes it in place. It returns how a name of the original reads in the
copy, and how a line of the original is numbered there.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

NOISE = (
    "level=info msg=heartbeat seq={n}",
    "INFO periodic housekeeping pass {n} finished",
    "DEBUG nothing to report, round {n}",
)
LINE_KINDS = frozenset(
    {
        "kernel_log",
        "container_log",
        "kubelet_log",
        "runtime_log",
        "fabric_manager_log",
        "syslog",
        "journal",
        "application_log",
    }
)
"""Kinds of which any single line stands for itself."""
_ISO = re.compile(r"\b(20\d\d-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)")
SHIFT = timedelta(days=3, hours=0)
_ZONED = re.compile(r"\b(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)(?![\w:])")
ZONE = timezone(timedelta(hours=5, minutes=30))
MERGED = 30
"""Lines of the other log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a disguise did to names and places. lines: path → number of lines put in front."""

    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    lines: Mapping[str, int] = field(default_factory=dict[str, int])
    moved: Mapping[str, tuple[tuple[int, str], ...]] = field(
        default_factory=dict[str, tuple[tuple[int, str], ...]]
    )
    """Path → the parts it was split into, each with the number of lines before it."""


def shuffled(case: Path) -> Effect:
    """List the sources in another order."""
    manifest = _manifest(case)
    sources: list[dict[str, Any]] = manifest["sources"]
    sources.sort(key=lambda source: sha256(str(source["path"]).encode()).hexdigest())
    _save(case, manifest)
    return Effect()


def renamed(case: Path) -> Effect:
    """Give every machine that the manifest names another name, everywhere."""
    manifest = _manifest(case)
    names = {
        str(source[key]) for source in manifest["sources"] for key in ("node", "host") if source.get(key)
    } | {
        str(source["entity"]).partition("/")[2]
        for source in manifest["sources"]
        if str(source.get("entity", "")).startswith("node/")
    }
    mapping = {
        name: f"m{number:03d}x-renamed" for number, name in enumerate(sorted(names, key=len, reverse=True))
    }
    for path in (case / "case.yaml", *_files(case)):
        text = path.read_bytes()
        for old, new in mapping.items():
            pattern = rb"(?<![\w.-])" + re.escape(old.encode()) + rb"(?![\w-])"
            text = re.sub(pattern, new.encode(), text)
        path.write_bytes(text)
    return Effect(renamed=mapping)


def shifted(case: Path) -> Effect:
    """Move every ISO time of the recording by the same days, which no calendar notices."""

    def later(match: re.Match[str]) -> str:
        try:
            moment = datetime.fromisoformat(f"{match[1]}T{match[3]}") + SHIFT
        except ValueError:
            return match[0]
        return moment.strftime(f"%Y-%m-%d{match[2]}%H:%M:%S")

    for path in (case / "case.yaml", *_files(case)):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        path.write_text(_ISO.sub(later, text), encoding="utf-8", errors="surrogateescape", newline="")
    return Effect()


def rezoned(case: Path) -> Effect:
    """Write every time that names its zone as the same moment in another zone."""

    def elsewhere(match: re.Match[str]) -> str:
        try:
            moment = datetime.fromisoformat(f"{match[1]}{match[3]}").astimezone(ZONE)
        except ValueError:
            return match[0]
        fraction = match[2] or ""
        return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}+05:30"

    for path in (case / "case.yaml", *_files(case)):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        path.write_text(_ZONED.sub(elsewhere, text), encoding="utf-8", errors="surrogateescape", newline="")
    return Effect()


def merged(case: Path) -> Effect:
    """Put another log, which says nothing, in front of every log, as if somebody had joined two files to one."""
    front = "".join(f"{NOISE[n % len(NOISE)].format(n=n)}\n" for n in range(MERGED))
    logs = _logs(case)
    for path in logs:
        path.write_bytes(front.encode() + path.read_bytes())
    return Effect(lines={str(path.relative_to(case)): MERGED for path in logs})


def noisy(case: Path) -> Effect:
    """Add lines that say nothing at the end of every log."""
    for path in _logs(case):
        with path.open("a", encoding="utf-8") as stream:
            if not path.read_bytes().endswith(b"\n"):
                stream.write("\n")
            stream.writelines(f"{NOISE[n % len(NOISE)].format(n=n)}\n" for n in range(20))
    return Effect()


def doubled(case: Path) -> Effect:
    """List a copy of every file beside it."""
    manifest = _manifest(case)
    copies: list[dict[str, Any]] = []
    for source in manifest["sources"]:
        path = case / source["path"]
        if path.is_file():
            copy = path.with_name(f"zz-copy-{path.name}")
            copy.write_bytes(path.read_bytes())
            copies.append({**source, "path": str(copy.relative_to(case))})
    manifest["sources"] += copies
    _save(case, manifest)
    return Effect()


def carriage_returns(case: Path) -> Effect:
    """Write every file with the line ends of Windows."""
    for path in _files(case):
        path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    return Effect()


def split(case: Path) -> Effect:
    """Cut every log of some length in two files."""
    manifest = _manifest(case)
    sources: list[dict[str, Any]] = []
    moved: dict[str, tuple[tuple[int, str], ...]] = {}
    for source in manifest["sources"]:
        path = case / source["path"]
        data: bytes = path.read_bytes() if path.is_file() else b""
        lines = data.splitlines(keepends=True)
        if source["kind"] not in LINE_KINDS or len(lines) < MIN_SPLIT:
            sources.append(source)
            continue
        cut = len(lines) * 3 // 4
        rest = path.with_name(f"{path.stem}-part2{path.suffix}")
        path.write_bytes(b"".join(lines[:cut]))
        rest.write_bytes(b"".join(lines[cut:]))
        second = str(rest.relative_to(case))
        moved[source["path"]] = ((0, source["path"]), (cut, second))
        sources += [source, {**source, "path": second}]
    manifest["sources"] = sources
    _save(case, manifest)
    return Effect(moved=moved)


def with_healthy_node(case: Path) -> Effect:
    """Add a machine on which all is well, as the API lists it."""
    path = case / "raw" / "zz-healthy-node.json"
    path.write_text(json.dumps(_HEALTHY, indent=1), encoding="utf-8")
    manifest = _manifest(case)
    manifest["sources"].append({"path": "raw/zz-healthy-node.json", "kind": "kube_objects"})
    _save(case, manifest)
    return Effect()


_HEALTHY = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "zz-healthy-1", "labels": {"kubernetes.io/hostname": "zz-healthy-1"}},
    "spec": {},
    "status": {
        "allocatable": {"cpu": "2", "memory": "4Gi", "pods": "20"},
        "capacity": {"cpu": "2", "memory": "4Gi", "pods": "20"},
        "addresses": [{"type": "InternalIP", "address": "192.0.2.77"}],
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "KubeletReady",
                "message": "kubelet is posting ready status",
            },
            {"type": "MemoryPressure", "status": "False", "reason": "KubeletHasSufficientMemory"},
            {"type": "DiskPressure", "status": "False", "reason": "KubeletHasNoDiskPressure"},
        ],
    },
}

MIN_SPLIT = 40
"""Shorter logs are excerpts; their lines lean on each other."""

DISGUISES: Mapping[str, Callable[[Path], Effect]] = {
    "shuffled": shuffled,
    "renamed": renamed,
    "shifted": shifted,
    "noisy": noisy,
    "doubled": doubled,
    "carriage_returns": carriage_returns,
    "split": split,
    "merged": merged,
    "rezoned": rezoned,
    "healthy_node": with_healthy_node,
}


def without(case: Path, path: str) -> None:
    """Take one file out of the recording, as if it had never been collected."""
    manifest = _manifest(case)
    manifest["sources"] = [source for source in manifest["sources"] if source["path"] != path]
    _save(case, manifest)
    (case / path).unlink()


def _manifest(case: Path) -> dict[str, Any]:
    return yaml.safe_load((case / "case.yaml").read_text(encoding="utf-8"))


def _save(case: Path, manifest: dict[str, Any]) -> None:
    (case / "case.yaml").write_text(json.dumps(manifest, ensure_ascii=False), encoding="utf-8")


def _files(case: Path) -> list[Path]:
    return sorted(path for path in (case / "raw").rglob("*") if path.is_file())


def _logs(case: Path) -> list[Path]:
    return [
        case / source["path"]
        for source in _manifest(case)["sources"]
        if source["kind"] in LINE_KINDS and (case / source["path"]).is_file()
    ]
