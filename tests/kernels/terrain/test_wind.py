"""Wind over roughness: against plain formulas and published numbers."""

import numpy as np
import pytest

from kernels.terrain.wind import CATEGORIES, peak_pressure, wind_at
from tests.kernels.terrain import plain


def test_wind_at_any_height_is_that_of_the_plain_formulas() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        category, v_b, z, c_o, k_i = int(rng.integers(5)), *rng.uniform((20, 0.5, 1, 1), (31, 200, 1.6, 1.75))
        found = wind_at(v_b, category, z, c_o, k_i)
        np.testing.assert_allclose(found[1:], plain.wind(category, v_b, z, c_o, k_i), rtol=1e-12)


def test_table_of_the_annex_is_as_two_programs_have_it() -> None:
    assert [tuple(category)[1:] for category in CATEGORIES] == list(plain.CATEGORIES.values())


def test_peak_pressure_at_ten_metres_is_as_published() -> None:
    found = wind_at(26.0, np.arange(5), 10.0).q_p
    np.testing.assert_allclose(found, [1325.8, 1173.1, 993.8, 753.4, 659.4], rtol=1e-4)


def test_orography_raises_pressure_as_published() -> None:
    """The turbulence in m/s stays as it is: its share of the mean falls."""
    assert wind_at(26.0, 2, 8.0, 1.2).q_p == pytest.approx(1215.9, rel=1e-4)


@pytest.mark.parametrize("category", range(5))
def test_wind_is_constant_below_the_least_height(category: int) -> None:
    z_min = CATEGORIES[category].z_min
    np.testing.assert_array_equal(wind_at(26.0, category, 0.0), wind_at(26.0, category, z_min))
    assert wind_at(26.0, category, z_min * 1.01).q_p > wind_at(26.0, category, z_min).q_p


def test_town_at_five_metres_has_the_pressure_of_eight() -> None:
    for z in (5.0, 8.0):
        assert wind_at(26.0, 3, z).q_p == pytest.approx(690.5, rel=1e-4)


def test_pressure_falls_with_roughness_at_every_height() -> None:
    z = np.linspace(1, 200, 50)[:, None]
    assert (np.diff(wind_at(26.0, np.arange(5), z).q_p, axis=1) < 0).all()


@pytest.mark.parametrize(
    ("z0", "z", "k_r", "q_p"),
    [(0.3, 8.0, 0.19 * 6**0.07, 661.8), (1.0, 10.0, 0.19 * 20**0.07, 496.9)],
)
def test_peak_pressure_of_the_standards_own_terrain_factor_is_as_published(
    z0: float, z: float, k_r: float, q_p: float
) -> None:
    """v_b 26 with k_r and z_min of EN itself: III at 8 m, IV at 9 m, which counts as 10."""
    roughness = np.log(z / z0)
    assert peak_pressure(k_r * roughness * 26, 1 / roughness) == pytest.approx(q_p, rel=1e-3)


def test_mean_wind_of_a_published_roughness_is_as_published() -> None:
    """c_r 0.863 and v_b 22 make 18.99: the product, whichever category it was."""
    z = 0.05 * np.exp(0.863 / 0.19)
    found = wind_at(22.0, 2, z)
    assert found.c_r == pytest.approx(0.863, abs=1e-9)
    assert found.v_m == pytest.approx(18.99, abs=0.005)
