"""Kubernetes objects, events and tables read against each other: everything that a class may test, as signals. Pure.

Shape: `gather` indexes what the readers found, each module judges one relation, `Places` gives lines that the catalogue
matched the object they belong to.
"""

from collections.abc import Iterable, Sequence

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.extract.kube.addresses import address_signals
from firstfault.tools.extract.kube.attachments import attachment_signals
from firstfault.tools.extract.kube.cluster import Cluster, gather
from firstfault.tools.extract.kube.components import component_signals
from firstfault.tools.extract.kube.conditions import node_signals
from firstfault.tools.extract.kube.events import Places, event_signals
from firstfault.tools.extract.kube.health import health_signals
from firstfault.tools.extract.kube.hogs import hog_signals
from firstfault.tools.extract.kube.limits import limit_signals
from firstfault.tools.extract.kube.placement import placements
from firstfault.tools.extract.kube.probes import probe_signals
from firstfault.tools.extract.kube.references import reference_signals
from firstfault.tools.extract.kube.resources import resource_signals
from firstfault.tools.extract.kube.revisions import revision_signals
from firstfault.tools.extract.kube.services import service_signals
from firstfault.tools.extract.kube.statuses import pod_states
from firstfault.tools.extract.kube.volumes import volume_signals
from firstfault.tools.extract.kube.workloads import workload_signals
from firstfault.tools.readings import Reading
from firstfault.tools.signals import Signal

__all__ = ["Cluster", "Places", "gather", "kube_signals"]

_DETECTORS = (
    placements,
    pod_states,
    volume_signals,
    attachment_signals,
    service_signals,
    probe_signals,
    reference_signals,
    node_signals,
    workload_signals,
    limit_signals,
    address_signals,
    resource_signals,
    component_signals,
    revision_signals,
    event_signals,
)


def kube_signals(
    documents: Sequence[Document], readings: Iterable[Reading], context: ReadContext
) -> tuple[Signal, ...]:
    """Return every signal that objects and events give, in a fixed order."""
    held = tuple(readings)
    cluster = gather(held, context)
    found = [signal for detect in _DETECTORS for signal in detect(cluster)]
    facts = [fact for reading in held for fact in reading.facts]
    found.extend(hog_signals(cluster, facts))
    found.extend(health_signals(cluster, facts, documents, context.now))
    return tuple(found)
