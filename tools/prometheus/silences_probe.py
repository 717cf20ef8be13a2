"""A look at Alertmanager itself: reachable, its clock, and how many silences keep alerts from being sent now."""

from typing import cast

from firstfault.tools.kinds import Kind
from firstfault.tools.probes import Probe, skew
from firstfault.tools.prometheus.silences import Row, SilenceError, SilenceSource

FORGETS = "silences are forgotten five days after they ended, unless `--data.retention` says otherwise"
"""Source: Alertmanager, `--data.retention` (120h)."""


def probe_silences(source: SilenceSource) -> Probe:
    """Return what the server says of itself and its silences."""
    try:
        asked = source.clock()
        status, date = source.ask("/api/v2/status")
        ahead = skew(date, asked, source.clock())
        if not isinstance(status, dict):
            return Probe(source=source.name, problem=source.strange())
        rows = source.rows()
    except SilenceError as error:
        return Probe(source=source.name, problem=str(error))
    active = sum(_part(row, "status").get("state") == "active" for row in rows)
    version = _part(cast("Row", status), "versionInfo").get("version")
    told = f"Alertmanager {version}" if version else "Alertmanager, version not told"
    return Probe(
        source=source.name,
        version=f"{told}, {active} silences hold now",
        kinds=frozenset({Kind.OPERATOR_NOTES}),
        skew_s=ahead,
        retention=FORGETS,
    )


def _part(row: Row, name: str) -> Row:
    found = row.get(name)
    return cast("Row", found) if isinstance(found, dict) else {}
