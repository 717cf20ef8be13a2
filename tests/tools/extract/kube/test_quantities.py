import pytest

from firstfault.tools.extract.kube.quantities import quantity


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500m", 0.5),
        ("2", 2.0),
        ("1.5Gi", 1.5 * 1024**3),
        ("1e3", 1000.0),
        ("3k", 3000.0),
        ("850m (42%)", 0.85),
        (8, 8.0),
        ("", None),
        ("lots", None),
        (None, None),
        (True, None),
    ],
)
def test_a_quantity_is_read_as_the_api_reads_it(text: object, value: float | None) -> None:
    assert quantity(text) == value
