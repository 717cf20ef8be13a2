"""A Kubernetes API server on loopback, good enough to be mistaken for 1.36, that fails as a test plans it.

`with KubeApi() as api: … api.url`. Objects are in `api.store`, planned trouble in `api.faults`, and every request with its
answer in `api.answered`. Resource versions, conflicts, budgets, paging, watches and refusals behave as on a server.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Self

from firstfault.evals.sim.kube_errors import Refusal, bad_request, invalid, too_many_requests
from firstfault.evals.sim.kube_events import CORE_EVENTS, NEW_EVENTS, core_selector, in_new_words
from firstfault.evals.sim.kube_evictions import Ends, evict
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_http import LoopbackServer, handler_for
from firstfault.evals.sim.kube_json import Body, as_body
from firstfault.evals.sim.kube_kinds import BUILT_IN, ServedKind, group_list
from firstfault.evals.sim.kube_lists import accepted, listed
from firstfault.evals.sim.kube_logs import Logs, log_text
from firstfault.evals.sim.kube_patches import patched
from firstfault.evals.sim.kube_requests import Answered, Asked, Place, User, place_of, require_right, user_of
from firstfault.evals.sim.kube_rules import unknown_fields
from firstfault.evals.sim.kube_store import ObjectStore

VERSION = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.2",
    "gitCommit": "0" * 40,
    "gitTreeState": "clean",
    "buildDate": "2026-11-01T00:00:00Z",
    "goVersion": "go1.25",
    "compiler": "gc",
    "platform": "linux/amd64",
}
ADMIN_TOKEN = "admin"  # noqa: S105  # of a server that exists for a test only
_REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


class KubeApi:
    """The server. `users` by token; without any, `ADMIN_TOKEN` may do everything."""

    def __init__(
        self,
        *,
        users: Mapping[str, User] | None = None,
        served: Iterable[ServedKind] = (),
        store: ObjectStore | None = None,
        ends: Ends = Ends.AT_ONCE,
    ) -> None:
        """Take who may ask, what is served besides the built-in kinds, and how evicted pods end."""
        self.store = store or ObjectStore()
        self.users = dict(users or {ADMIN_TOKEN: User(name="admin")})
        self.faults: list[Fault] = []
        self.answered: list[Answered] = []
        self.logs: Logs = {}
        self.ends = ends
        self.kinds = {(kind.root, kind.plural): kind for kind in (*BUILT_IN, NEW_EVENTS, *served)}
        self.stopping = threading.Event()
        self._server = LoopbackServer(("127.0.0.1", 0), handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Return the address to connect to."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def writes(self) -> list[Answered]:
        """Return the requests that changed something, dry runs and refusals left out."""
        return [
            each
            for each in self.answered
            if each.method not in {"GET", "HEAD"} and each.code in range(200, 300) and each.path != _REVIEW
            if each.query.get("dryRun") != "All"
        ]

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and let go of every watch."""
        self.stopping.set()
        for fault in self.faults:
            fault.release.set()
        with self.store.changed:
            self.store.changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def trouble_for(self, asked: Asked) -> Fault | None:
        """Return the first planned trouble that takes this request."""
        with self.store.lock:
            return next((fault for fault in self.faults if fault.takes(asked.method, asked.path)), None)

    def answer(self, asked: Asked, fault: Fault | None = None) -> tuple[int, str | Body, Mapping[str, str]]:
        """Return code, body and headers, and keep the request. A list body of a watch is for the caller to stream."""
        user = "?"
        try:
            user = user_of(asked, self.users).name
            is_lie = fault is not None and fault.trouble is Trouble.PRETEND
            code, body = self._answer(replace(asked, query={"dryRun": "All"}) if is_lie else asked, fault)
            headers: dict[str, str] = {}
        except Refusal as refusal:
            code, body = refusal.code, refusal.body()
            headers = {} if refusal.retry_after_s is None else {"Retry-After": str(refusal.retry_after_s)}
        with self.store.lock:
            kept = Answered(
                method=asked.method, path=asked.path, query=asked.query, body=asked.body, code=code, user=user
            )
            self.answered.append(kept)
        return code, body, headers

    def _answer(self, asked: Asked, fault: Fault | None) -> tuple[int, str | Body]:
        user = user_of(asked, self.users)
        if fault is not None and fault.trouble is Trouble.REFUSE:
            raise _planned(fault)
        if asked.path.rstrip("/") == "/version":
            return 200, VERSION
        if asked.path == _REVIEW:
            return 201, _review(user, asked.body)
        if asked.path.rstrip("/") == "/apis":
            return 200, group_list(self.kinds.values())
        place = place_of(asked.path, self.kinds)
        require_right(user, asked, place)
        if place.sub == "log" and place.name:
            return 200, log_text(self.store, self.logs, place.namespace or "", place.name, asked.query)
        return self._on_objects(asked, place)

    def _on_objects(self, asked: Asked, place: Place) -> tuple[int, Body]:
        if asked.method == "GET" and place.name is None:
            return 200, accepted(self._list(asked, place), asked.headers.get("accept", ""))
        if asked.method == "GET" and place.name is not None:
            return 200, self.store.get(place.kind, place.name, place.namespace or "")
        if asked.method == "POST" and place.sub == "eviction":
            return 201, evict(self.store, asked.body, self.ends, dry=asked.is_dry)
        if asked.method == "POST" and place.name is None:
            return 201, self.store.create(place.kind, asked.body, place.namespace or "", dry=asked.is_dry)
        if asked.method == "PATCH" and place.name is not None:
            return 200, self._patch(asked, place, place.name)
        message = "the server does not allow this method on the requested resource"
        raise Refusal(code=405, reason="MethodNotAllowed", message=message)

    def _list(self, asked: Asked, place: Place) -> Body:
        if place.kind is not NEW_EVENTS:
            return listed(self.store, place.kind, place.namespace, asked.query)
        query = {**asked.query, "fieldSelector": core_selector(asked.query.get("fieldSelector", ""))}
        return in_new_words(listed(self.store, CORE_EVENTS, place.namespace, query))

    def _patch(self, asked: Asked, place: Place, name: str) -> Body:
        patch = as_body(asked.body)
        if asked.query.get("fieldValidation") == "Strict" and patch is not None:
            unknown = unknown_fields(place.kind, patch)
            if unknown:
                given = str(patch).replace("'", "").replace(": ", ":").replace("{", "map[").replace("}", "]")
                shown = f'Invalid value: "{given}": strict decoding error: unknown field "{unknown[0]}"'
                raise invalid(kind="", name="", faults=[("patch", "FieldValueInvalid", shown)])
        with self.store.lock:
            before = self.store.get(place.kind, name, place.namespace or "")
            body = as_body(patched(before, asked.body, asked.headers.get("content-type", "")))
            if body is None:
                raise bad_request(message="the patch does not leave an object")
            kept = "status" if place.sub != "status" else "spec"
            body |= {kept: before[kept]} if kept in before else {}
            return self.store.replace(place.kind, body, dry=asked.is_dry)


def _planned(fault: Fault) -> Refusal:
    if fault.code == 429:  # noqa: PLR2004  # Too Many Requests
        return too_many_requests(fault.retry_after_s or 1)
    return Refusal(
        code=fault.code, reason="Planned", message="planned by the test", retry_after_s=fault.retry_after_s
    )


def _review(user: User, body: Body) -> Body:
    asked = body["spec"]["resourceAttributes"]
    sub = asked.get("subresource")
    is_allowed = user.allows(asked["verb"], f"{asked['resource']}/{sub}" if sub else asked["resource"])
    return {**body, "metadata": {}, "status": {"allowed": is_allowed}}
