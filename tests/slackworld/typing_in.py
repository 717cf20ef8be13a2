"""What a person chose and typed in a modal, as Slack hands it over, and what Slack's client refuses to submit."""

from collections.abc import Iterator, Mapping

from firstfault.evals.sim.kube_json import Body, Value

_INITIAL = {
    "plain_text_input": ("value", "initial_value"),
    "static_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    "checkboxes": ("selected_options", "initial_options"),
    "multi_static_select": ("selected_options", "initial_options"),
    "users_select": ("selected_user", "initial_user"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
}


def elements(blocks: list[Body]) -> Iterator[tuple[Body, Body]]:
    """Return every element that can be acted on, with its block."""
    for block in blocks:
        if block["type"] == "actions":
            yield from ((block, each) for each in block["elements"])
        elif block["type"] == "input":
            yield block, block["element"]
        elif block["type"] == "section" and "accessory" in block:
            yield block, block["accessory"]


def element(blocks: list[Body], action_id: str) -> tuple[Body, Body]:
    """Return the element of this action with its block. Raises AssertionError: there is no such thing to act on."""
    found = [(block, each) for block, each in elements(blocks) if each.get("action_id") == action_id]
    there = [each.get("action_id") for _, each in elements(blocks)]
    assert len(found) == 1, f"{action_id} is there {len(found)} times among {there}"
    return found[0]


def chosen(part: Body, value: Value) -> Body:
    """Return what an element holds once somebody chose `value` (of an option: its value)."""
    name = _INITIAL[part["type"]][0]
    if name == "selected_option":
        return {"type": part["type"], name: _option(part, value)}
    if name == "selected_options":
        return {"type": part["type"], name: [_option(part, each) for each in value]}
    if name == "value":
        size = len(value)
        assert part.get("min_length", 0) <= size <= part.get("max_length", 3000), f"{size} characters typed"
    return {"type": part["type"], name: value}


def state(view: Body, typed: Mapping[str, Value]) -> Body:
    """Return a modal's `state.values` at the moment it is submitted; typed: by action id.

    Raises AssertionError when Slack's client would not submit: a field that must be filled is empty.
    """
    values: dict[str, Body] = {}
    for name in typed:
        element(view["blocks"], name)
    for block, part in elements(view["blocks"]):
        if part["type"] not in _INITIAL:
            continue
        action_id = part.get("action_id", "")
        name, initial = _INITIAL[part["type"]]
        held = {"type": part["type"], name: part.get(initial)}
        held = view["state"]["values"].get(block["block_id"], {}).get(action_id, held)
        if action_id in typed:
            held = chosen(part, typed[action_id])
        is_needed = block["type"] == "input" and not block.get("optional")
        assert held[name] or not is_needed, f"{action_id} must be filled in"
        values.setdefault(block["block_id"], {})[action_id] = held
    return {"values": values}


def _option(part: Body, value: Value) -> Body:
    groups = [group["options"] for group in part.get("option_groups", ())]
    options = [*part.get("options", ()), *(option for group in groups for option in group)]
    found = [option for option in options if option["value"] == value]
    assert found, f"{value} is not offered: {[option['value'] for option in options]}"
    return dict(found[0])
