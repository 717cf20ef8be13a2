"""Live facts: what the server refuses is unknown, and unknown denies."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest

from firstfault.agent.facts.live import read_snapshot, with_kind
from firstfault.agent.facts.nodes import lease_holder_of
from firstfault.agent.facts.settings import FactSettings
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_kinds import CUSTOM
from firstfault.policies import Target, TargetKind
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.settings import KubeSettings
from tests.agent.executor.kit import NODE, kind, load_cluster, pod
from tests.policies.worlds import NOW

TARGET = Target(kind=TargetKind.NODE, name=NODE)


@pytest.fixture
def api() -> Generator[KubeApi]:
    with KubeApi(served=CUSTOM) as served:
        load_cluster(served)
        served.store.load(
            kind("Pod"), [pod("a"), pod("b", "gpu-00007", metadata={"labels": {"job-name": "llm"}})]
        )
        yield served


@pytest.fixture
def door(api: KubeApi, tmp_path: Path) -> ReadDoor:
    (tmp_path / "token").write_text(ADMIN_TOKEN)
    return ReadDoor(KubeSettings(host=api.url, token_file=tmp_path / "token", read_s=0.3))


def read(door: ReadDoor, target: Target = TARGET) -> frozenset[str]:
    return read_snapshot(door, target, FactSettings(), lambda: NOW).complete


def test_everything_that_was_read_is_complete_and_dated_before_the_first_read(door: ReadDoor) -> None:
    found = read_snapshot(door, TARGET, FactSettings(), lambda: NOW)

    assert found.complete >= {"node", "pod", "poddisruptionbudget"}
    assert found.observed_at == NOW
    assert [item.name for item in found.by_kind["pod"]] == ["a"]


@pytest.mark.parametrize(
    ("path", "lost"),
    [
        ("/api/v1/nodes", "node"),
        ("/api/v1/pods", "pod"),
        ("/apis/policy/v1/poddisruptionbudgets", "poddisruptionbudget"),
    ],
)
@pytest.mark.parametrize("trouble", [Trouble.DROP_BEFORE, Trouble.GARBLE, Trouble.REFUSE])
def test_what_cannot_be_read_is_not_complete(
    api: KubeApi, door: ReadDoor, path: str, lost: str, trouble: Trouble
) -> None:
    api.faults.append(Fault(trouble=trouble, path=path, code=403, times=100))

    assert lost not in read(door)


def test_a_whole_job_is_read_where_only_a_part_of_it_runs_on_the_node(api: KubeApi, door: ReadDoor) -> None:
    for number in range(3):
        body = pod(
            f"w-{number}", f"gpu-0000{number + 2}", owner="Job", metadata={"labels": {"job-name": "llm"}}
        )
        api.store.load(kind("Pod"), [body])

    found = read_snapshot(door, TARGET, FactSettings(), lambda: NOW)

    assert {item.name for item in found.by_kind["pod"]} == {"a", "b", "w-0", "w-1", "w-2"}
    api.faults.append(
        Fault(trouble=Trouble.REFUSE, path="/api/v1/namespaces/research/pods", code=500, times=9)
    )
    assert "pod" not in read(door)


def test_a_workload_gets_the_kind_its_object_has(api: KubeApi, door: ReadDoor) -> None:
    api.store.load(kind("DaemonSet"), [{"metadata": {"name": "driver", "namespace": "gpu"}, "spec": {}}])
    target = Target(kind=TargetKind.WORKLOAD, name="driver", namespace="gpu")

    assert with_kind(door, target).workload_kind == "DaemonSet"
    assert (
        with_kind(door, Target(kind=TargetKind.WORKLOAD, name="nope", namespace="gpu")).workload_kind is None
    )
    assert with_kind(door, TARGET) == TARGET


def test_a_name_that_no_object_can_have_is_not_asked_for(api: KubeApi, door: ReadDoor) -> None:
    assert read(door, Target(kind=TargetKind.NODE, name="a,metadata.name=b")) == frozenset()
    assert api.answered == []


LEASE = {
    "metadata": {"name": f"node-{NODE}", "namespace": "medik8s-leases"},
    "spec": {"holderIdentity": "nmo"},
}


def holder(door: ReadDoor) -> str | None:
    found = read_snapshot(door, TARGET, FactSettings(), lambda: NOW)
    return lease_holder_of(found, NODE, NOW, FactSettings())


def test_a_machine_is_held_by_who_has_its_lease_by_nobody_or_by_who_knows_whom(
    api: KubeApi, door: ReadDoor
) -> None:
    assert not holder(door)
    assert holder(door) is not None

    api.store.load(kind("Lease"), [LEASE])
    assert holder(door) == "nmo"

    api.faults.append(
        Fault(
            trouble=Trouble.REFUSE,
            path=f"/apis/coordination.k8s.io/v1/namespaces/medik8s-leases/leases/node-{NODE}",
            code=403,
            times=9,
        )
    )
    assert holder(door) is None
    assert any("leases" in gap for gap in read_snapshot(door, TARGET, FactSettings(), lambda: NOW).gaps)


@pytest.mark.parametrize(("renewed_s_ago", "held_by"), [(59, "nmo"), (61, "")])
def test_a_lease_that_was_not_renewed_in_its_time_holds_nothing(
    api: KubeApi, door: ReadDoor, renewed_s_ago: int, held_by: str
) -> None:
    renewed = (NOW - timedelta(seconds=renewed_s_ago)).isoformat()
    spec = {"holderIdentity": "nmo", "leaseDurationSeconds": 60, "renewTime": renewed}
    api.store.load(kind("Lease"), [{**LEASE, "spec": spec}])

    assert holder(door) == held_by
