import pytest

from tests.tools.extract.kube.reading import named, names

QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: ml}
status:
  hard: {requests.nvidia.com/gpu: "8"}
  used: {requests.nvidia.com/gpu: "USED"}
"""
BUDGET = """
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db, namespace: ml}
spec: {SPEC}
status: {disruptionsAllowed: 0, expectedPods: 3}
"""


def test_a_quota_is_used_up_at_its_limit_and_not_below() -> None:
    (found,) = named("kube.quota.used_up", QUOTA.replace("USED", "8"))
    assert (found.attributes["used"], found.attributes["limited"]) == ("8", "8")
    assert not named("kube.quota.used_up", QUOTA.replace("USED", "7"))


@pytest.mark.parametrize("spec", ["maxUnavailable: 0", "minAvailable: 3", 'minAvailable: "100%"'])
def test_a_budget_that_can_never_be_met(spec: str) -> None:
    assert named("kube.pdb.never_allows", BUDGET.replace("SPEC", spec))


def test_a_budget_that_allows_none_just_now_is_another_thing() -> None:
    found = names(BUDGET.replace("SPEC", "minAvailable: 2"))
    assert "kube.pdb.allows_none_now" in found
    assert "kube.pdb.never_allows" not in found
