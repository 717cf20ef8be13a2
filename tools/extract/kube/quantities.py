"""Kubernetes quantities (`500m`, `2Gi`, `1e3`) as numbers. Pure.

Source: Kubernetes API conventions, "Quantities"; resource.Quantity suffixes (decimal m, k, M, G, T, P, E; binary Ki … Ei).
"""

import re

_FORM = re.compile(
    r"^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?(?:B|i?B)?$"
)
_DECIMAL = {
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "": 1.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
}
_BINARY = {f"{prefix}i": 1024.0 ** (place + 1) for place, prefix in enumerate("KMGTPE")}


def quantity(text: object) -> float | None:
    """Return the value in base units (cores, bytes, pieces), or None when `text` is not a quantity.

    A percentage in brackets behind it, as `kubectl describe node` prints, is ignored.
    """
    if isinstance(text, bool) or text is None:
        return None
    bare = str(text).split("(")[0].strip()
    match = _FORM.match(bare)
    if match is None:
        return None
    number, suffix = match[1], match[2] or ""
    if suffix[:1] in {"e", "E"} and suffix[1:]:
        return float(number + suffix)
    return float(number) * (_BINARY.get(suffix) or _DECIMAL[suffix])
