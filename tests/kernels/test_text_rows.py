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
def test_as_python_rounds_and_formats(values: list[float], decimals: int) -> None:
    texts = printed(values, decimals)
    assert texts == [by_decimal(value, decimals) for value in values]
    assert all(abs(float(t) - v) <= 0.5 * 10**-decimals + 1e-9 for t, v in zip(texts, values, strict=True))


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.0, 0, "0"),
        (-0.0, 1, "0.0"),
        (-0.04, 1, "0.0"),
        (-0.05, 1, "-0.1"),
        (0.5, 0, "1"),
        (1.5, 0, "2"),
        (-2.5, 0, "-3"),
        (0.49999999999999994, 0, "0"),
        (0.125, 2, "0.13"),
        (99.95, 1, "100.0"),
        (-0.001, 3, "-0.001"),
        (1013.25, 2, "1013.25"),
        (999_999_999_999_999.0, 0, "999999999999999"),
        (-999_999.999_999_999, 9, "-999999.999999999"),
    ],
)
def test_at_the_edges(value: float, decimals: int, text: str) -> None:
    assert printed([value], decimals) == [text]


@given(st.integers(0, 6), st.integers(0, 4), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_a_table_is_what_formatting_row_by_row_gives(n: int, k: int, random: object) -> None:
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    stamps = [bytes(rng.integers(65, 90, rng.integers(0, 5)).tolist()) for _ in range(n)]
    literals = [bytes(rng.integers(97, 122, rng.integers(0, 4)).tolist()) for _ in range(k + 1)]
    decimals = rng.integers(0, 4, k).tolist()
    columns = rng.normal(0, 100, (k, n))
    expected = b""
    for row in range(n):
        expected += stamps[row] + literals[0]
        for column in range(k):
            expected += by_decimal(columns[column, row], decimals[column]).encode() + literals[column + 1]
    assert text_rows(Texts.of(stamps), columns, decimals, literals) == expected


def test_columns_in_any_order_of_memory() -> None:
    columns = np.arange(6.0).reshape(3, 2).T
    assert text_rows(Texts.empty(3), columns, [0, 0], [b"", b",", b";"]) == b"0,1;2,3;4,5;"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e14, -1e15])
def test_what_cannot_be_printed_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="none, infinite or too large"):
        printed([1.0, value], 1)


@pytest.mark.parametrize(
    ("stamps", "columns", "decimals", "literals"),
    [
        (Texts.empty(2), np.zeros((1, 3)), [1], [b"", b""]),
        (Texts.empty(3), np.zeros((1, 3)), [1, 1], [b"", b""]),
        (Texts.empty(3), np.zeros((1, 3)), [1], [b""]),
        (Texts.empty(3), np.zeros((1, 3)), [10], [b"", b""]),
        (Texts.of([b"ab", b"c"])._replace(ends=np.array([2, 9], np.uint64)), np.zeros((1, 2)), [1], [b"", b""]),
        (Texts.of([b"ab", b"c"])._replace(ends=np.array([4, 3], np.uint64)), np.zeros((1, 2)), [1], [b"", b""]),
    ],
)
def test_sizes_that_do_not_agree(
    stamps: Texts, columns: np.ndarray, decimals: list[int], literals: list[bytes]
) -> None:
    with pytest.raises(ValueError, match="do not agree in size"):
        text_rows(stamps, columns, decimals, literals)


def test_one_series_is_no_table() -> None:
    with pytest.raises(ValueError, match="shape"):
        text_rows(Texts.empty(3), np.zeros(3), [1], [b"", b""])
