"""What a file is about: from the keys of its manifest entry to an entity."""

from collections.abc import Mapping

from firstfault.tools.entities import EntityKind, EntityRef

SUBJECT_KEYS = frozenset(
    {
        "cluster", "node", "host", "rack", "switch", "namespace", "pod", "container", "job", "workload", "rank", "gpu",
        "service", "volume", "adapter", "entity",
    }
)  # fmt: skip
"""Keys of a manifest entry that say what the file is about."""

_MOST_SPECIFIC_FIRST = (
    ("rank", EntityKind.RANK),
    ("pod", EntityKind.POD),
    ("gpu", EntityKind.GPU),
    ("adapter", EntityKind.ADAPTER),
    ("volume", EntityKind.VOLUME),
    ("service", EntityKind.SERVICE),
    ("job", EntityKind.JOB),
    ("workload", EntityKind.WORKLOAD),
    ("node", EntityKind.NODE),
    ("switch", EntityKind.SWITCH),
    ("rack", EntityKind.RACK),
    ("container", EntityKind.CONTAINER),
    ("namespace", EntityKind.NAMESPACE),
    ("cluster", EntityKind.CLUSTER),
)


def subject(labels: Mapping[str, str]) -> EntityRef | None:
    """Return the most specific thing that `labels` name, or None when they name nothing.

    `entity` wins and is written `kind/name`; a name alone has an unknown kind.
    """
    named = labels.get("entity")
    if named:
        return _named(named, labels)
    for key, kind in _MOST_SPECIFIC_FIRST:
        if labels.get(key):
            return _ref(kind, labels[key], labels)
    return None


def _named(text: str, labels: Mapping[str, str]) -> EntityRef:
    word, separator, name = text.partition("/")
    if separator and word.strip().lower() in set(EntityKind):
        return _ref(EntityKind(word.strip().lower()), name.strip(), labels)
    return _ref(EntityKind.UNKNOWN, text.strip(), labels)


def _ref(kind: EntityKind, name: str, labels: Mapping[str, str]) -> EntityRef:
    is_node = kind is EntityKind.NODE
    return EntityRef(
        kind=kind,
        name=name,
        cluster=labels.get("cluster"),
        namespace=None if is_node or kind is EntityKind.NAMESPACE else labels.get("namespace"),
        node=None if is_node else labels.get("node"),
    )
