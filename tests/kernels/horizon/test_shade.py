"""Yearly loss by a horizon: against rays through the scenes themselves, by hand, and its laws."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.horizon.moments import Moments, moments_of
from kernels.horizon.shade import Shade, shade_of
from kernels.tmy.sunlight import clear_sky_year
from tests.support import ray_traced_year as traced
from tests.support.ray_traced_year import Place, Plane
from tests.support.scenes import SCENES

OSLO, TROMSO = Place(59.91, 10.75, 50.0), Place(69.65, 18.96, 20.0)
PLACES = {"Oslo": OSLO, "Tromsø": TROMSO}
PLANES = [Plane(35, 180), Plane(90, 180), Plane(15, 90), Plane(15, 270), Plane(90, 270)]
OTHERS = [name for name in SCENES if name not in ("wall", "tree", "hill", "mast")]
AZIMUTHS = np.arange(720) / 2
NOBODY, LEVEL = np.full(720, -1), np.zeros(720)
ROUGH = 12 + 9 * np.sin(np.radians(3 * AZIMUTHS)) + np.random.default_rng(1).uniform(-4, 4, 720)
CITY = np.random.default_rng(5).uniform(0, 50, 24).repeat(30)

Floats = NDArray[np.float64]
slow = pytest.mark.slow


@functools.cache
def moments(place: Place = OSLO) -> Moments:
    """Return a year of clear and cloudy spells."""
    return moments_of(traced.clouded(place)[1:], *place)


def cost(horizon: Floats, plane: Plane = PLANES[0], of: Moments | None = None) -> Shade:
    """Return the loss by terrain alone."""
    return shade_of(of or moments(), horizon, horizon, NOBODY, *plane)


def reduction(shade: Shade) -> float:
    """Per cent of the year."""
    return float(100 * (shade.terrain.sum() + shade.objects.sum()) / shade.open.sum())


@pytest.mark.parametrize(
    "scene", ["wall", "tree", "hill", "mast", *(pytest.param(name, marks=slow) for name in OTHERS)]
)
@pytest.mark.parametrize("place", ["Oslo", pytest.param("Tromsø", marks=slow)])
def test_year_costs_what_rays_through_the_scene_say(place: str, scene: str) -> None:
    """Within 0.1 points; of a mast, 3 degrees wide and known by half degrees, within 0.2."""
    where, things = PLACES[place], SCENES[scene]
    profile, seen = things.profile(), traced.share_of_disc(things, where)
    for plane in PLANES:
        expected, got = traced.year_of(things, seen, where, plane), cost(profile, plane, moments(where))
        assert reduction(got) == pytest.approx(expected.lost, abs=0.2 if scene == "mast" else 0.1), plane
        assert got.open.sum() == pytest.approx(expected.open, rel=3e-4)


def test_a_first_ray_of_sun_in_a_bright_hour_takes_no_light_from_the_sky() -> None:
    """All of an hour's diffuse light belongs to the minutes of sun that it has, far brighter than Perez knows."""
    hours = np.stack([np.zeros(8760), np.full(8760, 12.0)])
    assert moments_of(hours, *TROMSO).parts[:2].min() >= 0


@given(st.floats(0, 90), st.floats(0, 360), st.sampled_from([0.0, -2.0, -90.0]))
@settings(max_examples=20)
def test_horizon_at_or_below_the_level_costs_exactly_nothing(tilt: float, azimuth: float, height: float) -> None:
    shade = cost(np.full(720, height), Plane(tilt, azimuth))
    assert not shade.terrain.any()
    assert not shade.shaded.any()
    assert shade.objects.shape == (0, 12)


@pytest.mark.parametrize("azimuth", [180, 250.5])
def test_wall_over_all_the_front_of_a_facade_leaves_what_the_ground_reflects(azimuth: float) -> None:
    off = np.abs((AZIMUTHS - azimuth + 180) % 360 - 180)
    shade = cost(np.where(off <= 90, 90.0, 0.0), Plane(90, azimuth))
    ghi = np.add.reduceat(
        traced.clouded(OSLO)[0], np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]) * 24
    )
    assert shade.open - shade.terrain == pytest.approx(0.2 * 0.5 * ghi / 1000, rel=4e-3)


def test_roof_of_the_sky_leaves_a_level_plane_nothing() -> None:
    shade = cost(np.full(720, 90.0), Plane(0, 0))
    assert shade.terrain == pytest.approx(shade.open)
    assert shade.shaded == pytest.approx(shade.daylight)


def test_even_sky_behind_a_ring_of_land_is_lost_by_the_square_of_the_sine() -> None:
    dull = np.stack([np.zeros(8760), np.full(8760, 100.0)])
    at_night = moments_of(dull, *TROMSO)
    at_night = at_night._replace(parts=at_night.parts * (at_night.elevation == -90))
    shade = cost(np.full(720, 30.0), Plane(0, 0), at_night)
    assert shade.terrain.sum() == pytest.approx(shade.open.sum() / 4)
    assert shade.open.sum() > 300


