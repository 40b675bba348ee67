"""What a block of horizons is made of: levels, a coarse source in its own cells, distances, and required terrain."""

from typing import Any

import numpy as np
import pyproj
import pytest
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS

from dags.areas import Area
from dags.build.horizon import required_terrain as horizon_ask
from dags.build.horizon.block import ROUNDED, blocks_of_piece, filled, levels_around
from dags.build.horizon.coarse_source import own_surfaces
from dags.build.horizon.pieces import Rectangle, rectangle
from dags.build.horizon.required_terrain import ensure_terrain
from dags.build.terrain import kartverket as terrain_kartverket
from dags.build.terrain.own_grid import OwnGrid
from dags.build.terrain.reading import Terrain
from kernels import utm
from kernels.horizon.lattice import Points
from kernels.horizon.levels import COARSE_FROM, MISSING, Level
from tests.kernels.horizon.land import bilinear, fractal
from tests.support.context import context_of
from tests.support.terrain import publish_terrain
from tiles.grid import HORIZON
from tiles.products.horizon import BLOCK, PRODUCT
from tiles.store import Store

CORNER = (1920, 3264)
PLACE = rectangle(CORNER, CORNER)
WEST, SOUTH = HORIZON.x0 + 100 * (CORNER[1] - 40), HORIZON.y0 + 100 * (CORNER[0] - 40)
SIDE = 14_500


