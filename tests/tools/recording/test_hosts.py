"""The host of a prompt is a machine, a pod or neither: by what else the recording says, never by the prompt alone."""

from pathlib import Path

import pytest

from firstfault.tools.evidence import Document
from firstfault.tools.recording import open_recording

SMI = "Tue Mar  3 10:00:00 2026\n| NVIDIA-SMI 550.90.07   Driver Version: 550.90.07   CUDA Version: 12.4 |\n"


def _documents(folder: Path, **files: str) -> list[Document]:
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return [doc for doc in open_recording(folder).documents if "nvidia-smi" in (doc.note or "")]


def _labels(folder: Path, **files: str) -> dict[str, str]:
    (found,) = _documents(folder, **files)
    return {key: value for key, value in found.labels.items() if key in {"node", "pod", "prompt_host"}}


def test_nothing_else_says_what_it_is(tmp_path: Path) -> None:
    assert _labels(tmp_path, session=f"root@trainer-0:/workspace# nvidia-smi\n{SMI}") == {}


def test_a_list_of_nodes_says_that_it_is_a_machine(tmp_path: Path) -> None:
    nodes = "NAME    STATUS   ROLES    AGE   VERSION\ngpu-7   Ready    <none>   9d    v1.30.1\n"
    assert _labels(tmp_path, session=f"root@gpu-7:~# nvidia-smi\n{SMI}", nodes=nodes) == {"node": "gpu-7"}


def test_the_log_of_a_kernel_says_that_it_is_a_machine(tmp_path: Path) -> None:
    log = "[   12.000001] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07\n"
    session = f"root@gpu-7:~# nvidia-smi\n{SMI}root@gpu-7:~# dmesg | tail -1\n{log}"
    assert _labels(tmp_path, session=session) == {"node": "gpu-7"}


def test_a_shell_that_was_opened_in_a_pod(tmp_path: Path) -> None:
    session = (
        f"me@laptop:~$ kubectl exec -it -n lab trainer-0 -- bash\nroot@trainer-0:/app# nvidia-smi\n{SMI}"
    )
    assert _labels(tmp_path, session=session) == {"pod": "trainer-0"}


def test_a_list_of_pods_outweighs_the_log_of_a_kernel(tmp_path: Path) -> None:
    pods = "NAME        READY   STATUS    RESTARTS   AGE\ntrainer-0   1/1     Running   0          2d\n"
    log = "[   12.000001] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07\n"
    session = f"root@trainer-0:/# nvidia-smi\n{SMI}root@trainer-0:/# dmesg | tail -1\n{log}"
    assert _labels(tmp_path, session=session, pods=pods) == {"pod": "trainer-0"}


@pytest.mark.parametrize("host", ["llm-7f9dd8b6c4-x7gr9", "api-server-5d78c9869d-7xk2p"])
def test_a_name_that_a_deployment_gave(tmp_path: Path, host: str) -> None:
    assert _labels(tmp_path, session=f"root@{host}:/# nvidia-smi\n{SMI}") == {"pod": host}


def test_a_name_with_letters_that_mean_something_in_patterns(tmp_path: Path) -> None:
    assert _labels(tmp_path, session=f"root@a-b_c:~# nvidia-smi\n{SMI}", other="node/a-bxc\n") == {}
