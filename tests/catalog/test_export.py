"""A GeoTIFF says what the tile says, the right way up."""

from datetime import timedelta

import numpy as np
import pytest
import rasterio

from catalog.export import export_cog
from tests.support.tiles import CYCLE, OSLO, WINDOW, made_up_ghi
from tests.support.tmy import BUILT, OSLO_CELL
from tiles.errors import TileCorrupt
from tiles.grid import NORWAY3KM

NOON = CYCLE + timedelta(hours=11)


@pytest.fixture
def store(everything):
    return everything


def test_a_place_of_the_picture_has_its_own_value(store, tmp_path):
    said = export_cog(store, "forecast", "ghi", NOON, tmp_path / "ghi.tif", now=CYCLE)
    assert "1 bands" in said
    with rasterio.open(tmp_path / "ghi.tif") as tif:
        assert (tif.crs.to_epsg(), tif.count, tif.shape) == (4326, 1, (501, 934))
        assert tif.overviews(1)
        assert tif.tags()["data_origin"] == "simulated"
        (at_oslo,), (at_sea,) = tif.sample([OSLO[::-1], (4.0, 57.0)])
    expected = made_up_ghi(CYCLE)[11, 97 - WINDOW[0].start, 225 - WINDOW[1].start]
    assert expected > 400
    assert at_oslo == pytest.approx(expected, abs=0.051)
    assert np.isnan(at_sea)


def test_a_variable_hour_or_folder_that_is_absent_is_named(store, tmp_path):
    for variable, hour, says in (
        ("ghi", CYCLE - timedelta(hours=1), "is not in the version"),
        ("snow", NOON, "ghi_v1"),
    ):
        with pytest.raises(KeyError, match=says):
            export_cog(store, "forecast", variable, hour, tmp_path / "x.tif", now=CYCLE)
    with pytest.raises(FileNotFoundError, match="no folder"):
        export_cog(store, "forecast", "ghi", CYCLE, tmp_path / "nowhere" / "x.tif", now=CYCLE)


def test_a_shard_that_is_gone_is_no_missing_cell(store, tmp_path):
    (shard,) = [key for key in store.keys("forecast") if key.endswith(".zarr/ghi/c/0/0/1")]
    whole = store.get(shard)
    store.delete(shard)
    with pytest.raises(TileCorrupt, match="ghi/c/0/0/1 is gone"):
        export_cog(store, "forecast", "ghi", NOON, tmp_path / "x.tif", now=CYCLE)
    store.put(shard, whole)


@pytest.mark.slow
def test_every_step_is_a_band_of_its_own_name(store, tmp_path):
    export_cog(store, "forecast", "ghi", None, tmp_path / "ghi.tif", now=CYCLE)
    with rasterio.open(tmp_path / "ghi.tif") as tif:
        assert tif.count == 66
        assert tif.descriptions[11] == "ghi 2026-06-01T11:00:00Z"
        assert tif.bounds == pytest.approx((3.985, 56.985, 32.005, 72.015))


def test_a_product_without_time_is_one_band_in_its_own_projection(tmp_path, store):
    export_cog(store, "land", "share", None, tmp_path / "land.tif", now=BUILT)
    with rasterio.open(tmp_path / "land.tif") as tif:
        assert (tif.crs.to_epsg(), tif.count, tif.descriptions) == (25833, 1, ("share",))
        x, y = NORWAY3KM.axes[1][OSLO_CELL[1]], NORWAY3KM.axes[0][OSLO_CELL[0]]
        assert [float(v[0]) for v in tif.sample([(x, y), (NORWAY3KM.x0 + 1500, NORWAY3KM.y0 + 1500)])] == [1.0, 0.0]
