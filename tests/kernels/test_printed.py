"""Numbers as they are printed: what is read back is what was rounded."""

import json
from decimal import Decimal

import numpy as np
import pytest

from kernels.printed import Fields, Rows, append_fields, whole_tenths

FIELDS = Fields.of([(b',"a":', 0, 1), (b',"b{}":', 1, 4)])
ONE = Rows.of(b'[{"n":1}]')
ZEROS = np.zeros((2, 1), np.int64)


def test_every_number_is_read_back() -> None:
    powers = [10**k + d for k in range(19) for d in (-1, 0, 1)]
    numbers = [*powers, *np.random.default_rng(1).integers(0, 10**9, 5000).tolist()]
    values = np.array([numbers, numbers[::-1]], np.int64)
    rows = Rows.of(json.dumps([{"hour": hour} for hour in range(len(numbers))]).encode())
    assert json.loads(append_fields(rows, FIELDS, values), parse_float=Decimal) == [
        {"hour": hour, "a": Decimal(a) / 10, "b{}": Decimal(b) / 10_000}
        for hour, (a, b) in enumerate(values.T.tolist())
    ]


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(0, 1, "0.0"), (0, 4, "0.0"), (5, 1, "0.5"), (5, 4, "0.0005"), (120, 4, "0.012"), (10_000, 4, "1.0")],
)
def test_number_is_as_short_as_a_float_is_written(value: int, decimals: int, text: str) -> None:
    written = append_fields(ONE, Fields.of([(b",", 0, decimals)]), np.array([[value]]))
    assert written == f'[{{"n":1,{text}}}]'.encode()


def test_sum_is_of_what_is_printed() -> None:
    watts = np.array([[0.04, 0.06, 1234.56], [0.04, 0.05, 0.0]])
    tenths, total, peak = whole_tenths(watts)
    assert tenths.tolist() == [[0, 1, 12346], [0, 0, 0], [0, 1, 12346]]
    assert (total, peak) == (12347, 12346)
    np.testing.assert_array_equal(whole_tenths(np.asfortranarray(watts))[0], tenths)
    assert whole_tenths(np.full((100, 1000), 1e12))[1:] == (10**18, 10**15)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.1, 1.1e12])
def test_what_is_no_power_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="none, negative"):
        whole_tenths(np.array([[1.0, value]]))


@pytest.mark.parametrize(
    ("rows", "fields", "values"),
    [
        (ONE, FIELDS, np.zeros((2, 2), np.int64)),
        (Rows.of(b'[{"n":1},{"n":2}]'), FIELDS, ZEROS),
        (ONE._replace(ends=ONE.ends + 2), FIELDS, ZEROS),
        (Rows.of(b"[{},{}]")._replace(ends=np.array([5, 2], np.uint64)), FIELDS, np.zeros((2, 2), np.int64)),
        (ONE, FIELDS._replace(keys=FIELDS.keys[:-1]), ZEROS),
        (ONE, FIELDS._replace(places=FIELDS.places[:, [1, 0, 2, 3]].copy()), ZEROS),
        (ONE, FIELDS._replace(places=FIELDS.places[[0, 0]]), ZEROS),  # the same key twice
        (ONE, Fields.of([(b",", 0, 10)]), ZEROS),
        (ONE, FIELDS, ZEROS - 1),
    ],
)
def test_sizes_that_do_not_agree_are_refused(rows: Rows, fields: Fields, values: np.ndarray) -> None:
    with pytest.raises(ValueError, match="agree"):
        append_fields(rows, fields, values)
