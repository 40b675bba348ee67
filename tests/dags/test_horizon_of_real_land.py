"""Horizons of the real terrain of Oslo and Finse: facts of the land, and rays over the surface of its own source."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from catalog.versions import Entry
from dags.areas import Area
from dags.build.horizon import horizon
from dags.build.horizon.block import blocks_of_piece
from dags.build.horizon.pieces import Rectangle
from dags.build.terrain.reading import Terrain
from tests.kernels.horizon import foreign
from tests.kernels.horizon.land import FINSE as LAND_OF_FINSE
from tests.support.context import context_of
from tiles.chunked import ChunkedTile
from tiles.grid import HORIZON
from tiles.products.horizon import OBSERVER_M, PRODUCT
from tiles.store import Store

BYGDOY = (59.8945, 10.6720)  # its southern shore, Huk
SNAROYA = (59.8755, 10.6150)  # its southern tip, from which the fjord goes on to the south
FINSE = (60.6020, 7.5040)
PLACES = {"Bygdoy": BYGDOY, "Snaroya": SNAROYA, "Finse": FINSE}
REACH = 30_000.0
EARTH_M = 6_371_000.0
CLOCK = "2026-06-22T00:00:00Z!"


@pytest.fixture(scope="module")
def tile(real_terrain: tuple[Store, Entry]) -> ChunkedTile:
    areas = tuple(Area(name, *at, side_km=0.1) for name, at in PLACES.items())
    entry = horizon.Horizons(REACH)(context_of(real_terrain[0], CLOCK, areas))
    assert entry.data_origin == "live"
    return ChunkedTile(real_terrain[0], PRODUCT, entry.manifest)


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


@pytest.mark.slow
def test_horizons_of_100_m_in_utm_32_are_those_of_its_own_surface(
    shared_data: Path, real_terrain: tuple[Store, Entry]
) -> None:
    """Random points, none of them picked. Cells of 10 m alone round off creases: single rays are 4 degrees off then."""
    file, points, spread, reach = shared_data / "terrain" / LAND_OF_FINSE, 80, 12, 8000.0
    row, column = foreign.middle(file)  # so that the file ends nowhere within reach
    place = Rectangle(row - spread, column - spread, 2 * spread + 1, 2 * spread + 1)
    (made,) = blocks_of_piece(Terrain(real_terrain[0]), place, [place[:2]], reach)
    at = np.random.default_rng(20261122).integers(0, 2 * spread + 1, (points, 2))
    truths, ground = foreign.seen_from(file, [(place.row + r, place.column + c) for r, c in at], reach, OBSERVER_M)
    ours = {n: PRODUCT.variable(n).unpack(made.packed[n])[..., at[:, 0], at[:, 1]] for n in ("elevation", "ground")}
    np.testing.assert_allclose(ours["ground"], ground, atol=0.03)
    exact = np.array([truth.elevation for truth in truths if truth is not None and (truth.looked == reach).all()])
    off = np.abs(ours["elevation"].T - exact)
    assert np.quantile(off, 0.95) <= 0.25
    assert np.quantile(off, 0.999) <= 0.75
