"""Writes `docs/limits.md` and `docs/policy-matrix.md` from what the gate is made of and what it says."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.evals.gate.matrix import FLAGS, LETTERS, ORDER, Cell
from firstfault.policies import Action, Limits, Mode, Policies
from firstfault.policies.actions import SPECS
from firstfault.policies.words import said
from firstfault.tools.generated import settle

_MADE = "Made by `python -m firstfault.evals.gate.pages`; do not edit.\n"


def limits_page(limits: Limits) -> str:
    """Return the page on limits."""
    return "\n".join(
        [
            "# Limits of the gate\n",
            _MADE,
            "A site overrides limits in `firstfault.toml` (`[limits]`, or a file named by `policy.limits_file`) or by",
            "`FIRSTFAULT_LIMITS__NAME`. A hard limit can only be moved the way that is stricter; anything else is refused at",
            "start. `firstfault policy lint` shows what was overridden.\n",
            *_table(("limit", "value", "stricter", "hard", "meaning", "source"), _limit_rows(limits)),
        ]
    )


def _limit_rows(limits: Limits) -> Iterator[tuple[str, ...]]:
    for limit in limits.items.values():
        hard = "yes" if limit.hard else "no"
        yield (f"`{limit.name}`", str(limit.value), limit.tighter.value, hard, limit.meaning, limit.source)


def matrix_page(limits: Limits, policies: Policies) -> str:
    """Return the page on what the gate says."""
    return "\n".join(
        [
            "# What the gate says\n",
            _MADE,
            "The table is the reviewed record of the gate's behaviour: a change of any word shows as a change of this page.",
            "The world it is made in has no obstacle: everything is known, evidence is CONFIRMED by two families, and each row",
            "spoils one thing. `ask` = NEEDS_APPROVAL, `deny` = DENY, `allow` = ALLOW.\n",
            "## Actions\n",
            *_table(
                (
                    "action",
                    "aimed at",
                    "reversible",
                    "disruptive",
                    "by a controller",
                    "facts it cannot do without",
                ),
                _action_rows(policies),
            ),
            "",
            *_word_tables(limits, policies),
            "## What each failure class can justify\n",
            "A cell that is not here is denied by `evidence.not_indicated`, whatever its mode, facts or approvals.\n",
            *_table(("failure class", "actions"), _cell_rows(policies)),
            "",
            "## Policies\n",
            *_table(("policy", "effect", "reason", "source", "file"), _policy_rows(policies)),
        ]
    )


def _action_rows(policies: Policies) -> Iterator[tuple[str, ...]]:
    for action in ORDER:
        spec = SPECS[action]
        needed = sorted({*spec.requires, *policies.book.reads_of[action.value]})
        yield (
            f"`{action.value}`",
            ", ".join(sorted(spec.targets)),
            "yes" if spec.reversible else "**no**",
            "yes" if spec.disruptive else "no",
            "yes" if spec.needs_controller else "no",
            ", ".join(said(name) for name in needed),
        )
    advice = ", ".join(f"`{action.value}`" for action in Action if not action.executes)
    yield (advice, "anything", "executes nothing", "no", "no", "none: ALLOW by `advice.executes_nothing`")


def _word_tables(limits: Limits, policies: Policies) -> Iterator[str]:
    for mode in (Mode.APPROVE, Mode.AUTO):
        for approvers in (0, 2):
            people = "nobody has approved" if approvers == 0 else "two people have approved"
            yield f"## In {mode.value} mode, {people}\n"
            yield from _table(
                ("", *(action.value for action in ORDER)), _word_rows(mode, approvers, limits, policies)
            )
            yield ""
    yield "In shadow and recommend mode every one of these words is `deny`; `would_be` is the word of approve mode.\n"


def _word_rows(mode: Mode, approvers: int, limits: Limits, policies: Policies) -> Iterator[tuple[str, ...]]:
    for flag in ("", *FLAGS):
        flags = (flag,) if flag else ()
        cells = [Cell(action=action, mode=mode, flags=flags, approvers=approvers) for action in ORDER]
        words = [LETTERS[cell.word(limits, policies).decision] for cell in cells]
        yield (flag or "nothing in the way", *words)


def _cell_rows(policies: Policies) -> Iterator[tuple[str, ...]]:
    for name, actions in policies.cells.indicated.items():
        yield (f"`{name}`", ", ".join(action.value for action in ORDER if action in actions) or "none")


def _policy_rows(policies: Policies) -> Iterator[tuple[str, ...]]:
    for policy in policies.book.policies:
        yield (f"`{policy.id}`", policy.effect, policy.reason, policy.source, policy.file)


def _table(head: Sequence[str], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"


def main(arguments: list[str]) -> int:
    """Write both pages, or with `--check` return 1 when one is not what it should be."""
    docs = Path(__file__).resolve().parents[2] / "docs"
    limits, policies = load_limits(), load_policies()
    wanted = {
        docs / "limits.md": limits_page(limits) + "\n",
        docs / "policy-matrix.md": matrix_page(limits, policies) + "\n",
    }
    return settle(wanted, arguments, "firstfault.evals.gate.pages")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
