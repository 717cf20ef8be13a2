"""Labels: kept once, with author and source, in the chain."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from firstfault.agent.feedback.labels import About, Label, agreement, keep_labels, kept_labels
from firstfault.agent.store import open_store
from tests import reports

AT = datetime(2026, 4, 1, tzinfo=UTC)


def test_a_label_is_kept_once_without_its_secrets(tmp_path: Path) -> None:
    said = Label(
        incident="i1", field=About.RESOLUTION, value="token hunter2", author="ann", source="slack", at=AT
    )
    with open_store(tmp_path) as store:
        assert keep_labels(store, (said,), AT, lambda text: text.replace("hunter2", "‹redacted:x›")) == 1
        assert keep_labels(store, (said,), AT, lambda text: text.replace("hunter2", "‹redacted:x›")) == 0
        assert [label.value for label in kept_labels(store)] == ["token ‹redacted:x›"]
        event = next(store.audit.events(subject="i1"))
        assert (event.actor, event.kind, event.why) == ("ann", "shadow.label", "labelled, source slack")
        assert store.audit.verify().sound


def test_who_agrees_says_that_class_and_owner_are_right() -> None:
    labels = agreement(reports.report(), "ann", "button agree", AT)
    assert [(label.field.value, label.value) for label in labels] == [
        ("failure_class", "gpu.fell_off_bus"),
        ("owner", "platform"),
    ]
    undecided = reports.report(diagnosis=reports.diagnosis(owner="unknown"))
    assert [label.field for label in agreement(undecided, "ann", "button", AT)] == [About.FAILURE_CLASS]


@pytest.mark.parametrize("parts", [{"author": ""}, {"value": ""}, {"field": "mood"}, {"extra": 1}])
def test_a_label_without_author_or_meaning_is_refused(parts: dict[str, object]) -> None:
    whole = {"incident": "i1", "field": "owner", "value": "shared", "author": "a", "source": "s", "at": AT}
    with pytest.raises(ValidationError):
        Label.model_validate(whole | parts)
