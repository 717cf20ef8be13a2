"""Chooses between the forms in which histories are kept."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.history.commits import COMMIT_SIGN, commit_changes
from firstfault.tools.readers.history.packages import PACKAGE_HISTORY_SIGN, package_changes
from firstfault.tools.readers.history.plain import line_changes
from firstfault.tools.readers.history.releases import RELEASE_SIGN, release_changes
from firstfault.tools.readings import Reading

_FORMS = (
    (COMMIT_SIGN, commit_changes),
    (PACKAGE_HISTORY_SIGN, package_changes),
    (RELEASE_SIGN, release_changes),
)


def changes_reading(document: Document, context: ReadContext) -> Reading:
    """Return the changes that `document` records; a text in no tool's form is read line by line."""
    for sign, reader in _FORMS:
        if sign.search(document.text):
            return Reading(changes=tuple(reader(document, context)))
    return Reading(changes=tuple(line_changes(document, context)))
