"""Conditions of class definitions in words, for people who read them."""

import re
from collections.abc import Iterable

from firstfault.agent.classes.definitions import Matcher, Predicate


def condition(predicate: Predicate) -> str:
    """Return the condition in words; empty for one that always holds."""
    together = " and ".join(_matcher(each) for each in predicate.all)
    choice = " or ".join(_matcher(each) for each in predicate.any)
    parts = [f"({choice})" if together and choice and len(predicate.any) > 1 else choice]
    if together:
        where = f", on one {predicate.same}" if predicate.same else ""
        order = ", in this order" if predicate.in_order else ""
        within = f" within {predicate.within_s:g} s" if predicate.within_s is not None else ""
        parts.insert(0, f"{together}{where}{order}{within}")
    text = " and ".join(part for part in parts if part)
    barred = " or ".join(_matcher(each) for each in predicate.none)
    if not barred:
        return text
    return f"{text} but not {barred}" if text else f"not {barred}"


def _matcher(matcher: Matcher) -> str:
    tests = [
        f"{name} {test} {_value(value)}"
        for name, wanted in matcher.where.items()
        for test, value in wanted.model_dump(exclude_none=True).items()
    ]
    if matcher.family:
        tests.append(f"from {', '.join(matcher.family)}")
    if matcher.not_family:
        tests.append(f"not from {', '.join(matcher.not_family)}")
    if matcher.entity:
        tests.append(f"about a {' or '.join(matcher.entity)}")
    for least, what in (
        (matcher.min_count, "times"),
        (matcher.min_entities, "things"),
        (matcher.min_nodes, "machines"),
        (matcher.repeats, "times the same"),
    ):
        if least > 1:
            tests.append(f"at least {least} {what}")
    if matcher.max_entities is not None:
        tests.append(f"at most {matcher.max_entities} things")
    return names(matcher.signal, " or ") + (f" ({'; '.join(tests)})" if tests else "")


def _value(value: object) -> str:
    return f"`{value}`"


def names(listed: Iterable[str], between: str = ", ") -> str:
    """Return the names as code, with `between` between them."""
    return between.join(f"`{name}`" for name in listed)


def open_names(text: str) -> str:
    """Return a sentence with the names that evidence fills in left visible as such."""
    return re.sub(r"\{(\w+)\}", r"‹\1›", text)
