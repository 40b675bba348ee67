"""The sky on a tilted plane, against pvlib."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pvlib
import pytest

from kernels.sun import sun_table
from kernels.transposition import haydavies_into, perez_into
from tests.kernels.years import PLACES, light_of, year

PLANES = [(0.0, 0.0), *((tilt, azimuth) for tilt in (30.0, 90.0) for azimuth in (0.0, 45.0, 135.0, 180.0, 270.0))]


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


def pvlib_perez(
    tilt: float, facing: float, dhi: np.ndarray, dni: np.ndarray, e0: np.ndarray, *sun: np.ndarray
) -> object:
    mass = pvlib.atmosphere.get_relative_airmass(sun[0])
    return pvlib.irradiance.perez(tilt, facing, dhi, dni, e0, *sun, mass)


@pytest.mark.parametrize(
    ("model", "theirs", "zeniths"),
    [(perez, pvlib_perez, "apparent_zenith"), (haydavies, pvlib.irradiance.haydavies, "zenith")],
    ids=["perez", "haydavies"],
)
@pytest.mark.parametrize("place", PLACES)
def test_sky_agrees_with_pvlib_on_every_plane(
    place: tuple[float, float, float], model: Callable, theirs: Callable, zeniths: str
) -> None:
    """Beam and diffuse of all mixtures, clearer and darker than weather makes them."""
    here = year(*place)
    share, e0 = np.random.default_rng(4).uniform(0, 1, 8760) ** 2, sun_table(here.middles).e0
    dni = np.where(here.spa["elevation"] > 0.3, 0.8 * e0 * share, 0.0)
    dhi, zenith, azimuth = here.ghi * (1 - share), here.spa[zeniths].to_numpy(), here.spa["azimuth"].to_numpy()
    sky = model(dni, dhi, 90 - zenith, e0)
    lit = (zenith < 90) & (dhi > 0)
    assert lit.sum() > 4000
    for tilt, facing in PLANES:
        cosine = pvlib.irradiance.aoi_projection(tilt, facing, zenith, azimuth)
        even = sky.isotropic * (1 + pvlib.tools.cosd(tilt)) / 2 + sky.band * pvlib.tools.sind(tilt)
        got = np.maximum(sky.circumsolar * np.maximum(cosine, 0) + even, 0)
        np.testing.assert_allclose(got[lit], theirs(tilt, facing, dhi, dni, e0, zenith, azimuth)[lit], atol=1e-6)
    np.testing.assert_array_equal(sky.circumsolar[zenith >= 90], 0)
    np.testing.assert_array_equal(sky.isotropic[zenith >= 90], dhi[zenith >= 90])


def test_missing_stays_missing() -> None:
    series = np.array([100, np.nan])
    sky = perez(series, series, np.array([30, 30]), np.array([1361, 1361]))
    assert np.isnan(sky.isotropic).tolist() == [False, True]
