"""`firstfault policy`: what the rules are, what they say, and what other rules would have said."""

import json
import sys
from pathlib import Path

import click

from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.agent.settings import Settings
from firstfault.agent.settings.gate_sections import PolicySettings
from firstfault.agent.store.decisions import DecisionRecord
from firstfault.cli.configuration import NothingUsable, opened_store, settings_in_force, state
from firstfault.cli.gatehouse import gate_environment
from firstfault.cli.questions import Question, read_question
from firstfault.policies import Action, Limits, Policies
from firstfault.policies.actions import EXECUTABLE
from firstfault.policies.cells import CellError
from firstfault.policies.limits import LimitError
from firstfault.policies.texts import PolicyError

FAILED = 1
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_SITE = click.option(
    "--site",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder of site policies; without it that of the settings.",
)


@click.group()
def policy() -> None:
    """Read, try and compare the rules of the gate. Nothing here executes anything."""


def loaded(settings: Settings, site: Path | None) -> tuple[Policies, Limits]:
    """Return policies and limits in force. Raises NothingUsable with the line that names the remedy."""
    try:
        policies = load_policies(site or settings.policy.site)
        limits = load_limits(settings.policy.limits_file, gate_environment(settings))
    except (PolicyError, LimitError, CellError) as error:
        raise NothingUsable(str(error)) from error
    return policies, limits


@policy.command()
@_SITE
def lint(site: Path | None) -> None:
    """Check all policies, limits and cells as at start; exit 2 with the first fault."""
    policies, limits = loaded(settings_in_force(), site)
    own = sum(each.is_site for each in policies.book.policies)
    click.echo(
        f"sound: {len(policies.book.policies)} policies ({own} of this site), {len(limits.items)} limits, "
        f"{len(policies.cells.indicated)} classes; digest {policies.digest[:12]}"
    )
    for limit in limits.items.values():
        if limit.set_by != "built-in":
            click.echo(f"  {limit.name} = {limit.value} by {limit.set_by}")


@policy.command()
@click.argument("question", metavar="REPORT|FACTS|DECISION")
@click.option("--action", type=click.Choice(sorted(action.value for action in Action)), default=None)
@click.option("--all", "show_all", is_flag=True, help="Also the policies over other actions.")
@_SITE
@_JSON
def explain(question: str, action: str | None, site: Path | None, *, show_all: bool, as_json: bool) -> None:
    """Show every policy over an action, fired or not, with the numbers it looked at.

    REPORT is what `investigate --json` printed, FACTS a YAML row as in `policy test`, DECISION the id of a kept decision.
    """
    from firstfault.cli.policy_words import explanation_json, explanation_text
    from firstfault.evals.gate.explaining import explain as explained

    policies, limits = loaded(settings_in_force(), site)
    asked = read_question(question, Action(action) if action else None)
    if asked is None:
        msg = f"`{question}` holds nothing to explain: give --action, or another file"
        raise NothingUsable(msg)
    found = explained(asked.proposal, asked.facts, asked.history, limits, policies)
    lines = found.lines if show_all else tuple(line for line in found.lines if line.applies)
    if as_json:
        click.echo(json.dumps(explanation_json(asked.proposal, found.decision, lines), indent=2))
    else:
        click.echo(explanation_text(asked.proposal, found.decision, lines))
    _note_other_policies(asked, found.decision.digests.policies)


def _note_other_policies(asked: Question, digest: str) -> None:
    if asked.policies and asked.policies != digest:
        click.echo("the decision was made with other policies than these", err=True)


@policy.command("test")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@_SITE
@_JSON
def try_tables(folder: Path, site: Path | None, *, as_json: bool) -> None:
    """Run the tables of situations in FOLDER against the policies; exit 1 when one says something else."""
    from firstfault.evals.gate.tables import TableError, read_tables, run_tables

    policies, limits = loaded(settings_in_force(), site)
    try:
        results = run_tables(read_tables(folder), limits, policies)
    except TableError as error:
        raise NothingUsable(str(error)) from error
    failed = [result for result in results if result.problems]
    if as_json:
        rows = [
            {
                "file": each.file,
                "name": each.row.name,
                "is": each.said.decision.name,
                "problems": list(each.problems),
            }
            for each in results
        ]
        click.echo(json.dumps({"rows": rows, "failed": len(failed)}, indent=2))
    else:
        for result in failed:
            click.echo(f"{result.file}: {result.row.name}: {'; '.join(result.problems)}")
        if failed and not any(each.is_site for each in policies.book.policies):
            click.echo(
                "no site policies are loaded: give `--site FOLDER`, or set `policy.site`, to try your own",
                err=True,
            )
        click.echo(f"{len(results) - len(failed)} of {len(results)} rows are as expected")
    if failed:
        sys.exit(FAILED)


