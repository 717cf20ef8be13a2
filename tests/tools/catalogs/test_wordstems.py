"""Words are compared without endings, and compounds as a whole and in their parts."""

import pytest

from firstfault.tools.catalogs.wordstems import stems


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The pods are evicted", ["pods", "evict"]),
        ("CreateContainerError", ["create-container-error", "create", "container", "error"]),
        ("kube-proxy", ["kube-proxy", "kube", "proxy"]),
        ("nvidia.com/gpu", ["nvidia-com-gpu", "nvidia", "com", "gpu"]),
        ("resolv.conf: ndots:5", ["resolv-conf", "resolv", "conf", "ndot"]),
        ("12:00 10.0.0.1 x 5%", []),
        ("", []),
    ],
)
def test_stems(text: str, wanted: list[str]) -> None:
    assert list(stems(text)) == wanted
