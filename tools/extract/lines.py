"""Turns the lines of documents into signals: one pass of the engine, then the exact patterns on the lines that hit."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from threading import Lock

from firstfault.tools.catalogs.patterns import Pattern, all_patterns
from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.extract.clocks import BootMarks, without_clock
from firstfault.tools.extract.drafts import Draft, family_of, value_of
from firstfault.tools.extract.folding import LONGEST_EXCERPT, Folder, Place
from firstfault.tools.extract.mentions import mentions, stated_machine, stated_switch
from firstfault.tools.extract.speakers import Speaker, host_of, speaker
from firstfault.tools.extract.statements import stated
from firstfault.tools.extract.subjects import subject
from firstfault.tools.extract.sxid import SxidReader
from firstfault.tools.extract.xid import parse as parse_xid
from firstfault.tools.kinds import Family, Kind
from firstfault.tools.scan.engine import Hit, Matcher, Scanner
from firstfault.tools.scan.sharing import Shared
from firstfault.tools.scan.words import required_words
from firstfault.tools.signals import Signal, Value
from firstfault.tools.stamps import stamper
from firstfault.tools.stamps.boots import BOOT_MARKS

MatcherMaker = Callable[[Sequence[re.Pattern[str]]], Matcher]

_NOTES = frozenset({Kind.OPERATOR_NOTES})
"""What only people write is never looked for with an automaton: the one over these patterns takes two minutes to build,
and nobody writes the hundreds of MB from which on that would pay."""
_LOOK_BACK_LINES = 4
_SWITCH_CLASS = "network.switch_fault"
_MOST_KNOWN = 2_000
"""How many different lines are remembered, so that a storm of equal ones costs little."""
_LEAD = 200
"""Characters kept in front of a match when a line is too long to be quoted whole."""
_PASSING = frozenset(
    {
        "pid",
        "addr",
        "handle",
        "seq",
        "ran_ms",
        "ago",
        "len",
        "opcode",
        "segment",
        "closing",
        "offset_s",
        "enqueued",
        "completed",
        "s",
        "peer_port",
    }
)
"""Groups that differ between repeats of one thing."""
_NUMBERED = re.compile(r"^([a-z_]+?)\d$")
_SOCKET = re.compile(r"^(?P<peer>.+?)<(?P<port>\d+)>$")


class Catalogue:
    """All pattern tables, with a scanner for each kind of document: only what applies to it is looked for."""

    def __init__(self, patterns: tuple[Pattern, ...], matcher: MatcherMaker | None = None) -> None:
        self.patterns = patterns
        self._matcher = matcher
        self._marks = [re.compile(re.escape(mark), re.ASCII) for mark in BOOT_MARKS]
        self._of_kind: dict[Kind, tuple[tuple[Pattern, ...], Scanner]] = {}
        self._scanners: dict[tuple[int, ...], Scanner] = {}
        self._building = Lock()
        self._printed = [index for index, each in enumerate(patterns) if each.applies_to != _NOTES]
        self._shared = Shared([*(patterns[index].regex for index in self._printed), *self._marks])

    def expect(self, size: int) -> None:
        """Say that documents of `size` bytes in all are about to be read."""
        self._shared.expect(size)

    def of(self, kind: Kind) -> tuple[tuple[Pattern, ...], Scanner]:
        """Return the patterns that are looked for in documents of `kind`, and the scanner over them and `BOOT_MARKS`."""
        with self._building:
            if kind not in self._of_kind:
                self._of_kind[kind] = self._made(kind)
            return self._of_kind[kind]

    def _made(self, kind: Kind) -> tuple[tuple[Pattern, ...], Scanner]:
        """Return what `of` returns; kinds to which the same patterns apply share a scanner."""
        chosen = tuple(index for index, pattern in enumerate(self.patterns) if pattern.applies(kind))
        applying = tuple(self.patterns[index] for index in chosen)
        if chosen not in self._scanners:
            self._scanners[chosen] = self._scanner(kind, chosen)
        return applying, self._scanners[chosen]

    def _scanner(self, kind: Kind, chosen: tuple[int, ...]) -> Scanner:
        regexes = [*(self.patterns[index].regex for index in chosen), *self._marks]
        if self._matcher is not None:
            return Scanner(regexes, matcher=self._matcher(regexes))
        if kind is Kind.OPERATOR_NOTES:
            return Scanner(regexes, larger=lambda _: None)
        places = {index: place for place, index in enumerate(self._printed)}
        marks = range(len(self._printed), len(self._printed) + len(self._marks))
        selected = [*(places[index] for index in chosen), *marks]
        return Scanner(regexes, larger=self._shared.select(selected))


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of this release; its automata are built when they are first needed."""
    return Catalogue(all_patterns())


