import pytest

from firstfault.tools.catalogs.nvlink5 import Mask, link_down_reason, nvlink5_rules


@pytest.mark.parametrize(
    ("text", "word", "fits"),
    [
        ("------------------------------01", 0xFFFFFFFD, True),
        ("------------------------------01", 0xFFFFFFFC, False),
        ("1-------------------------------", 0x80000000, True),
        ("1-------------------------------", 0x7FFFFFFF, False),
    ],
)
def test_a_mask_compares_only_the_bits_that_count(text: str, word: int, *, fits: bool) -> None:
    assert Mask.of(text).fits(word) is fits


def test_the_reason_of_a_link_down_sits_in_bits_25_to_20() -> None:
    assert link_down_reason(0b10_1010 << 20 | 0x1C6) == 42
    assert link_down_reason(0xFC000000) == 0


def test_no_rule_is_about_everything() -> None:
    rules = nvlink5_rules()
    assert len(rules) == 95
    assert all(mask.care for rule in rules for mask in rule.masks)
