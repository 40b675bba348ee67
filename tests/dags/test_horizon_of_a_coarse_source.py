"""Horizons of a source whose grid is none of ours, against rays over its own surface in its own projection."""

from pathlib import Path

import numpy as np
import pyproj
import pytest
import rasterio

from dags.build.horizon.block import blocks_of_piece
from dags.build.horizon.pieces import Rectangle
from dags.build.terrain import terrain
from dags.build.terrain.reading import Terrain
from tests.kernels.horizon import foreign
from tests.kernels.horizon.land import FINSE
from tests.support.context import context_of
from tests.support.terrain import extents
from tiles.products.horizon import OBSERVER_M, PRODUCT
from tiles.store import open_store

REACH = 8_000.0
POINTS, SPREAD = 80, 12
"""Around the middle of the file, so that it ends nowhere within reach."""
USUAL, RARE = 0.25, 0.75
"""Degrees, 95 % and 99.9 % of the rays."""
HELD = "elevation", "ground"


@pytest.fixture(scope="module")
def file(shared_data: Path) -> Path:
    return shared_data / "terrain" / FINSE


@pytest.fixture(scope="module")
def found(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Terrain:
    store = str(tmp_path_factory.mktemp("finse"))
    terrain.build(context_of(store, paths=(str(file),)))
    return Terrain(open_store(store))


@pytest.mark.slow
def test_horizons_of_100_m_in_utm_32_are_those_of_its_own_surface(file: Path, found: Terrain) -> None:
    """Random points, none of them picked. Cells of 10 m alone round off creases: single rays are 4 degrees off then."""
    row, column = foreign.middle(file)
    place = Rectangle(row - SPREAD, column - SPREAD, 2 * SPREAD + 1, 2 * SPREAD + 1)
    (made,) = blocks_of_piece(found, place, [place[:2]], REACH)
    at = np.random.default_rng(20261122).integers(0, 2 * SPREAD + 1, (POINTS, 2))
    truths, ground = foreign.seen_from(file, [(place.row + r, place.column + c) for r, c in at], REACH, OBSERVER_M)
    ours = {name: PRODUCT.variable(name).unpack(made.packed[name])[..., at[:, 0], at[:, 1]] for name in HELD}
    np.testing.assert_allclose(ours["ground"], ground, atol=0.03)
    exact = np.array([truth.elevation for truth in truths if truth is not None and (truth.looked == REACH).all()])
    off = np.abs(ours["elevation"].T - exact)
    assert np.quantile(off, 0.95) <= USUAL
    assert np.quantile(off, 0.999) <= RARE


def test_its_finest_level_is_its_own_bilinear_surface(file: Path, found: Terrain) -> None:
    """To the packing, also where a block of 10 km ends."""
    with rasterio.open(file) as model:
        z, inverse, box = model.read(1), ~model.transform, model.bounds
    assert found.cells == (10, 50, 250)
    to_ours = pyproj.Transformer.from_crs(32632, 25833, always_xy=True)
    x, y = to_ours.transform((box.left + box.right) / 2, (box.bottom + box.top) / 2)
    ours = found.surface(10, x - 6000, y - 6000, x + 6000, y + 6000)
    assert len(extents(found, 10)) > 4
    xs, ys = np.meshgrid(
        *(first + 10 * np.arange(n) for first, n in zip((ours.x0, ours.y0), ours.z.T.shape, strict=True))
    )
    u, v = pyproj.Transformer.from_crs(25833, 32632, always_xy=True).transform(xs.ravel(), ys.ravel())
    column, row = (inverse.a * u + inverse.c - 0.5, inverse.e * v + inverse.f - 0.5)
    i, j = row.astype(int), column.astype(int)
    p, q = row - i, column - j
    exact = (z[i, j] * (1 - q) + z[i, j + 1] * q) * (1 - p) + (z[i + 1, j] * (1 - q) + z[i + 1, j + 1] * q) * p
    np.testing.assert_allclose(ours.z.ravel(), exact, atol=0.022)


def test_a_coarse_file_is_stored_in_its_own_cells(file: Path, found: Terrain) -> None:
    (own,) = found.own_grids
    with rasterio.open(file) as model:
        np.testing.assert_array_equal(own.z[:], model.read(1).astype(np.float32))
        assert (own.transform, own.crs) == (model.transform, model.crs)
