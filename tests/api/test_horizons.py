"""Profiles of the terrain's horizon, as they are read: of their place, their version, and turned nowhere."""

from pathlib import Path

import numpy as np
import pytest

from api.horizons import PREPARE, Horizons
from api.published import Followed, Serving
from tests.api.conftest import MovableClock
from tests.support.horizon import (
    AZIMUTHS,
    BODO,
    OSLO,
    SIZE,
    YEAR,
    corner,
    distances,
    grounds,
    profiles,
    publish_horizon,
)
from tiles.chunked import ChunkedTile
from tiles.grid import HORIZON
from tiles.products.registry import product
from tiles.store import open_store


async def test_a_profile_is_that_of_its_cell_by_true_azimuth(tmp_path: Path) -> None:
    """Nobody turns it on the way: the hill that was written at 90 degrees is read at 90 degrees."""
    store = open_store(str(tmp_path))
    published = publish_horizon(store)
    tile = ChunkedTile(store, product("horizon"), published.manifest)
    serving = {"elevation": Serving(published, tile, tile, None)}
    horizons = Horizons(Followed(product("horizon"), PREPARE, serving=serving), MovableClock())
    for place in (OSLO, BODO):
        horizon = await horizons.at(*place)
        assert horizon is not None
        first, cell = corner(*place), HORIZON.cell_at(*place)
        expected = profiles(first)[:, cell[0] - first[0], cell[1] - first[1]]
        np.testing.assert_allclose(horizon.elevation, expected, atol=0.0011)
        assert AZIMUTHS[np.argmax(horizon.elevation)] == 90
        assert await horizons.at(*place) is horizon, "the second time from memory"
    assert horizons.version() == published.path
    assert await horizons.at(57.0, 31.9) is None, "outside the grid"


async def test_a_view_has_all_that_the_tile_knows_and_the_same_profile(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    published = publish_horizon(store)
    tile = ChunkedTile(store, product("horizon"), published.manifest)
    serving = {"elevation": Serving(published, tile, tile, None)}
    horizons = Horizons(Followed(product("horizon"), PREPARE, serving=serving), MovableClock())
    for place in (OSLO, BODO):
        horizon, view = await horizons.at(*place), await horizons.view(*place, "unreadable")
        assert horizon is not None
        assert view is not None
        np.testing.assert_array_equal(view.horizon.elevation, horizon.elevation)
        first, cell = corner(*place), HORIZON.cell_at(*place)
        inside = cell[0] - first[0], cell[1] - first[1]
        np.testing.assert_allclose(view.distance, distances(first)[:, inside[0], inside[1]], atol=1.26)
        assert view.ground == pytest.approx(grounds(first)[inside], abs=0.021)
        assert view.horizon.dtm_year == horizon.dtm_year == YEAR
        assert (view.lat, view.lon) == HORIZON.centre(cell)
        assert await horizons.view(*place, "unreadable") is view, "the second time from memory"
    assert await horizons.view(57.0, 31.9, "unreadable") is None
    assert set(map(tuple, horizons.built().tolist())) == {
        (row // SIZE, column // SIZE) for row, column in (corner(*OSLO), corner(*BODO))
    }
    assert horizons.built() is horizons.built(), "the manifest is read through once a version"


async def test_a_version_that_tells_less_is_a_horizon_all_the_same(tmp_path: Path) -> None:
    """As one of schema 1, which has elevations alone."""
    store = open_store(str(tmp_path))
    published = publish_horizon(store)
    tile = ChunkedTile(store, product("horizon"), published.manifest)
    for name in ("distance", "ground", "dtm_year"):
        del tile.manifest.variables[name]
    serving = {"elevation": Serving(published, tile, tile, None)}
    view = await Horizons(Followed(product("horizon"), PREPARE, serving=serving), MovableClock()).view(*OSLO, "-")
    assert view is not None
    assert np.isnan(view.distance).all()
    assert (view.ground, view.horizon.dtm_year) == (None, None)
    assert AZIMUTHS[np.argmax(view.horizon.elevation)] == 90


async def test_what_is_kept_is_of_this_very_place_and_version(tmp_path: Path) -> None:
    """A profile is remembered: neither the neighbour's nor the one of the version before may be taken for it."""
    store = open_store(str(tmp_path))
    followed, clock = Followed(product("horizon"), PREPARE), MovableClock()
    horizons = Horizons(followed, clock)
    first = corner(*OSLO)
    places = [HORIZON.centre((first[0] + row, first[1] + 20)) for row in (20, 21)]
    found = []
    for version, higher in (("2026-05-01T00", 0.0), ("2026-05-02T00", 5.0)):
        published = publish_horizon(store, version, higher)
        tile = ChunkedTile(store, product("horizon"), published.manifest)
        followed.serving = {"elevation": Serving(published, tile, tile, None)}
        for row, place in zip((20, 21), places, strict=True):
            horizon = await horizons.at(*place)
            assert horizon is not None
            np.testing.assert_allclose(horizon.elevation, profiles(first)[:, row, 20] + higher, atol=0.0011)
            found.append(horizon.elevation[0])
    assert len(set(found)) == 4
