"""Everything that is kept: audit, evidence, incidents, stages, reports. The only door to the database libraries."""

from firstfault.agent.store.audit import Trail
from firstfault.agent.store.chain import Anchor, AuditEvent, ChainCheck, Fault, Finding, Head, NewEvent
from firstfault.agent.store.errors import (
    BodyChangedError,
    ChainError,
    KeyFileError,
    NewerSchemaError,
    OlderSchemaError,
    StoredBytesError,
    StoreError,
    UnknownIncidentError,
    UnreachableError,
)
from firstfault.agent.store.evidence import StoredSource
from firstfault.agent.store.incidents import IncidentRecord, Status
from firstfault.agent.store.store import Store, open_store, state_folder

__all__ = [
    "Anchor",
    "AuditEvent",
    "BodyChangedError",
    "ChainCheck",
    "ChainError",
    "Fault",
    "Finding",
    "Head",
    "IncidentRecord",
    "KeyFileError",
    "NewEvent",
    "NewerSchemaError",
    "OlderSchemaError",
    "Status",
    "Store",
    "StoreError",
    "StoredBytesError",
    "StoredSource",
    "Trail",
    "UnknownIncidentError",
    "UnreachableError",
    "open_store",
    "state_folder",
]