def slope(cell: int) -> NDArray[np.float64]:
    """A plane that rises to the north-east, 4 km beyond the block on every side."""
    at = (np.arange(SIDE // cell) + 0.5) * cell
    return 100 + at[None, :] / 50 + at[:, None] / 100


def level(z: NDArray[np.floating], cell: float, first: float = 0.0) -> Level:
    """A level whose first cell's corner is at `first`, in both directions."""
    return Level(z.astype(np.float32), first + cell / 2, first + cell / 2, cell)


def test_what_only_a_coarser_level_knows_is_filled_in_smoothly() -> None:
    """A plane stays a plane; the step of 50 m that whole cells would make is gone."""
    coarse_at = 50 * (np.arange(12) + 0.5) - 100
    coarse = level(coarse_at[None, :] / 10 + coarse_at[:, None] / 20, 50, first=-100)
    fine_at = 10 * (np.arange(40) + 0.5)
    plane = fine_at[None, :] / 10 + fine_at[:, None] / 20
    z = plane.copy()
    z[:, 20:] = MISSING
    found = filled(level(z, 10), coarse, smooth=True)
    np.testing.assert_allclose(found.z, plane, atol=1e-3)
    steps = filled(level(z, 10), coarse)
    assert np.abs(steps.z - plane).max() == pytest.approx(3, abs=0.1), "the corner of a cell: 20 m by 0.1 and 0.05"


def test_each_level_reaches_as_far_as_it_is_looked_at(store: Store) -> None:
    publish_terrain(store, slope(10), WEST, SOUTH, cell=10)
    levels = levels_around(Terrain(store), PLACE, reach=150_000.0)
    assert [each.cell for each in levels] == [10, 50, 250]
    for each, far in zip(levels, (COARSE_FROM * 50, COARSE_FROM * 250, 150_000), strict=True):
        assert far * 1.005 <= each.margin(*PLACE.bounds) < far * 1.02 + 1000
    away = Rectangle(CORNER[0] + 300, CORNER[1], BLOCK, BLOCK)
    cells = [each.cell for each in levels_around(Terrain(store), away, reach=10_000.0)]
    assert cells == [50, 250], "the level of 10 m lies 30 km away"


def test_distances_are_stored_within_a_per_cent_and_compress() -> None:
    metres = np.geomspace(100, 155_000, 5000)
    variable = PRODUCT.variable("distance")
    packed = ROUNDED[variable.pack(metres)]
    off = np.abs(variable.unpack(packed) / metres - 1)
    assert off.max() < 0.0125
    assert off[metres > 600].max() < 0.01
    assert len(np.unique(packed)) < 700, "of 62,000"
    assert np.isnan(variable.unpack(ROUNDED[variable.pack(np.array([np.nan, 1.0]))])).tolist() == [True, False]


def test_on_a_slope_the_horizon_is_the_slope(store: Store) -> None:
    """To the north-east it rises as the land does; the grid's north is 4 degrees off true north here."""
    publish_terrain(store, slope(50), WEST, SOUTH)
    (made,) = blocks_of_piece(Terrain(store), PLACE, [CORNER], reach=3000.0)
    profile = PRODUCT.variable("elevation").unpack(made.packed["elevation"])[:, 32, 32]
    lat, lon = HORIZON.centre((CORNER[0] + 32, CORNER[1] + 32))
    steepest = np.degrees(np.arctan2(2, 1)) + float(utm.grid_convergence(lat, lon))
    above = np.flatnonzero(profile > 0.8 * profile.max()) / 2
    assert above.mean() == pytest.approx(steepest, abs=0.5)
    assert profile.max() == pytest.approx(np.degrees(np.arctan(np.hypot(1 / 50, 1 / 100))), abs=0.05)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Names of the areas that terrain is built for."""
    names: list[list[str]] = []
    monkeypatch.setattr(horizon_ask.terrain, "build", lambda context: names.append([a.name for a in context.areas]))
    return names


def test_terrain_is_built_where_none_is_published_and_only_there(store: Store, built: list[list[str]]) -> None:
    lat, lon = HORIZON.centre((CORNER[0] + 30, CORNER[1] + 30))
    here, away = Area("here", lat, lon), Area("away", lat + 2, lon)
    said: list[str] = []

    def ensure(*areas: Area) -> None:
        ensure_terrain(context_of(store, areas=areas, report=said.append))

    ensure(here, away)
    publish_terrain(store, slope(50), WEST, SOUTH)
    ensure(here, away)
    ensure(here)
    ensure()
    assert built == [["here", "away"], ["away"]]
    assert said == ["the terrain of these areas is published"] * 2


def test_the_coarse_surroundings_of_an_area_are_no_terrain_of_its_neighbour(
    store: Store, built: list[list[str]]
) -> None:
    """20 km away land is known in cells of 50 m, where horizons begin with cells of 10 m."""
    lat, lon = 61.95, 9.2
    x, y = (float(value) for value in utm.forward(lat, lon))
    here = Area("here", lat, lon)
    (layer,) = terrain_kartverket.around([here], "http://127.0.0.1:1")
    held = {"fingerprint": "a", "model": "b", "bounds": {str(cell): box for cell, box in layer.boxes.items()}}
    west, south = (round(at / 250) * 250 - 25_000 for at in (x, y))
    publish_terrain(store, np.full((1000, 1000), 300.0), west, south, layers=[held])

    def beside(east: float, side_km: float = 12.0) -> Area:
        return Area(f"{east:.0f} m", *(float(v) for v in utm.inverse(x + east, y)), side_km)

    areas = here, beside(20_000), beside(11_000, side_km=2), beside(16_800, side_km=2)
    ensure_terrain(context_of(store, areas=areas))
    assert built == [["20000 m", "16800 m"]], "10 m reach 6 km and 11.4 km from the first one's middle"


def test_files_side_by_side_cover_an_area_together_and_a_part_of_it_is_not_all(
    store: Store, built: list[list[str]]
) -> None:
    lat, lon = HORIZON.centre((CORNER[0] + 30, CORNER[1] + 30))
    x, y = (float(value) for value in utm.forward(lat, lon))
    area = Area("here", lat, lon, 4.0)
    halves = [{"50": (x - 2500, y - 2500, x, y + 2500)}, {"10": (x, y - 2500, x + 2100, y + 2100)}]
    for count, names in ((1, [["here"]]), (2, [])):
        layers = [{"fingerprint": str(n), "model": str(n), "bounds": bounds} for n, bounds in enumerate(halves[:count])]
        publish_terrain(store, slope(50), WEST, SOUTH, version=f"2026-04-0{count}T00", layers=layers)
        built.clear()
        ensure_terrain(context_of(store, areas=(area,)))
        assert built == names


POINTS = Points(90_050.0, 6_740_050.0, 100.0, (20, 20))
SCALE = 0.04


def model_of(
    size: float, turn: float = 0, shape: tuple[int, int] = (110, 130), node: tuple[float, float] = (-65.3, -55.2)
) -> tuple[OwnGrid, Level]:
    """A model in UTM 32 around the points, and its bilinear surface each 10 m, as it is packed."""
    to_theirs = pyproj.Transformer.from_crs(25833, 25832, always_xy=True)
    u, v = to_theirs.transform(91_000, 6_741_000)
    z = fractal(shape, 8, size, 0.4) + np.float32(900)
    transform = Affine.translation(u, v) @ Affine.rotation(turn) @ Affine.scale(size, -size)
    transform = transform @ Affine.translation(*node)
    inverse = ~transform
    u, v = to_theirs.transform(*np.meshgrid(88_505 + 10.0 * np.arange(520), 6_738_505 + 10.0 * np.arange(520)))
    column = inverse.a * u + inverse.b * v + inverse.c - 0.5
    row = inverse.d * u + inverse.e * v + inverse.f - 0.5
    there = (row >= 0) & (column >= 0) & (row < z.shape[0] - 1) & (column < z.shape[1] - 1)
    found = bilinear(z, np.where(there, row, 0.0), np.where(there, column, 0.0))
    packed = (np.rint(found / SCALE) * SCALE).astype(np.float32)
    level = Level(np.where(there, packed, MISSING), 88_505.0, 6_738_505.0, 10.0)
    return OwnGrid(z, transform, CRS.from_epsg(25832)), level


@pytest.fixture(scope="module")
def model() -> tuple[OwnGrid, Level]:
    return model_of(100.0)


FAR = {"shape": (50, 220), "node": (-190, -25)}  # the far corner of a long grid


@pytest.mark.parametrize(
    ("size", "turn", "more"),
    [(40, 0, {}), (40, 45, {}), (47, 3, {}), (50, 60, {}), (100, 25, {}), (137, 0, {}), (100, 0, FAR)],
)
def test_all_points_of_a_piece_stand_where_they_should_however_it_is_turned(
    size: float, turn: float, more: dict[str, Any]
) -> None:
    """Else a point would see something else from the piece beside."""
    model, level = model_of(size, turn, **more)
    (own,) = own_surfaces([model], level, POINTS)
    # each point lies between four of the level's; where a crease does too, these are off
    around = [level.z[154 + i : 346 + i : 10, 154 + j : 346 + j : 10] for i in (0, 1) for j in (0, 1)]
    assert np.quantile(np.abs(own.ground() - np.mean(around, axis=0)), 0.5) < 0.1


def test_where_the_level_is_of_something_else_it_counts(model: tuple[OwnGrid, Level]) -> None:
    own, level = model
    z10 = level.z.copy()
    # a hole; and half of the points stand on heights of another source, one metre off and rough
    z10[50:62, 250:262] = MISSING
    z10[255:, 255:] += np.random.default_rng(1).normal(1, 0.3, z10[255:, 255:].shape).astype(np.float32)
    ((ground),) = (found.ground() for found in own_surfaces([own], level._replace(z=z10), POINTS))
    # the first point east and north of them stands in row and column 10
    assert np.isnan(ground[8:, 8:]).all()
    assert not np.isnan(ground[:6]).any()
    assert not np.isnan(ground[:, :6]).any()


def test_what_does_not_fit_or_is_not_there_is_left_out(model: tuple[OwnGrid, Level]) -> None:
    own, level = model
    elsewhere, shifted = (OwnGrid(own.z, own.transform @ Affine.translation(by, 0), own.crs) for by in (500, 0.3))
    assert len(own_surfaces([own, elsewhere, shifted], level, POINTS)) == 1
    rough = level.z + np.random.default_rng(2).normal(0, 0.03, level.z.shape).astype(np.float32)
    assert own_surfaces([own], level._replace(z=rough), POINTS) == []
    assert own_surfaces([own], level._replace(cell=50.0), POINTS) == [], "a coarser level has none"
