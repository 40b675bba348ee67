"""A limit on what all planes give together: what it takes and from whom, and what hours hide of it."""

import functools

import numpy as np
import pvlib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.pv.light import light_of
from kernels.pv.plant import Produced, System, hidden_kwh, produced
from kernels.pv.site import Site, site_of
from tests.kernels.pv.pvlib_chain import Position, Sun, chain, seen_of, sun_at
from tests.kernels.pv.years import HILLS, HORIZONS, HOURS, PLACES, made_up

PLANES = [(35.0, 180.0, 6.0), (60.0, 90.0, 3.0), (90.0, 250.0, 2.0)]
WHOLE = sum(plane[2] for plane in PLANES)
BRIGHTEST = np.argsort(made_up("south coast")["ghi"])[-400:]


@functools.cache
def south(hilly: bool = False) -> Site:
    return site_of(made_up("south coast"), *PLACES["south coast"][:3], HILLS if hilly else None)


@functools.cache
def one_hour(hour: int) -> Site:
    """A year with light in one hour: what is summed up is that hour's power."""
    among = np.arange(HOURS) == hour
    hours = {
        name: np.where(among, values, 0) if name in ("ghi", "dni", "dhi") else values
        for name, values in made_up("south coast").items()
    }
    return site_of(hours, *PLACES["south coast"][:3])


def give(where: Site, ac_max: float | None, planes: object = PLANES) -> Produced:
    return produced(where, light_of(where), np.array(planes, float), System(ac_max=ac_max))


def hidden(where: Site, ac_max: float | None, planes: object = PLANES) -> float:
    return hidden_kwh(where, light_of(where), np.array(planes, float), System(ac_max=ac_max))


@given(hour=st.sampled_from(BRIGHTEST.tolist()), ac_max=st.floats(0.01, 12))
@settings(max_examples=60)
def test_no_hour_gives_more_than_the_limit_and_all_planes_lose_the_same_part(hour: int, ac_max: float) -> None:
    got = give(one_hour(hour), ac_max)
    before, after = got.ac.sum(axis=1), got.out.sum(axis=1)
    assert after.sum() == pytest.approx(min(before.sum(), ac_max), rel=1e-12)
    np.testing.assert_allclose(after * before.sum(), before * after.sum(), rtol=1e-12)


@given(limits=st.tuples(st.floats(0.05, 12), st.floats(0.05, 12)), hilly=st.booleans())
@settings(max_examples=20)
def test_a_lower_limit_leaves_less(limits: tuple[float, float], hilly: bool) -> None:
    low_limit, high_limit = sorted(limits)
    low, high = give(south(hilly), low_limit), give(south(hilly), high_limit)
    assert (low.out <= high.out + 1e-12).all()
    assert (high.out <= high.ac + 1e-12).all()
    for name in ("poa", "effective", "usable", "dc", "ac"):
        np.testing.assert_array_equal(getattr(low, name), getattr(high, name))
    assert 0 <= hidden(south(hilly), high_limit) <= low.ac.sum()


def test_a_limit_above_every_hour_changes_nothing() -> None:
    free, held = give(south(), None), give(south(), 1.1 * WHOLE)
    np.testing.assert_allclose(held.out, free.out, rtol=1e-12)


def test_without_a_limit_nothing_is_hidden() -> None:
    assert hidden(south(True), None) == 0


def test_the_limit_is_of_the_whole_plant() -> None:
    """Two halves that face the same way lose as one plane does."""
    halves, one = give(south(), 4.0, [(35, 180, 5)] * 2), give(south(), 4.0, [(35, 180, 10)])
    np.testing.assert_allclose(halves.out.sum(axis=0), one.out[0], rtol=1e-12)
    of_halves, of_one = hidden(south(), 4.0, [(35, 180, 5)] * 2), hidden(south(), 4.0, [(35, 180, 10)])
    assert of_halves == pytest.approx(of_one, rel=1e-12)


def without_land(sun: Sun, horizon: NDArray[np.float64] | None) -> Sun:
    """The sun as it stands while it is seen, for all of the lit time; where it is never seen, as it is."""
    if horizon is None:
        return sun
    seen, up = seen_of(sun, horizon), sun.elevation > 0
    some = seen.part > 0
    free = (np.where(some, a, b) for a, b in ((seen.zenith, sun.lit.zenith), (seen.azimuth, sun.lit.azimuth)))
    return sun._replace(lit=Position(*free, sun.lit.part), elevation=np.where(up & some[:, None], 89.0, sun.elevation))


