import pytest

from tests.tools.extract.kube.reading import named, names

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop}
spec:
  containers: [{name: web, resources: {limits: {memory: 1Gi}}}]
status:
  phase: Running
  containerStatuses:
  - {name: web, ready: false, restartCount: 4, STATE}
"""


@pytest.mark.parametrize(
    ("state", "name"),
    [
        ("state: {waiting: {reason: CrashLoopBackOff}}", "kube.pod.crash_loop"),
        ("state: {waiting: {reason: ImagePullBackOff}}", "kube.pod.image_pull_failed"),
        ("state: {waiting: {reason: CreateContainerConfigError}}", "kube.pod.config_error"),
        ("lastState: {terminated: {reason: OOMKilled, exitCode: 137}}", "kube.pod.oom_killed"),
        ("lastState: {terminated: {reason: Error, exitCode: 2}}", "kube.pod.error_exit"),
    ],
)
def test_a_state_is_told_about_the_pod(state: str, name: str) -> None:
    found = named(name, POD.replace("STATE", state))
    assert found
    assert found[0].entity.name == "web-0"


def test_an_oom_kill_counts_with_another_exit_code_too_and_knows_its_limit() -> None:
    state = "lastState: {terminated: {reason: OOMKilled, exitCode: 1}}"
    (found,) = named("kube.pod.oom_killed", POD.replace("STATE", state))
    assert found.attributes["limit"] == "1Gi"


def test_a_running_container_gives_no_fault() -> None:
    running = POD.replace(
        "ready: false, restartCount: 4, STATE", "ready: true, restartCount: 0, state: {running: {}}"
    )
    assert not {each for each in names(running) if each.startswith("kube.pod.")}
