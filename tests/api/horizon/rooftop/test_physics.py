"""What is seen of surfaces whose horizon is known: angles within 0.3 degrees, in the true direction."""

import math
from collections.abc import Mapping

import numpy as np
import pytest

from api.data.heights.block import Block, Square
from api.data.horizons import View
from api.horizon.rooftop.calculation import Seen, calculate
from api.horizon.rooftop.heights import around, ground_at
from api.horizon.rooftop.warnings import sentences, warnings
from kernels import utm
from kernels.horizon import earth
from tests.api.horizon.rooftop.made import OSLO, VADSO, Around, blocks, observer, place, view
from tests.support.coverages import flat

AZIMUTHS = np.arange(720) / 2
FAR = view(5.0, 2000.0)
PLACES = pytest.mark.parametrize("where", [OSLO, VADSO], ids=["Oslo", "Vadsø"])


def at(azimuth: float) -> int:
    return round(azimuth % 360 * 2)


def seen_on_a_plain(height: float, far: View | None, z: float | None = None, ground: float = 100.0) -> Seen:
    x, y = place(*OSLO)
    return calculate(observer(x, y, height, blocks(x, y, flat(ground), flat(ground)), far, z))


def said_of(seen: Seen, land: Mapping[Square, Block] | None = None, far: View | None = FAR) -> str:
    return " ".join(sentences(warnings(observer(0.0, 0.0, 0.0, land or {}, far), seen)))


@PLACES
def test_a_wall_in_the_east(where: tuple[float, float]) -> None:
    x, y = place(*where)
    around = Around(x, y)

    def wall(east: np.ndarray, north: np.ndarray) -> np.ndarray:
        aside = around.east_north(east, north)[0]
        return np.where((aside >= 80) & (aside < 84), 123.0, 100.0)

    seen = calculate(observer(x, y, 3.0, blocks(x, y, wall)))
    towards = np.cos(np.radians(AZIMUTHS - 90))
    expected = np.degrees(np.arctan(20 / 80 * towards))
    near_it = towards > 0.3  # whose foot is within 270 m
    assert np.abs(seen.near - expected)[near_it].max() < 0.3
    assert seen.near[at(270)] < 0.05
    assert seen.near_distance[at(90)] == pytest.approx(80.5, abs=1)


@PLACES
def test_a_mast_stands_where_it_stands(where: tuple[float, float]) -> None:
    x, y = place(*where)
    around = Around(x, y)
    azimuth, distance = 217.0, 60.0
    east, north = (distance * f(math.radians(azimuth)) for f in (math.sin, math.cos))

    def mast(mx: np.ndarray, my: np.ndarray) -> np.ndarray:
        ex, ny = around.east_north(mx, my)
        return np.where((abs(ex - east) < 1.5) & (abs(ny - north) < 1.5), 123.0, 100.0)

    seen = calculate(observer(x, y, 3.0, blocks(x, y, mast)))
    highest = AZIMUTHS[seen.near > 17]
    assert abs(highest.mean() - azimuth) < 0.5
    assert highest.max() - highest.min() < 4.5
    assert seen.near[at(azimuth)] == pytest.approx(math.degrees(math.atan(20 / 58.7)), abs=0.3)


def test_a_parapet_beside_the_observer_on_a_flat_roof() -> None:
    x, y = place(*OSLO)
    x, y = math.floor(x) + 0.5, math.floor(y) + 0.5
    around = Around(x, y)

    def roof(mx: np.ndarray, my: np.ndarray) -> np.ndarray:
        dx, dy = np.broadcast_arrays(mx - x, my - y)
        z = np.where((abs(dx) <= 12) & (abs(dy) <= 12), 110.0, 100.0)
        return np.where((dx >= 6) & (dx <= 8) & (abs(dy) <= 12), 111.5, z)  # along the map's north

    seen = calculate(observer(x, y, 11.0, blocks(x, y, roof)))
    turn = float(earth.convergence(x, y))
    scale = float(earth.scale(x, y))
    assert seen.near[at(90 + turn)] == pytest.approx(math.degrees(math.atan(0.5 / (6 / scale))), abs=0.3)
    assert seen.near[at(270 + turn)] < 0.1  # the roof itself, below the eye, hides nothing
    assert around.east_north(np.array(x + 6), np.array(y))[0] == pytest.approx(6, abs=0.2)


def test_a_gabled_house_in_the_south() -> None:
    x, y = place(*OSLO)
    x, y = math.floor(x) + 0.5, math.floor(y) + 0.5  # the ridge on cells' centres, along the map's east

    def house(mx: np.ndarray, my: np.ndarray) -> np.ndarray:
        east, north = np.broadcast_arrays(mx - x, my - y)
        under = (abs(east) <= 8) & (north <= -12) & (north >= -20)
        return np.where(under, 108 - abs(north + 16) * 0.75, 100.0)

    seen = calculate(observer(x, y, 3.0, blocks(x, y, house)))
    turn = float(earth.convergence(x, y))
    for aside in (0, -20, 20):
        slant = math.degrees(math.atan(5 / 16 * math.cos(math.radians(aside))))
        assert seen.near[at(180 + turn + aside)] == pytest.approx(slant, abs=0.3)
    assert seen.near_distance[at(180 + turn)] == pytest.approx(16, abs=1)
    end = math.degrees(math.atan(9 / 12))  # of the wall
    assert seen.near[at(180 + turn + end + 3)] < 0.1
    assert seen.near[at(180 + turn - end - 3)] < 0.1
    assert seen.near[at(0)] < 0.05


