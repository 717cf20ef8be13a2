"""`firstfault evals`: how good the diagnosis is on recorded cases, and which rules they set off."""

import csv
import json
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from firstfault.agent.report.contract import Report
from firstfault.agent.store import StoreError
from firstfault.cli.files import write_whole
from firstfault.cli.inquiry import Inquiry, investigate_recording
from firstfault.evals.cases import CasesError, find_cases
from firstfault.evals.export import scorecard_document
from firstfault.evals.inputs import InputError, input_paths, read_input, unpack
from firstfault.evals.rules import count_hits, rules_document, rules_table
from firstfault.evals.runner import NoReport, run_cases, summarize_run
from firstfault.evals.scorecard import scorecard
from firstfault.evals.scoring import MEASURES, Score
from firstfault.evals.summary import Summary
from firstfault.evals.traces import Rule, RuleSet, shipped_rules, trace_path
from firstfault.evals.truth import TruthError
from firstfault.tools.recording import RecordingError, open_recording

CASES = Path("evals/cases")
REASONS = Path("evals/misses.csv")
SINGLE_HITS = Path("evals/single_hits.csv")
INPUTS = Path("tests/classes")
SCORECARD = Path("docs/scorecard.md")
NOTHING_USABLE = 2


@click.group()
def evals() -> None:
    """Score the diagnosis on recorded cases with a known truth."""


@evals.command()
@click.argument("folder", type=click.Path(path_type=Path), default=CASES)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the scores as JSON (schema firstfault.scorecard/v1)."
)
@click.option(
    "--scorecard",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help=f"Where the page is written; {SCORECARD} when all of {CASES} is run.",
)
def run(folder: Path, target: Path | None, *, as_json: bool) -> None:
    """Investigate every case under FOLDER, score the reports, write the scorecard."""
    with _one_line_errors():
        cases = find_cases(folder)
        with _fresh_state() as investigate:
            scores = list(_shown(run_cases(cases, investigate), len(cases)))
        summary = summarize_run(cases, scores)
    page = target or (SCORECARD if folder == CASES and SCORECARD.parent.is_dir() else None)
    if page is not None:
        write_whole(page, scorecard(summary, _written(REASONS, "case", "measure")))
    if as_json:
        click.echo(json.dumps(scorecard_document(summary), indent=2, ensure_ascii=False))
    else:
        click.echo(_brief(summary, page))


@evals.command()
@click.argument("folder", type=click.Path(path_type=Path), default=CASES)
@click.option(
    "--inputs",
    type=click.Path(path_type=Path, file_okay=False),
    default=INPUTS,
    show_default=True,
    help="Folder with inputs of our own, in folders by class; left out when it is not there.",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Write the tables to this file instead.",
)
@click.option("--few", is_flag=True, help="Only rules that a single case or nothing hits.")
@click.option("--json", "as_json", is_flag=True, help="Print the hits as JSON (schema firstfault.rules/v1).")
def rules(folder: Path, inputs: Path, page: Path | None, *, few: bool, as_json: bool) -> None:
    """Count how many cases and own inputs each signal, class criterion and echo rule hits."""
    with _one_line_errors():
        shipped = shipped_rules()
        traced = {case.id: trace_path(case.folder, shipped) for case in find_cases(folder)}
        own = _own_inputs(inputs, shipped)
    hits = count_hits(shipped.all_rules(), traced, own)
    if as_json:
        click.echo(json.dumps(rules_document(hits), indent=2))
        return
    table = rules_table(hits, _written(SINGLE_HITS, "rule"), only_few=few)
    if page is None:
        click.echo(table, nl=False)
    else:
        write_whole(page, table)


def _own_inputs(root: Path, shipped: RuleSet) -> dict[str, frozenset[Rule]]:
    with tempfile.TemporaryDirectory(prefix="firstfault-inputs-") as folder:
        return {
            f"{path.parent.name}/{path.stem}": trace_path(
                unpack(read_input(path), f"{path.parent.name}-{path.stem}", Path(folder)), shipped
            )
            for path in input_paths(root)
        }


@contextmanager
def _one_line_errors() -> Generator[None]:
    try:
        yield
    except (CasesError, TruthError, InputError, RecordingError, StoreError) as error:
        click.echo(f"firstfault: {error}", err=True)
        sys.exit(NOTHING_USABLE)


@contextmanager
def _fresh_state() -> Generator[Callable[[Path], Report | NoReport]]:
    """Yield an investigation that keeps everything in a folder of its own, so that no earlier run is remembered."""
    with tempfile.TemporaryDirectory(prefix="firstfault-evals-") as folder:
        state = Path(folder)

        def investigate(case: Path) -> Report | NoReport:
            try:
                return investigate_recording(
                    open_recording(case), Inquiry(now=datetime.now(UTC)), state=state
                )
            except (RecordingError, StoreError) as error:
                return NoReport(why=str(error))

        yield investigate


def _shown(scores: Iterator[Score], total: int) -> Iterator[Score]:
    """Pass the scores on and show on a terminal how far the run is."""
    for number, score in enumerate(scores, start=1):
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[2K{number}/{total} {score.case} {score.seconds:.1f} s", nl=False, err=True)
        yield score
    if sys.stderr.isatty():
        click.echo("\r\x1b[2K", nl=False, err=True)


def _written(file: Path, *keys: str) -> dict[str, str]:
    """Return the reasons that people wrote into a table, by the columns `keys`; none where there is no file."""
    if not file.is_file():
        return {}
    with file.open(encoding="utf-8", newline="") as stream:
        return {" ".join(row[key] for key in keys): row["reason"] for row in csv.DictReader(stream)}


def _brief(summary: Summary, page: Path | None) -> str:
    rows = [
        ("layer", "cases", *MEASURES),
        *(
            (row.name, str(row.cases), *(str(row.shares[measure]) for measure in MEASURES))
            for row in summary.rows
        ),
        *(
            (name, "", *(str(shares.get(measure, "")) for measure in MEASURES))
            for name, shares in summary.baselines
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    guards = summary.guards
    times = sorted(score.seconds for score in summary.scores)
    counts = f"false CONFIRMED {len(guards.false_confirmed)}   harm {len(guards.harm)}   missing {len(guards.missing)}"
    lines += [
        "",
        f"{counts}   evidence {guards.evidence.hits}/{guards.evidence.total}   CONFIRMED when certain {guards.confirmed}",
        f"time per case: median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s, all {sum(times):.1f} s",
        "wrong: " + (", ".join(score.case for score in summary.wrong) or "none"),
    ]
    return "\n".join([*lines, f"written to {page}"] if page else lines)
