"""A look at the audit log itself: there, readable, what it should be, and still written."""

from datetime import timedelta

from firstfault.tools.auditlog.records import when
from firstfault.tools.auditlog.source import AuditLogSource, NoRecordsError
from firstfault.tools.kinds import Kind
from firstfault.tools.probes import Note, Probe, age_in_words

QUIET = timedelta(hours=1)
"""A log whose newest record is older is probably not written any more. Ours: kubelets alone write leases every ten seconds."""
RECEIVED_QUIET = timedelta(days=1)
"""The same for what a webhook sends: only changes are kept of it, and a night without any is usual. Ours."""


def probe_audit_log(source: AuditLogSource, *, is_received: bool) -> Probe:
    """Return how the file stands. is_received: `firstfault serve` writes it from what the API server posts."""
    send = "have the API server post to `/webhooks/audit` (docs/operations.md), and see that `firstfault serve` runs"
    write = "have the API server write it (`--audit-log-path`), readable for this user"
    remedy = send if is_received else write
    try:
        found, _ = source.tail()
    except FileNotFoundError:
        if is_received:
            return _nothing(source, f"`{source.file}` is not there: nothing was received yet", remedy)
        return Probe(source=source.name, problem=f"`{source.file}` is not there")
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        return Probe(source=source.name, problem=f"`{source.file}` cannot be read ({reason})")
    except NoRecordsError as error:
        return Probe(source=source.name, problem=str(error))
    times = sorted(at for each in found if (at := when(each)) is not None)
    if not times:
        return _nothing(source, f"`{source.file}` holds no record", remedy)
    age = source.clock() - times[-1]
    told = f"the newest record is {age_in_words(age)} old"
    notes = (
        (
            Note(
                said=f"`{source.file}`: {told}: is it still written?",
                blind="changes since then",
                remedy=remedy,
            ),
        )
        if age > (RECEIVED_QUIET if is_received else QUIET)
        else ()
    )
    return Probe(
        source=source.name,
        version=told,
        kinds=frozenset({Kind.AUDIT_LOG}),
        skew_s=max(0.0, -age.total_seconds()),
        retention=f"{source.file} and the file before it begin at {times[0]:%Y-%m-%d %H:%M} UTC",
        notes=notes,
        has_clock=False,
    )


def _nothing(source: AuditLogSource, said: str, remedy: str) -> Probe:
    blind = "who changed what in the cluster"
    note = Note(said=said, blind=blind, remedy=remedy)
    return Probe(source=source.name, version="no record yet", notes=(note,), has_clock=False)
