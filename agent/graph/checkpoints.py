"""Where the graph's checkpoints live: a file of their own beside the store, or Postgres. Never inside the audit store."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver

Checkpointer = BaseCheckpointSaver[str]
"""Where the graph keeps how far it came; the name by which others speak of langgraph's type."""

CHECKPOINTS_NAME = "checkpoints.sqlite"


@contextmanager
def open_checkpoints(state: Path, url: str | None) -> Generator[Checkpointer]:
    """Give a saver over Postgres when `url` names one, else over a SQLite file in `state`."""
    if url is not None and url.startswith("postgresql"):
        # Its driver takes half a second that users of SQLite need not wait.
        from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415

        address = "postgresql://" + url.partition("://")[2]
        with PostgresSaver.from_conn_string(address) as saver:
            saver.setup()
            yield saver
        return
    with SqliteSaver.from_conn_string(str(state / CHECKPOINTS_NAME)) as saver:
        saver.setup()
        yield saver