def line_signals(
    document: Document, context: ReadContext, tables: Catalogue | None = None
) -> tuple[Signal, ...]:
    """Return what the lines of `document` say, folded, in line order. Flat in memory for any input; never raises for it."""
    patterns, scanner = (tables or catalogue()).of(document.kind)
    reader, folder = _Lines(document, patterns), Folder(document)
    marks = BootMarks()
    with document.body.open() as stream:
        for hit in scanner.hits(stream, document.body.size):
            if hit.patterns[-1] >= len(patterns):
                marks.add(hit.line, hit.text)
            for draft, place in reader.drafts(hit):
                folder.add(draft, place)
    return tuple(folder.signals(stamper(document, context, lambda _: marks.lines).stamp))


class _Lines:
    """Reads the candidate lines of one document in order."""

    def __init__(self, document: Document, patterns: tuple[Pattern, ...]) -> None:
        self.document = document
        self._patterns = patterns
        self._sxids = SxidReader()
        self._known: dict[tuple[tuple[int, ...], str], tuple[Draft, ...]] = {}
        branch = document.labels.get("driver", "")[:3]
        self._driver_branch = int(branch) if branch.isdigit() else None

    def drafts(self, hit: Hit) -> Iterator[tuple[Draft, Place]]:
        """Return what one line says. A line that differs from one before in its time only is not parsed again."""
        if not hit.is_whole or len(hit.text) > LONGEST_EXCERPT:
            yield from self._parsed_line(hit)
            return
        key = (hit.patterns, without_clock(hit.text))
        known = self._known.get(key)
        if known is None:
            found = tuple(self._parsed_line(hit))
            known = tuple(draft for draft, _ in found)
            if not any(draft.is_bound for draft in known):
                self._remember(key, known)
        place = Place(line=hit.line, text=hit.text)
        for draft in known:
            yield draft, place

    def _remember(self, key: tuple[tuple[int, ...], str], drafts: tuple[Draft, ...]) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[key] = drafts

    def _parsed_line(self, hit: Hit) -> Iterator[tuple[Draft, Place]]:
        """Return what one line says. Each Xid and SXid line is parsed once, whatever number of rows it fits."""
        known = len(self._patterns)
        candidates = (self._patterns[index] for index in hit.patterns if index < known)
        lower = hit.text.lower()
        matches = [
            (each, match)
            for each in candidates
            if _may_match(each.regex, lower) and (match := self._match(each, hit.text)) is not None
        ]
        if not matches:
            return
        printer = next((pattern.family for pattern, _ in matches if pattern.family is not None), None)
        who = Speaker(host=host_of(hit.text)) if printer is Family.KERNEL else speaker(hit.text)
        is_parsed = False
        for pattern, match in matches:
            place = Place(line=hit.line, text=_excerpt(hit, match))
            if not pattern.signal.startswith(("xid.", "sxid.")):
                yield self._draft(pattern, match, hit, who, printer), place
            elif "codes" in pattern.regex.groupindex:
                is_switch = pattern.signal.startswith("sxid.")
                for draft in mentions(match, self.document, who, is_switch=is_switch):
                    yield draft, place
            elif not is_parsed:
                is_parsed = True
                parsed = self._parsed(pattern, hit.text, who)
                if parsed is not None:
                    yield parsed, place

    def _match(self, pattern: Pattern, text: str) -> re.Match[str] | None:
        if self.document.kind is Kind.OPERATOR_NOTES:
            return stated(pattern.regex, text, pattern.signal)
        return pattern.regex.search(text)

    def _parsed(self, pattern: Pattern, line: str, who: Speaker) -> Draft | None:
        if pattern.signal.startswith("sxid."):
            return self._sxids.parse(line, self.document, who)
        return parse_xid(line, self.document, who, self._driver_branch)

    def _draft(
        self, pattern: Pattern, match: re.Match[str], hit: Hit, who: Speaker, printer: Family | None
    ) -> Draft:
        """Return the draft of a plain row. printer: one line is one witness, whatever number of rows it fits."""
        groups = _groups(match)
        if pattern.look_back is not None:
            groups = {**_looked_back(pattern.look_back, hit, groups), **groups}
        if pattern.signal == "nvrm.driver_loaded":
            self._driver_branch = int(groups["version"].partition(".")[0][:4])
            self._known.clear()
        attributes: dict[str, Value] = {}
        passing: dict[str, Value] = {}
        for key, text in groups.items():
            (passing if key in _PASSING else attributes)[key] = value_of(text)
        for key, said in (("host", who.host), ("rank", who.rank), ("local_gpu", who.gpu)):
            if said is not None and key not in attributes:
                attributes[key] = value_of(said)
        return Draft(
            name=_name(pattern.signal, groups),
            entity=self._subject(pattern, groups, hit, who),
            family=family_of(self.document, printer),
            attributes=attributes,
            passing=passing,
            facts={"meaning": pattern.meaning, "pattern": pattern.id},
            is_bound=pattern.look_back is not None
            or pattern.signal == "nvrm.driver_loaded"
            or self.document.kind is Kind.OPERATOR_NOTES,
        )

    def _subject(self, pattern: Pattern, groups: Mapping[str, str], hit: Hit, who: Speaker) -> EntityRef:
        entity = subject(pattern, groups, self.document, who)
        if self.document.kind is not Kind.OPERATOR_NOTES or entity.kind is not EntityKind.UNKNOWN:
            return entity
        if pattern.signal.endswith(_SWITCH_CLASS) or pattern.signal == "note.switch_down":
            return stated_switch(hit.text, *hit.above(1)) or entity
        return stated_machine(hit.text, *hit.above(1)) or entity


