"""Every right that reading a cluster takes, and those that must be refused. deploy/ and doctor hold to this table."""

from dataclasses import dataclass

from firstfault.tools.kinds import Kind
from firstfault.tools.kube import resources
from firstfault.tools.kube.connection import ReadConnection
from firstfault.tools.kube.door import Resource
from firstfault.tools.kube.errors import KubeError
from firstfault.tools.kube.plan import LISTED
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.probes import Clock, Probe, Right, skew

VERBS = ("get", "list")
"""Nothing is watched: a list for each incident is enough (docs/adr/0011)."""

JUDGED = (resources.GIT_REPOSITORIES, resources.SELF_REMEDIATIONS)
"""What the gate looks at besides: without it a fact is unknown, and unknown denies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One right as the API server counts it."""

    verb: str
    group: str
    resource: str
    subresource: str = ""

    @property
    def attributes(self) -> dict[str, str]:
        """Return the attributes of a SelfSubjectAccessReview."""
        found = {"verb": self.verb, "group": self.group, "resource": self.resource}
        return found | ({"subresource": self.subresource} if self.subresource else {})

    @property
    def name(self) -> str:
        """Return it as people write it: `get pods/log`."""
        full = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return f"{self.verb} {full}" + (f".{self.group}" if self.group else "")


def _reads(resource: Resource) -> tuple[Access, ...]:
    return tuple(Access(verb=verb, group=resource.group, resource=resource.plural) for verb in VERBS)


NEEDED: tuple[Access, ...] = (
    *(access for resource in (*LISTED, *JUDGED) for access in _reads(resource)),
    Access(verb="get", group="", resource="pods", subresource="log"),
)
REFUSED: tuple[Access, ...] = (
    *(Access(verb=verb, group="", resource="secrets") for verb in VERBS),
    *(Access(verb=verb, group="", resource="pods") for verb in ("create", "patch", "update", "delete")),
    *(
        Access(verb="create", group="", resource="pods", subresource=sub)
        for sub in ("exec", "attach", "portforward", "eviction")
    ),
    Access(verb="get", group="", resource="nodes", subresource="proxy"),
    *(Access(verb=verb, group="", resource="nodes") for verb in ("patch", "update", "delete")),
    *(Access(verb=verb, group="apps", resource="deployments") for verb in ("create", "patch", "delete")),
    Access(verb="create", group="batch", resource="jobs"),
    Access(verb="create", group="rbac.authorization.k8s.io", resource="clusterrolebindings"),
    Access(verb="impersonate", group="", resource="users"),
)
"""What the account that reads must not have: not all there is, but what an attacker would try first."""

_GIVES = {
    ("list", "nodes"): {Kind.KUBE_OBJECTS},
    ("list", "pods"): {Kind.KUBE_OBJECTS},
    ("list", "events"): {Kind.KUBE_EVENTS},
    ("get", "log"): {Kind.CONTAINER_LOG},
}


def probe_cluster(settings: KubeSettings, clock: Clock, name: str = "kubernetes") -> Probe:
    """Return whether the API server answers, how its clock stands, and what it lets us do."""
    try:
        connection = ReadConnection(settings)
    except KubeError as error:
        return Probe(source=name, problem=str(error))
    try:
        asked = clock()
        reply = connection.get("/version")
        ahead = skew(reply.headers.get("date"), asked, clock())
        version = str(reply.json("ask for the version").get("gitVersion") or "")
        held = {access: _allowed(connection, access) for access in (*NEEDED, *REFUSED)}
    except KubeError as error:
        return Probe(source=name, problem=str(error))
    finally:
        connection.close()
    kinds = {
        kind
        for access, is_allowed in held.items()
        if is_allowed
        for kind in _GIVES.get((access.verb, access.subresource or access.resource), ())
    }
    return Probe(
        source=name,
        version=version,
        kinds=frozenset(kinds),
        skew_s=ahead,
        retention="events: one hour, unless the API server says otherwise",
        rights=tuple(Right(name=a.name, allowed=ok, wanted=a in NEEDED) for a, ok in held.items()),
    )


def _allowed(connection: ReadConnection, access: Access) -> bool:
    reply = connection.review(access.attributes)
    status = reply.json("ask for our own rights").get("status")
    return isinstance(status, dict) and status.get("allowed") is True
