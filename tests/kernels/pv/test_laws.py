"""Laws of the chain that no other tool is needed for: sums, symmetries, land, night, and which hour weather is of."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.pv.light import light_of
from kernels.pv.plant import Produced, System, produced
from kernels.pv.site import Site, site_of
from kernels.tmy.sunlight import sunlight_at
from tests.kernels.pv.years import AZIMUTHS, HILLS, HOURS, PLACES, WALL, Place, made_up

PLANE = st.tuples(st.floats(0, 90), st.floats(0, 360), st.floats(0.1, 50))
LIGHT = ("ghi", "dni", "dhi")
STEPS = 5e-5
"""What a sum over 720 azimuths is off an integral."""
QUANTITIES = ("poa", "effective", "usable", "dc", "ac", "out")


def site(name: str, horizon: NDArray[np.float64] | None = None) -> Site:
    return site_of(made_up(name), *PLACES[name][:3], horizon)


WEST, FINNMARK, HILLY = site("rainy west"), site("Finnmark"), site("rainy west", HILLS)


def make(where: Site, planes: object, factor: float = 1.0, shaded: bool = True, **system: object) -> Produced:
    return produced(where, light_of(where, factor), np.array(planes, float), System(**system), shaded=shaded)


def calm(**given: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """A dark year of one mild day, but for what is given."""
    day = {"temp_air": 10.0, "rel_hum": 70.0, "wind_speed": 3.0, "ghi": 0.0, "dni": 0.0, "dhi": 0.0}
    return {name: np.full(HOURS, value) for name, value in day.items()} | given


def only(hours: Mapping[str, NDArray[np.float64]], among: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    """Light in some hours alone."""
    return {name: np.where(among, values, 0.0) if name in LIGHT else values for name, values in hours.items()}


def even(place: Place) -> dict[str, NDArray[np.float64]]:
    """Light in those hours alone in which the sun is down, when the sky is even."""
    down = sunlight_at(*place[:3]).e0 == 0
    return calm(ghi=np.where(down, 100.0, 0.0), dhi=np.where(down, 100.0, 0.0))


def assert_same(got: Produced, expected: Produced, rel: float = 1e-9) -> None:
    for name in QUANTITIES:
        np.testing.assert_allclose(getattr(got, name), getattr(expected, name), rtol=rel, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("name", PLACES)
def test_a_level_plane_gets_what_falls_on_level_ground(name: str) -> None:
    """Exactly, but where the sun is below 5 degrees: there Perez' limit takes 0.1 to 0.4 % of a year."""
    hours, place = made_up(name), PLACES[name]
    whole = make(site(name), [(0, 0, 1)]).poa.sum()
    assert 0.996 < whole * 1000 / hours["ghi"].sum() < 1
    sun = sunlight_at(*place[:3])
    high = only(hours, (sun.elevation > 5.01) | (sun.e0 == 0))
    above = site_of(high, *place[:3])
    got = make(above, [(0, 0, 1)]).poa[0] * 1000
    months = np.add.reduceat(high["ghi"], np.cumsum([0, *np.bincount(above_months())[:-1]]))
    np.testing.assert_allclose(got, months, rtol=1e-6, atol=1e-6)


def above_months() -> NDArray[np.int64]:
    days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return np.repeat(np.arange(12), 24 * np.array(days))


@given(plane=PLANE, times=st.floats(0.01, 100))
@settings(max_examples=25)
def test_energy_is_proportional_to_the_rated_power(plane: tuple[float, float, float], times: float) -> None:
    one, more = make(WEST, [plane]), make(WEST, [(*plane[:2], plane[2] * times)])
    for name in ("dc", "ac", "out"):
        np.testing.assert_allclose(getattr(more, name), times * getattr(one, name), rtol=1e-12)
    for name in ("poa", "effective", "usable"):
        np.testing.assert_array_equal(getattr(more, name), getattr(one, name))


@given(planes=st.lists(PLANE, min_size=1, max_size=5), shaded=st.booleans())
@settings(max_examples=25)
def test_planes_do_not_disturb_each_other(planes: list[tuple[float, float, float]], shaded: bool) -> None:
    together = make(HILLY, planes, shaded=shaded)
    for number, plane in enumerate(planes):
        alone = make(HILLY, [plane], shaded=shaded)
        for name in QUANTITIES:
            np.testing.assert_array_equal(getattr(together, name)[number], getattr(alone, name)[0])


@given(plane=PLANE)
@settings(max_examples=25)
def test_every_step_is_finite_and_what_the_glass_lets_in_is_not_more_than_falls(plane: tuple[float, ...]) -> None:
    got = make(HILLY, [plane])
    for name in QUANTITIES:
        assert np.isfinite(getattr(got, name)).all()
        assert (getattr(got, name) >= 0).all()
    assert (got.effective <= got.poa).all()
    np.testing.assert_array_equal(got.out, got.ac)


