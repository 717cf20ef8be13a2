"""`firstfault audit`: the trail of everything that firstfault and people did."""

import dataclasses
import json
import sys
from collections.abc import Iterable, Iterator

import click

from firstfault.agent.store import Anchor, AuditEvent, Store
from firstfault.cli.configuration import NothingUsable, opened_store

NOT_SOUND = 1
MAX_WHY = 120
"""Characters of a reason on the terminal; the whole of it is in the JSON and the export."""

_WIDTHS = (20, 12, 20)


@click.group()
def audit() -> None:
    """Read, check and export the audit trail."""


@audit.command()
@click.argument("incident", required=False)
@click.option(
    "--last", type=click.IntRange(min=1), default=50, show_default=True, help="How many events at most."
)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def show(incident: str | None, last: int, *, as_json: bool) -> None:
    """Print the newest events: all, or those of one INCIDENT (its id or a correlation id)."""
    with opened_store() as store:
        events = list(_of(store, incident, last))
    if as_json:
        click.echo(json.dumps([_plain(event) for event in events], indent=2))
        return
    for event in events:
        click.echo(_line(event))
    if not events:
        click.echo("no events", err=True)


@audit.command()
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="SEQ:DIGEST",
    help="An event known from outside, e.g. from an export.",
)
def verify(anchors: tuple[str, ...]) -> None:
    """Walk the whole chain: find what was changed, dropped, swapped or cut off. Exit 1 when anything was."""
    from firstfault.agent.render.safety import one_line

    noted = [_anchor(text) for text in anchors]
    with opened_store() as store:
        check = store.audit.verify(noted)
    if check.sound:
        click.echo(f"sound: {check.events} events, head {check.head_digest}")
        return
    for fault in check.faults:
        click.echo(one_line(f"{fault.finding.value}: {fault.what}"))
    if check.found > len(check.faults):
        click.echo(f"and {check.found - len(check.faults)} more")
    click.echo(f"NOT SOUND: {check.found} findings in {check.events} events")
    sys.exit(NOT_SOUND)


@audit.command()
@click.argument("incident", required=False)
def export(incident: str | None) -> None:
    """Print events as JSON lines, oldest first: all, or those of one INCIDENT."""
    with opened_store() as store:
        for event in _of(store, incident, None):
            click.echo(json.dumps(_plain(event), sort_keys=True, separators=(",", ":")))


def _of(store: Store, incident: str | None, last: int | None) -> Iterable[AuditEvent]:
    """Return the newest `last` events in order; of an incident: all its runs, and what people did to it."""
    if incident is None:
        head = store.audit.head()
        return store.audit.events(after=max(0, head.count - last) if head and last else 0)
    events = list(_about(store, incident))
    return events if last is None else events[-last:]


def _about(store: Store, incident: str) -> Iterator[AuditEvent]:
    known = store.incidents.find(incident)
    runs = {known.incident.correlation_id} if known else {incident}
    runs |= {event.correlation_id for event in store.audit.events(subject=incident)}
    found = {event.seq: event for run in runs for event in store.audit.events(correlation_id=run)}
    yield from (found[seq] for seq in sorted(found))


def _plain(event: AuditEvent) -> dict[str, object]:
    return {**dataclasses.asdict(event), "payload": json.loads(event.payload)}


def _line(event: AuditEvent) -> str:
    from firstfault.agent.render.safety import one_line

    cells = (event.kind, event.actor, event.subject)
    named = "  ".join(f"{one_line(cell, width):<{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
    why = one_line(event.why, MAX_WHY)
    return f"{event.seq:>6}  {event.at[:19].replace('T', ' ')}  {named}  {why}".rstrip()


def _anchor(text: str) -> Anchor:
    seq, colon, digest = text.partition(":")
    if not (colon and seq.isdecimal() and digest):
        msg = f"`{text}` is not an anchor: write SEQ:DIGEST, as `firstfault audit export` prints them"
        raise NothingUsable(msg)
    return Anchor(seq=int(seq), digest=digest)