def test_what_is_nearer_than_a_metre_and_a_half_does_not_count() -> None:
    x, y = place(*OSLO)
    x, y = math.floor(x) + 0.5, math.floor(y) + 0.5
    land = blocks(x, y, lambda mx, my: np.where((abs(mx - x) < 0.4) & (abs(my - y) < 0.4), 104.0, 100.0))
    seen = calculate(observer(x, y, 3.0, land))
    assert seen.near.max() < 0.1
    assert seen.surface_z == pytest.approx(104, abs=0.01)


def test_far_hills_sink_for_whoever_stands_higher() -> None:
    x, y = place(*OSLO)
    land = blocks(x, y, flat(100.0))
    low = calculate(observer(x, y, 1.5, land, view(5.0, 2000.0)))
    high = calculate(observer(x, y, 51.5 - 1.5, land, view(5.0, 2000.0)))
    assert low.elevation == pytest.approx(5.0, abs=1e-6)
    expected = math.degrees(math.atan(math.tan(math.radians(5)) - 48.5 / 2000))
    assert high.elevation == pytest.approx(expected, abs=1e-6)
    assert low.distance == pytest.approx(2000)
    hillside = blocks(x, y, flat(100.0), lambda mx, my: np.where(mx - x + 0 * my > 20, 130.0, 100.0))
    lat, lon = (float(value) for value in utm.inverse(x + 50, y))
    above = view(5.0, 2000.0, ground=130.0)._replace(lat=lat, lon=lon)  # the cell's centre is higher up
    from_below = calculate(observer(x, y, 1.5, hillside, above))
    assert from_below.elevation == pytest.approx(math.degrees(math.atan(math.tan(math.radians(5)) + 30 / 2000)))
    assert from_below.apart == 0


@pytest.mark.parametrize("apart", [48.0, -48.0])
def test_of_two_height_models_the_height_over_the_ground_counts(apart: float) -> None:
    for height, z in ((11.5, None), (0.0, 111.5)):
        seen = seen_on_a_plain(height, view(5.0, 2000.0, ground=100.0 - apart), z)
        assert seen.elevation == pytest.approx(math.degrees(math.atan(math.tan(math.radians(5)) - 10 / 2000)))
        assert seen.apart == pytest.approx(apart, abs=0.01)
        assert f"lies 48 m {'above' if apart > 0 else 'below'} level 1's" in said_of(seen)
    rough = seen_on_a_plain(1.5, view(5.0, 2000.0, ground=93.0))
    assert rough.elevation == pytest.approx(math.degrees(math.atan(math.tan(math.radians(5)) - 7 / 2000)))
    assert rough.apart == 0


@pytest.mark.parametrize("where", [(0.0, 99.9), (99.9, 0.0), (50.0, 50.0)])
def test_the_middle_of_level_1s_cell_is_among_the_squares(where: tuple[float, float]) -> None:
    for corner in range(0, 5200, 100):
        x, y = corner + where[0], 6_600_000 + corner + where[1]
        assert ground_at(corner + 50, 6_600_000 + corner + 50) in around(x, y)


@pytest.mark.parametrize("height", [3.0, 12.0, 50.0, 2900.0])
def test_nothing_on_land_is_seen_lower_than_the_open_sea(height: float) -> None:
    """Level 1 saw a hillock 600 m away, a little below its eye; whoever stands high looks over it."""
    sea = float(earth.sea_dip(100 + height))
    seen = seen_on_a_plain(height, view(-0.05, 600.0))
    assert seen.elevation.min() >= sea
    if height > 10:
        assert seen.elevation == pytest.approx(sea)
        assert np.isnan(seen.distance).all(), "nobody knows what it is"
        assert seen.sunk == pytest.approx(-0.05 - sea)


def test_what_stands_behind_a_bank_near_by_is_seen_over_it() -> None:
    """Level 1's eye sees a bank 400 m away at 5 degrees, and behind it a mountain 5 km away at 4.9."""
    seen = seen_on_a_plain(11.5, view(5.0, 400.0, beyond=(4.9, 5000.0)))
    expected = math.degrees(math.atan(math.tan(math.radians(4.9)) - 10 / 5000))
    assert seen.elevation == pytest.approx(expected, abs=1e-6)
    assert seen.distance == pytest.approx(5000)
    assert seen.sunk == pytest.approx(4.9 - expected, abs=1e-6)


