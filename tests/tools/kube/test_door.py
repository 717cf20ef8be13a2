"""The read door: pages, refusals, lost connections; and that it has no way to write."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_kinds import BUILT_IN
from firstfault.evals.sim.kube_requests import READER, User
from firstfault.tools.kube.connection import ReadConnection
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.errors import (
    ForbiddenError,
    GoneError,
    KubeConfigError,
    NotFoundError,
    RejectedError,
    ThrottledError,
    UnreachableError,
)
from firstfault.tools.kube.resources import BUDGETS, NODES, PODS, PYTORCH_JOBS
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.patience import Patience

KINDS = {kind.kind: kind for kind in BUILT_IN}
PATH = "/api/v1/nodes"


@pytest.fixture
def api() -> Generator[KubeApi]:
    users = {ADMIN_TOKEN: User(name="admin"), "reader": User(name="reader", may=READER)}
    with KubeApi(users=users) as served:
        served.store.load(
            KINDS["Node"], [{"metadata": {"name": f"n{number:02d}"}, "spec": {}} for number in range(12)]
        )
        yield served


def settings(api: KubeApi, folder: Path, token: str = ADMIN_TOKEN) -> KubeSettings:
    (folder / token).write_text(f"{token}\n")
    return KubeSettings(host=api.url, token_file=folder / token, read_s=0.3, page_size=5)


@pytest.fixture
def door(api: KubeApi, tmp_path: Path) -> ReadDoor:
    return ReadDoor(settings(api, tmp_path), Patience(wait=lambda _: None, left_s=5))


def test_a_list_is_read_page_by_page(api: KubeApi, door: ReadDoor) -> None:
    listing = door.list(NODES)

    names = [metadata.get("name") for item in listing.items if isinstance(metadata := item["metadata"], dict)]
    assert names == [f"n{number:02d}" for number in range(12)]
    assert len(api.answered) == 3
    assert {each.query["limit"] for each in api.answered} == {"5"}


def test_a_list_that_grew_too_old_on_the_way_is_begun_again_once(api: KubeApi, door: ReadDoor) -> None:
    api.faults.append(Fault(trouble=Trouble.REFUSE, path=PATH, code=410, skip=1))
    assert len(door.list(NODES).items) == 12

    api.faults.append(Fault(trouble=Trouble.REFUSE, path=PATH, code=410, times=5))
    with pytest.raises(GoneError):
        door.list(NODES)


def test_what_is_not_there_is_none_and_what_is_not_served_is_not_found(door: ReadDoor) -> None:
    assert door.find(NODES, "nope") is None
    with pytest.raises(NotFoundError):
        door.list(PYTORCH_JOBS)
    assert door.list(BUDGETS).items == ()


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(trouble=Trouble.REFUSE, code=403), ForbiddenError),
        (Fault(trouble=Trouble.REFUSE, code=500), RejectedError),
        (Fault(trouble=Trouble.REFUSE, code=429, retry_after_s=7), ThrottledError),
        (Fault(trouble=Trouble.GARBLE), RejectedError),
        (Fault(trouble=Trouble.DROP_BEFORE), UnreachableError),
        (Fault(trouble=Trouble.SLOW, seconds=1), UnreachableError),
    ],
)
def test_every_trouble_is_one_error_of_the_tree_and_one_line(
    api: KubeApi, door: ReadDoor, fault: Fault, error: type[Exception]
) -> None:
    api.faults.append(fault)

    with pytest.raises(error) as raised:
        door.get(NODES, "n00")

    assert "\n" not in str(raised.value)
    if isinstance(raised.value, ThrottledError):
        assert raised.value.status.retry_after_s == 7
        assert not raised.value.is_disruption_budget


def test_it_has_no_way_to_write(api: KubeApi, door: ReadDoor) -> None:
    """Whatever the door offers is a GET, but for the question what it may do."""
    offered = {name for name in dir(ReadConnection) if not name.startswith("_")}
    door.list(NODES)
    door.get(NODES, "n00")
    door.may("patch", "nodes")

    assert offered == {"get", "review", "close"}
    assert {(each.method, each.path.rpartition("/")[2]) for each in api.answered if each.method != "GET"} == {
        ("POST", "selfsubjectaccessreviews")
    }


def test_it_can_prove_that_it_may_not_write(api: KubeApi, tmp_path: Path) -> None:
    reader = ReadDoor(settings(api, tmp_path, "reader"))

    assert reader.may("list", "nodes")
    assert not reader.may("patch", "nodes")


def test_names_that_are_paths_stay_names(api: KubeApi, door: ReadDoor) -> None:
    assert door.find(PODS, "../../nodes/n00", "a/b") is None
    assert api.answered[-1].path == "/api/v1/namespaces/a%2Fb/pods/..%2F..%2Fnodes%2Fn00"


@pytest.mark.parametrize(
    "bad",
    [
        KubeSettings(kubeconfig=Path("/nonexistent/kubeconfig")),
        KubeSettings(is_in_cluster=True),
        KubeSettings(host="http://127.0.0.1:1", token_file=Path("/nonexistent/token")),
    ],
)
def test_without_a_way_there_it_says_how_to_give_one(
    bad: KubeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(KubeConfigError, match="no way to the Kubernetes API") as raised:
        ReadDoor(bad)

    assert "\n" not in str(raised.value)


def test_a_busy_server_is_asked_again_when_it_said_so(api: KubeApi, tmp_path: Path) -> None:
    waited: list[float] = []
    door = ReadDoor(settings(api, tmp_path), Patience(wait=waited.append, left_s=5))
    api.faults.append(Fault(trouble=Trouble.REFUSE, path=PATH, code=429, retry_after_s=2, times=2))

    assert len(door.list(NODES).items) == 12
    assert waited == [2, 2]

    api.faults.append(Fault(trouble=Trouble.REFUSE, path=PATH, code=429, retry_after_s=2))
    with pytest.raises(ThrottledError):
        door.list(NODES)
    assert waited == [2, 2]


def test_a_list_that_breaks_off_gives_what_came_and_says_why(api: KubeApi, door: ReadDoor) -> None:
    api.faults.append(Fault(trouble=Trouble.REFUSE, path=PATH, code=500, skip=1))

    found = door.gather(NODES)

    assert len(found.items) == 5
    assert isinstance(found.problem, RejectedError)
    api.faults.append(Fault(trouble=Trouble.REFUSE, path=PATH, code=500, skip=1))
    with pytest.raises(RejectedError):
        door.list(NODES)


def test_a_list_is_cut_down_as_it_comes(door: ReadDoor) -> None:
    found = door.gather(NODES, keep=lambda item: item if str(item["metadata"]).count("n07") else None)

    assert len(found.items) == 1


def test_optional_kinds_are_those_that_the_server_says_it_has(door: ReadDoor) -> None:
    other = replace(BUDGETS, version="v1beta9")

    assert door.served([PYTORCH_JOBS, other]) == (BUDGETS,)
    assert [each.version for each in door.served([other])] == ["v1"]
