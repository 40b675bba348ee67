"""The records of simulated buildings: heights and published outlines agree with them."""

from collections import Counter

import numpy as np
import pytest
import shapely

from infra.simulator.buildings.record import Building, building_at, buildings_in, objects_of, planes_of
from infra.simulator.heights import ground, surface

WEST, SOUTH = 266_000, 6_648_000  # gabled houses in the east of Oslo
HALLS = (269_500, 6_647_500, 270_700, 6_648_300)
SIZE, CELL = 500, 0.5
X, Y = (start + CELL * (np.arange(SIZE / CELL) + 0.5) for start in (WEST, SOUTH))


@pytest.fixture(scope="module")
def town() -> list[Building]:
    return buildings_in(WEST + 20, SOUTH + 20, WEST + SIZE - 20, SOUTH + SIZE - 20)


@pytest.fixture(scope="module")
def dom() -> np.ndarray:
    return surface.heights(X, Y, CELL)


def cells_in(shape: shapely.Geometry) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the cells whose centres are in a shape."""
    west, south, east, north = shape.bounds
    columns, rows = np.nonzero((west < X) & (east > X))[0], np.nonzero((south < Y) & (north > Y))[0]
    row, column = (each.ravel() for each in np.meshgrid(rows, columns, indexing="ij"))
    inside = shapely.contains_xy(shape, X[column], Y[row])
    return row[inside], column[inside]


def plane_through(corners: np.ndarray, building: Building) -> np.ndarray:
    """Return the slopes east and north and the height at the building's middle of the plane through corners."""
    about = np.column_stack([corners[:, 0] - building.x, corners[:, 1] - building.y, np.ones(len(corners))])
    found, _, rank, _ = np.linalg.lstsq(about, corners[:, 2], rcond=None)
    assert rank == 3
    np.testing.assert_allclose(about @ found, corners[:, 2], atol=1e-3)
    return np.asarray(found)


def test_planes_have_the_tilt_and_azimuth_that_their_corners_have(town: list[Building]) -> None:
    for building in town:
        planes = planes_of(building)
        assert len(planes) == {"flatt": 1, "pulttak": 1, "saltak": 2}.get(building.form, 4)
        for corners, tilt, azimuth in planes:
            east, north, _ = plane_through(corners, building)
            assert np.degrees(np.arctan(np.hypot(east, north))) == pytest.approx(tilt, abs=0.02)
            if azimuth is None:
                assert (building.form, tilt) == ("flatt", 0)
            else:
                falls = np.degrees(np.arctan2(-east, -north))
                assert abs((falls - azimuth + 180) % 360 - 180) < 0.1


def test_planes_cover_the_walls_and_half_a_metre_beyond_once(town: list[Building]) -> None:
    for building in town:
        parts = [shapely.Polygon(plane.corners[:, :2]) for plane in planes_of(building)]
        roof = shapely.union_all(parts)
        beyond = shapely.Polygon(building.walls()).buffer(building.overhang, join_style="mitre")
        assert roof.symmetric_difference(beyond).area < 0.01
        assert sum(part.area for part in parts) == pytest.approx(roof.area, abs=0.01)


def test_the_surface_is_that_of_the_planes_with_noise_of_four_centimetres(
    town: list[Building], dom: np.ndarray
) -> None:
    off = []
    for building in town:
        stands = [shapely.Polygon(one.corners) for one in objects_of(building) if one.top is not None]
        bare = shapely.union_all(stands).buffer(0.01)
        for plane in planes_of(building):
            row, column = cells_in(shapely.Polygon(plane.corners[:, :2]).buffer(-0.01).difference(bare))
            east, north, height = plane_through(plane.corners, building)
            z = height + east * (X[column] - building.x) + north * (Y[row] - building.y)
            if not building.newer:
                off.append(dom[row, column] - z)
    errors = np.concatenate(off)
    assert len(errors) > 50_000
    assert errors.std() == pytest.approx(0.04, abs=0.002)
    assert abs(errors.mean()) < 0.001
    assert np.abs(errors).max() < 0.16


def test_chimneys_dormers_and_boxes_stand_as_high_as_their_records_say(town: list[Building], dom: np.ndarray) -> None:
    seen = Counter[str]()
    for building in town:
        for kind, corners, top in objects_of(building):
            row, column = cells_in(shapely.Polygon(corners).buffer(-0.01))
            if top is not None and not building.newer:
                np.testing.assert_allclose(dom[row, column], top, atol=0.16)
                seen[kind] += bool(len(row))
    assert {"pipe", "takoppbygg", "ventilasjon"} <= set(seen)


def test_what_is_newer_than_the_surface_is_bare_ground(town: list[Building], dom: np.ndarray) -> None:
    newer = [building for building in town if building.newer]
    assert 0.02 < len(newer) / len(town) < 0.1
    dtm = ground.heights(X, Y, CELL)
    for building in newer:
        cells = cells_in(shapely.Polygon(building.walls()))
        assert np.abs(dom[cells] - dtm[cells]).max() < 21  # a tree of the garden, at most
        assert np.median(dom[cells] - dtm[cells]) == 0


def test_a_town_has_all_forms_and_things_and_each_building_its_own_number(town: list[Building]) -> None:
    assert {building.form for building in town} == {"flatt", "pulttak", "saltak", "valm", "halvvalm"}
    things = Counter(thing.kind for building in town for thing in objects_of(building))
    assert set(things) == {"pipe", "takoppbygg", "ventilasjon", "overlys", "solceller"}
    halls = buildings_in(*HALLS)
    numbers = [building.number for building in (*town, *halls)]
    assert len(set(numbers)) == len(numbers)
    assert all(len(str(number)) == 10 for number in numbers)
    large = [building for building in halls if building.code in (211, 231)]
    assert large
    assert all(building.length * building.width > 800 and building.form == "flatt" for building in large)


def test_things_on_a_roof_do_not_overlap_and_lie_within_it(town: list[Building]) -> None:
    for building in town:
        roof = shapely.Polygon(building.walls()).buffer(0.05)
        things = [shapely.Polygon(thing.corners) for thing in objects_of(building)]
        assert all(roof.contains(thing) for thing in things)
        assert sum(thing.area for thing in things) == pytest.approx(shapely.union_all(things).area, abs=1e-6)


def test_any_box_tells_the_same_of_a_building(town: list[Building]) -> None:
    for building in town[::20]:
        corners = building.outline()
        (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
        assert building in buildings_in(west + 1, south + 1, east - 1, north - 1)
        assert building_at(building.x, building.y) == building


def test_outlines_are_the_walls_a_metre_off_at_most(town: list[Building]) -> None:
    off = [float(np.hypot(*building.shift)) for building in town]
    assert max(off) <= 1
    assert 0.2 < np.mean(np.array(off) > 0) < 0.6
    for building in town:
        np.testing.assert_allclose(building.outline() - building.walls(), np.tile(building.shift, (4, 1)), atol=1e-6)
