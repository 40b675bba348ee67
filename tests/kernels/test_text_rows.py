"""Numbers in rows of text: the decimals that Python's own arithmetic gives, and nothing that is no number."""

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.text_rows import Texts, text_rows

NUMBERS = st.floats(-999_999.0, 999_999.0)  # with nine decimals: a million has one digit too many


def printed(values: list[float], decimals: int) -> list[str]:
    return text_rows(Texts.empty(len(values)), [values], [decimals], [b"", b"\n"]).decode().split()


def by_decimal(value: float, decimals: int) -> str:
    """As the docstring says it: the product as a float, then half away from zero; no nought has a sign."""
    whole = Decimal(abs(value) * 10.0**decimals).quantize(Decimal(1), ROUND_HALF_UP)
    text = f"{whole.scaleb(-decimals):.{decimals}f}"
    return f"-{text}" if value < 0 and whole else text


@given(st.lists(NUMBERS, min_size=1, max_size=30), st.integers(0, 9))
@settings(max_examples=200)
def test_numbers_are_as_python_rounds_and_formats_them(values: list[float], decimals: int) -> None:
    assert printed(values, decimals) == [by_decimal(value, decimals) for value in values]


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (-0.04, 1, "0.0"),
        (-0.05, 1, "-0.1"),
        (-2.5, 0, "-3"),
        (0.49999999999999994, 0, "0"),
        (99.95, 1, "100.0"),
        (999_999_999_999_999.0, 0, "999999999999999"),
        (-999_999.999_999_999, 9, "-999999.999999999"),
    ],
)
def test_numbers_at_the_edges_are_whole(value: float, decimals: int, text: str) -> None:
    assert printed([value], decimals) == [text]


@given(n=st.integers(0, 6), k=st.integers(0, 4), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_table_is_what_formatting_row_by_row_gives(n: int, k: int, seed: int) -> None:
    """Whatever the order of the columns in memory."""
    rng = np.random.default_rng(seed)
    stamps = [b"ABCD"[: rng.integers(0, 5)] for _ in range(n)]
    literals = [b",;x"[: rng.integers(0, 4)] for _ in range(k + 1)]
    decimals, table = rng.integers(0, 4, k).tolist(), rng.normal(0, 100, (n, k))
    expected = b""
    for stamp, row in zip(stamps, table.tolist(), strict=True):
        numbers = [by_decimal(value, digits).encode() for value, digits in zip(row, decimals, strict=True)]
        expected += stamp + literals[0] + b"".join(a + b for a, b in zip(numbers, literals[1:], strict=True))
    assert text_rows(Texts.of(stamps), table.T, decimals, literals) == expected


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e14, -1e15])
def test_what_cannot_be_printed_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="none, infinite or too large"):
        printed([1.0, value], 1)


THREE, TWO, AB = np.zeros((1, 3)), np.zeros((1, 2)), Texts.of([b"ab", b"c"])


@pytest.mark.parametrize(
    ("stamps", "columns", "decimals", "literals"),
    [
        (Texts.empty(2), THREE, [1], [b"", b""]),
        (Texts.empty(3), THREE, [1], [b""]),
        (Texts.empty(3), THREE, [10], [b"", b""]),
        (Texts.empty(3), THREE[0], [1], [b"", b""]),
        (AB._replace(ends=np.array([4, 3], np.uint64)), TWO, [1], [b"", b""]),
    ],
)
def test_sizes_that_do_not_agree_are_refused(
    stamps: Texts, columns: np.ndarray, decimals: list[int], literals: list[bytes]
) -> None:
    with pytest.raises(ValueError, match=r"do not agree in size|shape"):
        text_rows(stamps, columns, decimals, literals)
