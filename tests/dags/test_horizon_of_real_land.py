"""Horizons of the real terrain of Oslo and Finse: facts of the land, and no seams in it."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dags.areas import Area
from dags.build.horizon import horizon
from dags.build.horizon import pieces as horizon_pieces
from dags.build.horizon.block import levels_around
from dags.build.horizon.pieces import rectangle
from dags.build.terrain import terrain
from dags.build.terrain.reading import Terrain
from kernels.horizon.block import Piece
from kernels.horizon.lattice import Points
from tests.support.context import context_of
from tiles.chunked import ChunkedTile
from tiles.grid import HORIZON, Cell
from tiles.products.horizon import BLOCK, PRODUCT
from tiles.store import open_store

BYGDOY = (59.8945, 10.6720)  # its southern shore, Huk
SNAROYA = (59.8755, 10.6150)  # its southern tip, from which the fjord goes on to the south
FINSE = (60.6020, 7.5040)
PLACES = {"Bygdoy": BYGDOY, "Snaroya": SNAROYA, "Finse": FINSE}
REACH = 30_000.0
EARTH_M = 6_371_000.0


def silent(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def land(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("land")
    files = shared_data / "terrain"
    terrain.build(context_of(folder, paths=(str(files / "oslo_tin_50m_utm33.tif"),), year=2015))
    terrain.build(context_of(folder, paths=(str(files / "ASTER_Finse.tif"),)))
    return folder


@pytest.fixture(scope="module")
def tile(land: Path) -> ChunkedTile:
    areas = tuple(Area(name, *at, side_km=0.1) for name, at in PLACES.items())
    entry = horizon.Horizons(REACH)(context_of(land, areas=areas))
    assert entry.data_origin == "live"
    return ChunkedTile(open_store(str(land)), PRODUCT, entry.manifest)


def values(tile: ChunkedTile, name: str, at: tuple[float, float]) -> NDArray[np.float64]:
    return PRODUCT.variable(name).unpack(tile.series(name, HORIZON.cell_at(*at)))


def between(begin: float, end: float) -> NDArray[np.int64]:
    """Indices of directions from one to the other, clockwise, degrees."""
    return (np.arange(round(begin * 2), round(end * 2) + 1) % 720).astype(np.int64)


def test_from_the_shore_of_oslo_the_hills_rise_in_the_north_and_the_fjord_is_open(tile: ChunkedTile) -> None:
    elevation, distance = values(tile, "elevation", BYGDOY), values(tile, "distance", BYGDOY)
    hills = between(-5, 15)
    assert float(values(tile, "ground", BYGDOY)) < 5
    assert (elevation[hills] > 1.8).all()
    assert ((distance[hills] > 7_000) & (distance[hills] < 16_000)).all(), "Oslomarka, not the next house"
    assert elevation[between(-5, 15)].mean() > 4 * elevation[between(197, 212)].mean()
    fjord = between(190, 200)
    elevation, distance = values(tile, "elevation", SNAROYA), values(tile, "distance", SNAROYA)
    assert (elevation[fjord] < 0.05).all()
    assert (distance[fjord] > 4_000).all(), "where the water sinks below the horizon, and the land beyond"


def test_at_finse_the_plateau_of_the_glacier_stands_in_the_south(tile: ChunkedTile) -> None:
    elevation, distance = values(tile, "elevation", FINSE), values(tile, "distance", FINSE)
    ground = float(values(tile, "ground", FINSE))
    assert ground == pytest.approx(1210, abs=25), "the lake Finsevatnet, and the station 10 m above it"
    south = between(180, 210)
    assert (elevation[south] > 4.5).all()
    assert ((distance[south] > 4_000) & (distance[south] < 9_000)).all()
    d = distance[south]
    height = ground + d * np.tan(np.radians(elevation[south])) + 0.87 * d**2 / (2 * EARTH_M)
    assert 1_700 < np.median(height) < 1_863, "the height of Hardangerjøkulen"
    assert height.min() > ground + 300


def test_the_year_is_told_where_the_file_was_said_to_have_one(tile: ChunkedTile) -> None:
    assert float(values(tile, "dtm_year", BYGDOY)) == 2015
    assert np.isnan(values(tile, "dtm_year", FINSE))
    assert tile.manifest.provenance["source"] == "file"
    assert [source["attribution"] for source in tile.manifest.provenance["sources"]] == [
        "oslo_tin_50m_utm33.tif", "ASTER_Finse.tif",
    ]  # fmt: skip


def corner_of(at: tuple[float, float]) -> Cell:
    row, column = HORIZON.cell_at(*at)
    return row // BLOCK * BLOCK, column // BLOCK * BLOCK


def profiles(land: Path, first: Cell, last: Cell, part: tuple[slice, slice]) -> NDArray[np.float32]:
    """The elevations of a part of a rectangle of blocks, by a piece of just these."""
    place = rectangle(first, last)
    west, south, _, _ = place.bounds
    points = Points(west, south, HORIZON.size, (place.rows, place.columns))
    piece = Piece(levels_around(Terrain(open_store(str(land))), place, REACH), points, reach=REACH)
    corner, end = ((part[0].start, part[1].start), (part[0].stop, part[1].stop))
    return piece.block(corner, (end[0] - corner[0], end[1] - corner[1])).elevation


def test_a_block_is_the_same_whatever_piece_it_is_made_in(land: Path) -> None:
    row, column = corner_of(SNAROYA)
    alone = profiles(land, (row, column), (row, column), np.s_[0:16, 48:64])
    in_four = profiles(land, (row - BLOCK, column), (row, column + BLOCK), np.s_[64:80, 48:64])
    assert np.abs(alone - in_four).max() <= 0.1


def test_a_seam_between_blocks_is_no_step(land: Path) -> None:
    """Columns on both sides of it differ as columns do within a block; so do the directions that each block uses."""
    row, column = corner_of(BYGDOY)
    west = profiles(land, (row, column - BLOCK), (row, column - BLOCK), np.s_[0:64, 0:64])
    east = profiles(land, (row, column), (row, column), np.s_[0:64, 0:64])
    steps = [np.abs(a - b).mean() for a, b in (
        (west[..., 62], west[..., 63]), (west[..., 63], east[..., 0]), (east[..., 0], east[..., 1]),
    )]  # fmt: skip
    assert steps[1] < 1.2 * max(steps[0], steps[2])


def test_a_point_on_a_seam_is_seen_alike_by_both_sides(land: Path) -> None:
    """Made as the last of one block and as the first of the next, whose north is another one."""
    row, column = corner_of(BYGDOY)
    as_last = profiles(land, (row, column), (row, column), np.s_[0:64, 0:64])[..., 63]
    as_first = profiles(land, (row, column), (row, column + BLOCK), np.s_[0:64, 63:127])[..., 0]
    differ = np.abs(as_last - as_first)
    assert np.percentile(differ, 99) <= 0.1
    assert differ.mean() < 0.01


def test_pieces_are_what_is_computed_at_once(monkeypatch: pytest.MonkeyPatch, land: Path, tile: ChunkedTile) -> None:
    """The same product by other pieces, as it is stored."""
    monkeypatch.setattr(horizon_pieces, "PIECE", 1)
    asked = context_of(land, areas=(Area("Finse", *FINSE, side_km=0.1),))
    monkeypatch.setattr(horizon, "RECORD", horizon.RECORD + 1)
    entry = horizon.Horizons(REACH)(asked)
    other = ChunkedTile(open_store(str(land)), PRODUCT, entry.manifest)
    for at in PLACES.values():
        np.testing.assert_allclose(values(other, "elevation", at), values(tile, "elevation", at), atol=0.1)
