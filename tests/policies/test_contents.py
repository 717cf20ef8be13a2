"""What the gate is made of fits together: facts, schema, words, cells, limits; and nothing in it can destroy."""

import ast
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from firstfault.agent.executor.cluster import require_allowed
from firstfault.agent.executor.steps import Call, Verb
from firstfault.evals.gate.world import ALL_FACTS, known_facts, proposal_for
from firstfault.policies import Action, History, Mode
from firstfault.policies.actions import EXECUTABLE, SPECS
from firstfault.policies.cedar import Query
from firstfault.policies.contexts import whole_context
from firstfault.policies.engine import inputs_of
from firstfault.policies.facts import GROUPS
from firstfault.policies.limits import LimitError, Limits, Tighter
from firstfault.policies.words import FACT_WORDS
from firstfault.tools.kube.errors import RefusedVerbError
from tests.policies.worlds import NOW, facts, gate, limits, policies, proposal, schema_text

ROOT = Path(__file__).parents[2]
DESTROYERS = re.compile(r"delete|destroy|wipe|erase|purge|truncate|format", re.IGNORECASE)


@pytest.mark.parametrize("action", sorted(Action))
def test_every_context_fits_the_schema(action: Action) -> None:
    facts = known_facts(Mode.AUTO, pool="", shared_cause_by="x", checkpoint_location="pvc/x")
    inputs = inputs_of(proposal_for(action), facts, History.of([], ["cluster"]), limits(), policies())
    query = Query(
        principal=("Agent", "firstfault"),
        action=action.value,
        resource="node//n",
        context={**whole_context(inputs), "mode": "auto", "approvers": 1},
    )

    assert policies().book.misfits(query) == ()


def test_the_schema_knows_exactly_the_facts_and_limits_there_are() -> None:
    text = schema_text()
    facts = set(re.findall(r"(\w+)\?:", text.partition("type Facts")[2].partition("};")[0]))
    known_limits = set(re.findall(r"(\w+):", text.partition("type Limits")[2].partition("};")[0]))

    assert facts == set(ALL_FACTS)
    assert known_limits == set(limits().items)


def test_every_fact_and_group_has_a_word_for_people() -> None:
    assert {*ALL_FACTS, *GROUPS, "target", "changed_object", "clock", "history", "breakers"} == set(
        FACT_WORDS
    )


def test_every_class_of_the_taxonomy_has_a_row_of_cells() -> None:
    taxonomy = yaml.safe_load((ROOT / "tools" / "catalogs" / "taxonomy.yaml").read_text())

    assert set(policies().cells.indicated) == set(taxonomy["classes"])


def test_every_policy_names_its_source_and_every_limit_too() -> None:
    assert all(policy.source and policy.source != policy.file for policy in policies().book.policies)
    assert all(limit.source and limit.meaning for limit in limits().items.values())


def test_every_fact_that_a_rule_reads_is_required_where_it_applies() -> None:
    """Unknown denies: what a forbid over an action looks at is needed for it, whatever the action's own list says."""
    for action in EXECUTABLE:
        reads = policies().book.reads_of[action.value]
        inputs = inputs_of(proposal_for(action), known_facts(Mode.AUTO), None, limits(), policies())
        assert reads | set(SPECS[action].requires) == inputs.needed


def test_no_action_destroys_and_the_cluster_door_has_no_such_verb() -> None:
    assert not [action for action in Action if DESTROYERS.search(action.value)]
    assert [verb.value for verb in Verb] == ["patch", "create", "evict"]
    for file in sorted((ROOT / "agent" / "executor").rglob("*.py")):
        words = [
            node.value for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Constant)
        ]
        assert "DELETE" not in words, file


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        (Verb.PATCH, "/api/v1/namespaces/research/pods/p"),
        (Verb.PATCH, "/api/v1/namespaces/research/persistentvolumeclaims/data"),
        (Verb.PATCH, "/api/v1/persistentvolumes/pv"),
        (Verb.PATCH, "/api/v1/namespaces/research"),
        (Verb.PATCH, "/api/v1/nodes/n/status"),
        (Verb.PATCH, "/apis/apps/v1/namespaces/research/statefulsets/db"),
        (Verb.PATCH, "/apis/rbac.authorization.k8s.io/v1/clusterroles/admin"),
        (Verb.CREATE, "/api/v1/namespaces/research/pods"),
        (Verb.CREATE, "/api/v1/namespaces/research/secrets"),
        (Verb.CREATE, "/api/v1/nodes"),
        (Verb.EVICT, "/api/v1/namespaces/research/pods/p"),
        (Verb.EVICT, "/api/v1/namespaces/research/pods/p/eviction/../../../nodes"),
        (Verb.PATCH, "/api/v1/nodes/n?dryRun=All"),
        (Verb.PATCH, "/api/v1/nodes/n\nX: y"),
    ],
)
def test_what_is_not_on_the_closed_list_is_refused_before_it_is_sent(verb: Verb, path: str) -> None:
    with pytest.raises(RefusedVerbError, match="not among the calls"):
        require_allowed(Call(verb=verb, path=path))


@pytest.mark.parametrize("name", sorted(limits().items))
def test_a_hard_limit_moves_one_way_only(name: str) -> None:
    limit = limits().items[name]
    looser = limit.value + 1 if limit.tighter is Tighter.LOWER else limit.value - 1
    tighter = max(0, limit.value - 1) if limit.tighter is Tighter.LOWER else limit.value + 1

    assert limits().overridden({name: tighter}, "a test")[name] == tighter
    if limit.hard:
        with pytest.raises(LimitError, match=f"limit `{name}` is hard: a test says `{looser}`"):
            limits().overridden({name: looser}, "a test")
    else:
        assert limits().overridden({name: looser}, "a test")[name] == looser


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "is not TOML"),
        ("[x]\nvalue = 1", "limit `x` needs exactly"),
        (
            '[x]\nvalue = -1\ntighter = "lower"\nhard = true\nsource = "s"\nmeaning = "m"',
            "use a whole number",
        ),
    ],
)
def test_a_limits_file_that_cannot_be_used_is_refused(text: str, said: str) -> None:
    with pytest.raises(LimitError, match=said):
        Limits.parse(text)


def test_an_unknown_limit_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(LimitError, match="did you mean `reboots_max_7d`"):
        limits().overridden({"reboots_max_7days": 1}, "a test")


def test_a_stale_group_is_named_and_its_age_does_not_matter_where_it_is_not_needed() -> None:
    old = replace(facts(), workload=replace(facts().workload, observed_at=NOW - timedelta(seconds=61)))

    assert "facts.stale.workload" in gate(proposal(Action.DRAIN_NODE), old).determining
    assert gate(proposal(Action.CORDON_NODE), old, approvers=1).determining == ("gate.no_rule_forbids",)
