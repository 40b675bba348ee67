"""The correction table: identity, interpolation between bin centres, bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import RegularGridInterpolator

from kernels.correction import CorrectionTable, at_lead, correct, identity_table

EDGES = [0.0, 5.0, 10.0, 20.0, 35.0, 60.0], [0.0, 0.2, 0.5, 0.8, 1.0, 1.2], [0.0, 6.0, 24.0, 72.0]
"""Elevation in degrees, clear-sky index, lead in hours."""
SHAPE = (5, 5, 3)

factors = hnp.arrays(np.float32, SHAPE, elements=st.floats(0, 2, width=32))
cells = st.lists(st.tuples(st.floats(0, 1200), st.floats(0, 1100), st.floats(-0.01, 1)), min_size=1, max_size=30)


def corrected(table: CorrectionTable, lead: float, rows: ArrayLike) -> NDArray[np.float32]:
    """Rows are of GHI, its clear-sky value and the sine of the sun's elevation; corrected in place."""
    ghi, gcs, sine = np.array(rows, np.float32).T.copy()
    correct(ghi, gcs, sine, at_lead(table, lead), ghi)
    return ghi


@given(rows=cells, lead=st.floats(0, 80))
def test_identity_returns_its_input_bit_for_bit(rows: list[tuple[float, float, float]], lead: float) -> None:
    got = corrected(identity_table(*EDGES), lead, rows)
    assert got.tobytes() == np.array(rows, np.float32)[:, 0].tobytes()


@given(factor=factors, rows=cells, lead=st.floats(0, 80))
def test_correction_is_scipys_interpolation_between_bin_centres(
    factor: NDArray[np.float32], rows: list[tuple[float, float, float]], lead: float
) -> None:
    """Beyond the last centre its factor; below 5 W/m2 of clear sky nothing is corrected; never negative."""
    ghi, gcs, sine = np.array(rows, np.float32).T
    got = corrected(CorrectionTable(factor, *EDGES), lead, rows)
    axes = [(np.array(edges[:-1]) + np.array(edges[1:])) / 2 for edges in EDGES]
    axes[0] = np.sin(np.deg2rad(axes[0]))
    kc = ghi.astype(float) / np.maximum(gcs, 1e-9)
    at = [np.clip(v, a[0], a[-1]) for v, a in zip((sine, kc, np.full(ghi.size, lead)), axes, strict=True)]
    expected = np.where(gcs >= 5, RegularGridInterpolator(axes, factor.astype(float))(np.stack(at, 1)) * ghi, ghi)
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-2)
    assert (got >= 0).all()
    np.testing.assert_array_equal(got[gcs < 5], ghi[gcs < 5])


def test_missing_stays_missing() -> None:
    rows = [(np.nan, 500, 0.5), (100, np.nan, 0.5), (np.nan, 0, 0), (7, 500, 0.5)]
    np.testing.assert_array_equal(corrected(identity_table(*EDGES), 1, rows), [np.nan, np.nan, np.nan, 7])


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
def test_table_that_makes_no_sense_is_refused(change: dict[str, object], message: str) -> None:
    good = dict(zip(("elevation_edges", "kc_edges", "lead_edges"), EDGES, strict=True))
    with pytest.raises(ValueError, match=message):
        CorrectionTable(**({"factor": np.ones(SHAPE), **good} | change))
