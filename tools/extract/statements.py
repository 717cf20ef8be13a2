"""What a person's sentence says, and what it only says to be well: matches that the words around them take back. Pure.

People write down what they excluded as carefully as what they found ("All other nodes are Ready", "The release before
runs with the same configuration"). Such a sentence names things without blaming them.
"""

import re

from firstfault.tools.extract.mentions import is_denied

_SENTENCE = re.compile(r"(?:[^.;!?\n]|[.;!?](?=\S))+")
_VAGUE = ("topic.", "trouble.", "down.")
"""Signals that rest on a word being mentioned; telling statements say what they say whatever stands beside it."""
_WELL = re.compile(
    r"(?i)\b(?:all )?(?:other|others|the rest|everything else|elsewhere|existing|older ones|the release before)\b"
    r"[^.;]{0,60}\b(?:works?|runs?|is|are|starts?|answers?|goes on|go on|resolves?|upgrades?|gets?)\b"
    r"(?![^.;]{0,40}\b(?:not|never|fail\w*|stuck|hangs?|too|as well|same)\b)"
    r"|\bwith the same (?:configuration|settings?|image|version|manifest|values)\b"
    r"|\b(?:works?|runs?|is|are|was|were) (?:\w+ )?"
    r"(?:fine|normal(?:ly)?|healthy|well|idle|stable|quiet|unaffected|not affected|as expected)\b"
    r"|\bwithout (?:trouble|errors?|problems?)\b|\bhas no errors?\b|\blogs? no errors?\b|\bno errors? in\b"
)
"""Sentences that state health or sameness."""
_NONE_OF_IT = re.compile(
    r"(?i)(?:\b(?:no|without|zero)|(?<![\d.])0)\s+(?:[\w/-]+\s+){0,2}(?:down|errors?|failures?|faults?|drops?|losses|restarts?|crash\w*|reboots?)$"
    r"|\bnothing\s+(?:(?:is|was|were|gets?|got)\s+)?(?:lost|dropped|missing|wrong|broken|fail\w*|stuck|full|slow)$"
)
"""The end of a match that says that there was none of it: `hosts: no link down`."""


def stated(regex: re.Pattern[str], text: str, signal: str) -> re.Match[str] | None:
    """Return the first match in a statement that the statement does not take back, or None.

    For signals that rest on a mere mention, a sentence that says that something is well does not count.
    """
    for match in regex.finditer(text):
        if is_denied(match) or _NONE_OF_IT.search(match[0]):
            continue
        if signal.startswith(_VAGUE) and _WELL.search(_sentence(text, match.start())):
            continue
        return match
    return None


def _sentence(text: str, at: int) -> str:
    return next((found[0] for found in _SENTENCE.finditer(text) if found.start() <= at < found.end()), text)
