"""The two engines: against the same chains put together of pvlib's functions, and the laws that must hold."""

import subprocess
import sys

import numpy as np
import pvlib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from kernels import production
from kernels.atmosphere import pressure_at
from kernels.production import precise, simplified
from kernels.sun import sun_table
from tests.kernels.years import PLACES, START, Year, skartveit_as_written, year

PR, COEFF = 0.85, -0.0038
# Tilt, azimuth, kWp.
PLANES = np.array(
    [
        (0.0, 0.0, 1.0),
        (35.0, 180.0, 10.0),
        (90.0, 180.0, 3.5),
        (90.0, 0.0, 1.0),
        (20.0, 90.0, 2.0),
        (60.0, 270.0, 1.0),
        (90.0, 60.0, 4.0),
    ]
)
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
    sun = sun_table(here.middles)
    return precise(
        sun, here.lat, here.lon, here.altitude, here.ghi, here.temp_air, here.wind, planes, PR, COEFF, horizon=horizon
    )


def ours_simplified(here: Year, planes: ArrayLike = PLANES) -> NDArray[np.float64]:
    return simplified(sun_table(here.middles), here.lat, here.lon, here.ghi, here.temp_air, planes, PR, COEFF)


def assert_alike(got: NDArray[np.float64], expected: NDArray[np.float64], kwp: float) -> None:
    """The year within 0.2 %, 99 hours of 100 within 0.1 % of the rating; the others cross a bin or the horizon."""
    assert got.sum() == pytest.approx(expected.sum(), rel=0.002)
    assert np.quantile(np.abs(got - expected), 0.99) < 0.001 * 1000 * kwp
    assert expected.sum() / kwp > 100_000, "a comparison of nothing"


@pytest.mark.parametrize("place", PLACES)
def test_simplified_agrees_with_pvlib(place: tuple[float, float, float]) -> None:
    here = year(*place)
    for got, plane in zip(ours_simplified(here), PLANES.tolist(), strict=True):
        assert_alike(got, pvlib_simplified(here, *plane), plane[2])


@pytest.mark.parametrize("horizon", [None, HORIZON], ids=["open", "hilly"])
@pytest.mark.parametrize("place", PLACES)
def test_precise_agrees_with_pvlib(place: tuple[float, float, float], horizon: NDArray[np.float64] | None) -> None:
    here = year(*place)
    for got, plane in zip(ours(here, horizon=horizon), PLANES.tolist(), strict=True):
        assert_alike(got, pvlib_precise(here, *plane, horizon), plane[2])


@pytest.mark.parametrize("wrong", ["half an hour", "azimuth mirrored", "radians", "true for apparent"])
def test_the_comparison_sees_the_classic_errors(wrong: str) -> None:
    """A shift of half an hour, a sign, a unit, refraction: each is far outside the bound that the engines keep."""
    here, plane = year(*PLACES[4]), np.array([(70.0, 120.0, 1.0)])
    middles, azimuth, lat = here.middles, 120.0, here.lat
    if wrong == "half an hour":
        middles = middles - 1800
    if wrong == "azimuth mirrored":
        azimuth = -azimuth
    if wrong == "radians":
        azimuth = np.radians(azimuth)
    expected = pvlib_precise(here, 70.0, 120.0, 1.0, None)
    shifted = sun_table(middles)
    if wrong == "true for apparent":
        # The same hours, 40 km higher: no air bends the sun.
        got = precise(shifted, lat, here.lon, 43_000.0, here.ghi, here.temp_air, here.wind, plane, PR, COEFF)[0]
        low = np.abs(here.spa["elevation"]) < 2
        assert np.abs(got - expected)[low].max() > 5 * np.abs(ours(here, plane)[0] - expected)[low].max()
        return
    moved = [(70.0, azimuth, 1.0)]
    got = precise(shifted, lat, here.lon, here.altitude, here.ghi, here.temp_air, here.wind, moved, PR, COEFF)[0]
    assert np.quantile(np.abs(got - expected), 0.99) > 0.01 * 1000, "ten times the bound"


def test_night_gives_nothing_and_missing_stays_missing() -> None:
    here = year(*PLACES[5])
    watts = ours(here)
    assert (watts[:, here.ghi == 0] == 0).all()
    assert (watts >= 0).all()
    sun = sun_table(here.middles[4000:4012])
    for position in range(3):
        inputs = [here.ghi[4000:4012].copy(), here.temp_air[4000:4012].copy(), here.wind[4000:4012].copy()]
        inputs[position][5] = np.nan
        got = precise(sun, here.lat, here.lon, 0.0, *inputs, PLANES, PR, COEFF)
        assert np.isnan(got).any(axis=0).tolist() == [i == 5 for i in range(12)]
        if position < 2:
            plain = simplified(sun, here.lat, here.lon, *inputs[:2], PLANES, PR, COEFF)
            assert np.isnan(plain).all(axis=0).tolist() == [i == 5 for i in range(12)]


PLACE = st.tuples(st.floats(57, 72), st.floats(4, 32))
HOUR = st.integers(0, 8759).map(lambda hour: START + 3600 * hour + 1800)
PLANE = st.tuples(st.floats(0, 90), st.floats(0, 360))


def one(
    engine: str, place: tuple[float, float], middle: int, ghi: float, plane: tuple[float, float], kwp: float = 1.0
) -> float:
    sun, planes = sun_table([middle]), [(*plane, kwp)]
    if engine == "simplified":
        return float(simplified(sun, *place, [ghi], [10.0], planes, PR, COEFF)[0, 0])
    return float(precise(sun, *place, 100.0, [ghi], [10.0], [3.0], planes, PR, COEFF)[0, 0])


