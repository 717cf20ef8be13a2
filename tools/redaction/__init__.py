"""Takes secrets out of text before it leaves: reports, captures, messages, prompts."""

from functools import cache

from firstfault.tools.redaction.redactor import MARK, Redactor, redactor_of
from firstfault.tools.redaction.rules import RedactionError, site_rules

__all__ = ["MARK", "RedactionError", "Redactor", "redact", "redactor_of", "site_rules"]


def redact(text: str) -> str:
    """Return `text` with every secret replaced by `‹redacted:kind›`; redacting again changes nothing."""
    return _shipped().redact(text)


@cache
def _shipped() -> Redactor:
    return redactor_of()
