"""Refusals as a real API server words them (1.36), as `Status` objects."""

from dataclasses import dataclass, field
from typing import Any

from firstfault.evals.sim.kube_json import Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal(Exception):  # what a server answers, not a bug
    """One refusing answer."""

    code: int
    reason: str
    message: str
    details: Body = field(default_factory=dict[str, Any])
    retry_after_s: int | None = None
    text: str | None = None

    def body(self) -> str | Body:
        """Return the answer: a `Status`, or plain text."""
        if self.text is not None:
            return self.text
        status: Body = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.code,
        }
        return {**status, "details": self.details} if self.details else status


def unknown_path() -> Refusal:
    """Return the answer for a group or resource that is not served: plain text."""
    return Refusal(code=404, reason="NotFound", message="", text="404 page not found\n")


def bad_request(message: str) -> Refusal:
    """Return a 400."""
    return Refusal(code=400, reason="BadRequest", message=message)


def unauthorized() -> Refusal:
    """Return a 401."""
    return Refusal(code=401, reason="Unauthorized", message="Unauthorized")


def forbidden(user: str, verb: str, resource: str, group: str, name: str | None) -> Refusal:
    """Return a 403."""
    what = f'{resource} "{name}" is forbidden' if name else f"{resource} is forbidden"
    message = f'{what}: User "{user}" cannot {verb} resource "{resource}" in API group "{group}" at the cluster scope'
    return Refusal(code=403, reason="Forbidden", message=message, details={"name": name, "kind": resource})


def not_found(resource: str, name: str) -> Refusal:
    """Return a 404 for an object."""
    message = f'{resource} "{name}" not found'
    return Refusal(code=404, reason="NotFound", message=message, details={"name": name, "kind": resource})


def conflict(resource: str, name: str) -> Refusal:
    """Return a 409 for a stale resource version."""
    message = (
        f'Operation cannot be fulfilled on {resource} "{name}": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    return Refusal(code=409, reason="Conflict", message=message, details={"name": name, "kind": resource})


def precondition_failed(resource: str, name: str, wanted: str, found: str) -> Refusal:
    """Return a 409 for a UID that is not the one that was meant."""
    message = (
        f'Operation cannot be fulfilled on {resource} "{name}": '
        f"Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}"
    )
    return Refusal(code=409, reason="Conflict", message=message, details={"name": name, "kind": resource})


def already_exists(resource: str, name: str) -> Refusal:
    """Return a 409 for a name that is taken."""
    message = f'{resource} "{name}" already exists'
    return Refusal(
        code=409, reason="AlreadyExists", message=message, details={"name": name, "kind": resource}
    )


def invalid(kind: str, name: str, faults: list[tuple[str, str, str]]) -> Refusal:
    """Return a 422; each fault is (field, cause, message)."""
    said = [f"{where}: {message}" for where, _, message in faults]
    listed = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    causes = [{"reason": cause, "message": message, "field": where} for where, cause, message in faults]
    return Refusal(
        code=422,
        reason="Invalid",
        message=f'{kind} "{name}" is invalid: {listed}',
        details={"name": name, "kind": kind, "causes": causes},
    )


def budget_has_no_room(budget: str) -> Refusal:
    """Return the 429 of an eviction that a disruption budget refuses."""
    why = f"The disruption budget {budget} does not allow evicting pods currently"
    return Refusal(
        code=429,
        reason="TooManyRequests",
        message="Cannot evict pod as it would violate the pod's disruption budget.",
        details={"causes": [{"reason": "DisruptionBudget", "message": why}]},
    )


def too_many_requests(retry_after_s: int) -> Refusal:
    """Return the 429 of a busy server."""
    return Refusal(
        code=429,
        reason="TooManyRequests",
        message="too many requests, please try again later",
        retry_after_s=retry_after_s,
        details={"retryAfterSeconds": retry_after_s},
    )


def expired(version: int, oldest: int) -> Refusal:
    """Return the 410 of a resource version that was compacted away."""
    return Refusal(code=410, reason="Expired", message=f"too old resource version: {version} ({oldest})")
