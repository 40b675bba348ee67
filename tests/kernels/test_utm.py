"""UTM 33 against PROJ."""

import numpy as np
import pyproj
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import utm

LATS = np.linspace(57, 72, 151)
LONS = np.linspace(4, 32, 141)
LAT, LON = (a.ravel() for a in np.meshgrid(LATS, LONS))


@pytest.mark.parametrize(("epsg", "lon0"), [("EPSG:25833", 15.0), ("EPSG:25832", 9.0), ("EPSG:25835", 27.0)])
def test_forward_and_inverse_agree_with_proj_within_a_millimetre(epsg: str, lon0: float) -> None:
    proj = pyproj.Proj(epsg)
    x, y = utm.forward(LAT, LON, lon0)
    expected_x, expected_y = proj(LON, LAT)
    assert np.abs(x - expected_x).max() < 1e-6
    assert np.abs(y - expected_y).max() < 1e-6
    lat, lon = utm.inverse(expected_x, expected_y, lon0)
    assert np.abs(lat - LAT).max() * 111_000 < 1e-6
    assert np.abs(lon - LON).max() * 111_000 < 1e-6


def test_grid_convergence_agrees_with_proj() -> None:
    expected = pyproj.Proj("EPSG:25833").get_factors(LON, LAT).meridian_convergence
    assert np.abs(utm.grid_convergence(LAT, LON) - expected).max() < 1e-6


def test_grid_convergence_turns_grid_azimuths_into_true_ones() -> None:
    """A short step to grid north, measured by the geodesic, heads for the convergence."""
    x, y = utm.forward(69.65, 18.96)
    lat, lon = utm.inverse(x, y + 10.0)
    azimuth, _, _ = pyproj.Geod(ellps="GRS80").inv(18.96, 69.65, float(lon), float(lat))
    assert azimuth > 3
    assert azimuth == pytest.approx(float(utm.grid_convergence(69.65, 18.96)), abs=1e-3)


@given(lat=st.floats(57, 72), lon=st.floats(4, 32))
def test_inverse_undoes_forward(lat: float, lon: float) -> None:
    back = utm.inverse(*utm.forward(lat, lon))
    assert back == pytest.approx((lat, lon), abs=1e-11)


def test_arrays_of_any_shape_broadcast() -> None:
    x, y = utm.forward(LATS[:, None], LONS[None, :])
    assert x.shape == y.shape == (151, 141)
    assert float(x[40, 30]) == pytest.approx(float(utm.forward(LATS[40], LONS[30])[0]), abs=1e-9)
