"""Laws of redaction: idempotent, nothing invented, nothing moved, no secret comes back."""

from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.redaction import MARK, redact
from tests.tools.redaction.samples import INNOCENT, SECRETS

planted = st.sampled_from([around.replace("@", secret, 1) for _, around, secret in SECRETS])
shreds = st.sampled_from(
    [
        "password",
        "token",
        "=",
        ":",
        " ",
        '"',
        "'",
        "\\",
        "\n",
        "@",
        "://",
        "Bearer ",
        "‹",
        "›",
        "‹redacted:jwt›",
        "eyJ",
        ".",
        "-",
    ]
)
pieces = st.one_of(planted, shreds, st.sampled_from(INNOCENT), st.text(max_size=8))
texts = st.lists(pieces, max_size=8).map("".join) | st.lists(pieces, max_size=5).map("\n".join)


@given(texts)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(texts)
def test_what_is_left_stood_there_before_in_this_order_on_these_lines(text: str) -> None:
    redacted = redact(text)
    assert redacted.count("\n") == text.count("\n")
    at = 0
    for kept in MARK.split(redacted):
        found = text.find(kept, at)
        assert found >= 0
        at = found + len(kept)


@given(st.sampled_from(SECRETS), st.sampled_from(INNOCENT), st.sampled_from(INNOCENT))
def test_a_secret_never_comes_back_between_other_lines(
    secret: tuple[str, str, str], before: str, after: str
) -> None:
    _, around, value = secret
    redacted = redact("\n".join((before, around.replace("@", value, 1), after)))
    assert not any(line in redacted for line in value.split("\n"))
    assert redacted.startswith(before)
    assert redacted.endswith(after)
