"""What a block is made of: levels that lack something, distances as they are stored, the memory of a worker."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dags.areas import Area
from dags.build.context import BuildContext
from dags.build.horizon import required_terrain as horizon_ask
from dags.build.horizon.block import ROUNDED, base_of, blocks_of_piece, filled, levels_around
from dags.build.horizon.pieces import Rectangle, rectangle
from dags.build.horizon.required_terrain import ensure_terrain
from dags.build.terrain import kartverket as terrain_kartverket
from dags.build.terrain.reading import Terrain
from kernels import utm
from kernels.horizon.levels import COARSE_FROM, MISSING, Level
from tests.support.context import context_of
from tests.support.terrain import publish_terrain
from tiles.grid import HORIZON
from tiles.products.horizon import BLOCK, PRODUCT
from tiles.store import Store, open_store

ROOT = Path(__file__).resolve().parents[2]
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


def test_a_hole_of_the_finer_level_stays_one() -> None:
    z = np.full((20, 20), 5.0)
    z[3:9, 3:9] = MISSING
    found = filled(level(z, 10), level(np.full((4, 4), 7.0), 50), smooth=True)
    np.testing.assert_array_equal(found.z == MISSING, z == MISSING)


def test_what_both_lack_stays_missing_and_what_the_coarser_lacks_is_not_smoothed_away() -> None:
    fine, coarse = np.full((20, 20), MISSING), np.full((4, 4), 7.0)
    coarse[0, :] = MISSING
    found = filled(level(fine, 10), level(coarse, 50), smooth=True)
    assert (found.z[:5] == MISSING).all()
    assert (found.z[5:] == 7).all()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path))


def test_each_level_reaches_as_far_as_it_is_looked_at(store: Store) -> None:
    publish_terrain(store, slope(10), WEST, SOUTH, cell=10)
    levels = levels_around(Terrain(store), PLACE, reach=150_000.0)
    assert [each.cell for each in levels] == [10, 50, 250]
    for each, far in zip(levels, (COARSE_FROM * 50, COARSE_FROM * 250, 150_000), strict=True):
        assert far * 1.005 <= each.margin(*PLACE.bounds) < far * 1.02 + 1000


def test_a_level_that_knows_nothing_here_is_left_out(store: Store) -> None:
    """The 10 m level exists, but lies 30 km away."""
    publish_terrain(store, slope(10), WEST, SOUTH, cell=10)
    away = Rectangle(CORNER[0] + 300, CORNER[1], BLOCK, BLOCK)
    assert [each.cell for each in levels_around(Terrain(store), away, reach=10_000.0)] == [50, 250]


def test_without_a_level_that_shows_the_ground_it_says_so() -> None:
    assert base_of([10, 50, 250]) == 50
    with pytest.raises(ValueError, match="50 m or finer"):
        base_of([250])


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


class Built:
    """Notes of what areas terrain is built for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[list[str]] = []
        monkeypatch.setattr(horizon_ask.terrain, "build", self)

    def __call__(self, context: BuildContext) -> None:
        self.names.append([area.name for area in context.areas])


def test_terrain_is_built_where_none_is_published_and_only_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    built = Built(monkeypatch)
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
    assert built.names == [["here", "away"], ["away"]]
    assert said == ["the terrain of these areas is published"] * 2


def test_the_coarse_surroundings_of_an_area_are_no_terrain_of_its_neighbour(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 km away land is known in cells of 50 m, where horizons begin with cells of 10 m."""
    built = Built(monkeypatch)
    lat, lon = 61.95, 9.2
    x, y = (float(value) for value in utm.forward(lat, lon))
    here = Area("here", lat, lon)
    (layer,) = terrain_kartverket.around([here], "http://127.0.0.1:1")
    held = {"fingerprint": "a", "model": "b", "bounds": {str(cell): box for cell, box in layer.boxes.items()}}
    west, south = (round(at / 250) * 250 - 25_000 for at in (x, y))
    publish_terrain(store, np.full((1000, 1000), 300.0), west, south, layers=[held])

    def ensure(*areas: Area) -> None:
        ensure_terrain(context_of(store, areas=areas))

    def beside(east: float, side_km: float = 12.0) -> Area:
        return Area(f"{east:.0f} m", *(float(v) for v in utm.inverse(x + east, y)), side_km)

    ensure(here, beside(20_000), beside(11_000, side_km=2), beside(16_800, side_km=2))
    assert built.names == [["20000 m", "16800 m"]], "10 m reach 6 km and 11.4 km from the first one's middle"


def test_files_side_by_side_cover_an_area_together_and_a_part_of_it_is_not_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = Built(monkeypatch)
    lat, lon = HORIZON.centre((CORNER[0] + 30, CORNER[1] + 30))
    x, y = (float(value) for value in utm.forward(lat, lon))
    area = Area("here", lat, lon, 4.0)
    halves = [{"50": (x - 2500, y - 2500, x, y + 2500)}, {"10": (x, y - 2500, x + 2100, y + 2100)}]
    for count, names in ((1, [["here"]]), (2, [])):
        layers = [{"fingerprint": str(n), "model": str(n), "bounds": bounds} for n, bounds in enumerate(halves[:count])]
        publish_terrain(store, slope(50), WEST, SOUTH, version=f"2026-04-0{count}T00", layers=layers)
        built.names.clear()
        ensure_terrain(context_of(store, areas=(area,)))
        assert built.names == names


MEASURE = """
import sys
from dags.build.horizon.block import blocks_of_piece
from dags.build.horizon.pieces import PIECE, rectangle
from dags.build.terrain.reading import Terrain
from tiles.products.horizon import BLOCK
from tiles.store import open_store
first = tuple(int(n) for n in sys.argv[2:4])
last = tuple(n + (PIECE - 1) * BLOCK for n in first)
place = rectangle(first, last)
for made in blocks_of_piece(Terrain(open_store(sys.argv[1])), place, [first], 150_000.0):
    points = made.notes["points"]
# not ru_maxrss: that is also what the process needed that this one was forked from
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(points, peak * 1024)
"""


@pytest.mark.slow
def test_a_worker_needs_two_gigabytes_at_most(tmp_path: Path, store: Store) -> None:
    """Of a whole piece with land in cells of 10 m around it, as far as it is looked at; the first block is made."""
    far = 40_000
    west, south = HORIZON.x0 + 100 * CORNER[1] - 7_250, HORIZON.y0 + 100 * CORNER[0] - 7_250
    at = np.arange(far // 10)
    publish_terrain(store, 300 + 200 * np.sin(at[:, None] / 90) * np.cos(at[None, :] / 70), west, south, cell=10)
    command = [sys.executable, "-c", MEASURE, str(tmp_path), *map(str, CORNER)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert int(told[0]) == BLOCK * BLOCK
    assert int(told[1]) <= 2 << 30
