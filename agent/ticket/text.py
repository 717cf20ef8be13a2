"""The words of the ticket: what failed, what it said, what was ruled out, what was done, what is attached. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from firstfault.agent.render.citations import citations, place
from firstfault.agent.render.phrases import entity, gap, is_named, moment, when
from firstfault.agent.render.safety import excerpt, one_line
from firstfault.agent.render.sequence import steps
from firstfault.agent.report.contract import EvidencePart, Report
from firstfault.policies.actions import Action

QUOTED, FOLLOWED, SHOWN = 12, 15, 8
"""How many excerpts, later events, and other lines are in the text; all of them are in the report beside it."""
DUMP = "nvidia-bug-report"
_WIDTH = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """One file of the bundle. sha256: of its bytes as they are in the bundle."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What the text is made of. done: what was carried out already, in one line each."""

    report: Report
    identity: Sequence[tuple[str, str]] = ()
    done: Sequence[str] = ()
    attached: Sequence[Attached] = ()

    @property
    def is_recommended(self) -> bool:
        """Return whether the report advises to open a ticket."""
        return bool(self.reasons)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return why the report advises it."""
        parts = self.report.recommendations
        return tuple(part.why for part in parts if part.action == Action.OPEN_VENDOR_TICKET)


def ticket_text(ticket: Ticket) -> str:
    """Return the text, ready to be read through and pasted. What nobody knows is said to be unknown."""
    sections = (
        ("WHAT FAILED", _failed(ticket)),
        ("WHAT IT SAID, WORD FOR WORD", _said(ticket.report)),
        ("WHAT FOLLOWED", _followed(ticket.report)),
        ("RULED OUT", _ruled_out(ticket.report)),
        ("DONE ALREADY", ticket.done or ("nothing that firstfault carried out",)),
        ("NOT SEEN", tuple(dict.fromkeys(gap(each) for each in ticket.report.gaps))[:SHOWN]),
        ("WHY THIS IS FOR YOU", ticket.reasons),
        ("ATTACHED", _attached(ticket.attached)),
        ("TO BE ADDED BY HAND", _by_hand(ticket)),
    )
    parts = [f"Subject: {subject(ticket.report)}", ""]
    for heading, lines in sections:
        shown = [line.rstrip() for line in lines]
        if shown:
            parts += [heading, *(f"  {line}" for line in shown), ""]
    return "\n".join(parts).rstrip() + "\n"


def subject(report: Report) -> str:
    """Return one line for the ticket's title."""
    what = one_line(report.diagnosis.summary, 90).rstrip(".")
    return f"{what} [{report.diagnosis.failure_class}, incident {one_line(report.incident.id, 60)}]"


def _failed(ticket: Ticket) -> Iterator[str]:
    report = ticket.report
    yield _row("Component", entity(report.diagnosis.culprit))
    for label, value in ticket.identity:
        yield _row(label, one_line(value, 120))
    first = report.first_fault
    if first is not None:
        yield _row("First fault", f"{first.signal} on {entity(first.entity)}")
        yield _row("When", when(first, first.line))
        yield _row("Where", f"{one_line(first.path)}:{first.line}")
    yield _row("Verdict", f"{report.verdict.replace('_', ' ')}: {one_line(report.diagnosis.because, 300)}")
    yield _row("Asked at", moment(report.incident.opened_at) if report.incident.opened_at else "unknown")


def _row(label: str, value: str) -> str:
    return f"{label:<{_WIDTH}}{value}"


def _said(report: Report) -> Iterator[str]:
    wanted = [*(report.first_fault.evidence if report.first_fault else ()), *report.diagnosis.evidence]
    parts = {part.id: part for part in report.evidence}
    for name in list(dict.fromkeys(wanted))[:QUOTED]:
        if name in parts:
            yield from _quoted(parts[name])


def _quoted(part: EvidencePart) -> Iterator[str]:
    yield f"{place(part)}"
    yield from (f"  {line}" for line in excerpt(part.excerpt).splitlines())


def _followed(report: Report) -> Iterator[str]:
    found = steps(report, citations(report))
    for step in found[:FOLLOWED]:
        spread = f" within {step.spread}" if step.spread else ""
        times = f" ({step.count} times)" if step.count > 1 else ""
        yield f"{step.offset:>14}  {step.signal}{step.affected}{spread}{times}"
    if len(found) > FOLLOWED:
        yield f"and {len(found) - FOLLOWED} more in report.json"


def _ruled_out(report: Report) -> Iterator[str]:
    told = [each for each in report.hypotheses if each.verdict == "ruled_out" and each.contradicting]
    yield from (f"{each.failure_class}: {one_line(each.because, 200)}" for each in told[:SHOWN])


def _attached(files: Iterable[Attached]) -> Iterator[str]:
    for each in files:
        yield f"{each.path}  {each.size} bytes  sha256 {each.sha256}"


def _by_hand(ticket: Ticket) -> Iterator[str]:
    culprit = ticket.report.diagnosis.culprit
    known = {label for label, _ in ticket.identity}
    machine = (
        "the machine" if culprit is None or not is_named(culprit) else f"the machine of {entity(culprit)}"
    )
    if not any(DUMP in each.path for each in ticket.attached):
        yield f"nvidia-bug-report.log.gz of {machine}: run `nvidia-bug-report.sh` there as root, before it is reset"
    if "Serial number" not in known:
        yield f"serial number and part number: `nvidia-smi -q` on {machine}, or its asset record"
    if "Driver" not in known:
        yield f"driver and firmware versions of {machine}"
    yield "names of hosts and workloads are in these files: read them through before they leave"
