"""Horizons of what terrain is published: the land's own, by blocks, with holes and the sea left out."""

from pathlib import Path

import numpy as np
import pytest

from catalog.versions import Entry
from dags.areas import Area
from dags.build.horizon import pieces
from dags.build.horizon.horizon import Horizons
from dags.build.terrain.reading import Terrain
from tests.support.context import context_of
from tests.support.terrain import YEAR, publish_terrain
from tiles.chunked import ChunkedTile
from tiles.errors import TileCorrupt
from tiles.grid import HORIZON, Cell
from tiles.products.horizon import BLOCK, PRODUCT
from tiles.store import open_store

WEST, SOUTH = 250_000.0, 6_640_000.0
CELLS = 400  # of 50 m: 20 km
CLOCK, LATER = "2026-05-01T06:20:00Z!", "2026-05-03T00:00:00Z!"
REACH = 3000.0
ROW, COLUMN = (
    -(-int((corner - first) / HORIZON.size) // BLOCK) * BLOCK
    for corner, first in ((SOUTH, HORIZON.y0), (WEST, HORIZON.x0))
)
"""The first block that lies within the land: there are two more in each direction."""
horizons = Horizons(REACH)


def hills(higher: float = 0.0) -> np.ndarray:
    """A range in the north, over land that rises to the east and rolls."""
    y, x = np.meshgrid(np.arange(CELLS) * 50.0, np.arange(CELLS) * 50.0, indexing="ij")
    return 50 + higher + x / 100 + 20 * np.sin(x / 900) * np.cos(y / 700) + 600 * np.exp(-(((y - 14_000) / 1500) ** 2))


def area(name: str, row: int, column: int) -> Area:
    """A small one in the middle of a block."""
    return Area(name, *HORIZON.centre((ROW + row * BLOCK + 32, COLUMN + column * BLOCK + 32)), side_km=0.2)


ONE = area("one", 0, 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    publish_terrain(open_store(str(tmp_path)), hills(), WEST, SOUTH)
    return tmp_path


def build(folder: Path, *areas: Area, clock: str = CLOCK) -> tuple[Entry, str]:
    """The version, and what was reported."""
    said: list[str] = []
    return horizons(context_of(folder, clock, areas, report=said.append)), "\n".join(said)


def tile_of(folder: Path, entry: Entry) -> ChunkedTile:
    return ChunkedTile(open_store(str(folder)), PRODUCT, entry.manifest)


def value(tile: ChunkedTile, name: str, cell: Cell) -> np.ndarray:
    return PRODUCT.variable(name).unpack(tile.series(name, cell))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> ChunkedTile:
    """A block within the land, and one at its southern edge."""
    folder = tmp_path_factory.mktemp("built")
    publish_terrain(open_store(str(folder)), hills(), WEST, SOUTH)
    south = Area("edge", *HORIZON.centre((ROW - 8, COLUMN + 30)), side_km=0.2)
    entry, _ = build(folder, ONE, south)
    assert (entry.version, entry.data_origin, entry.source) == ("2026-05-01T06", "simulated", "made_up")
    return tile_of(folder, entry)


def test_what_is_published_is_the_land(built: ChunkedTile) -> None:
    cell = ROW + 40, COLUMN + 10
    assert float(value(built, "dtm_year", cell)) == YEAR
    z = hills()
    x, y = HORIZON.x0 + 100 * (cell[1] + 0.5) - WEST, HORIZON.y0 + 100 * (cell[0] + 0.5) - SOUTH
    around = z[int(y // 50) - 1 : int(y // 50) + 1, int(x // 50) - 1 : int(x // 50) + 1]
    assert float(value(built, "ground", cell)) == pytest.approx(around.mean(), abs=0.1)
    assert np.isfinite(value(built, "elevation", cell)).all()
    assert np.nanmax(value(built, "distance", cell)) < 1.02 * REACH
    said = built.manifest.provenance
    assert (said["observer_height_m"], said["reach_m"], said["terrain_version"]) == (1.5, REACH, "2026-04-01T00")
    assert (said["sources"][0]["name"], said["licence"], said["missing_variables"]) == ("made_up", "none", [])


def test_a_block_is_made_whole_and_no_other(built: ChunkedTile) -> None:
    for row, column, there in ((0, 0, True), (63, 63, True), (0, -1, False), (64, 0, False), (0, 64, False)):
        found = np.isfinite(value(built, "elevation", (ROW + row, COLUMN + column)))
        assert (found == there).all()


def test_at_the_edge_of_the_data_rays_end_and_are_counted(built: ChunkedTile) -> None:
    first = int(np.ceil((SOUTH - HORIZON.y0) / HORIZON.size))
    assert np.isfinite(value(built, "elevation", (first, COLUMN + 30))).all()
    assert np.isnan(value(built, "elevation", (first - 1, COLUMN + 30))).all()
    distance = value(built, "distance", (first, COLUMN + 30))
    assert np.nanmax(distance[340:380]) < 500, "in the south land is known for 50 m"
    rays = built.manifest.provenance["rays"]
    assert rays["rays_without_land"] == 0 < rays["rays_cut"] < rays["points"] * 720 / 2


def test_heights_beyond_the_reach_of_a_block_do_not_make_it_anew(folder: Path) -> None:
    """20 km of land: what changes in its far north is seen from nowhere within 3 km of the first block."""
    far = area("far", 2, 0)
    first, _ = build(folder, ONE, far)
    changed = hills()
    changed[-20:] += 50
    store, north = open_store(str(folder)), SOUTH + CELLS * 50
    layers = Terrain(store).layers
    layers.append({"fingerprint": "new", "model": "new", "bounds": {"50": (WEST, north - 1000, WEST + 20_000, north)}})
    publish_terrain(store, changed, WEST, SOUTH, version="2026-05-02T00", layers=layers)
    second, said = build(folder, ONE, far, clock=LATER)
    assert second.version != first.version
    assert "2 blocks, 1 of them are done" in said


def test_without_terrain_it_says_what_to_build(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ValueError, match="solflis build terrain"):
        horizons.begin(context_of(tmp_path / "empty", CLOCK, (ONE,)))
    with pytest.raises(ValueError, match=r"knows no ground in these areas.*solflis build terrain"):
        horizons.begin(context_of(folder, CLOCK, (Area("Bergen", 60.39, 5.32),)))


def wanted(folder: Path) -> set[Cell]:
    """The blocks of the whole country."""
    groups = horizons.begin(context_of(folder, CLOCK))
    return {corner for group in groups for job in group for corner, _, _ in job["blocks"]}


def test_the_whole_country_is_where_there_is_ground(folder: Path) -> None:
    """20 km of land touch 4 or 5 blocks in each direction, and nothing else of 45,000 is looked at."""
    blocks = wanted(folder)
    rows, columns = (sorted({corner[axis] for corner in blocks}) for axis in (0, 1))
    assert len(blocks) == len(rows) * len(columns)
    assert (rows[0], columns[0]) == (ROW - BLOCK, COLUMN - BLOCK)
    assert 4 <= len(rows) <= 5


def test_damaged_terrain_is_never_a_horizon(folder: Path) -> None:
    (shard, *_) = sorted((folder / "terrain_50m").glob("*/*.zarr/top/c/*/*"))
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(TileCorrupt):
        build(folder, ONE)


def test_holes_and_the_sea_get_no_profile(tmp_path: Path) -> None:
    """A hole of 400 m in the first block, the sea in the east, no year."""
    z = hills()
    row, column = (int((first + 100 * at - corner) / 50) for first, at, corner in (
        (HORIZON.y0, ROW + 20, SOUTH), (HORIZON.x0, COLUMN + 20, WEST)))  # fmt: skip
    z[row : row + 8, column : column + 8] = np.nan
    z[:, column + 160 :] = 0.0
    publish_terrain(open_store(str(tmp_path)), z, WEST, SOUTH, year=None)
    assert max(column for _, column in wanted(tmp_path)) == COLUMN + BLOCK, "the coast lies 36 cells into it"
    entry, _ = build(tmp_path, ONE)
    tile = tile_of(tmp_path, entry)
    for name in ("elevation", "distance", "ground"):
        assert np.isnan(value(tile, name, (ROW + 22, COLUMN + 22))).all()
    for beside in ((18, 22), (25, 22), (22, 18), (22, 25)):
        assert np.isfinite(value(tile, "elevation", (ROW + beside[0], COLUMN + beside[1]))).all()
    assert tile.manifest.provenance["missing_variables"] == ["dtm_year"]


def test_pieces_end_with_the_grid() -> None:
    last = pieces.rectangle((15_488, 11_904), (15_488, 11_904))
    assert (last.rows, last.columns) == (12, 46), "cut off at the grid's far edges"
    far = pieces.whole_piece((15_488, 11_904))
    assert (far.row + far.rows, far.column + far.columns) == (15_500, 11_950)
