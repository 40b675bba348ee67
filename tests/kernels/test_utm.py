"""UTM 33 against PROJ."""

import numpy as np
import pyproj
import pytest

from kernels import utm

LAT, LON = np.meshgrid(np.linspace(57, 72, 51), np.linspace(4, 32, 47))


@pytest.mark.parametrize(("epsg", "lon0"), [("EPSG:25833", 15.0), ("EPSG:25832", 9.0), ("EPSG:25835", 27.0)])
def test_forward_and_inverse_agree_with_proj_within_a_micrometre(epsg: str, lon0: float) -> None:
    expected = pyproj.Proj(epsg)(LON, LAT)
    np.testing.assert_allclose(utm.forward(LAT, LON, lon0), expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(utm.inverse(*expected, lon0), (LAT, LON), rtol=0, atol=1e-11)


def test_grid_convergence_agrees_with_proj() -> None:
    expected = pyproj.Proj("EPSG:25833").get_factors(LON, LAT).meridian_convergence
    np.testing.assert_allclose(utm.grid_convergence(LAT, LON), expected, rtol=0, atol=1e-6)