@policy.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--last", type=click.IntRange(1), default=1000, show_default=True, help="How many decisions.")
@_JSON
def diff(old: Path, new: Path, last: int, *, as_json: bool) -> None:
    """Show which kept decisions would be others under the site policies in NEW than under those in OLD.

    `-` stands for no site policies.
    """
    from firstfault.cli.policy_words import changes_json, changes_text
    from firstfault.evals.gate.comparing import changed_decisions

    settings = settings_in_force()
    before, limits = loaded(settings.model_copy(update={"policy": _with_site(settings, old)}), None)
    after, _ = loaded(settings.model_copy(update={"policy": _with_site(settings, new)}), None)
    with opened_store(settings) as store:
        records = store.decisions.recent(last)
    changes = changed_decisions(records, limits, before, after)
    if as_json:
        click.echo(json.dumps(changes_json(changes, len(records)), indent=2))
    else:
        click.echo(changes_text(changes, len(records)))


def _with_site(settings: Settings, folder: Path) -> PolicySettings:
    return settings.policy.model_copy(update={"site": None if str(folder) == "-" else folder})


@policy.command()
@click.option("--class", "only", default=None, help="Only this failure class.")
@_SITE
@_JSON
def modes(only: str | None, site: Path | None, *, as_json: bool) -> None:
    """Show how far each failure class × action may go. A dash: the class can never justify the action."""
    from firstfault.agent.ledger.reading import read_ledger
    from firstfault.cli.policy_words import modes_text

    settings = settings_in_force()
    policies, _ = loaded(settings, site)
    with opened_store(settings) as store:
        ledger = read_ledger(store, state())
    rows = {
        name: {
            action.value: ledger.table.mode_of(name, action).value if action in actions else None
            for action in sorted(EXECUTABLE)
        }
        for name, actions in policies.cells.indicated.items()
        if only is None or only == name
    }
    if not rows:
        msg = f"there is no failure class `{only}`: see `firstfault policy modes`"
        raise NothingUsable(msg)
    if ledger.trouble:
        click.echo(
            f"firstfault: the promotion ledger cannot be trusted, every cell is in shadow: {ledger.trouble}",
            err=True,
        )
    if as_json:
        click.echo(json.dumps({"modes": rows, "trouble": ledger.trouble}, indent=2))
    else:
        click.echo(modes_text(rows))


@policy.command()
@click.argument("incident", required=False)
@click.option("--last", type=click.IntRange(1), default=20, show_default=True)
@_JSON
def decisions(incident: str | None, last: int, *, as_json: bool) -> None:
    """List kept decisions, the newest first: id, word, word in approve mode, action, target."""
    from firstfault.cli.policy_words import aimed_at

    with opened_store() as store:
        found = store.decisions.recent(last) if incident is None else store.decisions.of_incident(incident)
    if as_json:
        click.echo(json.dumps([_decision(each) for each in found], indent=2))
        return
    heads = ("DECISION", "NOW", "IN APPROVE MODE", "ACTION", "TARGET")
    rows = [
        (row["id"], row["decision"], row["would_be"], row["action"], aimed_at(each.proposal.target))
        for each in found
        if (row := _decision(each))
    ]
    for name, now, would_be, action, target in [heads, *rows] if rows else []:
        click.echo(f"{name:<20}  {now:<14}  {would_be:<15}  {action:<27}  {target}")
    if not found:
        click.echo("no decisions are kept yet: `firstfault investigate` and `serve` keep them", err=True)


def _decision(record: DecisionRecord) -> dict[str, str]:
    from firstfault.agent.render.safety import one_line

    return {
        "id": record.id,
        "incident": record.incident_id,
        "made_at": record.made_at.isoformat(),
        "origin": record.origin.value,
        "decision": record.decision.decision.name,
        "would_be": record.decision.would_be.name,
        "mode": record.decision.mode.value,
        "action": record.proposal.action.value,
        "target": one_line(record.proposal.target.key),
    }