@given(plane=PLANE, loss=st.floats(0, 0.6))
@settings(max_examples=25)
def test_losses_are_a_part_of_what_the_modules_give(plane: tuple[float, float, float], loss: float) -> None:
    got = make(WEST, [plane], loss=loss)
    np.testing.assert_allclose(got.ac, (1 - loss) * got.dc, rtol=1e-12)


@given(tilt=st.floats(0, 90), azimuth=st.floats(0, 360), turns=st.sampled_from([-1, 1, 2]))
@settings(max_examples=25)
def test_a_whole_turn_changes_nothing(tilt: float, azimuth: float, turns: int) -> None:
    assert_same(make(HILLY, [(tilt, azimuth + 360 * turns, 1)]), make(HILLY, [(tilt, azimuth, 1)]))


@given(azimuth=st.floats(0, 360))
@settings(max_examples=10)
def test_a_level_plane_faces_nowhere(azimuth: float) -> None:
    assert_same(make(HILLY, [(0, azimuth, 1)]), make(HILLY, [(0, 0, 1)]))


@given(plane=PLANE, factor=st.floats(0.7, 1.25), more=st.floats(0.005, 0.2))
@settings(max_examples=25)
def test_a_brighter_year_gives_more(plane: tuple[float, float, float], factor: float, more: float) -> None:
    less, brighter = make(WEST, [plane], factor), make(WEST, [plane], factor + more)
    for name in ("poa", "effective", "usable", "dc"):
        assert getattr(brighter, name).sum() > getattr(less, name).sum()


def test_a_brighter_year_is_brighter_by_the_factor_on_the_level() -> None:
    """But for Perez' limit, since what is around the sun depends on the brightness."""
    light, more = make(WEST, [(0, 0, 1)]).poa, make(WEST, [(0, 0, 1)], 1.05).poa
    np.testing.assert_allclose(more, 1.05 * light, rtol=5e-4)


@given(plane=PLANE)
@settings(max_examples=10)
def test_polar_night_is_nothing_and_not_missing(plane: tuple[float, float, float]) -> None:
    got = make(FINNMARK, [plane], ac_max=1.0)
    for name in QUANTITIES:
        assert getattr(got, name)[0, 11] == 0, "December"
        assert np.isfinite(getattr(got, name)).all()
        assert getattr(got, name)[0, 5] > 0, "June"


def test_a_year_without_light_is_nothing_too() -> None:
    dark = site_of(calm(), 60, 10, 100, HILLS)
    for name in QUANTITIES:
        np.testing.assert_array_equal(
            getattr(make(dark, [(30, 180, 5), (90, 0, 1)], ac_max=1.0), name), np.zeros((2, 12))
        )


@pytest.mark.parametrize(
    "horizon", [np.zeros(720), np.full(720, -3.0), np.linspace(-2, 0, 720)], ids=["0", "-3", "sea"]
)
def test_land_below_the_level_hides_nothing(horizon: NDArray[np.float64]) -> None:
    planes = [(0, 0, 1), (40, 150, 1), (90, 330, 1)]
    assert_same(make(site("rainy west", horizon), planes), make(WEST, planes))
    assert_same(make(site("rainy west", HILLS), planes, shaded=False), make(WEST, planes))


def test_land_up_to_the_zenith_leaves_what_the_ground_gives_back() -> None:
    planes = [(0, 0, 1), (35, 180, 1), (90, 90, 1)]
    got = make(site("rainy west", np.full(720, 90.0)), planes).poa.sum(axis=1) * 1000
    ground = 0.2 * (1 - np.cos(np.radians([0, 35, 90]))) / 2 * made_up("rainy west")["ghi"].sum()
    np.testing.assert_allclose(got, ground, rtol=STEPS, atol=1e-6)


@given(height=st.floats(0, 89.9))
@settings(max_examples=25)
def test_land_as_high_all_round_leaves_the_part_of_an_even_sky_that_geometry_gives(height: float) -> None:
    """Of what a level plane has, the square of the cosine; of an upright one's 1 - (2 e + sin 2 e) / pi."""
    place, e = PLACES["Finnmark"], np.radians(height)
    where = site_of(even(place), *place[:3], np.full(720, height))
    level, upright = make(where, [(0, 0, 1), (90, 37, 1)]).poa.sum(axis=1)
    total = even(place)["ghi"].sum() / 1000
    assert level == pytest.approx(total * np.cos(e) ** 2, rel=STEPS, abs=1e-6)
    assert upright == pytest.approx(total * ((1 - (2 * e + np.sin(2 * e)) / np.pi) / 2 + 0.1), rel=STEPS)