def as_two_skies(
    name: str, plane: tuple[float, float, float], limit: float, strength: float, land: NDArray[np.float64] | None = None
) -> float:
    """Say what a limit takes more where hours hide two skies and give the same energy, kWh, by pvlib.

    In one the sun shines as strongly as clear air lets it, or less; in the other not at all; the sky is as bright in
    either. What land hides of the sun is a part of the hour.
    """
    sun, hours = sun_at(*PLACES[name][:3]), made_up(name)
    low = np.where(sun.lit.part > 0, sun.lit.zenith, 90.0)
    mass = pvlib.atmosphere.get_absolute_airmass(pvlib.atmosphere.get_relative_airmass(low), sun.pressure)
    strongest = strength * 0.9 * sun.e0 * sun.lit.part * 0.75 ** (mass**0.678)
    part = np.minimum(hours["dni"] / np.maximum(strongest, 1e-9), 1.0)

    def power(where: Sun, dni: NDArray[np.float64]) -> NDArray[np.float64]:
        level = dni * np.cos(np.radians(low)) * (sun.lit.part > 0)
        return chain(where, {**hours, "dni": dni, "ghi": hours["dhi"] + level}, plane, horizon=land).ac / 1000

    strong = np.where(part > 0, hours["dni"] / np.maximum(part, 1e-9), 0.0)
    sunny, dull, mean = power(without_land(sun, land), strong), power(sun, 0 * part), power(sun, hours["dni"])
    if land is not None:
        part = part * seen_of(sun, land).part / np.maximum(sun.lit.part, 1e-9)
    scale = mean / np.maximum(part * sunny + (1 - part) * dull, 1e-9)
    left = part * np.minimum(scale * sunny, limit) + (1 - part) * np.minimum(scale * dull, limit)
    return float((np.minimum(mean, limit) - left).sum())


@pytest.mark.parametrize("strength", [1.0, 0.8])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.85])
@pytest.mark.parametrize("plane", [(40.0, 170.0, 10.0), (90.0, 180.0, 10.0), (20.0, 60.0, 10.0)], ids=str)
@pytest.mark.parametrize("name", ["south coast", "mountain", "Finnmark"])
def test_hours_hide_no_more_than_it_says(
    name: str, plane: tuple[float, float, float], share: float, strength: float
) -> None:
    truth = as_two_skies(name, plane, share * plane[2], strength)
    told = hidden(site_of(made_up(name), *PLACES[name][:3]), share * plane[2], [plane])
    assert truth > 1 or share > 0.8, "a comparison of nothing"
    if strength == 1.0:
        assert told == pytest.approx(truth, rel=0.02, abs=0.1)
    else:
        assert truth <= told + 1e-9


@pytest.mark.parametrize("land", ["hills", "wall"])
@pytest.mark.parametrize("plane", [(40.0, 170.0, 10.0), (90.0, 180.0, 10.0)], ids=str)
@pytest.mark.parametrize("name", ["south coast", "mountain"])
def test_a_sun_that_land_hides_for_a_part_of_the_hour_shines_in_the_rest(
    name: str, plane: tuple[float, float, float], land: str
) -> None:
    truth = as_two_skies(name, plane, 3.0, 1.0, HORIZONS[land])
    told = hidden(site_of(made_up(name), *PLACES[name][:3], HORIZONS[land]), 3.0, [plane])
    assert truth > 50
    assert told == pytest.approx(truth, rel=0.03)


@given(limit=st.floats(0.01, 12), tilt=st.floats(0, 90), azimuth=st.floats(0, 360), hilly=st.booleans())
@settings(max_examples=30)
def test_hours_hide_no_more_than_the_plant_gives(limit: float, tilt: float, azimuth: float, hilly: bool) -> None:
    planes = [(tilt, azimuth, 1000.0), (0.0, 0.0, 0.05)]
    assert 0 <= hidden(south(hilly), limit, planes) <= give(south(hilly), limit, planes).out.sum()


def test_a_limit_above_the_rated_power_hides_next_to_nothing() -> None:
    plane = [(40.0, 170.0, 10.0)]
    assert as_two_skies("south coast", (40.0, 170.0, 10.0), 11.0, 1.0) < 0.5
    assert hidden(south(), 11.0, plane) < 0.001 * give(south(), 11.0, plane).ac.sum()
