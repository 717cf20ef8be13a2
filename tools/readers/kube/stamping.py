"""Stamps from fields of objects: RFC 3339 as the API prints it, ages as people paste it."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.stamps.ages import age_of, age_stamp
from firstfault.tools.stamps.calendar import Calendar
from firstfault.tools.stamps.dialects import moments
from firstfault.tools.times import Clock, Stamp


def field_stamp(text: str, document: Document, line: int, context: ReadContext) -> Stamp | None:
    """Return the stamp of a field's value (a time in any dialect or an age), or None when it is neither."""
    if not text:
        return None
    age = age_of(text)
    if age is not None:
        return age_stamp(age.last, raw=text, path=document.path, line=line, context=context)
    found = moments(text)
    if not found:
        return None
    at, assumed = Calendar.of(context).settle(found[0])
    if at is None:
        return None
    return Stamp(
        clock=Clock.UTC,
        raw=text,
        at=at,
        uncertainty_s=max(found[0].resolution_s / 2, 0.0),
        series=document.path,
        position=line,
        assumption=assumed,
    )


def is_later(stamp: Stamp | None, context: ReadContext) -> bool:
    """Return whether `stamp` lies after what may be seen: replay shows nothing later than `as_of`."""
    if stamp is None or context.as_of is None or stamp.earliest is None:
        return False
    return stamp.earliest > context.as_of
