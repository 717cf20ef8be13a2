"""What Slack refuses in blocks and views, in its words."""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from firstfault.evals.sim.kube_json import Body, Value, as_body

TABLE: Body = tomllib.loads(Path(__file__).with_name("block_limits.toml").read_text())
BLOCK_ID_CHARS = 255
MARKDOWN_CHARS = 12_000


def faults_in_blocks(blocks: Value, surface: str) -> list[str]:
    """Return what is wrong with a message's or a modal's blocks; nothing when Slack takes them."""
    if not isinstance(blocks, list):
        return ["must be an array [json-pointer:/blocks]"]
    rows = cast("list[Value]", blocks)
    most = TABLE["surfaces"][surface]
    found = [] if len(rows) <= most else [f"no more than {most} items allowed [json-pointer:/blocks]"]
    for number, block in enumerate(rows):
        found += _typed(block, TABLE["blocks"], f"/blocks/{number}", ("block_id",))
    return found + _repeated(rows) + _markdown(rows)


def faults_in_view(view: Body) -> list[str]:
    """Return what is wrong with a modal, its blocks included."""
    blocks = view.get("blocks")
    found = [*_fields(view, TABLE["objects"]["view"], "/view"), *faults_in_blocks(blocks, "modal")]
    has_input = any(_is(each, "input") for each in blocks or ())
    if has_input and not view.get("submit"):
        found.append("`submit` is required for modals with an input block [json-pointer:/view/submit]")
    return found


def _markdown(blocks: list[Value]) -> list[str]:
    size = sum(len(block.get("text", "")) for block in blocks if _is(block, "markdown"))
    return (
        [f"markdown must be less than {MARKDOWN_CHARS + 1} characters in all"]
        if size > MARKDOWN_CHARS
        else []
    )


def _is(block: Value, kind: str) -> bool:
    body = as_body(block)
    return body is not None and body.get("type") == kind


def _repeated(blocks: list[Value]) -> list[str]:
    found: list[str] = []
    names = [body.get("block_id") for block in blocks if (body := as_body(block))]
    found += [f"`block_id` {name} already exists for another block" for name in _twice(names)]
    for number, block in enumerate(blocks):
        if _is(block, "actions") and isinstance(block.get("elements"), list):
            actions = [body.get("action_id") for each in block["elements"] if (body := as_body(each))]
            where = f"[json-pointer:/blocks/{number}/elements]"
            found += [
                f"`action_id` {name} already exists for another element {where}" for name in _twice(actions)
            ]
    return found


def _twice(names: list[Value]) -> list[Value]:
    return sorted({name for name in names if name is not None and names.count(name) > 1})


def _typed(value: Value, types: Body, at: str, also: tuple[str, ...] = ()) -> Iterator[str]:
    body = as_body(value)
    if body is None:
        yield f"must be an object [json-pointer:{at}]"
        return
    kind = body.get("type")
    if kind not in types:
        yield f"unsupported type: {kind} [json-pointer:{at}/type]"
        return
    rest = {name: each for name, each in body.items() if name != "type" and name not in also}
    if len(str(body.get("block_id", ""))) > BLOCK_ID_CHARS:
        yield f"must be less than {BLOCK_ID_CHARS + 1} characters [json-pointer:{at}/block_id]"
    yield from _fields(rest, types[kind], at)
    if kind == "section" and not (body.get("text") or body.get("fields")):
        yield f"missing required field: text [json-pointer:{at}]"


def _fields(body: Body, fields: Body, at: str) -> Iterator[str]:
    for name, value in body.items():
        if name not in fields:
            yield f"invalid additional property: {name} [json-pointer:{at}]"
        elif value is not None:
            yield from _field(value, fields[name], f"{at}/{name}")
    for name, rule in fields.items():
        if rule.get("needed") and body.get(name) is None:
            yield f"missing required field: {name} [json-pointer:{at}]"


def _field(value: Value, rule: Body, at: str) -> Iterator[str]:
    most_items = rule.get("items")
    if most_items is not None:
        if not isinstance(value, list) or not value:
            yield f"must be an array with at least one item [json-pointer:{at}]"
            return
        if len(cast("list[Value]", value)) > most_items:
            yield f"no more than {most_items} items allowed [json-pointer:{at}]"
    yield from _CHECKS[rule["is"]](value, rule, at)


def _chars(value: Value, rule: Body, at: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"must be a string [json-pointer:{at}]"
    elif len(value) > rule.get("most", len(value)):
        yield f"must be less than {rule['most'] + 1} characters [json-pointer:{at}]"
    elif not value and rule.get("needed"):
        yield f"must be more than 0 characters [json-pointer:{at}]"


def _text(value: Value, rule: Body, at: str) -> Iterator[str]:
    kinds = {"plain_text"} if rule.get("plain") else {"plain_text", "mrkdwn"}
    body = as_body(value)
    if body is None or body.get("type") not in kinds:
        yield f"must be a {' or '.join(sorted(kinds))} object [json-pointer:{at}/type]"
        return
    fields = TABLE["elements"][body["type"]]
    limited = {**fields, "text": {**fields["text"], "most": rule.get("most", 3000)}}
    yield from _fields({name: each for name, each in body.items() if name != "type"}, limited, at)


def _each(check: Callable[[Value, Body, str], Iterator[str]]) -> Callable[[Value, Body, str], Iterator[str]]:
    def all_of(value: Value, rule: Body, at: str) -> Iterator[str]:
        for number, item in enumerate(value):
            yield from check(item, rule, f"{at}/{number}")

    return all_of


def _element(value: Value, rule: Body, at: str) -> Iterator[str]:
    allowed = {name: TABLE["elements"].get(name, {}) for name in rule["of"]}
    yield from _typed(value, allowed, at)


def _option(value: Value, rule: Body, at: str) -> Iterator[str]:
    del rule
    yield from _fields(value, TABLE["objects"]["option"], at)


def _confirm(value: Value, rule: Body, at: str) -> Iterator[str]:
    del rule
    yield from _fields(value, TABLE["objects"]["confirm"], at)


def _any(value: Value, rule: Body, at: str) -> Iterator[str]:
    if "of" in rule and value not in rule["of"]:
        yield f"must be one of {', '.join(rule['of'])} [json-pointer:{at}]"


_CHECKS: dict[str, Callable[[Value, Body, str], Iterator[str]]] = {
    "any": _any,
    "bool": _any,
    "number": _any,
    "chars": _chars,
    "text": _text,
    "texts": _each(_text),
    "element": _element,
    "elements": _each(_element),
    "options": _each(_option),
    "confirm": _confirm,
}