@pytest.mark.parametrize("engine", ["simplified", "precise"])
@given(place=PLACE, middle=HOUR, ghi=st.floats(-10, 1300), plane=PLANE, kwp=st.floats(0.01, 1e4))
def test_power_scales_with_kwp(engine: str, place, middle: int, ghi: float, plane, kwp: float) -> None:
    single = one(engine, place, middle, ghi, plane)
    assert single >= 0
    assert one(engine, place, middle, ghi, plane, kwp) == pytest.approx(kwp * single, rel=1e-12)


@pytest.mark.parametrize("engine", ["simplified", "precise"])
@given(place=PLACE, middle=HOUR, ghi=st.floats(0, 1300), azimuths=st.tuples(st.floats(0, 360), st.floats(-360, 720)))
def test_a_level_plane_faces_nowhere(engine: str, place, middle: int, ghi: float, azimuths) -> None:
    first, second = (one(engine, place, middle, ghi, (0.0, a)) for a in azimuths)
    assert first == pytest.approx(second, rel=1e-9)


@given(place=PLACE, middle=HOUR, ghi=st.tuples(st.floats(0, 1300), st.floats(0, 1300)))
def test_more_light_gives_a_level_plane_more(place, middle: int, ghi: tuple[float, float]) -> None:
    """Not so for a tilted one: more light from overcast to broken can turn diffuse into beam behind the modules."""
    less, more = sorted(ghi)
    assert (
        one("simplified", place, middle, more, (0.0, 0.0)) >= one("simplified", place, middle, less, (0.0, 0.0)) - 1e-9
    )


@pytest.mark.parametrize("engine", ["simplified", "precise"])
@given(place=PLACE, middle=HOUR, ghi=st.floats(0, 1300), plane=PLANE)
def test_planes_do_not_disturb_each_other(engine: str, place, middle: int, ghi: float, plane) -> None:
    sun = sun_table([middle])
    many = [(30.0, 10.0, 2.0), (*plane, 1.0), (90.0, 300.0, 5.0)]
    got = (
        simplified(sun, *place, [ghi], [10.0], many, PR, COEFF)
        if engine == "simplified"
        else precise(sun, *place, 100.0, [ghi], [10.0], [3.0], many, PR, COEFF)
    )
    assert got[1, 0] == one(engine, place, middle, ghi, plane)


def test_a_horizon_takes_beam_and_leaves_the_even_sky() -> None:
    here = year(*PLACES[1])
    free, blocked = ours(here), ours(here, horizon=np.full(720, 89.0))
    flat = ours(here, horizon=np.full(720, -5.0))
    np.testing.assert_array_equal(flat, free)
    # Not exactly: light that grazes the glass warms a module more than it drives it.
    assert (blocked <= free + 2.5 * PLANES[:, 2:]).all()
    assert 0.15 < blocked[1].sum() / free[1].sum() < 0.8


def test_planes_to_the_east_produce_in_the_morning() -> None:
    here = year(*PLACES[1])
    morning, evening = (here.times.hour < 9) & (here.times.hour > 2), (here.times.hour > 14)
    east, west = ours(here, [(60, 90, 1), (60, 270, 1)])
    assert east[morning].sum() > 2 * west[morning].sum()
    assert west[evening].sum() > 2 * east[evening].sum()


def test_sizes_are_checked() -> None:
    sun = sun_table([0, 3600])
    with pytest.raises(ValueError, match=r"temp_air has shape \(1,\), not \(2,\)"):
        simplified(sun, 60.0, 10.0, [1, 2], [1], PLANES, PR, COEFF)
    with pytest.raises(ValueError, match=r"horizon has shape \(360,\)"):
        precise(sun, 60.0, 10.0, 0.0, [1, 2], [1, 2], [1, 2], PLANES, PR, COEFF, horizon=np.zeros(360))
    for planes in ([(1, 2)], (1, 2, 3), PLANES.T):
        with pytest.raises(ValueError, match="planes have shape"):
            simplified(sun, 60.0, 10.0, [1, 2], [1, 2], planes, PR, COEFF)


def test_no_argument_sets_off_a_compilation() -> None:
    """Read-only, strided, float32, lists of integers: what a tile or a request may hand over."""
    here = year(*PLACES[0])
    sun = sun_table(here.middles[4000:4006])
    ghi = here.ghi[4000:4006].copy()
    ghi.flags.writeable = False
    expected = simplified(sun, 57.0, 7.0, ghi, [10] * 6, PLANES, 0.85, COEFF)
    strided = np.repeat(ghi, 2)[::2]
    np.testing.assert_array_equal(
        simplified(sun, 57, 7, strided, np.full(6, 10, np.int16), PLANES, 0.85, COEFF), expected
    )
    single = simplified(sun, 57.0, 7.0, ghi.astype(np.float32), [10] * 6, PLANES, 0.85, COEFF)
    np.testing.assert_allclose(single, expected, rtol=1e-5)
    assert len(production._simplified.signatures) == len(production._precise.signatures) == 1


def test_a_new_process_finds_the_compiled_engines() -> None:
    code = (
        "from kernels import production as p;"
        "print(*(sum(f.stats.cache_hits.values()) - sum(f.stats.cache_misses.values())"
        " for f in (p._simplified, p._precise)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["1", "1"]
