"""Horizons by blocks: what goes on after a kill, what is kept, what is made anew, and what is left out."""

from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build import blocks as block_build
from dags.build.horizon import pieces as horizon_pieces
from dags.build.horizon.horizon import Horizons
from dags.build.terrain.reading import Terrain
from tests.support.context import context_of
from tests.support.terrain import YEAR, publish_terrain
from tiles.blocks import Blocks
from tiles.building import Block, Overtaken
from tiles.chunked import ChunkedTile
from tiles.errors import TileCorrupt
from tiles.grid import HORIZON, Cell
from tiles.products.horizon import BLOCK, PRODUCT
from tiles.store import Store, open_store

WEST, SOUTH = 250_000.0, 6_640_000.0
CELLS = 400  # of 50 m: 20 km
CLOCK = "2026-05-01T06:20:00Z!"
REACH = 3000.0
ROW, COLUMN = (
    -(-int((corner - first) / HORIZON.size) // BLOCK) * BLOCK
    for corner, first in ((SOUTH, HORIZON.y0), (WEST, HORIZON.x0))
)
"""The first block that lies within the land: there are two more in each direction."""


def hills(higher: float = 0.0) -> np.ndarray:
    """A range in the north, over land that rises to the east and rolls."""
    y, x = np.meshgrid(np.arange(CELLS) * 50.0, np.arange(CELLS) * 50.0, indexing="ij")
    return 50 + higher + x / 100 + 20 * np.sin(x / 900) * np.cos(y / 700) + 600 * np.exp(-(((y - 14_000) / 1500) ** 2))


def area(name: str, row: int, column: int) -> Area:
    """A small one in the middle of a block."""
    return Area(name, *HORIZON.centre((ROW + row * BLOCK + 32, COLUMN + column * BLOCK + 32)), side_km=0.2)


ONE, TWO = area("one", 0, 0), area("two", 0, 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    publish_terrain(open_store(str(tmp_path)), hills(), WEST, SOUTH)
    return tmp_path


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """The blocks that are written, in order."""
    found: list[Cell] = []
    write = Blocks.write

    def noted(self: Blocks, block: Block, *rest: object) -> None:
        write(self, block, *rest)
        found.append(block.corner)

    monkeypatch.setattr(Blocks, "write", noted)
    return found


horizons = Horizons(REACH)


def build(folder: Path, *areas: Area, clock: str = CLOCK) -> Entry:
    return horizons(context_of(folder, clock, areas))


def tile_of(folder: Path, entry: Entry) -> ChunkedTile:
    return ChunkedTile(open_store(str(folder)), PRODUCT, entry.manifest)


def value(tile: ChunkedTile, name: str, cell: Cell) -> np.ndarray:
    return PRODUCT.variable(name).unpack(tile.series(name, cell))


def test_what_is_published_is_the_land(folder: Path) -> None:
    entry = build(folder, ONE)
    assert (entry.version, entry.data_origin, entry.source) == ("2026-05-01T06", "simulated", "made_up")
    tile = tile_of(folder, entry)
    cell = ROW + 40, COLUMN + 10
    elevation, distance = value(tile, "elevation", cell), value(tile, "distance", cell)
    assert float(value(tile, "dtm_year", cell)) == YEAR
    z = hills()
    x, y = HORIZON.x0 + 100 * (cell[1] + 0.5) - WEST, HORIZON.y0 + 100 * (cell[0] + 0.5) - SOUTH
    around = z[int(y // 50) - 1 : int(y // 50) + 1, int(x // 50) - 1 : int(x // 50) + 1]
    assert float(value(tile, "ground", cell)) == pytest.approx(around.mean(), abs=0.1)
    assert np.isfinite(elevation).all()
    assert np.nanmax(distance) < 1.02 * REACH
    provenance = tile.manifest.provenance
    assert provenance["observer_height_m"] == 1.5
    assert provenance["reach_m"] == REACH
    assert provenance["terrain_version"] == "2026-04-01T00"
    assert provenance["sources"][0]["name"] == "made_up"
    assert provenance["licence"] == "none"
    assert provenance["rays"]["points"] == BLOCK * BLOCK
    assert provenance["missing_variables"] == []


def test_a_block_is_made_whole_and_no_other(folder: Path) -> None:
    tile = tile_of(folder, build(folder, ONE))
    for row, column in ((0, 0), (0, 63), (63, 0), (63, 63)):
        assert np.isfinite(value(tile, "elevation", (ROW + row, COLUMN + column))).all()
    for row, column in ((-1, 0), (0, -1), (64, 0), (0, 64)):
        assert np.isnan(value(tile, "elevation", (ROW + row, COLUMN + column))).all()


def test_a_second_build_makes_nothing(folder: Path, written: list[Cell]) -> None:
    first = build(folder, ONE)
    said: list[str] = []
    again = horizons(context_of(folder, "2026-05-03T00:00:00Z!", (ONE,), report=said.append))
    assert again == first
    assert written == [(ROW, COLUMN)]
    assert "holds all of it already" in said[0]


def test_an_area_more_keeps_what_is_there(folder: Path, written: list[Cell]) -> None:
    first = build(folder, ONE)
    second = build(folder, TWO, clock="2026-05-03T00:00:00Z!")
    assert written == [(ROW, COLUMN), (ROW, COLUMN + BLOCK)]
    assert second.version == first.version, "of the same land and code: it grows"
    before, after = tile_of(folder, first).manifest.objects, tile_of(folder, second).manifest.objects
    kept = [name for name in before if "/c/" in name]
    assert {name: before[name] for name in kept} == {name: after[name] for name in kept}
    tile = tile_of(folder, second)
    for column in (5, 69):
        assert np.isfinite(value(tile, "elevation", (ROW, COLUMN + column))).all()


def test_renewed_terrain_makes_all_anew(folder: Path, written: list[Cell]) -> None:
    first = build(folder, ONE)
    publish_terrain(open_store(str(folder)), hills(higher=100), WEST, SOUTH, version="2026-05-02T00")
    second = build(folder, TWO, clock="2026-05-03T00:00:00Z!")
    assert written == [(ROW, COLUMN), (ROW, COLUMN), (ROW, COLUMN + BLOCK)]
    assert [entry.version for entry in read_index(open_store(str(folder)), "horizon").entries] == [
        first.version, second.version,
    ]  # fmt: skip
    cell = ROW + 7, COLUMN + 9
    old, new = (float(value(tile_of(folder, entry), "ground", cell)) for entry in (first, second))
    assert new == pytest.approx(old + 100, abs=0.05)


def test_heights_beyond_the_reach_of_a_block_do_not_make_it_anew(folder: Path, written: list[Cell]) -> None:
    """20 km of land: what changes in its far north is seen from nowhere within 3 km of the first block."""
    far = area("far", 2, 0)
    first = build(folder, ONE, far)
    assert len(written) == 2
    changed = hills()
    changed[-20:] += 50
    store, north = open_store(str(folder)), SOUTH + CELLS * 50
    layers = Terrain(store).layers
    layers.append({"fingerprint": "new", "model": "new", "bounds": {"50": (WEST, north - 1000, WEST + 20_000, north)}})
    publish_terrain(store, changed, WEST, SOUTH, version="2026-05-02T00", layers=layers)
    second = build(folder, ONE, far, clock="2026-05-03T00:00:00Z!")
    assert second.version != first.version
    assert written[2:] == [(ROW + 2 * BLOCK, COLUMN)]


def test_a_killed_build_goes_on(folder: Path, written: list[Cell], monkeypatch: pytest.MonkeyPatch) -> None:
    areas = [area("all", row, column) for row in (0, 1) for column in (0, 1)]
    write, seen = Blocks.write, len(written)

    def killed(self: Blocks, block: Block, *rest: object) -> None:
        if len(written) == 2:
            raise KeyboardInterrupt
        write(self, block, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Blocks, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            build(folder, *areas)
    done = written[seen:]
    assert len(done) == 2
    assert read_index(open_store(str(folder)), "horizon").entries == ()
    entry = build(folder, *areas, clock="2026-05-01T09:00:00Z!")
    assert entry.version == "2026-05-01T06", "the hour at which it began"
    assert len(written) == 4
    assert len(set(written)) == 4
    tile = tile_of(folder, entry)
    for row, column in written:
        assert np.isfinite(value(tile, "elevation", (row + 3, column + 3))).all()


def test_the_later_of_two_builds_goes_on_alone(folder: Path) -> None:
    one, other = (context_of(folder, CLOCK, (ONE,)) for _ in range(2))
    (group,) = horizons.begin(one)
    horizons.begin(other)
    with pytest.raises(Overtaken):
        horizons.make_group(one, group)
    horizons.make_group(other, group)
    assert horizons.publish(other).version == "2026-05-01T06"
    with pytest.raises(Overtaken):
        horizons.make_group(other, group)


@pytest.mark.parametrize("late", [False, True], ids=["while it is computed", "while it is written"])
def test_horizons_published_meanwhile_are_not_lost(folder: Path, late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two begin at the turn of an hour, and the one whose clock is behind does not see the other's version."""
    asked = context_of(folder, CLOCK, (ONE,))
    (group,) = horizons.begin(asked)
    horizons.make_group(asked, group)
    prepare = block_build.prepare

    def other() -> Entry:
        monkeypatch.setattr(block_build, "prepare", prepare)
        return build(folder, TWO, clock="2026-05-01T05:59:00Z!")

    if late:
        monkeypatch.setattr(block_build, "prepare", lambda *draft, **more: (other(), prepare(*draft, **more))[1])
    else:
        other()
    with pytest.raises(ValueError, match="another horizon was published since this build began: begin it again"):
        horizons.publish(asked)
    (served,) = read_index(open_store(str(folder)), "horizon").entries
    assert served.version == "2026-05-01T05"
    tile = tile_of(folder, build(folder, ONE))
    for column in (5, BLOCK + 5):
        assert np.isfinite(value(tile, "elevation", (ROW, COLUMN + column))).all()


def test_terrain_that_changes_under_a_build_ends_it(folder: Path) -> None:
    asked = context_of(folder, CLOCK, (ONE,))
    (group,) = horizons.begin(asked)
    publish_terrain(open_store(str(folder)), hills(higher=1), WEST, SOUTH, version="2026-05-02T00")
    with pytest.raises(ValueError, match="has changed since this build began"):
        horizons.make_group(asked, group)


def test_without_terrain_it_says_what_to_build(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ValueError, match="solflis build terrain"):
        horizons.begin(context_of(tmp_path / "empty", CLOCK, (ONE,)))
    with pytest.raises(ValueError, match=r"knows no ground in these areas.*solflis build terrain"):
        horizons.begin(context_of(folder, CLOCK, (Area("Bergen", 60.39, 5.32),)))


def test_the_whole_country_is_where_there_is_ground(folder: Path) -> None:
    """20 km of land touch 4 or 5 blocks in each direction, and nothing else of 45,000 is looked at."""
    wanted = [
        corner for group in horizons.begin(context_of(folder, CLOCK)) for job in group for corner, _, _ in job["blocks"]
    ]
    rows, columns = (sorted({corner[axis] for corner in wanted}) for axis in (0, 1))
    assert len(wanted) == len(rows) * len(columns)
    assert (rows[0], columns[0]) == (ROW - BLOCK, COLUMN - BLOCK)
    assert 4 <= len(rows) <= 5


def test_damaged_terrain_is_never_a_horizon(folder: Path) -> None:
    (shard, *_) = sorted((folder / "terrain_50m").glob("*/*.zarr/top/c/*/*"))
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(TileCorrupt):
        build(folder, ONE)


@pytest.fixture
def holed(tmp_path: Path) -> tuple[Path, Store]:
    """Land with a hole of 400 m in the first block, the sea in the east, no year."""
    z = hills()
    row, column = (int((first + 100 * at - corner) / 50) for first, at, corner in (
        (HORIZON.y0, ROW + 20, SOUTH), (HORIZON.x0, COLUMN + 20, WEST)))  # fmt: skip
    z[row : row + 8, column : column + 8] = np.nan
    z[:, column + 160 :] = 0.0
    store = open_store(str(tmp_path))
    publish_terrain(store, z, WEST, SOUTH, year=None)
    return tmp_path, store


def test_a_hole_gets_no_profile_and_its_neighbours_do(holed: tuple[Path, Store]) -> None:
    folder, _ = holed
    entry = build(folder, ONE)
    tile = tile_of(folder, entry)
    for name in ("elevation", "distance", "ground"):
        assert np.isnan(value(tile, name, (ROW + 22, COLUMN + 22))).all()
    for beside in ((18, 22), (25, 22), (22, 18), (22, 25)):
        assert np.isfinite(value(tile, "elevation", (ROW + beside[0], COLUMN + beside[1]))).all()
    assert "dtm_year" not in entry.variables
    assert tile.manifest.provenance["missing_variables"] == ["dtm_year"]


def test_blocks_of_nothing_but_sea_are_left_out(holed: tuple[Path, Store]) -> None:
    folder, _ = holed
    groups = horizons.begin(context_of(folder, CLOCK))
    columns = {corner[1] for group in groups for job in group for corner, _, _ in job["blocks"]}
    assert max(columns) == COLUMN + BLOCK, "the coast lies 36 cells into it"


def test_at_the_edge_of_the_data_rays_end_and_are_counted(folder: Path) -> None:
    south = Area("edge", *HORIZON.centre((ROW - 8, COLUMN + 30)), side_km=0.2)
    tile = tile_of(folder, build(folder, south))
    first = int(np.ceil((SOUTH - HORIZON.y0) / HORIZON.size))
    there = value(tile, "elevation", (first, COLUMN + 30))
    assert np.isfinite(there).all()
    assert np.isnan(value(tile, "elevation", (first - 1, COLUMN + 30))).all()
    distance = value(tile, "distance", (first, COLUMN + 30))
    assert np.nanmax(distance[340:380]) < 500, "in the south land is known for 50 m"
    rays = tile.manifest.provenance["rays"]
    assert rays["rays_without_land"] == 0 < rays["rays_cut"] < rays["points"] * 720 / 2


def test_blocks_of_a_piece_follow_each_other_and_pieces_end_with_the_grid() -> None:
    side = horizon_pieces.PIECE * BLOCK
    every = {(row, column) for row in range(0, 900, 64) for column in range(64, 700, 64)}
    order = horizon_pieces.by_pieces(every)
    assert set(order) == every
    pieces = [piece for piece, _ in groupby(order, key=horizon_pieces.piece_of)]
    assert len(pieces) == len(set(pieces))
    for corner in order:
        whole = horizon_pieces.whole_piece(corner)
        assert whole[:2] == horizon_pieces.piece_of(corner)
        assert (whole.rows, whole.columns) == (side, side)
    last = horizon_pieces.rectangle((15_488, 11_904), (15_488, 11_904))
    assert (last.rows, last.columns) == (12, 46), "cut off at the grid's far edges"
    far = horizon_pieces.whole_piece((15_488, 11_904))
    assert (far.row + far.rows, far.column + far.columns) == (15_500, 11_950)
