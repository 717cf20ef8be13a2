"""What can go wrong with the store.

StoreError
├── NewerSchemaError      the database was written by a newer firstfault
├── OlderSchemaError      the database has to be migrated first
├── UnreachableError      the database cannot be opened
├── KeyFileError          the signing key cannot be used
├── ChainError            the audit chain cannot be extended
├── StoredBytesError      stored bytes are missing or are not what their digest says
├── BodyChangedError      a document changed while it was being stored
├── UnknownIncidentError  no such incident
├── UnknownDecisionError  no such decision, approval or execution
├── ForgedRowError        a signed row was not signed with our key
└── TakenError            what can happen only once has happened already

Each message is one line and names the remedy.
"""


class StoreError(Exception):
    """The store cannot do what was asked."""


class NewerSchemaError(StoreError):
    """The database was written by a newer firstfault."""


class OlderSchemaError(StoreError):
    """The database has to be migrated first."""


class UnreachableError(StoreError):
    """The database cannot be opened."""


class KeyFileError(StoreError):
    """The signing key cannot be used."""


class ChainError(StoreError):
    """The audit chain cannot be extended."""


class StoredBytesError(StoreError, OSError):
    """Stored bytes are missing or are not what their digest says."""


class BodyChangedError(StoreError):
    """A document changed while it was being stored."""


class UnknownIncidentError(StoreError):
    """There is no such incident."""


class UnknownDecisionError(StoreError):
    """There is no such decision, approval or execution."""


class ForgedRowError(StoreError):
    """A signed row was not signed with our key."""


class TakenError(StoreError):
    """What can happen only once has happened already."""
