"""A model as one would wish: it asks for what was not seen, and says what the tables say in their own words."""

from firstfault.evals.sim.prompt_rows import Prompt, Row
from firstfault.evals.sim.sayings import Item, Saying, claim, quotable, saying, spoken


def good(prompt: Prompt, _call: int) -> Saying:
    """Ask for what was not seen, then say what the tables say."""
    reads = [] if prompt.has_read else _telling_reads(prompt)
    if reads:
        return saying(reads=reads, signals=_unmatched(prompt))
    return saying(claims=_summary(prompt), signals=_unmatched(prompt), hypotheses=_unlisted(prompt))


_LOGS = (
    "kernel_log",
    "container_log",
    "kubelet_log",
    "runtime_log",
    "fabric_manager_log",
    "syslog",
    "journal",
    "application_log",
)
_TOOLS = ("nvidia_smi", "ibstat", "host_tool", "job_status", "topology", "flight_recorder")


def _telling_reads(prompt: Prompt) -> list[Item]:
    nodes = [name for name in prompt.entities if name.startswith("node/")][:2]
    found: list[Item] = []
    for source in dict.fromkeys(prompt.not_seen):
        for node in nodes:
            if source in _LOGS:
                found.append({"tool": "read_logs", "kind": source, "entity": node, "contains": None})
            elif source in _TOOLS:
                found.append({"tool": "read_tool_output", "kind": source, "entity": node})
    return found[:4]


def _unmatched(prompt: Prompt) -> list[Item]:
    entity = next(iter(prompt.entities), None)
    if entity is None:
        return []
    return [
        {"evidence": row.name, "quote": quotable(row), "entity": name, "time": None, "nature": "error"}
        for row in prompt.unexplained[:2]
        for name in [next((e for e in prompt.entities if e.rpartition("/")[2] in row.text), entity)]
    ]


def _unlisted(prompt: Prompt) -> list[Item]:
    if any(row[1] == "supported" for row in prompt.hypotheses) or not prompt.unexplained:
        return []
    row = prompt.unexplained[0]
    quote = {"evidence": row.name, "quote": quotable(row)}
    return [{"failure_class": "unknown", "description": f"{row.cells[0]} reports it", "quotes": [quote]}]


def _summary(prompt: Prompt) -> list[Item]:
    found: list[Item] = []
    first = next((row for row in prompt.signals if row.cells[3] == "first fault"), None)
    if first is not None:
        found.append(claim(f"The first fault is {spoken(first.cells[2])}{_thing(first)}.", first))
        echo = next(
            (row for row in prompt.signals if row.cells[3] == "echo" and row.cells[2] != first.cells[2]), None
        )
        if echo is not None:
            found.append(
                claim(f"{spoken(echo.cells[2])} is an echo of {spoken(first.cells[2])}.", echo, first)
            )
    symptom = next((row for row in prompt.signals if row.cells[3] == "symptom"), None)
    if symptom is not None:
        found.append(claim(f"{spoken(symptom.cells[2])}{_thing(symptom)} is a symptom.", symptom))
    rows = {row.name: row for row in (*prompt.signals, *prompt.unexplained)}
    for name, standing, *_, names in prompt.hypotheses:
        cited = [rows[n] for n in names.split() if n in rows]
        if standing == "ruled_out" and cited:
            found.append(claim(f"{spoken(name)} is ruled out.", cited[0], about=name))
    return found[:5]


def _thing(row: Row) -> str:
    kind, _, name = row.cells[1].partition("/")
    return "" if kind == "unknown" else f" on {kind} {name.rpartition('/')[2]}"
