"""Values that mean "not supported": DCGM and NVML print them where a number is expected."""

_INT32_BLANKS = range(0x7FFFFFF0, 0x80000000)
_INT64_BLANKS = range(0x7FFFFFFFFFFFFFF0, 0x8000000000000000)
_FP64_BLANKS = range(2**47, 2**47 + 16)
"""Source: dcgm_structs.h, DCGM_INT32_BLANK, DCGM_INT64_BLANK, DCGM_FP64_BLANK and the values above each."""
_INT64_AS_FLOAT = float(2**63)


def is_blank(metric: str, value: float) -> bool:
    """Return whether `value` of `metric` is a vendor's way to say that there is no value."""
    if value < _INT32_BLANKS.start or not metric.upper().startswith("DCGM_"):
        return False
    if value == _INT64_AS_FLOAT:
        return True
    return value == int(value) and any(
        int(value) in blanks for blanks in (_INT32_BLANKS, _INT64_BLANKS, _FP64_BLANKS)
    )
