"""The sky on a tilted plane, against pvlib."""

from typing import NamedTuple

import numpy as np
import pvlib
import pytest

from kernels.sun import sun_table
from kernels.transposition import haydavies_into, perez_into
from tests.kernels.years import PLACES, Year, light_of, year

PLANES = [
    (tilt, azimuth) for tilt in (0.0, 30.0, 90.0) for azimuth in (0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0)
]


def split(here: Year) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Beam and diffuse of all mixtures, clearer and darker than weather makes them."""
    rng = np.random.default_rng(4)
    share = rng.uniform(0, 1, 8760) ** 2
    lit = here.spa["elevation"].to_numpy() > 0.3
    e0 = sun_table(here.middles).e0
    return np.where(lit, 0.8 * e0 * share, 0.0), here.ghi * (1 - share), e0


class Sky(NamedTuple):
    circumsolar: np.ndarray
    isotropic: np.ndarray
    band: np.ndarray


def perez(dni: np.ndarray, dhi: np.ndarray, elevation: np.ndarray, e0: np.ndarray) -> Sky:
    sky = Sky(*np.empty((3, dni.size)))
    perez_into(dni, dhi, light_of(elevation), e0, *sky)
    return sky


def haydavies(dni: np.ndarray, dhi: np.ndarray, elevation: np.ndarray, e0: np.ndarray) -> Sky:
    sky = Sky(*np.empty((3, dni.size)))
    haydavies_into(dni, dhi, light_of(elevation)[0], e0, *sky)
    return sky


def on_plane(sky: Sky, cosine: np.ndarray, tilt: float) -> np.ndarray:
    beta = np.radians(tilt)
    return np.maximum(
        sky.circumsolar * np.maximum(cosine, 0) + sky.isotropic * (1 + np.cos(beta)) / 2 + sky.band * np.sin(beta), 0
    )


@pytest.mark.parametrize("place", PLACES)
def test_perez_agrees_with_pvlib_on_every_plane(place: tuple[float, float, float]) -> None:
    here = year(*place)
    dni, dhi, e0 = split(here)
    zenith, azimuth = here.spa["apparent_zenith"].to_numpy(), here.spa["azimuth"].to_numpy()
    mass = pvlib.atmosphere.get_relative_airmass(zenith)
    sky = perez(dni, dhi, 90 - zenith, e0)
    lit = (zenith < 90) & (dhi > 0)
    assert lit.sum() > 4000
    for tilt, facing in PLANES:
        expected = pvlib.irradiance.perez(tilt, facing, dhi, dni, e0, zenith, azimuth, mass)
        got = on_plane(sky, pvlib.irradiance.aoi_projection(tilt, facing, zenith, azimuth), tilt)
        assert np.abs(got - expected)[lit].max() < 1e-6
    assert (sky.circumsolar[zenith >= 90] == 0).all()
    np.testing.assert_array_equal(sky.isotropic[zenith >= 90], dhi[zenith >= 90])


def test_perez_meets_all_eight_bins() -> None:
    here = year(*PLACES[1])
    dni, dhi, e0 = split(here)
    sky = perez(dni, dhi, here.spa["apparent_elevation"], e0)
    lit = (here.spa["apparent_elevation"] > 10) & (dhi > 10)
    z = np.radians(here.spa["apparent_zenith"].to_numpy())
    clearness = ((dhi + dni)[lit] / dhi[lit] + 1.041 * z[lit] ** 3) / (1 + 1.041 * z[lit] ** 3)
    counts, _ = np.histogram(clearness, [1, 1.065, 1.23, 1.5, 1.95, 2.8, 4.5, 6.2, np.inf])
    assert (counts > 5).all()
    assert (sky.band[lit] < 0).any()


@pytest.mark.parametrize("place", PLACES)
def test_haydavies_agrees_with_pvlib_on_every_plane(place: tuple[float, float, float]) -> None:
    here = year(*place)
    dni, dhi, e0 = split(here)
    zenith, azimuth = here.spa["zenith"].to_numpy(), here.spa["azimuth"].to_numpy()
    sky = haydavies(dni, dhi, 90 - zenith, e0)
    for tilt, facing in PLANES:
        expected = pvlib.irradiance.haydavies(tilt, facing, dhi, dni, e0, zenith, azimuth)
        got = on_plane(sky, pvlib.irradiance.aoi_projection(tilt, facing, zenith, azimuth), tilt)
        assert np.abs(got - expected).max() < 1e-6


@pytest.mark.parametrize("model", [perez, haydavies])
def test_a_level_plane_gets_what_came(model) -> None:
    here = year(*PLACES[3])
    dni, dhi, e0 = split(here)
    elevation = here.spa["apparent_elevation"].to_numpy()
    sky = model(dni, dhi, elevation, e0)
    high = elevation > 5
    got = on_plane(sky, np.sin(np.radians(elevation)), 0.0)
    np.testing.assert_allclose(got[high], dhi[high], rtol=1e-9, atol=1e-9)


def test_missing_stays_missing() -> None:
    series = np.array([100, np.nan])
    sky = perez(series, series, np.array([30, 30]), np.array([1361, 1361]))
    assert np.isnan(sky.isotropic).tolist() == [False, True]
