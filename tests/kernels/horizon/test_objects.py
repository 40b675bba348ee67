"""Near objects of made-up gardens."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels import utm
from kernels.horizon.levels import MISSING, Level
from kernels.horizon.objects import NearObject, near_objects, own_roof
from kernels.horizon.rays import Profile, profile
from tests.kernels.horizon.land import NORTH

SIDE = 160
EYE = 1.5
GROUND = 100.0
NONE = np.full(720, np.nan)
KINDS = ("terreng", "bygning", "vegetasjon", "ukjent")

Floats = NDArray[np.float64]
Heights = NDArray[np.float32]


class Around(NamedTuple):
    """Objects, and the surfaces they were found in."""

    objects: tuple[NearObject, ...]
    owner: NDArray[np.int64]
    near: Profile


class Garden:
    """Flat land around a point, on which things are put; east and north of the point, m."""

    def __init__(self) -> None:
        self.dom, self.dtm = np.full((2, SIDE, SIDE), GROUND, np.float32)
        self.north, self.east = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2
        self.draw = np.random.default_rng(4)

    def house(self, east: float, north: float, length: float, width: float, turn: float = 0, height: float = 7) -> None:
        """A gable of 35 degrees whose ridge, at the height, has an azimuth."""
        along, across = self._turned(east, north, turn)
        inside = (np.abs(along) < length / 2) & (np.abs(across) < width / 2)
        self.dom[inside] = (GROUND + height - 0.7 * np.abs(across))[inside]

    def tree(self, east: float, north: float, radius: float = 3, height: float = 12) -> None:
        """A crown of twigs and gaps."""
        off = np.hypot(self.east - east, self.north - north)
        rough = GROUND + height - 0.3 * off**2 + self.draw.uniform(-4, 0, off.shape)
        self.dom = np.where(off < radius, np.maximum(rough, self.dom), self.dom).astype(np.float32)

    def bank(self, east: float, height: float) -> None:
        """Ground that rises in the east."""
        raised = np.clip((self.east - east) / 2, 0, height).astype(np.float32)
        self.dom, self.dtm = self.dom + raised, self.dtm + raised

    def _turned(self, east: float, north: float, turn: float) -> tuple[Floats, Floats]:
        s, c = np.sin(np.radians(turn)), np.cos(np.radians(turn))
        x, y = self.east - east, self.north - north
        return x * s + y * c, x * c - y * s

    def around(self, far: Floats = NONE, place: tuple[float, float] = (5e5, NORTH)) -> Around:
        """Look from the point, which lies anywhere on the map."""
        corner = place[0] - (SIDE - 1) / 2, place[1] - (SIDE - 1) / 2
        surface, ground = (Level(np.ascontiguousarray(z), *corner, 1.0) for z in (self.dom, self.dtm))
        near = profile(surface, *place, GROUND + EYE, reach=75, fan=5)
        return Around(*near_objects(near, far, *place, surface, ground), near)


def test_house_is_a_building_with_its_height_and_distance() -> None:
    garden = Garden()
    garden.house(30, 0, 12, 8)
    (house,) = garden.around().objects
    assert house.kind == "bygning"
    assert house.azimuth == pytest.approx(90, abs=0.5)
    assert house.width == pytest.approx(2 * np.degrees(np.arctan(6 / 26)), abs=2)
    assert house.distance == pytest.approx(30, abs=1)
    assert house.height == pytest.approx(7 - EYE, abs=0.4)
    assert house.elevation == pytest.approx(np.degrees(np.arctan(house.height / house.distance)), abs=0.01)


def test_row_of_trees_is_vegetation() -> None:
    garden = Garden()
    for north in range(-20, 21, 5):
        garden.tree(-25, north)
    found = garden.around()
    assert {tree.kind for tree in found.objects} == {"vegetasjon"}
    assert sum(tree.width for tree in found.objects) == pytest.approx(2 * np.degrees(np.arctan(23 / 25)), abs=6)
    assert max(tree.height for tree in found.objects) == pytest.approx(12 - EYE, abs=2)


def test_bank_is_terrain() -> None:
    garden = Garden()
    garden.bank(20, 6)
    (bank,) = garden.around().objects
    assert bank.kind == "terreng"
    assert bank.azimuth == pytest.approx(90, abs=0.5)
    assert bank.height == pytest.approx(6 - EYE, abs=0.1)


def test_mast_that_stands_alone_is_an_object_of_no_known_kind() -> None:
    garden = Garden()
    garden.dom[SIDE // 2 + 40, SIDE // 2 - 30] = GROUND + 30
    (mast,) = garden.around().objects
    assert mast.width < 3
    assert mast.kind == "ukjent"
    assert mast.distance == pytest.approx(50, abs=1.5)
    assert mast.azimuth == pytest.approx(360 - 36.5, abs=1)


def test_object_across_north_is_one() -> None:
    garden = Garden()
    garden.house(1, 25, 16, 8, turn=90)
    found = garden.around()
    (house,) = found.objects
    assert min(house.azimuth, 360 - house.azimuth) < 4
    assert found.owner[[719, 0, 1]].tolist() == [0, 0, 0]
    assert house.width == (found.owner == 0).sum() / 2


def test_what_stands_farther_away_beside_an_object_is_another() -> None:
    """A house close by covers the western half of a higher one behind it."""
    garden = Garden()
    garden.house(-5, 18, 12, 8, turn=90)
    garden.house(10, 50, 30, 10, turn=90, height=16)
    first, *rest = sorted(garden.around().objects, key=lambda o: o.distance)
    assert len(rest) == 1
    assert first.distance == pytest.approx(18, abs=2)
    assert rest[0].distance == pytest.approx(50, abs=3)
    assert (first.kind, rest[0].kind) == ("bygning", "bygning")
    assert rest[0].height == pytest.approx(16 - EYE, abs=0.5)


def test_tree_beside_a_house_is_another_object() -> None:
    garden = Garden()
    garden.house(0, -30, 14, 9, turn=90)
    garden.tree(-12, -30, radius=5)
    kinds = [o.kind for o in sorted(garden.around().objects, key=lambda o: o.azimuth)]
    assert kinds == ["bygning", "vegetasjon"]


def test_pole_before_a_house_belongs_to_the_house_and_lends_it_nothing() -> None:
    garden = Garden()
    garden.house(0, -38, 24, 9, turn=90)
    (alone,) = garden.around().objects
    garden.dom[SIDE // 2 - 25, SIDE // 2] = GROUND + 6.4
    found = garden.around()
    (house,) = found.objects
    assert found.near.elevation.max() > alone.elevation + 0.5
    assert house == alone


def test_kinds_are_told_where_the_map_s_north_is_14_degrees_off() -> None:
    """Vadsø: what lies in the wrong direction would be open ground."""
    garden = Garden()
    garden.house(30, 0, 6, 6)
    garden.tree(-25, 10, radius=4)
    found = garden.around(place=tuple(map(float, utm.forward(70.07, 29.75))))
    assert sorted(one.kind for one in found.objects) == ["bygning", "vegetasjon"]
    house = next(one for one in found.objects if one.kind == "bygning")
    assert house.azimuth == pytest.approx(90 + 14, abs=1.5)
    assert house.distance == pytest.approx(30, abs=1.5)


def test_highest_direction_of_an_object_is_where_it_is_highest() -> None:
    garden = Garden()
    garden.dom[np.hypot(garden.east, garden.north) > 20] = GROUND + 6
    garden.dom[(garden.east > 20) & (np.abs(garden.north) < 3)] = GROUND + 7
    (wall,) = garden.around().objects
    assert wall.highest == pytest.approx(90, abs=9)
    assert wall.height == pytest.approx(7 - EYE, abs=0.1)


@pytest.mark.parametrize(("tilt", "azimuth"), [(35, 180), (20, 70)])
def test_the_roof_that_a_panel_lies_on_is_no_obstacle_and_its_chimney_is(tilt: float, azimuth: float) -> None:
    """The eye is on the plane, which begins 1.5 m away and reaches 8 m up the roof, and is rough by 10 cm."""
    garden, turn = Garden(), np.radians(azimuth)
    up = -(garden.east * np.sin(turn) + garden.north * np.cos(turn))
    rise = np.tan(np.radians(tilt)) * up + garden.draw.uniform(-0.1, 0.1, up.shape)
    garden.dom = np.where((np.abs(up) < 8), GROUND + EYE + rise, GROUND).astype(np.float32)
    chimney = np.argmin(np.hypot(up - 5, garden.east * np.cos(turn) - garden.north * np.sin(turn)))
    garden.dom.flat[chimney] += 1.5
    near = garden.around().near
    own = own_roof(near, tilt, azimuth)
    assert near.elevation.max() > tilt
    behind = (azimuth + 180) % 360
    stands = np.flatnonzero((near.elevation >= 1) & ~own) / 2
    assert stands.size > 0
    assert np.abs((stands - behind + 180) % 360 - 180).max() < 15


def test_wall_all_around_is_one_object() -> None:
    garden = Garden()
    garden.dom[np.hypot(garden.east, garden.north) > 20] = GROUND + 6
    found = garden.around()
    (wall,) = found.objects
    assert (wall.width, wall.kind) == (360, "bygning")
    assert (found.owner == 0).all()


def test_only_what_stands_a_degree_over_the_land_behind_it_is_near() -> None:
    garden = Garden()
    garden.house(0, -30, 20, 9, turn=90)
    near = garden.around().near.elevation
    far = np.where(np.arange(720) < 360, near - 1.01, near - 0.99)
    found = garden.around(far)
    assert found.owner[(near > 1.5) & (np.arange(720) < 360)].tolist() == [0] * int((near[:360] > 1.5).sum())
    assert (found.owner[360:] == -1).all()


def test_nothing_near_is_no_object() -> None:
    found = Garden().around()
    assert found.objects == ()
    assert (found.owner == -1).all()


@pytest.mark.parametrize("unknown", [MISSING, None])
def test_what_stands_on_unknown_ground_is_of_no_known_kind(unknown: np.float32 | None) -> None:
    """Only that: the same house on known ground is a building."""
    garden = Garden()
    garden.house(30, 0, 12, 8)
    if unknown is not None:
        garden.dtm[:, SIDE // 2 :] = unknown
    assert garden.around().objects[0].kind == ("bygning" if unknown is None else "ukjent")


def test_ground_of_another_grid_is_refused() -> None:
    flat = np.zeros((9, 9), np.float32)
    level = Level(flat, 5e5, NORTH, 1.0)
    near = Profile(np.zeros(720), np.ones(720))
    for other in (level._replace(x0=0.0), level._replace(z=flat[1:])):
        with pytest.raises(ValueError, match="one grid"):
            near_objects(near, NONE, 5e5, NORTH, level, other)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_objects_share_out_the_directions_that_stand_over_the_rest(seed: int) -> None:
    garden, draw = Garden(), np.random.default_rng(seed)
    for _ in range(draw.integers(1, 25)):
        place = draw.uniform(-60, 60, 2)
        if np.hypot(*place) > 16:
            thing = draw.integers(0, 2)
            garden.tree(*place) if thing else garden.house(*place, 12, 8, draw.uniform(0, 180))
    far = draw.uniform(-1, 8, 720)
    found = garden.around(far)
    assert_consistent(found, found.near.elevation >= np.maximum(far, 0) + 1)


def assert_consistent(found: Around, stands: NDArray[np.bool_]) -> None:
    assert (found.owner >= 0).tolist() == stands.tolist()
    assert set(found.owner[stands]) == set(range(len(found.objects)))
    for index, thing in enumerate(found.objects):
        own = found.owner == index
        begins = np.flatnonzero(own & ~np.roll(own, 1))
        assert len(begins) == (0 if own.all() else 1), "in one piece"
        assert thing.width == own.sum() / 2
        top = round(thing.highest * 2)
        assert own[top]
        assert thing.elevation == found.near.elevation[top] <= found.near.elevation[own].max()
        assert thing.distance == found.near.distance[top]
        assert thing.kind in KINDS
        assert own[round(thing.azimuth * 2) % 720]
        if thing.width < 2 and not own.all():
            first = begins[0]
            assert not stands[first - 1]
            assert not stands[(first + own.sum()) % 720]
