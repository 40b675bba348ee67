"""A limit on what all planes give together: what it takes and from whom, and what hours hide of it."""

import numpy as np
import pvlib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.pv.light import light_of
from kernels.pv.plant import Produced, System, hidden_kwh, produced
from kernels.pv.site import Site, site_of
from tests.kernels.pv.pvlib_chain import Floats, Position, Sun, chain, seen_of, sun_at
from tests.kernels.pv.years import HORIZONS, HOURS, PLACES, made_up, only, site

PLANES = [(35.0, 180.0, 6.0), (60.0, 90.0, 3.0), (90.0, 250.0, 2.0)]
BRIGHTEST = np.argsort(made_up("south coast")["ghi"])[-400:]


def one_hour(hour: int) -> Site:
    """A year with light in one hour: what is summed up is that hour's power."""
    hours = only(made_up("south coast"), np.arange(HOURS) == hour)
    return site_of(hours, *PLACES["south coast"][:3])


def give(where: Site, ac_max: float | None, planes: object = PLANES) -> Produced:
    return produced(where, light_of(where), np.array(planes, float), System(ac_max=ac_max))


def hidden(where: Site, ac_max: float | None, planes: object = PLANES) -> float:
    return hidden_kwh(where, light_of(where), np.array(planes, float), System(ac_max=ac_max))


@given(hour=st.sampled_from(BRIGHTEST.tolist()), ac_max=st.floats(0.01, 12))
@settings(max_examples=30)
def test_no_hour_gives_more_than_the_limit_and_all_planes_lose_the_same_part(hour: int, ac_max: float) -> None:
    got = give(one_hour(hour), ac_max)
    before, after = got.ac.sum(axis=1), got.out.sum(axis=1)
    assert after.sum() == pytest.approx(min(before.sum(), ac_max), rel=1e-12)
    np.testing.assert_allclose(after * before.sum(), before * after.sum(), rtol=1e-12)


@given(limits=st.tuples(st.floats(0.05, 12), st.floats(0.05, 12)), horizon=st.sampled_from(["open", "hills"]))
@settings(max_examples=20)
def test_lower_limit_leaves_less_and_hides_no_more_than_is_left(limits: tuple[float, float], horizon: str) -> None:
    low, high = (give(site(horizon=horizon), limit) for limit in sorted(limits))
    assert (low.out <= high.out + 1e-12).all()
    assert (high.out <= high.ac + 1e-12).all()
    for name in ("poa", "effective", "usable", "dc", "ac"):
        np.testing.assert_array_equal(getattr(low, name), getattr(high, name))
    assert 0 <= hidden(site(horizon=horizon), max(limits)) <= high.out.sum()


def test_limit_above_every_hour_changes_nothing_and_hides_next_to_nothing() -> None:
    free, held = give(site(), None), give(site(), 12.1)
    np.testing.assert_allclose(held.out, free.out, rtol=1e-12)
    assert hidden(site(), None) == 0
    assert hidden(site(), 12.1) < 0.001 * free.ac.sum()


def test_limit_is_of_the_whole_plant() -> None:
    """Two halves that face the same way lose as one plane does."""
    halves, one = [(35, 180, 5)] * 2, [(35, 180, 10)]
    np.testing.assert_allclose(give(site(), 4.0, halves).out.sum(axis=0), give(site(), 4.0, one).out[0], rtol=1e-12)
    assert hidden(site(), 4.0, halves) == pytest.approx(hidden(site(), 4.0, one), rel=1e-12)


def without_land(sun: Sun, seen: Position) -> Sun:
    """The sun as it stands while it is seen, for all of the lit time; where it is never seen, as it is."""
    some = seen.part > 0
    free = (np.where(some, a, b) for a, b in ((seen.zenith, sun.lit.zenith), (seen.azimuth, sun.lit.azimuth)))
    up = (sun.elevation > 0) & some[:, None]
    return sun._replace(lit=Position(*free, sun.lit.part), elevation=np.where(up, 89.0, sun.elevation))


def as_two_skies(name: str, plane: tuple[float, float, float], limit: float, strength: float, land: str) -> float:
    """Say what a limit takes more where hours hide two skies and give the same energy, kWh, by pvlib.

    In one the sun shines as strongly as clear air lets it, or less; in the other not at all; the sky is as bright in
    either. What land hides of the sun is a part of the hour.
    """
    sun, hours, horizon = sun_at(*PLACES[name][:3]), made_up(name), HORIZONS[land]
    low = np.where(sun.lit.part > 0, sun.lit.zenith, 90.0)
    mass = pvlib.atmosphere.get_absolute_airmass(pvlib.atmosphere.get_relative_airmass(low), sun.pressure)
    strongest = strength * 0.9 * sun.e0 * sun.lit.part * 0.75 ** (mass**0.678)
    part = np.minimum(hours["dni"] / np.maximum(strongest, 1e-9), 1.0)

    def power(where: Sun, dni: Floats) -> Floats:
        level = dni * np.cos(np.radians(low)) * (sun.lit.part > 0)
        return chain(where, {**hours, "dni": dni, "ghi": hours["dhi"] + level}, plane, horizon=horizon).ac / 1000

    strong = np.where(part > 0, hours["dni"] / np.maximum(part, 1e-9), 0.0)
    seen = sun.lit if horizon is None else seen_of(sun, horizon)
    shining = sun if horizon is None else without_land(sun, seen)
    sunny, dull, mean = power(shining, strong), power(sun, 0 * part), power(sun, hours["dni"])
    part = part * seen.part / np.maximum(sun.lit.part, 1e-9)
    scale = mean / np.maximum(part * sunny + (1 - part) * dull, 1e-9)
    left = part * np.minimum(scale * sunny, limit) + (1 - part) * np.minimum(scale * dull, limit)
    return float((np.minimum(mean, limit) - left).sum())


SOUTH, UPRIGHT, EAST = (40.0, 170.0, 10.0), (90.0, 180.0, 10.0), (20.0, 60.0, 10.0)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.85])
@pytest.mark.parametrize(
    ("name", "plane"), [("south coast", SOUTH), ("mountain", UPRIGHT), ("Finnmark", EAST), ("Finnmark", SOUTH)]
)
def test_hours_hide_what_two_skies_would_and_no_more(
    name: str, plane: tuple[float, float, float], share: float
) -> None:
    limit = share * plane[2]
    strong, weak = (as_two_skies(name, plane, limit, strength, "open") for strength in (1.0, 0.8))
    got = hidden(site(name), limit, [plane])
    assert strong > 1 or share > 0.8, "a comparison of nothing"
    assert got == pytest.approx(strong, rel=0.02, abs=0.1)
    assert weak <= got + 1e-9


@pytest.mark.parametrize("land", ["hills", "wall"])
@pytest.mark.parametrize(("name", "plane"), [("south coast", SOUTH), ("mountain", UPRIGHT)])
def test_sun_that_land_hides_for_a_part_of_the_hour_shines_in_the_rest(
    name: str, plane: tuple[float, float, float], land: str
) -> None:
    truth = as_two_skies(name, plane, 3.0, 1.0, land)
    assert truth > 50
    assert hidden(site(name, land), 3.0, [plane]) == pytest.approx(truth, rel=0.03)
