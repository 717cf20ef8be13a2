"""Services against the pods they should reach: selector, target port, protocol, endpoints, ingress backends. Pure.

Source: Kubernetes, "Service" (selector, targetPort by number or name, protocol default TCP), "Ingress" (backend).
"""

from collections.abc import Iterator, Mapping, Sequence

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.containers import containers_of, pod_spec_path
from firstfault.tools.extract.kube.marks import mark
from firstfault.tools.extract.kube.selectors import labels_match, maps, mismatches, text_map
from firstfault.tools.readings import Json, KubeObject
from firstfault.tools.signals import Signal


def service_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield what keeps services from reaching their pods."""
    backends = _backends(cluster)
    for service in cluster.fullest("service"):
        yield from _service(service, [item for item in backends if _one_namespace(service, item)], cluster)
    for ingress in cluster.fullest("ingress"):
        yield from _ingress(ingress, cluster)


def _backends(cluster: Cluster) -> list[KubeObject]:
    """Return pods, else the workloads whose template says what their pods look like."""
    pods = [pod for pod in cluster.fullest("pod") if pod.get("metadata.labels")]
    owners = cluster.fullest("deployment", "statefulset", "daemonset", "replicaset")
    return pods + [item for item in owners if item.get("spec.template.metadata.labels")]


def labels_of(item: KubeObject) -> dict[str, str]:
    """Return the labels that pods of this object carry."""
    if item.kind.casefold() == "pod":
        return text_map(item.get("metadata.labels"))
    return text_map(item.get("spec.template.metadata.labels"))


def _one_namespace(first: KubeObject, second: KubeObject) -> bool:
    return first.namespace is None or second.namespace is None or first.namespace == second.namespace


def _service(service: KubeObject, backends: Sequence[KubeObject], cluster: Cluster) -> Iterator[Signal]:
    yield from _endpoints(service, cluster)
    selector = text_map(service.get("spec.selector"))
    if not selector:
        return
    chosen = [item for item in backends if labels_match(selector, labels_of(item))]
    if not chosen:
        yield from _selector(service, selector, backends)
        return
    for index, port in enumerate(maps(service.get("spec.ports"))):
        yield from _port(service, index, port, chosen)


def _selector(
    service: KubeObject, selector: Mapping[str, str], backends: Sequence[KubeObject]
) -> Iterator[Signal]:
    """Yield a selector that fits no pod, when there are pods that it was plainly meant for."""
    near = sorted(
        backends, key=lambda item: (len(mismatches(selector, labels_of(item))), not _alike(service, item))
    )
    meant = [
        item
        for item in near
        if _alike(service, item) or len(mismatches(selector, labels_of(item))) < len(selector)
    ]
    if not meant:
        return
    keys = mismatches(selector, labels_of(meant[0]))
    path = f"spec.selector.[{keys[0]}]" if "." in keys[0] else f"spec.selector.{keys[0]}"
    where = "metadata.labels" if meant[0].kind.casefold() == "pod" else "spec.template.metadata.labels"
    yield mark(
        service,
        path,
        "kube.service.selector_mismatch",
        also=[meant[0].cite(where)],
        key=keys[0],
        wanted=selector[keys[0]],
        found=labels_of(meant[0]).get(keys[0]),
        pod=meant[0].name,
        checked=True,
    )


def _alike(service: KubeObject, item: KubeObject) -> bool:
    return (
        item.name == service.name
        or item.name.startswith(f"{service.name}-")
        or service.name in labels_of(item).values()
    )


def _port(
    service: KubeObject, index: int, port: Mapping[str, Json], pods: Sequence[KubeObject]
) -> Iterator[Signal]:
    target = port.get("targetPort", port.get("port"))
    protocol = str(port.get("protocol") or "TCP")
    declared = [(pod, item) for pod in pods for container in containers_of(pod) for item in container.ports]
    if target is None or not declared:
        return
    path = f"spec.ports.{index}.{'targetPort' if 'targetPort' in port else 'port'}"
    fitting = [
        (pod, item)
        for pod, item in declared
        if str(target) in {str(item.get("containerPort")), str(item.get("name"))}
    ]
    if not fitting:
        offered = ", ".join(dict.fromkeys(str(item.get("containerPort")) for _, item in declared))
        yield mark(
            service,
            path,
            "kube.service.port_mismatch",
            also=[declared[0][0].cite(_ports_path(declared[0][0]))],
            target=str(target),
            offered=offered,
            pod=declared[0][0].name,
            checked=True,
        )
    elif not any(str(item.get("protocol") or "TCP").upper() == protocol.upper() for _, item in fitting):
        yield mark(
            service,
            f"spec.ports.{index}.protocol",
            "kube.service.protocol_mismatch",
            also=[fitting[0][0].cite(_ports_path(fitting[0][0]))],
            target=str(target),
            protocol=protocol,
            offered=str(fitting[0][1].get("protocol") or "TCP"),
            pod=fitting[0][0].name,
            checked=True,
        )


def _ports_path(pod: KubeObject) -> str:
    base = pod_spec_path(pod)
    for index, container in enumerate(pod.items(f"{base}.containers")):
        if maps(container.get("ports")):
            return f"{base}.containers.{index}.ports.0"
    return f"{base}.containers"


def _endpoints(service: KubeObject, cluster: Cluster) -> Iterator[Signal]:
    """Yield a service without endpoints, from its description or from the Endpoints object of the same name."""
    if service.text("spec.type") == "ExternalName":
        return
    printed = service.get("status.endpoints")
    if printed is not None and not _addresses(printed):
        yield mark(service, "status.endpoints", "kube.service.no_endpoints")
        return
    endpoints = cluster.find("endpoints", service.name, service.namespace)
    if endpoints is None:
        return
    row = endpoints.columns.get("ENDPOINTS")
    subsets = maps(endpoints.get("subsets"))
    ready = [subset for subset in subsets if maps(subset.get("addresses"))]
    if row == "<none>" or (row is None and not ready):
        waiting = sum(len(maps(subset.get("notReadyAddresses"))) for subset in subsets)
        yield mark(endpoints, "subsets", "kube.service.no_endpoints", not_ready=waiting)


def _addresses(value: Json) -> bool:
    if isinstance(value, list):
        return bool(value)
    return bool(value) and str(value).strip() not in {"", "<none>"}


def _ingress(ingress: KubeObject, cluster: Cluster) -> Iterator[Signal]:
    services = cluster.fullest("service")
    if not services:
        return
    for path, name, port in _ingress_backends(ingress):
        service = cluster.find("service", name, ingress.namespace)
        if service is None:
            if cluster.lists_all("service"):
                yield mark(ingress, path, "kube.ingress.backend_missing", service=name, checked=True)
            continue
        offered = {
            str(item.get(key))
            for item in maps(service.get("spec.ports"))
            for key in ("port", "name")
            if item.get(key) is not None
        }
        if port and offered and port not in offered:
            yield mark(
                ingress,
                path,
                "kube.ingress.backend_port_mismatch",
                also=[service.cite("spec.ports")],
                service=name,
                port=port,
                offered=", ".join(sorted(offered)),
                checked=True,
            )


def _ingress_backends(ingress: KubeObject) -> Iterator[tuple[str, str, str]]:
    """Yield (path of the backend, service name, port) of every rule, in both API versions."""
    for rule_index, rule in enumerate(ingress.items("spec.rules")):
        http = rule.get("http")
        for path_index, entry in enumerate(maps(http.get("paths")) if isinstance(http, dict) else []):
            backend = entry.get("backend")
            if not isinstance(backend, dict):
                continue
            place = f"spec.rules.{rule_index}.http.paths.{path_index}.backend"
            held = backend.get("service")
            if isinstance(held, dict):
                port = held.get("port")
                number = str(port.get("number") or port.get("name") or "") if isinstance(port, dict) else ""
                yield f"{place}.service.name", str(held.get("name") or ""), number
            elif backend.get("serviceName"):
                yield (
                    f"{place}.serviceName",
                    str(backend["serviceName"]),
                    str(backend.get("servicePort") or ""),
                )
