"""The containers of a described pod or pod template."""

import re

from firstfault.tools.readers.kube.describe.outline import ABSENT, Entry
from firstfault.tools.readers.kube.describe.parts import put_quantities, time_text, truth, whole
from firstfault.tools.readers.kube.draft import Draft

_MOUNT = re.compile(r"^(?P<path>\S+) from (?P<name>\S+) \((?P<flags>[^)]*)\)$")
_PROBE = re.compile(
    r"^(?P<action>.*?)\s+delay=(?P<initialDelaySeconds>\d+)s timeout=(?P<timeoutSeconds>\d+)s "
    r"period=(?P<periodSeconds>\d+)s #success=(?P<successThreshold>\d+) #failure=(?P<failureThreshold>\d+)"
)
_LONGEST_PROBE = 500
_HTTP = re.compile(r"^http-get (?P<scheme>https?)://(?P<host>[^:/]*):(?P<port>[^/]*)(?P<path>/.*)?$")
_PORT = re.compile(r"^(?P<port>\d+)/(?P<protocol>\w+)")
_STATES = {"running": "running", "waiting": "waiting", "terminated": "terminated"}
_STATE_FIELDS = {
    "reason": "reason", "message": "message", "exit code": "exitCode", "signal": "signal", "started": "startedAt",
    "finished": "finishedAt",
}  # fmt: skip


def put_containers(
    draft: Draft, entry: Entry | None, spec: str, status: str | None, *, prefix: tuple[str, ...] = ()
) -> None:
    """Fill `spec.<spec>` and `status.<status>` from the containers below `entry`; a template has no status."""
    if entry is None:
        return
    for block in entry.below:
        if not block.key:
            continue
        container = draft.append(*prefix, "spec", spec, line=block.line)
        container.put("name", value=block.key, line=block.line)
        _put_spec(container, block)
        if status is not None:
            state = draft.append("status", status, line=block.line)
            state.put("name", value=block.key, line=block.line)
            _put_status(state, block)


def _put_spec(container: Draft, block: Entry) -> None:
    image = block.find("Image")
    if image is not None and image.value not in ABSENT:
        container.put("image", value=image.value, line=image.line)
    for key, name in (("Command", "command"), ("Args", "args")):
        for line, text in _values(block.find(key)):
            container.append_value(name, value=text, line=line)
    _put_ports(container, block.find("Port", "Ports"))
    for key, name in (("Limits", "limits"), ("Requests", "requests")):
        put_quantities(container, block.find(key), "resources", name)
    _put_environment(container, block)
    for mount in _values(block.find("Mounts")):
        _put_mount(container, *mount)
    for key, name in (
        ("Liveness", "livenessProbe"),
        ("Readiness", "readinessProbe"),
        ("Startup", "startupProbe"),
    ):
        _put_probe(container, block.find(key), name)


def _values(entry: Entry | None) -> list[tuple[int, str]]:
    return [] if entry is None else entry.values()


def _put_ports(container: Draft, entry: Entry | None) -> None:
    for line, text in _values(entry):
        for piece in text.split(","):
            match = _PORT.match(piece.strip())
            if match is not None:
                port = container.append("ports", line=line)
                port.put("containerPort", value=int(match["port"]), line=line)
                port.put("protocol", value=match["protocol"], line=line)


def _put_environment(container: Draft, block: Entry) -> None:
    entry = block.find("Environment")
    for below in entry.below if entry is not None else []:
        if below.key:
            variable = container.append("env", line=below.line)
            variable.put("name", value=below.key, line=below.line)
            variable.put("value", value=below.value, line=below.line)
    sources = block.find("Environment Variables from")
    for below in sources.below if sources is not None else []:
        source = container.append("envFrom", line=below.line)
        words = below.text.split()
        if words:
            key = "secretRef" if "Secret" in below.text else "configMapRef"
            source.put(key, "name", value=words[0], line=below.line)
            source.put(key, "optional", value=below.text.rstrip().endswith("true"), line=below.line)


def _put_mount(container: Draft, line: int, text: str) -> None:
    match = _MOUNT.match(text)
    if match is None:
        return
    mount = container.append("volumeMounts", line=line)
    mount.put("mountPath", value=match["path"], line=line)
    mount.put("name", value=match["name"], line=line)
    flags = match["flags"].split(",")
    if "ro" in flags:
        mount.put("readOnly", value=True, line=line)
    for flag in flags:
        if flag.startswith("path="):
            mount.put("subPath", value=flag.removeprefix("path=").strip('"'), line=line)


def _put_probe(container: Draft, entry: Entry | None, name: str) -> None:
    match = _PROBE.match(entry.value[:_LONGEST_PROBE]) if entry is not None else None
    if entry is None or match is None:
        return
    for key, value in match.groupdict().items():
        if key != "action":
            container.put(name, key, value=int(value[:9]), line=entry.line)
    action = match["action"]
    http = _HTTP.match(action)
    if http is not None:
        for key in ("scheme", "host", "port", "path"):
            container.put(name, "httpGet", key, value=http[key], line=entry.line)
    elif action.startswith("exec "):
        container.put(
            name, "exec", "command", value=action.removeprefix("exec ").strip("[]"), line=entry.line
        )
    elif action.startswith("tcp-socket "):
        container.put(name, "tcpSocket", "port", value=action.rpartition(":")[2], line=entry.line)


def _put_status(status: Draft, block: Entry) -> None:
    for key, name in (("State", "state"), ("Last State", "lastState")):
        entry = block.find(key)
        word = (
            _STATES.get(entry.value.split(" ", 1)[0].lower()) if entry is not None and entry.value else None
        )
        if entry is None or word is None:
            continue
        status.touch(name, word, line=entry.line)
        for below in entry.below:
            field = _STATE_FIELDS.get(below.key.lower())
            if field is not None:
                value = whole(below.value) if field in {"exitCode", "signal"} else time_text(below.value)
                status.put(name, word, field, value=value, line=below.line)
    for key, name in (("Image ID", "imageID"), ("Container ID", "containerID"), ("Image", "image")):
        entry = block.find(key)
        if entry is not None and entry.value not in ABSENT:
            status.put(name, value=entry.value, line=entry.line)
    ready, restarts = block.find("Ready"), block.find("Restart Count")
    if ready is not None:
        status.put("ready", value=truth(ready.value), line=ready.line)
    if restarts is not None:
        status.put("restartCount", value=whole(restarts.value), line=restarts.line)
