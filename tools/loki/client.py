"""The connection to a Loki server."""

from collections.abc import Mapping

import httpx

TIMEOUT_S = 15.0


def connect(url: str, headers: Mapping[str, str], *, timeout_s: float = TIMEOUT_S) -> httpx.Client:
    """Return a client for one server; nothing is sent, proxies of the environment are not used."""
    return httpx.Client(base_url=url, headers=dict(headers), timeout=timeout_s, trust_env=False)
