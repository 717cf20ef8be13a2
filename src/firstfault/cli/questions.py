"""What `firstfault policy explain` is asked about: a kept decision, a report, or a row of facts."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError

from firstfault.agent.store import StoreError
from firstfault.agent.store.decisions import DecisionRecord
from firstfault.cli.configuration import NothingUsable, opened_store
from firstfault.evals.gate.tables import Expectation
from firstfault.evals.gate.world import known_facts, proposal_for
from firstfault.policies import Action, Facts, History, Proposal

_DECISION = "dec-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the gate is asked again. policies: the digest of those it was decided with, None for a situation."""

    proposal: Proposal
    facts: Facts
    history: History | None
    policies: str | None = None


def read_question(text: str, action: Action | None) -> Question | None:
    """Return the question, or None when there is nothing for `action`. Raises NothingUsable with one line."""
    if text.startswith(_DECISION):
        return _kept(text)
    file = Path(text)
    try:
        content = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"`{text}` is neither a file that can be read nor the id of a decision"
        raise NothingUsable(msg) from error
    try:
        value = json.loads(content) if file.suffix == ".json" else yaml.safe_load(content)
    except (ValueError, yaml.YAMLError) as error:
        msg = f"`{text}` is neither JSON nor YAML: {' '.join(str(error).split())}"
        raise NothingUsable(msg) from error
    body: dict[str, Any] = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if str(body.get("schema", "")).startswith("firstfault.report/"):
        return _of_report(body, action)
    return _of_row(text, cast("object", body or value), action)


def _kept(decision_id: str) -> Question:
    with opened_store() as store:
        try:
            return _again(store.decisions.get(decision_id))
        except StoreError as error:
            raise NothingUsable(str(error)) from error


def _again(record: DecisionRecord) -> Question:
    return Question(
        proposal=record.proposal,
        facts=record.facts,
        history=record.history,
        policies=record.decision.digests.policies,
    )


def _of_report(body: dict[str, Any], action: Action | None) -> Question | None:
    """Return the kept decision of the report's incident on `action`; a report alone does not hold the facts.

    Without an action it is the newest on something that executes: advice needs no explanation.
    """
    incident = str(body.get("incident", {}).get("id", ""))
    with opened_store() as store:
        records = store.decisions.of_incident(incident)
    fitting = [record for record in records if action in {None, record.proposal.action}]
    if not fitting:
        msg = f"no decision on incident `{incident}` is kept here for that action: investigate it on this machine first"
        raise NothingUsable(msg)
    return _again(next((each for each in fitting if each.proposal.action.executes), fitting[0]))


def _of_row(name: str, value: object, action: Action | None) -> Question | None:
    row = value[0] if isinstance(value, list) and value else value  # pyright: ignore[reportUnknownVariableType]  # any YAML
    if not isinstance(row, dict):
        return None
    given = cast("dict[str, Any]", row)
    filled = {"name": name, "expect": "DENY", **({"action": action.value} if action else {}), **given}
    if action is not None:
        filled["action"] = action.value
    try:
        situation = Expectation.model_validate(filled).situation()
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        msg = f"`{name}`, {'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
        raise NothingUsable(msg) from error
    facts = known_facts(situation.mode, **{"approvers": situation.approvers, **situation.facts})
    return Question(
        proposal=proposal_for(situation.action, **situation.proposal),
        facts=facts,
        history=History.of(situation.past, situation.open_breakers),
    )
