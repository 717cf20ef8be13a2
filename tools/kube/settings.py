"""How an API server is reached: kubeconfig, service account or an address, and how long we wait."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from kubernetes import config
from kubernetes.client import Configuration

from firstfault.tools.kube.errors import KubeConfigError
from firstfault.tools.patience import ANSWER_S

# The client's own annotations leave these arguments untyped.
_load_in_cluster = cast("Callable[..., None]", config.load_incluster_config)
_load_kubeconfig = cast("Callable[..., None]", config.load_kube_config)


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeSettings:
    """Where and how.

    host: an address, with `token_file` and `ca_file`; else a kubeconfig (None: `$KUBECONFIG` or `~/.kube/config`) and context;
    in_cluster: the service account of the pod. user_agent: shows in the server's audit log, so name the incident in it.
    page_size: objects per page of a list. read_s: longest silence; answer_s: longest time for one whole answer.
    """

    host: str | None = None
    token_file: Path | None = None
    ca_file: Path | None = None
    kubeconfig: Path | None = None
    context: str | None = None
    is_in_cluster: bool = False
    connect_s: float = 3.05
    read_s: float = 15.0
    answer_s: float = ANSWER_S
    page_size: int = 500
    user_agent: str = "firstfault"


class Loaded(Protocol):
    """What we use of the client's configuration."""

    host: str

    def auth_settings(self) -> dict[str, dict[str, str]]:
        """Return the headers that authenticate, tokens refreshed."""
        ...


def load_configuration(settings: KubeSettings) -> Loaded:
    """Return the client configuration. Raises KubeConfigError with one line that names the remedy."""
    loaded = Configuration()
    try:
        if settings.host is not None:
            _address(loaded, settings, settings.host)
        elif settings.is_in_cluster:
            _load_in_cluster(client_configuration=loaded)
        else:
            file = str(settings.kubeconfig) if settings.kubeconfig else None
            _load_kubeconfig(config_file=file, context=settings.context, client_configuration=loaded)
    except (config.ConfigException, OSError) as error:
        reason = " ".join(str(error).split())
        msg = f"no way to the Kubernetes API: {reason}; set FIRSTFAULT_KUBERNETES__KUBECONFIG or __HOST"
        raise KubeConfigError(msg) from error
    return cast("Loaded", loaded)


def _address(loaded: Configuration, settings: KubeSettings, host: str) -> None:
    loaded.host = host.rstrip("/")
    if settings.ca_file is not None:
        loaded.ssl_ca_cert = str(settings.ca_file)
    if settings.token_file is not None:
        token = settings.token_file.read_text("utf-8").strip()
        loaded.api_key["authorization"] = f"Bearer {token}"
