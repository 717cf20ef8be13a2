"""What nodes share: for every node the value of every dimension (switch, rack, driver …) that something states.

Stated by node objects (labels and `nodeInfo`), by a plain `topology.csv` (node, rack, switch, …) or by a Slurm
`topology.conf`. What nobody states is unknown: a node without the label belongs to no group, it is not "other".
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from firstfault.tools.evidence import Document, Evidence
from firstfault.tools.kinds import Kind
from firstfault.tools.readings import KubeObject, join_path


class Dimension(BaseModel):
    """Where one dimension is stated."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dimension: str
    key: str | None = None
    ends_with: str | None = None
    field: str | None = None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """One node has one value in one dimension, and where that is stated."""

    node: str
    dimension: str
    value: str
    evidence: Evidence


@lru_cache(maxsize=1)
def load_dimensions() -> tuple[Dimension, ...]:
    """Return the shipped table in file order: the first statement of a dimension wins."""
    text = (resources.files("firstfault.tools.topology") / "dimensions.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Dimension, ...]).validate_python(yaml.safe_load(text))


def memberships(objects: Iterable[KubeObject], documents: Iterable[Document]) -> tuple[Membership, ...]:
    """Return every statement of what a node belongs to, one per node and dimension, in order of node and dimension."""
    found: dict[tuple[str, str], Membership] = {}
    stated = (
        *(m for each in objects if each.kind == "Node" for m in _of_node(each)),
        *(m for each in documents if each.kind is Kind.TOPOLOGY for m in _of_table(each)),
    )
    for each in stated:
        found.setdefault((each.node, each.dimension), each)
    return tuple(found[key] for key in sorted(found))


def _of_node(node: KubeObject) -> Iterable[Membership]:
    labels = node.mapping("metadata.labels")
    for dimension in load_dimensions():
        for key, value in labels.items():
            if names_dimension(dimension, key) and value not in {None, ""}:
                path = join_path(["metadata", "labels", key])
                yield Membership(
                    node=node.name,
                    dimension=dimension.dimension,
                    value=str(value),
                    evidence=node.cite(path),
                )
        if dimension.field and node.text(dimension.field):
            yield Membership(
                node=node.name,
                dimension=dimension.dimension,
                value=node.text(dimension.field),
                evidence=node.cite(dimension.field),
            )


def names_dimension(dimension: Dimension, key: str) -> bool:
    """Return whether a label states the dimension."""
    return key == dimension.key or (dimension.ends_with is not None and key.endswith(dimension.ends_with))


_SLURM = re.compile(r"^\s*SwitchName=(?P<switch>\S+)\s.*?\bNodes=(?P<nodes>\S+)", re.IGNORECASE)


def _of_table(document: Document) -> Iterable[Membership]:
    slurm = [
        (number, match)
        for number, line in enumerate(document.lines, start=1)
        if (match := _SLURM.match(line))
    ]
    if slurm:
        for number, match in slurm:
            for node in expand_hostlist(match["nodes"]):
                yield Membership(
                    node=node,
                    dimension="switch",
                    value=match["switch"],
                    evidence=document.cite(number),
                )
        return
    yield from _of_csv(document)


def _of_csv(document: Document) -> Iterable[Membership]:
    rows = list(csv.reader(io.StringIO(document.text)))
    if not rows:
        return
    header = [name.strip().lower() for name in rows[0]]
    if "node" not in header:
        return
    plain = {dimension.key: dimension.dimension for dimension in load_dimensions() if dimension.key}
    for number, row in enumerate(rows[1:], start=2):
        cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
        node = cells.pop("node", "")
        if not node or number > len(document.lines):
            continue
        for name, value in cells.items():
            if value:
                yield Membership(
                    node=node,
                    dimension=plain.get(name, name),
                    value=value,
                    evidence=document.cite(number),
                )


MAX_HOSTS = 65_536
"""Most names one Slurm host list may expand to; a longer one is cut there."""


def expand_hostlist(text: str) -> Sequence[str]:
    """Return the node names of a Slurm host list (`gpu[01-03,7],login1`), zero padding kept.

    Source: Slurm, scontrol show hostnames.
    """
    names: list[str] = []
    for part in re.findall(r"[^,\[\]]+(?:\[[^\]]*\][^,\[\]]*)?", text):
        match = re.fullmatch(r"([^\[]*)\[([^\]]*)\](.*)", part)
        if match is None:
            names.append(part)
            continue
        prefix, ranges, suffix = match.groups()
        for span in ranges.split(","):
            low, _, high = span.partition("-")
            if not low.isdigit() or (high and not high.isdigit()):
                names.append(f"{prefix}{span}{suffix}")
                continue
            last = min(int(high or low), int(low) + MAX_HOSTS - len(names))
            names += [f"{prefix}{number:0{len(low)}d}{suffix}" for number in range(int(low), last + 1)]
    return names[:MAX_HOSTS]
