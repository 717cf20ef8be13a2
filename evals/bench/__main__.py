"""`make bench`: prints how fast extraction, collection, the collectives reducer, a whole investigation and the gate are."""

import sys
from pathlib import Path

from firstfault.evals.bench import collection, decisions, extraction, headline, ranks

CASES = Path(__file__).resolve().parents[1] / "cases"


def main() -> int:
    """Run every benchmark and print its table."""
    sys.stdout.write(extraction.report(extraction.run(CASES)) + "\n\n")
    sys.stdout.write(collection.report(collection.run()) + "\n\n")
    sys.stdout.write(ranks.report(ranks.run()) + "\n\n")
    sys.stdout.write(headline.report(headline.run()) + "\n\n")
    sys.stdout.write(decisions.report(decisions.run()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
