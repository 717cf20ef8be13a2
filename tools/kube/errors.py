"""What can go wrong between us and a Kubernetes API server.

KubeError
├── KubeConfigError     no usable kubeconfig, context or service account
├── RefusedVerbError    our own guard: this door only reads
├── UnreachableError    no answer; whether the request arrived is not known
├── ThrottledError      429: asked to wait (`retry_after_s`), or a disruption budget has no room
├── GoneError           410: the resource version is too old, list again
├── NotFoundError       404
├── ConflictError       409: somebody else changed or made it
├── ForbiddenError      401 or 403
└── RejectedError       any other refusal of the server

Each message is one line.
"""

from dataclasses import dataclass


class KubeError(Exception):
    """The API server cannot be asked, or does not do what was asked."""


class KubeConfigError(KubeError):
    """No usable kubeconfig, context or service account."""


class RefusedVerbError(KubeError):
    """This door only reads."""


class UnreachableError(KubeError):
    """No answer came; whether the request arrived is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What a refusal says of itself. causes: machine-readable reasons. retry_after_s: from the header, None without one."""

    code: int
    reason: str
    message: str
    causes: tuple[str, ...] = ()
    retry_after_s: int | None = None


class StatusError(KubeError):
    """The server answered and refused."""

    def __init__(self, status: Status, asked: str) -> None:
        """Take what the server said and what it was asked."""
        super().__init__(f"{asked}: {status.code} {status.reason}: {status.message}"[:500])
        self.status = status


class ThrottledError(StatusError):
    """The server asks to wait, or a disruption budget has no room."""

    @property
    def is_disruption_budget(self) -> bool:
        """Return whether a disruption budget refused, rather than the server being busy."""
        return "DisruptionBudget" in self.status.causes


class GoneError(StatusError):
    """The resource version or continue token is too old."""


class NotFoundError(StatusError):
    """There is no such object or resource."""


class ConflictError(StatusError):
    """Somebody else changed or made the object."""


class ForbiddenError(StatusError):
    """The server does not know us, or does not let us."""


class RejectedError(StatusError):
    """The server refused for another reason."""
