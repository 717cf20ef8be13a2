"""Measures the extractor over a large mixed log, beside bare hyperscan and ripgrep with the same patterns.

`python -m firstfault.evals.bench.extraction NAME FILE` runs one phase and prints what it took.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from firstfault.evals.bench.measure import MB, Measured, in_process, print_measured, run_measured, table
from firstfault.evals.bench.mixture import ONE_IN, write_mixture
from firstfault.tools.bodies import FileBody
from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.evidence import Document
from firstfault.tools.extract.lines import Catalogue, catalogue, line_signals
from firstfault.tools.kinds import Kind
from firstfault.tools.scan.blocks import blocks
from firstfault.tools.scan.engine import HyperscanMatcher, WordMatcher, has_hyperscan

MODULE = "firstfault.evals.bench.extraction"
SIZE = 1_050 * MB
SLOW_SIZE = 16 * MB
"""What is slow is measured on a part of the log: some MB a second need no gigabyte."""
_BARE_BLOCK = 8 * 1024 * 1024
_KIND = Kind.PLAIN
_NOT_SIMPLE = re.compile(r"\(\?<?[!=]|\(\?P=")
_NEEDLESS = re.compile(r"(\\\\)|\\([\"'`/])")
"""Escapes that Python allows and Rust does not."""
_NAME = re.compile(r"\(\?P<\w+>")

Work = Callable[[], str]
"""What is timed, made ready: automata are built, nothing is read yet. It returns a note."""


def patterns() -> list[re.Pattern[str]]:
    """Return the patterns that are looked for in a log whose kind is not known."""
    return [pattern.regex for pattern in all_patterns() if pattern.applies(_KIND)]


def simple_patterns() -> list[str]:
    """Return those that other engines can take as they stand: without look-around, references and names."""
    plain = [_NAME.sub("(", each.pattern) for each in patterns() if not _NOT_SIMPLE.search(each.pattern)]
    return [_NEEDLESS.sub(lambda found: found[1] or found[2], each) for each in plain]


def build(_file: Path) -> Work:
    """Build the automaton."""
    exact = patterns()

    def compile_() -> str:
        HyperscanMatcher(exact)
        return f"{len(exact)} patterns"

    return compile_


def bare(file: Path) -> Work:
    """Scan with hyperscan alone, exact patterns, nothing done with a match."""
    hyperscan: Any = import_module("hyperscan")
    exact = simple_patterns()
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    flags = [hyperscan.HS_FLAG_MULTILINE] * len(exact)
    database.compile(expressions=[each.encode() for each in exact], ids=list(range(len(exact))), flags=flags)

    def scan() -> str:
        with file.open("rb") as stream:
            while block := stream.read(_BARE_BLOCK):
                database.scan(block, match_event_handler=_ignore)
        return f"{len(exact)} of {len(patterns())} patterns"

    return scan


def _ignore(*_: object) -> None:
    """Do nothing with a match."""


def conditions(file: Path) -> Work:
    """Scan with hyperscan alone, the derived conditions, ends collected."""
    matcher = HyperscanMatcher(patterns())

    def scan() -> str:
        with file.open("rb") as stream:
            return f"{sum(len(matcher.ends(block)) for block in blocks(stream))} candidates"

    return scan


def digest(file: Path) -> Work:
    """Read the file and take its digest, which every evidence carries."""
    return lambda: FileBody(file).sha256[:12]


def whole(file: Path) -> Work:
    """Run the extractor: lines, entities, times, folding, evidence."""
    catalogue().of(_KIND)[1].matcher(SIZE)
    return _extracting(file, catalogue())


def words(file: Path) -> Work:
    """Run the extractor without hyperscan."""
    tables = Catalogue(all_patterns(), matcher=WordMatcher)
    tables.of(_KIND)
    return _extracting(file, tables)


def _extracting(file: Path, tables: Catalogue) -> Work:
    document = Document(path="mixture.log", kind=_KIND, body=FileBody(file), source="bench", query="bench")
    _ = (
        document.body.sha256
    )  # taken when a document is preserved, before anything is extracted; measured by itself

    def extract() -> str:
        signals = line_signals(document, NO_CONTEXT, tables)
        return f"{len(signals)} signals of {sum(signal.count for signal in signals)} lines"

    return extract


_PHASES: dict[str, tuple[str, Callable[[Path], Work]]] = {
    "build": ("building the automaton", build),
    "bare": ("bare hyperscan, exact patterns, 8 MiB blocks", bare),
    "conditions": ("hyperscan, derived conditions, 1 MiB blocks", conditions),
    "digest": ("sha256 of the document, taken when it is preserved", digest),
    "whole": ("extractor, everything", whole),
    "words": ("extractor without hyperscan", words),
}


def ripgrep(file: Path) -> list[Measured]:
    """Return `rg -c -f` with the same patterns, nothing where there is no ripgrep."""
    program = shutil.which("rg")
    if program is None:
        return []
    with tempfile.NamedTemporaryFile("w", suffix=".patterns") as listed:
        listed.write("\n".join(simple_patterns()))
        listed.flush()
        limits = ["--dfa-size-limit", "1G", "--regex-size-limit", "1G"]
        command = [program, "-c", "-a", *limits, "-f", listed.name, str(file)]
        name = "ripgrep -c -f, exact patterns"
        return [run_measured(name, file.stat().st_size / MB, command, lambda text: f"{text.strip()} lines")]


def run(cases: Path) -> Sequence[Measured]:
    """Return all measurements, over a log that is made for them and removed again."""
    with tempfile.TemporaryDirectory(prefix="firstfault-bench-") as folder:
        large, small = Path(folder, "mixture.log"), Path(folder, "part.log")
        with large.open("wb") as target:
            size, lines = write_mixture(target, SIZE, cases)
        with large.open("rb") as source, small.open("wb") as target:
            target.write(source.read(SLOW_SIZE))
        sys.stderr.write(f"log of {size / MB:.0f} MB, {lines} lines, 1 in {ONE_IN} from recorded incidents\n")
        automaton = ["build", "bare", "conditions"] if has_hyperscan() else []
        found = [in_process(MODULE, phase, str(large)) for phase in (*automaton, "digest", "whole")]
        return [*found, in_process(MODULE, "words", str(small)), *ripgrep(small)]


def report(found: Sequence[Measured]) -> str:
    """Return the table and the ratio that is aimed at."""
    by_name = {each.name: each for each in found}
    base, ours = by_name.get(_PHASES["bare"][0]), by_name[_PHASES["whole"][0]]
    lines = [table(found), f"peak memory of the extractor: {ours.peak_mb:.0f} MB (aim: below 300)"]
    if base is not None:
        with_digest = ours.megabytes / (ours.cpu_s + by_name[_PHASES["digest"][0]].cpu_s)
        lines.append(
            f"extractor / bare hyperscan: {ours.speed / base.speed:.2f} (aim: 0.70), "
            f"with the digest of the document {with_digest / base.speed:.2f}"
        )
    if not any(each.name.startswith("ripgrep") for each in found):
        lines.append("ripgrep is not installed: not measured")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run the phase that `arguments` name on the file that they name."""
    phase, file = arguments[0], Path(arguments[1])
    name, prepare = _PHASES[phase]
    print_measured(name, file.stat().st_size / MB, prepare(file))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