def test_land_behind_an_upright_plane_is_not_in_its_sky() -> None:
    place = PLACES["Finnmark"]
    behind = np.where(np.abs(AZIMUTHS - 180) < 90, 0.0, 60.0)
    got = make(site_of(even(place), *place[:3], behind), [(90, 180, 1), (90, 0, 1)]).poa.sum(axis=1)
    free = make(site_of(even(place), *place[:3]), [(90, 180, 1), (90, 0, 1)]).poa.sum(axis=1)
    assert got[0] == pytest.approx(free[0], rel=1e-9)
    assert got[1] < 0.5 * free[1]


def test_a_wall_before_the_modules_takes_more_than_the_same_wall_behind_them() -> None:
    facing, away = make(site("rainy west", WALL), [(60, 180, 1), (60, 0, 1)]).ac.sum(axis=1)
    free = make(WEST, [(60, 180, 1), (60, 0, 1)]).ac.sum(axis=1)
    assert 0.3 < facing / free[0] < 0.75
    assert facing / free[0] + 0.1 < away / free[1] < 1


@given(height=st.floats(0, 60), more=st.floats(0.5, 30), plane=PLANE)
@settings(max_examples=25)
def test_higher_land_never_lets_more_light_in(height: float, more: float, plane: tuple[float, float, float]) -> None:
    """But for a sky whose band along the horizon is darker than the rest, under cloud: up to 5 W h/m2 a month."""
    low, high = (make(site("rainy west", HILLS + by), [plane]).poa for by in (height, height + more))
    assert (high <= low + 0.005).all()


def test_morning_and_evening_are_alike() -> None:
    """Around 13 June the sun is on time, and Greenwich's noon is ours; light and weather are the same either way."""
    hour = np.arange(HOURS)
    near = np.abs(hour // 24 - 163) <= 1
    mirror = np.abs(hour % 24 - 11.5)
    beam, diffuse = np.where(mirror < 8, 900 - 90 * mirror, 0) * near, np.where(mirror < 8, 200 - 20 * mirror, 0) * near
    sine = sunlight_at(60.0, 0.0, 0.0).sine
    level = (sine.reshape(-1, 24) + sine.reshape(-1, 24)[:, ::-1]).ravel() / 2
    where = site_of(calm(dni=beam, dhi=diffuse, ghi=beam * level + diffuse), 60.0, 0.0, 0.0)
    for tilt, turn in ((30, 90), (90, 90), (60, 45), (80, 130)):
        east, west = make(where, [(tilt, 180 - turn, 1), (tilt, 180 + turn, 1)]).ac.sum(axis=1)
        assert east == pytest.approx(west, rel=1e-3)


SPIKES = {"temp_air": 20.0, "wind_speed": 15.0, "rel_hum": -50.0}


@pytest.mark.parametrize("name", SPIKES)
@pytest.mark.parametrize("hour", [4090, 5000, 0])
def test_weather_is_that_of_the_middle_of_the_hour(name: str, hour: int) -> None:
    """An instant at an hour's beginning counts half for it and half for the hour before; the year is a ring."""
    place = (60.0, 10.0 if hour else -179.0, 100.0)

    def without(lit: int, spiked: bool) -> float:
        among = np.arange(HOURS) == lit % HOURS
        hours = calm(ghi=np.where(among, 400.0, 0), dni=np.where(among, 300.0, 0), dhi=np.where(among, 200.0, 0))
        hours[name][hour] += SPIKES[name] if spiked else 0.0
        return float(make(site_of(hours, *place), [(30, 180, 1)]).dc.sum())

    changed = [without(hour + by, True) / without(hour + by, False) - 1 for by in (-2, -1, 0, 1)]
    assert changed[0] == changed[3] == 0
    assert abs(changed[1]) > 0.002
    assert changed[1] == pytest.approx(changed[2], rel=0.3)


def test_what_is_no_year_is_refused() -> None:
    hours = made_up("rainy west")
    with pytest.raises(ValueError, match=r"dhi has shape \(10,\)"):
        site_of({**hours, "dhi": np.zeros(10)}, 60, 10, 0)
    with pytest.raises(ValueError, match="temp_air has hours without a number"):
        site_of({**hours, "temp_air": np.where(np.arange(HOURS) == 7, np.nan, 1.0)}, 60, 10, 0)
    with pytest.raises(ValueError, match=r"horizon has shape \(360,\)"):
        site_of(hours, 60, 10, 0, np.zeros(360))
    with pytest.raises(ValueError, match="azimuths without a number"):
        site_of(hours, 60, 10, 0, np.full(720, np.nan))
    for factor in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="a factor must be positive"):
            light_of(WEST, factor)
    with pytest.raises(ValueError, match="planes have shape"):
        make(WEST, (30, 180, 1))
    with pytest.raises(ValueError, match="the light is of"):
        produced(WEST, light_of(FINNMARK), [(30, 180, 1)], System())
