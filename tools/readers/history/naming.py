"""What sort of change a sentence tells of."""

import re

_KINDS = (
    ("helm", r"\bhelm\b|\bchart\b"),
    ("driver", r"\bdrivers?\b|\bnvidia-(?:driver|dkms|kernel)"),
    ("firmware", r"\bfirmware\b|\bvbios\b|\bbios\b"),
    ("kernel", r"\bkernel\b|\blinux-(?:image|headers|modules)\b"),
    ("gitops_sync", r"\bargo ?cd\b|\bflux\b|\bsync(?:ed|hroni[sz]ed)?\b"),
    ("cordon", r"\b(?:un)?cordon(?:ed)?\b|\bdrain(?:ed)?\b"),
    ("quota", r"\bquotas?\b"),
    (
        "network",
        (
            r"\broute(?: table)?s?\b|\bsubnets?\b|\bsecurity ?groups?\b|\bfirewalls?\b|\bvpcs?\b|\bnacls?\b|"
            r"\bpeerings?\b|\bmtu\b|\bvlans?\b"
        ),
    ),
    ("node_pool", r"\bnode ?(?:pool|group|class)s?\b|\bkarpenter\b|\bautoscaler\b"),
    ("delete", r"\b(?:delet|destroy|remov)(?:e|ed|es|ing)\b"),
    ("package", r"\bapt(?:-get)?\b|\bdnf\b|\byum\b|\bpip\b|\bpackages?\b|\bunattended-upgrade"),
    (
        "config",
        r"\bconfig\w*\b|\bsetting\w*\b|\bpasswords?\b|\bcredentials?\b|\bsecrets?\b|\blimits?\b|\bvalues?\b|\btaints?\b|\bcap(?:ping|ped)\b",
    ),
    (
        "deployment",
        r"\broll(?:ed|ing|s)?[ -]?out\b|\bdeploy\w*\b|\brelease[ds]?\b|\bupgrade[ds]?\b|\bservice\b|\bmodule\b",
    ),
)
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)


def kind_of_change(text: str) -> str:
    """Return what sort of change `text` tells of; `change` when it cannot be told."""
    return next((kind for kind, pattern in _COMPILED if pattern.search(text)), "change")