@pytest.mark.parametrize(("height", "share"), [(2.0, 0.2), (5.0, 0.5), (10.0, 1.0), (40.0, 1.0)])
def test_band_along_the_horizon_is_lost_by_the_height_of_the_land_up_to_10_degrees(height: float, share: float) -> None:
    """Half of the front, as a facade sees it, has land."""
    band = moments()._replace(parts=moments().parts * np.array([[0], [0], [1], [0]]))
    shade = cost(np.where(AZIMUTHS < 180, height, 0.0), PLANES[1], band)
    assert shade.terrain.sum() / shade.open.sum() == pytest.approx(share / 2, rel=0.01)


def test_hours_of_sun_are_shaded_as_counted_by_hand() -> None:
    """An equinox of twelve hours whose morning is behind a hill: the sun at 45 degrees until noon."""
    n = 12 * 12
    azimuth = np.repeat([90.0, 270.0], n // 2)
    shade = cost(np.where(AZIMUTHS < 180, 50.0, 10.0), PLANES[0], _beams(azimuth, np.full(n, 45.0)))
    assert shade.daylight[0] == 12
    assert shade.shaded[0] == 6
    assert shade.terrain[0] == pytest.approx(shade.open[0] / 2)
    assert not shade.daylight[1:].any()


def test_half_a_disc_gives_half_of_the_beam() -> None:
    for above, share in ((0.0, 0.5), (0.265, 1.0), (-0.265, 0.0), (0.1325, 0.80450)):
        shade = cost(np.full(720, 20.0), PLANES[1], _beams(np.array([180.0]), np.array([20.0 + above])))
        assert 1 - shade.terrain[0] / shade.open[0] == pytest.approx(share, abs=1e-5)


def test_each_takes_what_it_hides_beyond_the_terrain() -> None:
    """The sun stands at 20 degrees: behind a house on a hill, behind a hill that a house stands on, before a house."""
    terrain = np.select([AZIMUTHS < 90, AZIMUTHS < 180], [10.0, 25.0], 5.0)
    horizon = np.select([AZIMUTHS < 90, AZIMUTHS < 180], [30.0, 40.0], 15.0)
    owner = np.select([AZIMUTHS < 90, AZIMUTHS < 180], [1, 0], 2)
    sun = _beams(np.array([45.0, 135.0, 250.0]), np.full(3, 20.0), np.array([1.0, 2.0, 4.0]))
    shade = shade_of(sun, horizon, terrain, owner, 0, 0)
    whole = shade.open[0] / 7
    assert shade.objects[:, 0] / whole == pytest.approx([0, 1, 0])
    assert shade.terrain[0] / whole == pytest.approx(2)


@pytest.mark.parametrize(("azimuth", "taker"), [(89.7, 0), (89.8, 1), (179.6, 1), (179.9, 1)])
def test_object_of_the_nearest_direction_takes_the_beam_else_the_one_beside_it(azimuth: float, taker: int) -> None:
    """One object ends at 89.5 degrees, the next at 179.5; from 180 on there is none."""
    owner = np.select([AZIMUTHS < 90, AZIMUTHS < 180], [0, 1], -1)
    sun = _beams(np.array([azimuth]), np.array([0.5]))
    shade = shade_of(sun, np.where(owner >= 0, 60.0, 0.0), LEVEL, owner, 0, 0)
    assert np.flatnonzero(shade.objects[:, 0]).tolist() == [taker]
    assert shade.objects[taker, 0] == pytest.approx(shade.open[0])


@given(st.integers(0, 2**32 - 1), st.floats(0, 90), st.floats(0, 360))
@settings(max_examples=30)
def test_terrain_and_objects_are_the_whole(seed: int, tilt: float, azimuth: float) -> None:
    draw = np.random.default_rng(seed)
    owner = draw.integers(-1, 5, 24).repeat(30)
    owner[0] = 4
    horizon = np.where(owner >= 0, ROUGH + draw.uniform(0, 30, 720), ROUGH)
    parts, whole = shade_of(moments(), horizon, ROUGH, owner, tilt, azimuth), cost(horizon, Plane(tilt, azimuth))
    assert parts.terrain + parts.objects.sum(axis=0) == pytest.approx(whole.terrain, abs=1e-9)
    assert parts.objects.shape == (5, 12)
    assert parts.objects.min() >= 0
    assert parts.shaded == pytest.approx(whole.shaded)


@given(st.integers(0, 719), st.sampled_from(PLANES))
@settings(max_examples=25)
def test_turning_scene_and_plane_together_costs_the_same_under_an_even_sky(steps: int, plane: Plane) -> None:
    even = moments()._replace(parts=moments().parts * np.array([[0], [1], [1], [1]]))
    turned = cost(np.roll(CITY, steps), plane._replace(azimuth=plane.azimuth + steps / 2), even)
    assert reduction(turned) == pytest.approx(reduction(cost(CITY, plane, even)), abs=0.01)


@pytest.mark.parametrize("plane", PLANES)
def test_east_and_west_mirrored_cost_the_same_in_a_symmetric_year(plane: Plane) -> None:
    """Each moment has its like on the other side of noon."""
    sun, elevation, parts, months = moments()
    both = Moments(
        np.concatenate([sun, sun * [[-1], [1], [1]]], axis=1), np.tile(elevation, 2), np.tile(parts, 2),
        np.concatenate([[0], np.full(12, 2 * months[-1])]),
    )  # fmt: skip
    here, there = cost(CITY, plane, both), cost(np.roll(CITY[::-1], 1), plane._replace(azimuth=-plane.azimuth), both)
    assert reduction(here) == pytest.approx(reduction(there), abs=0.01)
    assert here.shaded == pytest.approx(there.shaded)


@given(st.integers(0, 2**32 - 1), st.sampled_from(PLANES))
@settings(max_examples=30)
def test_higher_horizon_never_costs_less(seed: int, plane: Plane) -> None:
    draw = np.random.default_rng(seed)
    lower = draw.uniform(-3, 30) * draw.random(24).repeat(30)
    higher = lower + draw.uniform(0, 8) * draw.random(24).repeat(30)
    one, other = cost(lower, plane), cost(higher, plane)
    assert (other.terrain - one.terrain).min() > -1e-9
    assert (other.shaded - one.shaded).min() >= 0


@pytest.mark.parametrize("plane", PLANES)
def test_land_under_an_overcast_sky_costs_no_less_than_none(plane: Plane) -> None:
    """The band along the horizon is darker than the rest there: a step at 5 degrees would give light back."""
    overcast = np.stack([np.zeros(8760), traced.clouded(OSLO)[2] / 2])
    light = moments_of(overcast, *OSLO)
    rising = [cost(np.full(720, degrees), plane, light).terrain for degrees in np.arange(0, 12, 1.0)]
    assert (np.diff(rising, axis=0) > -1e-9).all()


def test_hours_of_the_year_are_kept_by_their_moments() -> None:
    """Diffuse light whether the sun shows or not; beam only if."""
    hours = np.stack([np.full(8760, 300.0), np.full(8760, 40.0)])
    shade = shade_of(moments_of(hours, *TROMSO), LEVEL, LEVEL, NOBODY, 0, 0)
    polar_night = np.array([11, 0])
    assert shade.open[polar_night[0]] == pytest.approx(40 * 31 * 24 / 1000)
    assert shade.daylight[[5, 11]] == pytest.approx([720, 0])


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"irradiance": np.zeros((2, 24))}, "irradiance"),
        ({"irradiance": np.full((2, 8760), np.nan)}, "irradiance"),
        ({"horizon": np.zeros(360)}, "horizon"),
        ({"terrain": np.full(720, np.nan)}, "terrain"),
        ({"owner": np.zeros(3, int)}, "owner"),
        ({"owner": np.full(720, -2)}, "owner"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Floats], text: str) -> None:
    given = {"irradiance": np.zeros((2, 8760)), "horizon": LEVEL, "terrain": LEVEL, "owner": NOBODY, **changed}
    year, *land = given.values()
    with pytest.raises(ValueError, match=text):
        shade_of(moments_of(year, *OSLO), *land, 30, 180)


@pytest.mark.parametrize("place", [OSLO, TROMSO])
def test_cloudless_year_closes_and_has_the_beam_of_clear_air(place: Place) -> None:
    ghi, dni, dhi = year = clear_sky_year(*place, np.full(12, 3.0))
    assert year.shape == (3, 8760)
    assert (dhi <= ghi + 1e-9).all()
    assert year.min() >= 0
    assert 0.15 < dhi.sum() / ghi.sum() < 0.35
    assert 1900 < dni.sum() / 1000 < 2400
    light = moments_of(year[1:], *place)
    assert light.parts[3].sum() == pytest.approx(ghi.sum(), rel=2e-3)


def _beams(azimuth: Floats, elevation: Floats, weight: Floats | float = 1.0) -> Moments:
    """Moments of January with nothing but beam."""
    a, e = np.radians(azimuth), np.radians(elevation)
    parts = np.zeros((4, a.size))
    parts[0] = weight
    sun = np.stack([np.cos(e) * np.sin(a), np.cos(e) * np.cos(a), np.sin(e)])
    return Moments(sun, elevation, parts, np.concatenate([[0], np.full(12, a.size)]))
