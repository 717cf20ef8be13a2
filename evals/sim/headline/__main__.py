"""`python -m firstfault.evals.sim.headline FOLDER [--seed N] [--nodes N] [--logs FORM]` writes one incident."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from firstfault.evals.sim.headline.faults import Story, answer_of
from firstfault.evals.sim.headline.folder import Logs, write_folder
from firstfault.evals.sim.headline.site import Site

NODES = 1_250


def main(arguments: Sequence[str]) -> int:
    """Write the incident that the arguments describe, and say what a right answer to it is."""
    parser = argparse.ArgumentParser(prog="python -m firstfault.evals.sim.headline")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument(
        "--logs", type=Logs, choices=list(Logs), default=Logs.RANKS, help="how the logs were kept"
    )
    said = parser.parse_args(arguments)
    story = Story.of(Site(seed=said.seed, machines=said.nodes))
    said.folder.mkdir(parents=True, exist_ok=True)
    written = write_folder(story, said.folder, said.logs)
    answer = answer_of(story)
    sys.stdout.write(
        f"{written.files} files, {written.size / 1e6:.1f} MB, {story.site.ranks} ranks: {story.root}; "
        f"{answer.failure_class} at {' or '.join(answer.places) or 'nothing'}, {answer.owner}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
