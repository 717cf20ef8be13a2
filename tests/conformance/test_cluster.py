"""A cluster is a source like any other, and says so when it cannot be read."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_kinds import CUSTOM
from firstfault.evals.sim.kube_logs import LogLine
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.kinds import Kind
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.plan import Scope
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.source import ClusterSource
from firstfault.tools.patience import Patience
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from tests.agent.executor.kit import kind, load_cluster, pod
from tests.conformance.source_laws import SourceLaws, Subject

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
NODE = "gpu-00003"


@pytest.fixture
def api() -> Generator[KubeApi]:
    """Give an API server with a fleet, a restarted pod and events."""
    with KubeApi(served=CUSTOM) as served:
        load_cluster(served)
        made = pod("trainer-0", NODE)
        made["status"] = {
            "containerStatuses": [{"name": made["spec"]["containers"][0]["name"], "restartCount": 2}]
        }
        served.store.load(kind("Pod"), [made, pod("elsewhere", "gpu-00009")])
        event = {
            "metadata": {"name": "e1", "namespace": "default"},
            "involvedObject": {"kind": "Node", "name": NODE},
            "reason": "NodeNotReady",
            "message": f"Node {NODE} status is now: NodeNotReady",
            "type": "Normal",
            "count": 1,
            "lastTimestamp": "2026-11-30T05:58:00Z",
        }
        served.store.load(kind("Event"), [event])
        key = (made["metadata"]["namespace"], "trainer-0", made["spec"]["containers"][0]["name"], True)
        served.logs[key] = [
            LogLine(at="2026-11-30T05:57:59Z", text="CUDA error: uncorrectable ECC error encountered")
        ]
        yield served


def source_of(api: KubeApi, folder: Path, token: str = ADMIN_TOKEN, read_s: float = 5.0) -> ClusterSource:
    """Return a source that looks at one node of the cluster."""
    file = folder / "token"
    file.write_text(token)
    settings = KubeSettings(host=api.url, token_file=file, read_s=read_s)
    return ClusterSource(
        door=ReadDoor(settings, Patience(left_s=0)),
        scope=Scope(nodes=(NODE,)),
        clock=lambda: NOW,
        cluster="lab",
    )


class TestCluster(SourceLaws):
    @pytest.fixture
    def subject(self, api: KubeApi, tmp_path: Path) -> Subject:
        return Subject(
            source=source_of(api, tmp_path),
            held=(Kind.KUBE_OBJECTS, Kind.KUBE_EVENTS, Kind.CONTAINER_LOG),
            failing=(),
        )


def test_only_what_is_in_scope_is_read_and_the_last_words_first(api: KubeApi, tmp_path: Path) -> None:
    answer = source_of(api, tmp_path).read(Question(volatile_first=True), Window(), None)
    text = "\n".join(document.text for document in answer.documents)
    assert "uncorrectable ECC" in text
    assert "NodeNotReady" in text
    assert "gpu-00009" not in text
    assert next(d.path for d in answer.documents if "log" in d.path).endswith(".previous.log")
    assert api.writes == []


def test_the_past_is_a_gap(api: KubeApi, tmp_path: Path) -> None:
    answer = source_of(api, tmp_path).read(Question(), Window(), datetime(2026, 1, 1, tzinfo=UTC))
    assert answer.documents == ()
    assert "present" in answer.gaps[0].why


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(trouble=Trouble.REFUSE, times=99, code=401), "401"),
        (Fault(trouble=Trouble.REFUSE, times=99, code=403), "403"),
        (Fault(trouble=Trouble.REFUSE, times=99, code=429, retry_after_s=1), "429"),
        (Fault(trouble=Trouble.REFUSE, times=99, code=500), "500"),
        (Fault(trouble=Trouble.DROP_BEFORE, times=99), "no answer"),
        (Fault(trouble=Trouble.GARBLE, times=99), "Garbled"),
    ],
    ids=["401", "403", "429", "500", "dropped", "garbled"],
)
def test_every_failure_is_a_gap_with_a_sentence_and_never_health(
    api: KubeApi, tmp_path: Path, fault: Fault, said: str
) -> None:
    api.faults.append(fault)
    answer = source_of(api, tmp_path).read(Question(), Window(), None)
    assert answer.documents == ()
    assert answer.gaps
    assert any(said in gap.why for gap in answer.gaps), [gap.why for gap in answer.gaps]
    assert all("\n" not in gap.why for gap in answer.gaps)
    assert {entry.state.value for entry in answer.coverage} <= {"denied", "unavailable"}


def test_a_token_without_rights_is_denied(tmp_path: Path, api: KubeApi) -> None:
    answer = source_of(api, tmp_path, token="nobody").read(Question(), Window(), None)  # noqa: S106 - not a secret
    assert {entry.state.value for entry in answer.coverage} == {"denied"}


def test_a_question_about_another_machine_is_answered_for_that_machine(api: KubeApi, tmp_path: Path) -> None:
    other = EntityRef(kind=EntityKind.NODE, name="gpu-00009")
    answer = source_of(api, tmp_path).read(Question(entities=(other,)), Window(), None)
    text = "\n".join(document.text for document in answer.documents)
    assert "elsewhere" in text
    assert "trainer-0" not in text
