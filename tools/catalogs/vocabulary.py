"""Writes down every signal name that tables can give: the page `docs/signals.md` is this module's output."""

import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from firstfault.tools.catalogs.fact_rules import FactRule, fact_rules
from firstfault.tools.catalogs.metric_rules import MetricRule, metric_rules
from firstfault.tools.catalogs.patterns import Pattern, all_patterns
from firstfault.tools.catalogs.tables import Row, read_table
from firstfault.tools.generated import settle

OBJECT_SIGNALS = "object_signals.csv"

_INTRODUCTION = """# Signals

Generated from the tables in `tools/catalogs/`; do not edit. `python -m firstfault.tools.catalogs.vocabulary` writes it again.

A signal is one thing that was seen: a dotted name, an entity, a time, the evidence. The part before the first dot says
who speaks (`xid`, `nvrm`, `kernel`, `nccl`, `torch`, `kube`, …), not who is to blame. Names in braces take a value from
the line, in lower case: `xid.{xid}` gives `xid.79`.

- `xid.N`, `sxid.N`: attributes hold the parsed fields, and what NVIDIA, gpud, NVSentinel, EKS, Azure and AWS each say
  (`action_nvidia`, `action_gpud`, …; `disagreement` where they differ). Lines that only mention a code carry `mentioned`.
- Repeats within one burst are one signal with `count` and `last`. A document with more different things than are kept
  apart gives `extract.overflow`, whose count says how many lines were not kept apart.
- Signals made by reading objects, lists and changes against each other have a table of their own.
- `collective.…` signals name suspect ranks; see the end of this page.
"""
_COLLECTIVES = (
    (
        "collective.mismatch",
        "ranks of one process group called different operations, sizes or sequence numbers",
    ),
    ("collective.silent_rank", "a rank that says nothing while the others wait for it"),
    (
        "collective.straggler",
        "a rank whose counters stand behind all others: it never came to the operation the others wait in",
    ),
    ("collective.crashed_rank", "the rank whose own failure came before every wait"),
    (
        "collective.network",
        "work that was started on all ranks and finished on none, with transport errors towards one peer",
    ),
    ("collective.hardware", "a rank that failed with an error of its GPU before anybody waited"),
    (
        "collective.hang_start",
        "when the wait began: the stamp of the time-out less the time it says it ran for",
    ),
)


def signals_page() -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION]
    for prefix, patterns in sorted(_by_prefix(all_patterns()).items()):
        parts.append(
            f"\n## {prefix}\n\n| signal | entity | meaning | usually | looked for in |\n|---|---|---|---|---|\n"
        )
        parts.extend(
            _pattern_line(pattern) for pattern in sorted(patterns, key=lambda each: (each.signal, each.id))
        )
    parts.append(
        "\n## From metrics\n\n| signal | metric | test | meaning | source |\n|---|---|---|---|---|\n"
    )
    parts.extend(_metric_line(rule) for rule in metric_rules())
    parts.append(
        "\n## From what tools print\n\n| signal | fact | test | meaning | source |\n|---|---|---|---|---|\n"
    )
    parts.extend(_fact_line(rule) for rule in fact_rules())
    parts.append(
        "\n## From objects read against each other\n\n| signal | entity | meaning | usually |\n|---|---|---|---|\n"
    )
    parts.extend(_object_line(row) for row in read_table(OBJECT_SIGNALS))
    parts.append("\n## From ranks read against each other\n\n| signal | meaning |\n|---|---|\n")
    parts.extend(f"| `{name}` | {meaning} |\n" for name, meaning in _COLLECTIVES)
    return "".join(parts)


def _by_prefix(patterns: Iterable[Pattern]) -> dict[str, list[Pattern]]:
    found: dict[str, list[Pattern]] = defaultdict(list)
    for pattern in patterns:
        found[pattern.signal.split(".")[0]].append(pattern)
    return found


def _pattern_line(pattern: Pattern) -> str:
    entity = ", ".join(dict.fromkeys(kind.value for kind, _ in pattern.entity)) or "the speaker"
    kinds = ", ".join(sorted(kind.value for kind in pattern.applies_to)) or "everything"
    return f"| `{pattern.signal}` | {entity} | {_cell(pattern.meaning)} | {_cell(pattern.role)} | {kinds} |\n"


def _metric_line(rule: MetricRule) -> str:
    return f"| `{rule.signal}` | `{rule.metric}` | {_cell(rule.test_text)} | {_cell(rule.meaning)} | {_cell(rule.source)} |\n"


def _fact_line(rule: FactRule) -> str:
    return f"| `{rule.signal}` | `{rule.fact}` | {_cell(rule.test_text)} | {_cell(rule.meaning)} | {_cell(rule.source)} |\n"


def _object_line(row: Row) -> str:
    cells = (_cell(row["entity"]), _cell(row["meaning"]), _cell(row["usually"]))
    return f"| `{row['signal']}` | {' | '.join(cells)} |\n"


def signal_names() -> frozenset[str]:
    """Return every name that a signal can have; values in braces stand as they are: `xid.{xid}`."""
    tables = (all_patterns(), fact_rules(), metric_rules())
    return frozenset(
        {rule.signal for table in tables for rule in table}
        | {row["signal"] for row in read_table(OBJECT_SIGNALS)}
        | {name for name, _ in _COLLECTIVES}
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main(arguments: list[str]) -> int:
    """Write `docs/signals.md`, or with `--check` return 1 when it is not what the tables say."""
    page = Path(__file__).resolve().parents[2] / "docs" / "signals.md"
    return settle({page: signals_page()}, arguments, "firstfault.tools.catalogs.vocabulary")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
