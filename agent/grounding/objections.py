"""What a voice has against a clause: the first word, name, number or time in it that is not the code's own. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isclose

from firstfault.agent.grounding.claims import Why
from firstfault.agent.grounding.speech import Labelled, Voice
from firstfault.agent.grounding.tokens import Sort, Token, stem, tokenize
from firstfault.agent.grounding.vocabulary import HEDGES, NEGATORS, linking_words
from firstfault.tools.entities import EntityKind, canonical_bdf

_KINDS = frozenset(stem(kind.value) for kind in EntityKind if kind is not EntityKind.UNKNOWN)
_SECONDS = {
    stem(word): seconds
    for words, seconds in (
        ("s second", 1.0),
        ("ms millisecond", 0.001),
        ("min minute", 60.0),
        ("h hour", 3600.0),
    )
    for word in words.split()
}
_BETWEEN_LABEL_AND_NUMBER = frozenset({"is", "was", "of", "number"})
_MISSING = {
    Sort.WORD: "a word of",
    Sort.NUMBER: "a stored value of",
    Sort.TIME: "the stored time of",
    Sort.NAME: "a name in",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """Why a clause is not what code would say. depth: how many tokens were fine before."""

    why: Why
    because: str
    depth: int = 0


def objection_to(clause: str, voice: Voice, durations_s: Sequence[float] = ()) -> Objection | None:
    """Return what `voice` has against `clause`, or None when every token is its own or a plain linking word.

    durations_s: lengths of time that the clause may state beside the voice's own numbers.
    """
    tokens = tokenize(clause)
    says_something = False
    for index, token in enumerate(tokens):
        found = _objection(tokens, index, voice, durations_s)
        if found is not None:
            return Objection(why=found[0], because=found[1], depth=index)
        says_something = says_something or token.sort is not Sort.WORD or not _is_linking(token)
    named = _class_named(tokens, voice)
    if named is not None:
        because = f"it names the class `{' '.join(named)}`, which this evidence does not support"
        return Objection(why=Why.WORD, because=because, depth=len(tokens))
    missing = voice.required - {token.stem for token in tokens}
    if missing:
        return Objection(why=Why.WORD, because="it does not say how the hypothesis stands", depth=len(tokens))
    if not says_something:
        return Objection(why=Why.FORM, because="it says nothing that can be checked", depth=len(tokens))
    return None


def _objection(
    tokens: Sequence[Token], index: int, voice: Voice, durations_s: Sequence[float]
) -> tuple[Why, str] | None:
    token = tokens[index]
    before = [t.stem for t in tokens[:index] if t.text.lower() not in _BETWEEN_LABEL_AND_NUMBER]
    after = tokens[index + 1].stem if index + 1 < len(tokens) else ""
    match token.sort:
        case Sort.WORD:
            fits = (
                _speaks(token, voice)
                or _is_plain_name(token.text, before, voice)
                or _introduces(tokens[index : index + 3], voice)
            )
        case Sort.NUMBER:
            fits = _counts(token, before, after, voice) or _lasts(token, after, durations_s)
        case Sort.TIME:
            fits = _is_time(token.text, voice)
        case Sort.NAME:
            fits = _is_named(token.text, before, voice) or _is_time(token.text, voice)
    return (
        None
        if fits
        else (Why(token.sort.value), f"`{token.text}` is not {_MISSING[token.sort]} what it cites")
    )


def _class_named(tokens: Sequence[Token], voice: Voice) -> tuple[str, ...] | None:
    stems = tuple(token.stem for token in tokens if not _is_linking(token))
    for name in voice.unspeakable:
        if any(stems[start : start + len(name)] == name for start in range(len(stems))):
            return name
    return None


def _is_linking(token: Token) -> bool:
    return token.text.lower() in linking_words() or token.text == "%"


def _speaks(token: Token, voice: Voice) -> bool:
    """Return whether the voice says this word in the same sense; more hedging than the voice's own is harmless."""
    if _is_linking(token):
        return True
    marks = voice.words.get(token.stem, frozenset())
    if token.stem in NEGATORS or token.stem in HEDGES or token.stem == "or":
        return bool(marks)
    return any(
        negated == token.negated and (token.hedged or not hedged) and (token.either or not either)
        for negated, hedged, either in marks
    )


def _introduces(tokens: Sequence[Token], voice: Voice) -> bool:
    """Return whether a word is the kind before a name (`node gpu-n7`) or a label before its number (`exit code 137`)."""
    word, *rest = tokens
    if rest and word.stem in _kinds_before(rest[0].text, voice):
        return True
    labels = {label for number in voice.numbers for label in number.label}
    return word.stem in labels and any(token.sort is Sort.NUMBER for token in rest)


def _counts(token: Token, before: Sequence[str], after: str, voice: Voice) -> bool:
    shown = float(token.stem)
    decimals = len(token.stem.partition(".")[2])
    return any(
        _same(number.value, shown, decimals) and _labelled(number, before, after) for number in voice.numbers
    )


def _same(stored: float, shown: float, decimals: int) -> bool:
    return isclose(stored, shown, rel_tol=0, abs_tol=1e-9) or (
        decimals > 0 and isclose(round(stored, decimals), shown, abs_tol=1e-9)
    )


def _labelled(number: Labelled, before: Sequence[str], after: str) -> bool:
    if number.after:
        return (stem(after) if after else "") in number.label or after in number.label
    return tuple(before[-len(number.label) :]) == number.label if number.label else True


def _lasts(token: Token, after: str, durations_s: Sequence[float]) -> bool:
    unit = _SECONDS.get(after)
    if unit is None:
        return False
    decimals = len(token.stem.partition(".")[2])
    return any(
        isclose(round(duration / unit, decimals), float(token.stem), abs_tol=1e-9) for duration in durations_s
    )


def _is_plain_name(text: str, before: Sequence[str], voice: Voice) -> bool:
    """Return whether an ordinary word is a name here: only right behind its kind, `pod trainer`."""
    return bool(before) and before[-1] in voice.names.get(text, frozenset())


def _is_named(text: str, before: Sequence[str], voice: Voice) -> bool:
    """Return whether `text` is a name of the voice and not called another kind of thing."""
    kinds = _kinds_before(text, voice)
    kind = before[-1] if before else ""
    return (text in voice.names and not kinds) or (bool(kinds) and (kind not in _KINDS or kind in kinds))


def _kinds_before(text: str, voice: Voice) -> frozenset[str]:
    """Return the kinds that may stand before a name; PCI addresses are the same however they are printed."""
    if text in voice.names:
        return voice.names[text]
    address = canonical_bdf(text)
    same = (k for name, k in voice.names.items() if address is not None and canonical_bdf(name) == address)
    return next(same, frozenset[str]())


def _is_time(text: str, voice: Voice) -> bool:
    if any(text in raw for raw in voice.raw_times) and len(text) >= len("00:00"):
        return True
    return any(_says(text, at) for at in voice.times)


def _says(text: str, at: datetime) -> bool:
    """Return whether `text` is the UTC time `at`, written out to any precision from minutes on."""
    bare = text.removesuffix("Z").removesuffix("+00:00")
    utc = at.astimezone(UTC)
    for whole in (utc.strftime("%Y-%m-%dT%H:%M:%S.%f"), utc.strftime("%H:%M:%S.%f")):
        if whole.startswith(bare) and len(bare) >= whole.index(":") + 3:
            return True
    return False
