"""Live sources on loopback for tests: settings files that name them, and what recorded servers answer."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firstfault.evals.sim.recorded_http import Answer, Said

FORMATS = Path(__file__).parent / "formats"


def kubeconfig(folder: Path, url: str, token: str) -> Path:
    """Write a kubeconfig for one server and return its path."""
    file = folder / "kubeconfig"
    file.write_text(
        f"""apiVersion: v1
kind: Config
current-context: lab
clusters: [{{name: lab, cluster: {{server: "{url}"}}}}]
users: [{{name: me, user: {{token: {token}}}}}]
contexts: [{{name: lab, context: {{cluster: lab, user: me}}}}]
"""
    )
    return file


def settings_toml(folder: Path, *, kube: Path | None = None, prometheus: str = "", loki: str = "") -> Path:
    """Write `firstfault.toml` that names these sources."""
    parts = [f'[kubernetes]\nenabled = true\ncluster = "lab"\nkubeconfig = "{kube}"\n'] if kube else []
    parts += [f'[prometheus]\nurl = "{prometheus}"\n'] if prometheus else []
    parts += [f'[loki]\nurl = "{loki}"\n'] if loki else []
    file = folder / "firstfault.toml"
    file.write_text("".join(parts))
    return file


def loki_streams(*streams: str) -> Said:
    """Answer `/series` with streams written as JSON objects."""
    return Said(body=f'{{"status":"success","data":[{",".join(streams)}]}}'.encode())


XID = "NVRM: Xid (PCI:0000:4e:00): 79, pid=4711, name=python3, GPU has fallen off the bus."
KERNEL_AT = datetime(2026, 11, 30, 5, 57, 58, tzinfo=UTC)
NOTHING = b'{"status":"success","data":{"resultType":"streams","result":[]}}'


def journal_of(node: str, at: datetime, line: str = XID) -> Answer:
    """Return what answers like a Loki that a journal collector feeds: one kernel line of one machine."""
    labels = f'{{"job":"systemd-journal","transport":"kernel","node":"{node}"}}'
    kubelet = f'{{"job":"systemd-journal","unit":"kubelet.service","node":"{node}"}}'
    at_ns = int(at.timestamp()) * 1_000_000_000

    def answer(path: str, query: dict[str, str]) -> Said:
        if path.endswith("/series"):
            return loki_streams(labels, kubelet)
        if path == "/config":
            return Said(body=b"limits_config:\n  retention_period: 744h\n", content_type="text/plain")
        if "{node=" not in query.get("query", "") or not int(query["start"]) <= at_ns < int(query["end"]):
            return Said(body=NOTHING)
        stream = f'{{"stream":{labels},"values":[["{at_ns}","{line}"]]}}'
        return Said(
            body=f'{{"status":"success","data":{{"resultType":"streams","result":[{stream}]}}}}'.encode()
        )

    return answer


journal_answer = journal_of("gpu-00003", KERNEL_AT)


def metrics_answer(path: str, query: dict[str, str]) -> Said:
    """Answer like a Prometheus that scrapes dcgm-exporter only."""
    del query
    if path.endswith("/values"):
        return Said(body=b'{"status":"success","data":["DCGM_FI_DEV_GPU_TEMP","up"]}')
    if path.endswith("/flags"):
        return Said(
            body=b'{"status":"success","data":{"storage.tsdb.retention.time":"0s","storage.tsdb.retention.size":"0B"}}'
        )
    return Said(body=(FORMATS / "prometheus_2.42" / "range_matrix.json").read_bytes())


def loki_of(bodies: Sequence[Mapping[str, Any]]) -> Answer:
    """Return what answers like a Loki to which these bodies were pushed: one matcher of a label, and a range of time."""
    streams = [stream for body in bodies for stream in body["streams"]]

    def answer(path: str, query: dict[str, str]) -> Said:
        if path.endswith("/series"):
            return loki_streams(*(json.dumps(each["stream"]) for each in streams))
        matcher = MATCHER.match(query.get("query", ""))
        found: list[dict[str, Any]] = []
        for each in streams if matcher else ():
            name, choice = matcher.groups() if matcher else ("", "")
            values = [row for row in each["values"] if int(query["start"]) <= int(row[0]) < int(query["end"])]
            if values and re.fullmatch(choice.replace("\\\\", "\\"), each["stream"].get(name, "")):
                found.append({"stream": each["stream"], "values": values})
        said = {"status": "success", "data": {"resultType": "streams", "result": found}}
        return Said(body=json.dumps(said).encode())

    return answer


MATCHER = re.compile(r'\{(\w+)=~"([^"]*)"\}')
