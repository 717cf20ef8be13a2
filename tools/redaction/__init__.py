"""Takes secrets out of text before it leaves: reports, captures, messages, prompts."""

from firstfault.tools.redaction.redactor import MARK, Redactor, redact, redact_across_lines, redactor_of
from firstfault.tools.redaction.rules import RedactionError, site_rules

__all__ = ["MARK", "RedactionError", "Redactor", "redact", "redact_across_lines", "redactor_of", "site_rules"]
