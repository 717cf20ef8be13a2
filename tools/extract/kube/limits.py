"""Objects that refuse or bar: quotas, disruption budgets, webhooks, network policies. Pure.

Source: Kubernetes, "Resource Quotas", "Specifying a Disruption Budget", "Dynamic Admission Control", "Network Policies".
"""

from collections.abc import Iterator

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.marks import Facts, mark
from firstfault.tools.extract.kube.quantities import quantity
from firstfault.tools.extract.kube.selectors import maps, selector_matches, text_map, texts
from firstfault.tools.extract.kube.services import labels_of
from firstfault.tools.readings import Json, KubeObject
from firstfault.tools.signals import Signal


def limit_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield quotas that are used up, budgets that never open, webhooks that fail closed, policies that shut pods off."""
    for quota in cluster.fullest("resourcequota"):
        yield from _quota(quota)
    for budget in cluster.fullest("poddisruptionbudget"):
        yield from _budget(budget, cluster)
    for hook in cluster.objects:
        yield from _webhook(hook, cluster)
    for policy in cluster.fullest("networkpolicy"):
        yield from _policy(policy, cluster)


def _quota(quota: KubeObject) -> Iterator[Signal]:
    hard = text_map(quota.get("status.hard")) or text_map(quota.get("spec.hard"))
    used = text_map(quota.get("status.used"))
    for resource, limit in hard.items():
        allowed, taken = quantity(limit), quantity(used.get(resource))
        if allowed is not None and taken is not None and taken >= allowed:
            key = f"[{resource}]" if "." in resource else resource
            yield mark(
                quota,
                f"status.used.{key}",
                "kube.quota.used_up",
                resource=resource,
                used=used[resource],
                limited=limit,
            )


def _budget(budget: KubeObject, cluster: Cluster) -> Iterator[Signal]:
    allowed = budget.text("status.disruptionsAllowed") or budget.columns.get("ALLOWED DISRUPTIONS", "")
    most = budget.text("spec.maxUnavailable") or budget.columns.get("MAX UNAVAILABLE", "")
    least = budget.text("spec.minAvailable") or budget.columns.get("MIN AVAILABLE", "")
    field = "maxUnavailable" if most not in {"", "N/A"} else "minAvailable"
    expected = budget.text("status.expectedPods")
    never = (
        most in {"0", "0%"}
        or least == "100%"
        or (least.isdigit() and expected.isdigit() and 0 < int(expected) <= int(least))
    )
    replicas = _replicas_behind(budget, cluster)
    never = never or (least.isdigit() and replicas is not None and 0 < replicas <= int(least))
    facts: Facts = {
        "field": field,
        "value": most if field == "maxUnavailable" else least,
        "expected": expected or None,
    }
    if never:
        path = f"spec.{field}" if budget.get(f"spec.{field}") is not None else ""
        status = (
            [budget.cite("status.disruptionsAllowed")]
            if allowed == "0" and budget.get("status.disruptionsAllowed") is not None
            else []
        )
        yield mark(
            budget,
            path,
            "kube.pdb.never_allows",
            also=status,
            facts=facts,
            checked=allowed == "0",
        )
    elif allowed == "0":
        path = "status.disruptionsAllowed" if budget.get("status.disruptionsAllowed") is not None else ""
        yield mark(budget, path, "kube.pdb.allows_none_now", facts=facts)


def _replicas_behind(budget: KubeObject, cluster: Cluster) -> int | None:
    selector: Json = budget.get("spec.selector")
    for item in cluster.fullest("deployment", "statefulset"):
        if item.namespace == budget.namespace and selector_matches(selector, labels_of(item)):
            text = item.text("spec.replicas")
            return int(text) if text.isdigit() else None
    return None


def _webhook(hook: KubeObject, cluster: Cluster) -> Iterator[Signal]:
    if hook.kind and not hook.kind.casefold().endswith("webhookconfiguration"):
        return
    entries = maps(hook.get("webhooks"))
    if not entries and hook.text("failurePolicy") == "Fail":
        yield mark(hook, "failurePolicy", "kube.webhook.fails_closed")
    for index, entry in enumerate(entries):
        client = entry.get("clientConfig")
        service = client.get("service") if isinstance(client, dict) else None
        if entry.get("failurePolicy") not in {"Fail", None} or not isinstance(service, dict):
            continue
        name, space = str(service.get("name") or ""), str(service.get("namespace") or "") or None
        facts: Facts = {
            "webhook": str(entry.get("name") or ""),
            "service": name,
            "scoped": bool(entry.get("namespaceSelector")),
        }
        yield mark(hook, f"webhooks.{index}.failurePolicy", "kube.webhook.fails_closed", facts=facts)
        if name and cluster.find("service", name, space) is None and cluster.lists_all("service"):
            yield mark(
                hook,
                f"webhooks.{index}.clientConfig.service",
                "kube.webhook.backend_missing",
                facts=facts,
                checked=True,
            )


def _policy(policy: KubeObject, cluster: Cluster) -> Iterator[Signal]:
    """Yield a policy that lets nothing in or out of pods that were read."""
    kinds = texts(policy.get("spec.policyTypes")) or ["Ingress"]
    selector = policy.get("spec.podSelector")
    pods = [
        pod
        for pod in cluster.fullest("pod", "deployment", "statefulset")
        if pod.namespace == policy.namespace
        and (selector in ({}, None) or (labels_of(pod) and selector_matches(selector, labels_of(pod))))
    ]
    for kind in kinds:
        rules = policy.get(f"spec.{kind.lower()}")
        if rules:
            continue
        path = f"spec.{kind.lower()}" if rules is not None else "spec.policyTypes"
        yield mark(
            policy,
            path,
            "kube.netpol.denies_all",
            direction=kind.lower(),
            selects=len(pods),
            pod=pods[0].name if pods else None,
            checked=bool(pods),
        )
