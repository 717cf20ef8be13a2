"""A cluster, a store and an executor for every test."""

import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

from firstfault.agent.store import open_store
from firstfault.evals.sim.kube_api import KubeApi
from firstfault.evals.sim.kube_controllers import CONTROLLERS
from firstfault.evals.sim.kube_kinds import CUSTOM
from tests.agent.executor.kit import Bench, load_cluster


@pytest.fixture(scope="session")
def empty_state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a state folder with an empty database, to be copied."""
    folder = tmp_path_factory.mktemp("state")
    open_store(folder).close()
    return folder


@pytest.fixture
def api() -> Generator[KubeApi]:
    """Give a running API server with a cluster and its controllers behind it."""
    with KubeApi(served=CUSTOM) as served:
        load_cluster(served)
        served.store.react(*CONTROLLERS)
        yield served


@pytest.fixture
def bench(api: KubeApi, tmp_path: Path, empty_state: Path) -> Generator[Bench]:
    """Give an executor over it. SQLite: what the command line refuses is the database, not the service."""
    shutil.copytree(empty_state, tmp_path / "state")
    with open_store(tmp_path / "state") as store:
        yield Bench(api=api, store=store, folder=tmp_path)
