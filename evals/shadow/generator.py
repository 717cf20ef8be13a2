"""Made-up incident histories with known causes and known (or unknown, or wrong) human actions. Seeded: same seed, same files.

They test the machinery of shadow mode: scoring, time travel, duplicates, missing labels. They say nothing about how good
the diagnosis is; recorded incidents do.
"""

import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from firstfault.evals.shadow.history import HumanAction, KnownCause, PastIncident, Thing
from firstfault.evals.truth import Culprit, Line, Measures

START = datetime(2026, 1, 5, tzinfo=UTC)
DAYS = 60
"""Length of a generated history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One incident as it really went.

    lines: per raw file, (seconds after the fault, text without a stamp). printed: files without stamps, as they are.
    """

    failure_class: str
    layer: str
    owner: str
    culprit: Culprit | None
    kind_of: Mapping[str, str]
    lines: Mapping[str, Sequence[tuple[float, str]]]
    first_fault: Line | None
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    target: Thing
    must_not: tuple[str, ...] = ()
    printed: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draw:
    """The chance of one incident, and the names it uses."""

    chance: random.Random = field(repr=False)
    number: int

    @property
    def node(self) -> str:
        return f"gen-node-{self.number % 40:02d}"

    @property
    def bus(self) -> str:
        return f"0000:{(self.number % 8) * 16 + 0x1B:02x}:00"


def _lost_gpu(draw: _Draw) -> Story:
    return Story(
        failure_class="gpu.fell_off_bus",
        layer="gpu",
        owner="platform",
        culprit=Culprit(kind="gpu", name=draw.bus, node=draw.node),
        kind_of={"raw/kernel.log": "kernel_log", "raw/nvidia-smi.txt": "nvidia_smi"},
        lines={
            "raw/kernel.log": (
                (-400.0, "systemd[1]: Started Session 17 of user root."),
                (
                    0.0,
                    f"kernel: NVRM: Xid (PCI:{draw.bus}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
                ),
                (0.01, f"kernel: NVRM: GPU {draw.bus}.0: GPU has fallen off the bus."),
            ),
            "raw/nvidia-smi.txt": (
                (500.0, f"Unable to determine the device handle for GPU{draw.bus}.0: Unknown Error"),
            ),
        },
        first_fault=Line(path="raw/kernel.log", line=2),
        right=("cordon_node", "drain_node", "node_reboot"),
        wrong=("gpu_reset",),
        target=Thing(kind="node", name=draw.node),
        must_not=("gpu_reset: as the only measure",),
    )


def _memory_error(draw: _Draw) -> Story:
    return Story(
        failure_class="gpu.memory_uncontained",
        layer="gpu",
        owner="platform",
        culprit=Culprit(kind="gpu", name=draw.bus, node=draw.node),
        kind_of={"raw/kernel.log": "kernel_log"},
        lines={
            "raw/kernel.log": (
                (-30.0, "systemd[1]: Starting Daily apt download activities..."),
                (
                    0.0,
                    f"kernel: NVRM: Xid (PCI:{draw.bus}): 48, pid=4711, name=python3, DBE (double bit error) ECC Error",
                ),
                (0.4, f"kernel: NVRM: Xid (PCI:{draw.bus}): 45, pid=4711, name=python3, Ch 00000008"),
            ),
        },
        first_fault=Line(path="raw/kernel.log", line=2),
        right=("cordon_node", "drain_node", "gpu_reset"),
        wrong=("restart_pod",),
        target=Thing(kind="node", name=draw.node),
    )


def _program_error(draw: _Draw) -> Story:
    pid = 1000 + draw.number
    return Story(
        failure_class="application.illegal_access",
        layer="application",
        owner="application",
        culprit=None,
        kind_of={"raw/kernel.log": "kernel_log", "raw/train.log": "application_log"},
        lines={
            "raw/kernel.log": (
                (
                    0.0,
                    f"kernel: NVRM: Xid (PCI:{draw.bus}): 31, pid={pid}, name=python3, Ch 00000010, intr 00000000.",
                ),
            ),
            "raw/train.log": ((0.2, "RuntimeError: CUDA error: an illegal memory access was encountered"),),
        },
        first_fault=Line(path="raw/kernel.log", line=1),
        right=(),
        wrong=("cordon_node",),
        target=Thing(kind="node", name=draw.node),
        must_not=("cordon_node", "drain_node", "node_reboot", "node_replace"),
    )


def _quiet(draw: _Draw) -> Story:
    lines = tuple(
        (float(-60 * n), f"systemd[1]: Started Session {draw.number + n} of user root.") for n in range(5)
    )
    return Story(
        failure_class="none.healthy",
        layer="none",
        owner="platform",
        culprit=None,
        kind_of={"raw/kernel.log": "kernel_log", "raw/nvidia-smi.csv": "nvidia_smi"},
        lines={"raw/kernel.log": tuple(sorted(lines))},
        printed={
            "raw/nvidia-smi.csv": "index, pci.bus_id, ecc.errors.uncorrected.volatile.total\n"
            f"0, 0000{draw.bus}.0, 0\n"
        },
        first_fault=None,
        right=(),
        wrong=("node_reboot",),
        target=Thing(kind="node", name=draw.node),
        must_not=("cordon_node", "drain_node", "node_reboot", "node_replace", "gpu_reset"),
    )


