"""The two engines: against the same chains put together of pvlib's functions, and the laws that must hold."""

import os
import subprocess
import sys

import numpy as np
import pvlib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from kernels.atmosphere import pressure_at
from kernels.production import precise, simplified
from kernels.sun import SunTable, sun_table
from tests.kernels.years import PLACES, START, Year, skartveit_as_written, year

PR, COEFF = 0.85, -0.0038
# Tilt, azimuth, kWp.
PLANES = np.array([(0, 0, 1), (35, 180, 10), (90, 180, 3.5), (90, 0, 1), (20, 90, 2), (60, 270, 1), (90, 60, 4)])
HORIZON = np.clip(12 * np.cos(np.radians(np.arange(720) / 2 - 200)), 0, None)


def pvlib_simplified(here: Year, tilt: float, azimuth: float, kwp: float) -> NDArray[np.float64]:
    spa = here.spa
    split = pvlib.irradiance.erbs(here.ghi, spa["zenith"], here.times)
    plane = pvlib.irradiance.get_total_irradiance(
        tilt, azimuth, spa["zenith"], spa["azimuth"], split["dni"], here.ghi, split["dhi"],
        dni_extra=pvlib.irradiance.get_extra_radiation(here.times), albedo=0.2, model="haydavies",
    )["poa_global"].to_numpy()  # fmt: skip
    cell = pvlib.temperature.ross(plane, here.temp_air, k=0.0342)
    return pvlib.pvsystem.pvwatts_dc(plane, cell, 1000 * kwp, COEFF) * PR


