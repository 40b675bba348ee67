"""The correction table: identity, interpolation between bin centres, bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.interpolate import RegularGridInterpolator

from kernels.correction import CorrectionTable, LeadSlice, at_lead, correct, identity_table

ELEVATION = [0.0, 5.0, 10.0, 20.0, 35.0, 60.0]
KC = [0.0, 0.2, 0.5, 0.8, 1.0, 1.2]
LEAD = [0.0, 6.0, 24.0, 72.0]
SHAPE = (5, 5, 3)

factors = hnp.arrays(np.float32, SHAPE, elements=st.floats(0, 2, width=32))
cells = st.lists(st.tuples(st.floats(0, 1200), st.floats(0, 1100), st.floats(-0.01, 1)), min_size=1, max_size=30)


def run(lead: LeadSlice, ghi: NDArray[np.float32], gcs: NDArray[np.float32], sine: NDArray[np.float32]) -> NDArray:
    out = np.full_like(ghi, -1)
    correct(ghi, gcs, sine, lead, out)
    return out


def columns(rows: list[tuple[float, float, float]]) -> list[NDArray[np.float32]]:
    return [np.array(column, np.float32) for column in zip(*rows, strict=True)]


def centres(edges: list[float]) -> NDArray[np.float64]:
    return (np.array(edges[:-1]) + np.array(edges[1:])) / 2


@given(rows=cells, lead=st.floats(0, 80))
def test_the_identity_returns_its_input_bit_for_bit(rows: list[tuple[float, float, float]], lead: float) -> None:
    ghi, gcs, sine = columns(rows)
    got = run(at_lead(identity_table(ELEVATION, KC, LEAD), lead), ghi, gcs, sine)
    assert got.tobytes() == ghi.tobytes()


@given(factor=factors, rows=cells, lead=st.floats(0, 80))
def test_agrees_with_scipys_interpolation_between_bin_centres(
    factor: NDArray[np.float32], rows: list[tuple[float, float, float]], lead: float
) -> None:
    ghi, gcs, sine = columns(rows)
    got = run(at_lead(CorrectionTable(factor, ELEVATION, KC, LEAD), lead), ghi, gcs, sine)

    axes = [np.sin(np.deg2rad(centres(ELEVATION))), centres(KC), centres(LEAD)]
    kc = ghi.astype(float) / np.maximum(gcs, 1e-9)
    at = [np.clip(v, a[0], a[-1]) for v, a in zip((sine, kc, np.full(ghi.size, lead)), axes, strict=True)]
    expected = np.where(gcs >= 5, RegularGridInterpolator(axes, factor.astype(float))(np.stack(at, 1)) * ghi, ghi)
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-2)


@given(factor=factors, rows=cells, lead=st.floats(0, 80))
def test_never_negative_and_within_the_factors(
    factor: NDArray[np.float32], rows: list[tuple[float, float, float]], lead: float
) -> None:
    ghi, gcs, sine = columns(rows)
    got = run(at_lead(CorrectionTable(factor, ELEVATION, KC, LEAD), lead), ghi, gcs, sine)
    lit = gcs >= 5
    assert (got >= 0).all()
    assert (got[lit] <= ghi[lit] * factor.max() * (1 + 1e-6)).all()
    assert (got[~lit] == ghi[~lit]).all()


def test_at_a_bin_centre_the_bin_s_own_factor_holds_and_beyond_the_last_the_last() -> None:
    factor = np.arange(1, 76, dtype=np.float32).reshape(SHAPE) / 50
    table = CorrectionTable(factor, ELEVATION, KC, LEAD)
    sine = np.float32(np.sin(np.deg2rad(15.0)))  # centre of bin 2
    gcs = np.array([200, 200], np.float32)
    ghi = gcs * np.array([0.35, 1.7], np.float32)  # centre of bin 1; above all bins
    for lead, k in ((15.0, 1), (500.0, 2), (0.0, 0)):
        got = run(at_lead(table, lead), ghi, gcs, np.full(2, sine))
        np.testing.assert_allclose(got / ghi, [factor[2, 1, k], factor[2, 4, k]], rtol=1e-5)


def test_one_bin_per_axis_is_a_constant_factor() -> None:
    table = CorrectionTable(np.full((1, 1, 1), 0.9, np.float32), [0, 90], [0, 1.2], [0, 72])
    got = run(at_lead(table, 30), *columns([(400, 500, 0.6), (700, 500, 0.1), (3, 4, 0.02)]))
    np.testing.assert_allclose(got, [360, 630, 3], rtol=1e-6)


def test_missing_stays_missing_and_work_in_place_is_allowed() -> None:
    lead = at_lead(identity_table(ELEVATION, KC, LEAD), 1)
    ghi, gcs, sine = columns([(np.nan, 500, 0.5), (100, np.nan, 0.5), (np.nan, 0, 0), (7, 500, 0.5)])
    correct(ghi, gcs, sine, lead, ghi)
    np.testing.assert_array_equal(ghi, [np.nan, np.nan, np.nan, 7])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"factor": np.full(SHAPE, -0.1)}, "not negative"),
        ({"factor": np.full(SHAPE, np.nan)}, "finite"),
        ({"factor": np.ones((5, 5, 4))}, "edges ask for"),
        ({"kc_edges": [0, 0.2, 0.2, 0.8, 1, 1.2]}, "kc_edges must be"),
        ({"lead_edges": [0.0]}, "lead_edges must be"),
        ({"elevation_edges": [0, 5, 10, 20, 35, 95]}, "within -90..90"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(change: dict[str, object], message: str) -> None:
    good = {"factor": np.ones(SHAPE), "elevation_edges": ELEVATION, "kc_edges": KC, "lead_edges": LEAD}
    with pytest.raises(ValueError, match=message):
        CorrectionTable(**(good | change))
