"""A real process that writes to a store, for tests of what happens when several do, or when one is killed.

It says on stdout where it is, and in step mode waits there for a line on stdin, so that a test kills it at a known
place without guessing times.
"""

import sys
from pathlib import Path

from firstfault.agent.store import Store, open_store
from tests.agent.store.samples import AT, document, event, incident


def main() -> None:
    """Run the job named on the command line on the store in a folder (and at a URL)."""
    job, folder, url, name = sys.argv[1:5]
    with open_store(Path(folder), url=url or None) as store:
        {"append": append, "investigate": investigate, "open": report_key}[job](store, name)


def report_key(store: Store, name: str) -> None:
    """Write one event and say which key signed it."""
    store.audit.append(event(name))
    sys.stdout.write(store.key.id + "\n")


def append(store: Store, name: str) -> None:
    """Append fifty events of an own investigation and three that every worker has."""
    for n in range(50):
        store.audit.append(event(str(n), correlation_id=name))
        store.audit.append(event(str(n % 3), correlation_id="shared"))


def investigate(store: Store, name: str) -> None:
    """Do an investigation of five stages, stopping before, inside and after each write."""
    store.incidents.open(incident(name), AT)
    for stage in ("preserve", "collect", "extract", "correlate", "publish"):
        say(f"before {stage}")
        with store.together():
            store.stages.put(name, stage, stage.encode(), AT)
            store.evidence.put(name, document(f"raw/{stage}.log", stage.encode()), AT)
            say(f"inside {stage}")
            store.audit.append(event(stage))
            say(f"appended {stage}")
        say(f"after {stage}")


def say(where: str) -> None:
    """Print the place and wait to be told to go on."""
    sys.stdout.write(where + "\n")
    sys.stdout.flush()
    sys.stdin.readline()


if __name__ == "__main__":
    main()