def _may_match(regex: re.Pattern[str], lower: str) -> bool:
    """Return whether a line, in lower case, holds all the words that the pattern needs: cheaper than most patterns."""
    for words in required_words(regex):
        for word in words:
            if word in lower:
                break
        else:
            return False
    return True


def _groups(match: re.Match[str]) -> dict[str, str]:
    """Return the named groups that matched; `pid2` and the like are other places of `pid`."""
    found: dict[str, str] = {}
    for key, text in match.groupdict().items():
        if text:
            numbered = _NUMBERED.match(key)
            found.setdefault(numbered[1] if numbered else key, text.strip())
    socket = _SOCKET.match(found.get("peer", ""))
    if socket is not None:
        found.update(peer=socket["peer"], peer_port=socket["port"])
    return found


def _looked_back(pattern: re.Pattern[str], hit: Hit, groups: Mapping[str, str]) -> dict[str, str]:
    """Return the groups that the line lacks, from the nearest line above that has them."""
    if all(group in groups for group in pattern.groupindex):
        return {}
    for line in hit.above(_LOOK_BACK_LINES):
        match = pattern.search(line)
        if match is not None:
            return {key: text for key, text in match.groupdict().items() if text}
    return {}


def _name(signal: str, groups: Mapping[str, str]) -> str:
    if "{" not in signal:
        return signal
    return re.sub(r"\{(\w+)\}", lambda each: groups.get(each[1], "unknown").lower(), signal)


def _excerpt(hit: Hit, match: re.Match[str]) -> str:
    """Return the line, or what stands around the match when the line is too long to be quoted."""
    if hit.is_whole and len(hit.text) <= LONGEST_EXCERPT:
        return hit.text
    begin = max(0, match.start() - _LEAD)
    return hit.text[begin : begin + LONGEST_EXCERPT]