_STORIES: Sequence[tuple[Callable[[_Draw], Story], int]] = (
    (_lost_gpu, 40),
    (_memory_error, 30),
    (_program_error, 15),
    (_quiet, 15),
)
"""What happens, and how often in a hundred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """How the people on call behave, in shares of incidents; what is left over they do right."""

    unknown: float = 0.15
    wrong_and_taken_back: float = 0.1
    nothing: float = 0.15
    unlabelled: float = 0.1


ALWAYS_RIGHT = People(unknown=0.0, wrong_and_taken_back=0.0, nothing=0.0, unlabelled=0.0)
"""People who always do the right thing and always say what it was: the history on which cells can be promoted."""


def generate(
    folder: Path, number: int, seed: int = 0, people: People | None = None
) -> tuple[PastIncident, ...]:
    """Write `number` recordings and `history.json` into `folder`, and return the history."""
    people = people or People()
    chance = random.Random(seed)  # noqa: S311 - reproducible stories, no secrets
    makers, weights = [maker for maker, _ in _STORIES], [weight for _, weight in _STORIES]
    incidents: list[PastIncident] = []
    for index in range(number):
        story = chance.choices(makers, weights)[0](_Draw(chance=chance, number=index))
        fault_at = START + timedelta(days=DAYS * index / number, seconds=chance.randrange(3600))
        incident = _incident(story, index, fault_at, chance, people)
        _record(folder / f"gen-{index:04d}", story, incident, fault_at)
        incidents.append(incident)
    text = json.dumps([each.model_dump(mode="json") for each in incidents], indent=1)
    (folder / "history.json").write_text(text + "\n", encoding="utf-8")
    return tuple(incidents)


def _incident(
    story: Story, index: int, fault_at: datetime, chance: random.Random, people: People
) -> PastIncident:
    alert_at = fault_at + timedelta(seconds=chance.randrange(30, 300))
    is_labelled = chance.random() >= people.unlabelled
    cause = KnownCause(
        failure_class=story.failure_class,
        layer=story.layer,
        owner=story.owner,
        culprit=story.culprit,
        first_fault=story.first_fault,
        certainty="confirmed",
        actions=Measures.model_validate({"expected": story.right, "must_not": story.must_not}),
        author="generator",
        source="generator",
    )
    return PastIncident(
        id=f"gen-{index:04d}",
        alert_at=alert_at,
        cluster=f"cluster-{index % 3}",
        question=f"Alert on {story.target.name}: what is wrong?",
        recording=f"gen-{index:04d}",
        cause=cause if is_labelled else None,
        actions=_human(story, alert_at, chance, people),
        source="generator",
    )


def _human(
    story: Story, alert_at: datetime, chance: random.Random, people: People
) -> tuple[HumanAction, ...] | None:
    luck = chance.random()
    at = alert_at + timedelta(minutes=chance.randrange(20, 90))
    if luck < people.unknown:
        return None
    if luck < people.unknown + people.wrong_and_taken_back:
        return (_acted(story.wrong[0], story, at, undone_at=at + timedelta(minutes=20)),)
    if luck < people.unknown + people.wrong_and_taken_back + people.nothing:
        return ()
    return tuple(_acted(action, story, at + timedelta(minutes=n)) for n, action in enumerate(story.right))


def _acted(action: str, story: Story, at: datetime, undone_at: datetime | None = None) -> HumanAction:
    return HumanAction(
        at=at, actor="oncall", action=action, target=story.target, source="generator", undone_at=undone_at
    )


def _record(folder: Path, story: Story, incident: PastIncident, fault_at: datetime) -> None:
    node = story.target.name
    texts = {
        path: "".join(
            f"{(fault_at + timedelta(seconds=after)).isoformat()} {node} {text}\n" for after, text in lines
        )
        for path, lines in story.lines.items()
    }
    for path, text in {**texts, **story.printed}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    case: dict[str, object] = {
        "id": incident.id,
        "question": incident.question,
        "opened_at": incident.alert_at.isoformat() if incident.alert_at else None,
        "timezone": "UTC",
        "environment": {},
        "sources": [
            {"path": path, "kind": kind, "entity": f"node/{node}", "complete": True}
            for path, kind in story.kind_of.items()
        ],
        "not_collected": [],
    }
    (folder / "case.yaml").write_text(json.dumps(case, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Generate into a folder: `python -m firstfault.evals.shadow.generator FOLDER NUMBER [SEED]`."""
    where, number, *rest = arguments
    folder = Path(where)
    folder.mkdir(parents=True, exist_ok=True)
    generate(folder, int(number), int(rest[0]) if rest else 0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