def pvlib_precise(
    here: Year, tilt: float, azimuth: float, kwp: float, horizon: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    zenith, sun_azimuth = here.spa["apparent_zenith"].to_numpy(), here.spa["azimuth"].to_numpy()
    e0 = pvlib.irradiance.get_extra_radiation(here.times).to_numpy()
    mass = pvlib.atmosphere.get_relative_airmass(zenith)
    dni, dhi = skartveit_as_written(here.ghi, 90 - zenith, e0, pressure_at(here.altitude))
    # pvlib's clearness is 0/0 without diffuse light; Skartveit's wildest change leaves none, in one hour here.
    sky = pvlib.irradiance.perez(
        tilt, azimuth, np.maximum(dhi, 1e-9), dni, e0, zenith, sun_azimuth, mass, return_components=True
    )
    down = zenith >= 90
    circumsolar = np.where(down, 0, sky["poa_circumsolar"])
    even = np.where(down, dhi * (1 + np.cos(np.radians(tilt))) / 2, sky["poa_isotropic"] + sky["poa_horizon"])
    beam = dni * np.maximum(pvlib.irradiance.aoi_projection(tilt, azimuth, zenith, sun_azimuth), 0)
    if horizon is not None:
        hidden = 90 - zenith < np.interp(sun_azimuth, np.arange(721) / 2, np.append(horizon, horizon[0]))
        beam, circumsolar = np.where(hidden, 0, beam), np.where(hidden, 0, circumsolar)
    ground = pvlib.irradiance.get_ground_diffuse(tilt, here.ghi, albedo=0.2)
    passes = pvlib.iam.martin_ruiz(pvlib.irradiance.aoi(tilt, azimuth, zenith, sun_azimuth))
    diffuse = pvlib.iam.martin_ruiz_diffuse(tilt)
    effective = (beam + circumsolar) * passes + even * diffuse["sky"] + ground * diffuse["ground"]
    warm = pvlib.temperature.faiman(
        beam + circumsolar + even + ground, here.temp_air, 0.67 * here.wind, u0=26.9, u1=6.2
    )
    k = 1000 * kwp * np.array([-0.006756, -0.016444, COEFF, 0, 0, 0])
    return np.maximum(pvlib.pvarray.huld(effective, warm, 1000.0 * kwp, k=k), 0) * PR


def ours(here: Year, planes: ArrayLike = PLANES, horizon: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    place, weather = (here.lat, here.lon, here.altitude), (here.ghi, here.temp_air, here.wind)
    return precise(sun_table(here.middles), *place, *weather, planes, PR, COEFF, horizon=horizon)


def ours_simplified(here: Year) -> NDArray[np.float64]:
    return simplified(sun_table(here.middles), here.lat, here.lon, here.ghi, here.temp_air, PLANES, PR, COEFF)


def assert_alike(got: NDArray[np.float64], expected: NDArray[np.float64], kwp: float) -> None:
    """The year within 0.2 %, 99 hours of 100 within 0.1 % of the rating; the others cross a bin or the horizon."""
    assert got.sum() == pytest.approx(expected.sum(), rel=0.002)
    assert np.quantile(np.abs(got - expected), 0.99) < 0.001 * 1000 * kwp
    assert expected.sum() / kwp > 100_000, "a comparison of nothing"


@pytest.mark.parametrize("place", PLACES)
def test_simplified_agrees_with_pvlib(place: tuple[float, float, float]) -> None:
    for got, plane in zip(ours_simplified(year(*place)), PLANES.tolist(), strict=True):
        assert_alike(got, pvlib_simplified(year(*place), *plane), plane[2])


@pytest.mark.parametrize("horizon", [None, HORIZON], ids=["open", "hilly"])
@pytest.mark.parametrize("place", PLACES)
def test_precise_agrees_with_pvlib(place: tuple[float, float, float], horizon: NDArray[np.float64] | None) -> None:
    for got, plane in zip(ours(year(*place), horizon=horizon), PLANES.tolist(), strict=True):
        assert_alike(got, pvlib_precise(year(*place), *plane, horizon), plane[2])


def test_night_gives_nothing() -> None:
    here = year(*PLACES[5])
    watts = ours(here)
    assert (watts[:, here.ghi == 0] == 0).all()
    assert (watts >= 0).all()


@pytest.mark.parametrize("position", range(3))
def test_missing_weather_stays_missing(position: int) -> None:
    here, hours = year(*PLACES[5]), slice(4000, 4012)
    weather = np.array([here.ghi, here.temp_air, here.wind])[:, hours]
    weather[position, 5] = np.nan
    sun, expected = sun_table(here.middles[hours]), np.arange(12) == 5
    got = precise(sun, here.lat, here.lon, 0.0, *weather, PLANES, PR, COEFF)
    np.testing.assert_array_equal(np.isnan(got).any(axis=0), expected)
    if position < 2:
        plain = simplified(sun, here.lat, here.lon, *weather[:2], PLANES, PR, COEFF)
        np.testing.assert_array_equal(np.isnan(plain).all(axis=0), expected)


PLACE = st.tuples(st.floats(57, 72), st.floats(4, 32))
HOUR = st.integers(0, 8759).map(lambda hour: sun_table([START + 3600 * hour + 1800]))
ENGINES = {
    "simplified": lambda sun, place, ghi, planes: simplified(sun, *place, [ghi], [10.0], planes, PR, COEFF)[:, 0],
    "precise": lambda sun, place, ghi, planes: precise(
        sun, *place, 100.0, [ghi], [10.0], [3.0], planes, PR, COEFF
    )[:, 0],
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@given(
    place=PLACE,
    sun=HOUR,
    ghi=st.floats(-10, 1300),
    plane=st.tuples(st.floats(0, 90), st.floats(0, 360)),
    kwp=st.floats(0.01, 1e4),
)
def test_power_scales_with_kwp_whatever_stands_beside_a_plane(
    engine: str, place: tuple[float, float], sun: SunTable, ghi: float, plane: tuple[float, float], kwp: float
) -> None:
    single = ENGINES[engine](sun, place, ghi, [(*plane, 1.0)])[0]
    many = ENGINES[engine](sun, place, ghi, [(30.0, 10.0, 2.0), (*plane, 1.0), (*plane, kwp)])
    assert many[1] == single >= 0
    assert many[2] == pytest.approx(kwp * single, rel=1e-12)


def test_sizes_that_do_not_agree_are_refused() -> None:
    sun = sun_table([0, 3600])
    with pytest.raises(ValueError, match=r"temp_air has shape \(1,\), not \(2,\)"):
        simplified(sun, 60.0, 10.0, [1, 2], [1], PLANES, PR, COEFF)
    with pytest.raises(ValueError, match=r"horizon has shape \(360,\)"):
        precise(sun, 60.0, 10.0, 0.0, [1, 2], [1, 2], [1, 2], PLANES, PR, COEFF, horizon=np.zeros(360))
    for planes in ([(1, 2)], (1, 2, 3), PLANES.T):
        with pytest.raises(ValueError, match="planes have shape"):
            simplified(sun, 60.0, 10.0, [1, 2], [1, 2], planes, PR, COEFF)


def test_read_only_strided_and_other_types_of_arrays_give_the_same() -> None:
    """What a tile or a request may hand over; the engine has one signature, so it is not compiled for each."""
    here = year(*PLACES[0])
    sun, ghi = sun_table(here.middles[4000:4006]), here.ghi[4000:4006].copy()
    ghi.flags.writeable = False
    expected = simplified(sun, 57.0, 7.0, ghi, [10] * 6, PLANES, PR, COEFF)
    strided = simplified(sun, 57, 7, np.repeat(ghi, 2)[::2], np.full(6, 10, np.int16), PLANES, PR, COEFF)
    np.testing.assert_array_equal(strided, expected)
    single = simplified(sun, 57.0, 7.0, ghi.astype(np.float32), [10] * 6, PLANES, PR, COEFF)
    np.testing.assert_allclose(single, expected, rtol=1e-5)


def test_new_process_finds_the_compiled_engines() -> None:
    command, debug = [sys.executable, "-c", "import kernels.production"], {"NUMBA_DEBUG_CACHE": "1"}
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | debug)
    assert found.stdout.count("[cache] data loaded") == 2
    assert "[cache] data saved" not in found.stdout