def test_a_bank_near_by_is_the_surface_models() -> None:
    seen = seen_on_a_plain(3.0, view(30.0, 400.0, beyond=(-2.0, 600.0)))
    assert seen.near.max() < float(earth.sea_dip(103.0))  # as far as it is looked at
    assert seen.elevation == pytest.approx(float(earth.sea_dip(103.0)))


def test_hills_that_may_hide_behind_hills_are_warned_of() -> None:
    high, low = (seen_on_a_plain(height, view(5.0, 600.0)) for height in (51.5, 3.0))
    assert high.sunk > 4
    assert f"up to {high.sunk:.1f} degrees lower" in said_of(high)
    assert "degrees lower" not in said_of(low)


def test_the_higher_of_both_counts() -> None:
    x, y = place(*OSLO)
    around = Around(x, y)
    land = blocks(x, y, lambda mx, my: np.where(around.east_north(mx, my)[1] > 30, 110.0, 100.0))
    seen = calculate(observer(x, y, 3.0, land, view(4.0, 5000.0)))
    assert seen.elevation[at(0)] == seen.near[at(0)] > 10
    assert seen.near[at(180)] < 0.05
    assert seen.elevation[at(180)] == pytest.approx(4.0, abs=0.05)
    assert (seen.elevation >= seen.near).all()
    assert (seen.distance[at(0)], seen.distance[at(180)]) == (seen.near_distance[at(0)], 5000.0)


def test_the_open_sea_lies_below_who_stands_high() -> None:
    level_1 = float(earth.sea_dip(1.5))
    seen = seen_on_a_plain(50.0, view(level_1, np.nan, ground=0.0), ground=0.0)
    assert seen.elevation == pytest.approx(float(earth.sea_dip(50.0)))
    assert seen.elevation.max() < -0.1
    # of tiles that tell no distances, hills are taken as they are
    assert seen_on_a_plain(50.0, view(6.0, np.nan), ground=0.0).elevation == pytest.approx(6.0)


@pytest.mark.parametrize(("height", "z"), [(3.0, None), (0.005, None), (12.345, None), (7.0, 131.2345), (7.0, 90.0)])
def test_ground_height_and_level_agree_to_the_centimetre(height: float, z: float | None) -> None:
    x, y = place(*OSLO)
    land = blocks(x, y, flat(100.0), lambda mx, my: 100.123 + 0.3 * (mx - x) + 0.2 * (my - y))
    seen = calculate(observer(x, y, height, land, None, z))
    assert seen.ground == pytest.approx(100.12, abs=0.011)
    assert seen.height is not None
    assert round(seen.ground + seen.height, 2) == seen.z  # type: ignore[operator]
    assert seen.z == pytest.approx(z if z is not None else 100.123 + height, abs=0.011)


def test_what_the_reader_must_know() -> None:
    x, y = place(*OSLO)

    def said(dom: float, dtm: float, height: float = 3.0, z: float | None = None, far: View | None = FAR) -> str:
        land = blocks(x, y, flat(dom), flat(dtm))
        return said_of(calculate(observer(x, y, height, land, None, z)), land, far)

    assert said(100, 100) == ""
    assert said(103, 100) == ""
    assert "The surface at the point is at 108.0 m, above the observer at 103.0 m" in said(108, 100)
    assert "5.0 m below the terrain" in said(80, 100, z=95.0)
    assert "The near field (500 m) alone" in said(100, 100, far=None)
    assert "simulated" in said(100, 100, far=view(5.0, 2000.0, origin="simulated"))
    assert "not known" in said(100, math.nan, z=120.0)


def test_holes_and_years_are_warned_of() -> None:
    x, y = place(*OSLO)
    land = blocks(x, y, lambda mx, my: np.where(mx - x + 0 * my > 0, np.nan, 100.0))
    seen = calculate(observer(x, y, 3.0, land))
    assert seen.holes == pytest.approx(0.5, abs=0.01)
    assert seen.near[at(90)] == pytest.approx(float(earth.sea_dip(103.0)), abs=0.05)
    assert "lacks 50" in said_of(seen, land)
    first = next(square for square in land if square.model == "dom")
    mixed = {**land, first: land[first]._replace(year=2016)}
    assert "of several years: 2016, 2021" in said_of(seen, mixed)
    unknown = {square: block._replace(year=None) for square, block in land.items()}
    assert "does not say of what year" in said_of(seen, unknown)


def test_made_up_heights_make_up_the_answer() -> None:
    x, y = place(*OSLO)
    land = blocks(x, y, flat(100.0))

    def origin(land: dict[Square, Block], far: View | None) -> str:
        return observer(x, y, 3.0, land, far).data_origin

    assert origin(land, view(5.0, 2000.0)) == "live"
    assert origin(land, view(5.0, 2000.0, origin="simulated")) == "simulated"
    square = next(iter(land))
    assert origin({**land, square: land[square]._replace(data_origin="simulated")}, None) == "simulated"
