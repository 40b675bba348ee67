"""Every reader of a tile gives the same numbers: ours, zarr-python, tensorstore, zarrs, xarray; on folders and S3."""

import json
import mmap
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import zarr

import catalog
from tests.support.tiles import CYCLE, OSLO, WINDOW, made_up_ghi, publish_made_up
from tiles.chunked import ChunkedTile
from tiles.errors import SchemaUnsupported, TileCorrupt
from tiles.grid import FORECAST
from tiles.hydrate import hydrate
from tiles.hydrated import HEADER, POINTS, HydratedTile
from tiles.manifest import Manifest
from tiles.product import CORRUPT, FILL
from tiles.products.registry import product
from tiles.store import open_store

FORECAST_PRODUCT = product("forecast")
GHI = FORECAST_PRODUCT.variable("ghi")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    entry = publish_made_up(store, CYCLE)
    return store, entry


@pytest.fixture(scope="module")
def reference(published):
    store, entry = published
    return zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")["ghi"][...]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "tile"


@pytest.fixture
def hydrated(published, folder):
    """Makes the test's own hydrated tile, or finds it made."""
    store, entry = published
    return lambda: hydrate(store, FORECAST_PRODUCT, entry.manifest, folder)


def cells():
    rng = np.random.default_rng(7)
    inside = [(int(rng.integers(60, 135)), int(rng.integers(190, 260))) for _ in range(30)]
    edges = [(60, 190), (134, 259), (59, 190), (60, 189), (135, 259), (0, 0), (500, 933), (127, 191), (128, 192)]
    return inside + edges


def test_what_was_written_is_what_zarr_reads(reference):
    expected = made_up_ghi(CYCLE)
    assert reference.shape == (66, 501, 934)
    outside = np.ones(FORECAST.shape, bool)
    outside[WINDOW] = False
    assert np.all(reference[:, outside] == FILL)
    np.testing.assert_allclose(reference[:, WINDOW[0], WINDOW[1]] * 0.1, expected, atol=0.0501)


def test_hydrated_points_equal_zarr(hydrated, reference):
    tile = hydrated()
    for cell in cells():
        assert np.frombuffer(tile.raw("ghi", *cell), "<u2").tolist() == reference[(slice(None), *cell)].tolist()
        expected = GHI.unpack(reference[(slice(None), *cell)])
        np.testing.assert_array_equal(tile.values("ghi", cell), expected)
        for names in (("ghi",), ("ghi", "temp_air"), ("temp_air", "ghi"), ("temp_air",)):
            assert tile.reader(*names)(*cell) == b"".join(tile.raw(name, *cell) for name in names)
    with pytest.raises(KeyError):
        tile.reader("ghi", "snow")


def test_a_file_cut_short_is_no_series(hydrated, folder):
    tile = hydrated()
    read = tile.reader("ghi", "temp_air")
    assert len(read(97, 225)) == 264  # of 396 that are read
    os.truncate(folder / POINTS, 100_000)
    with pytest.raises(TileCorrupt, match="0 of 396 bytes"):
        read(97, 225)
    with pytest.raises(TileCorrupt, match="row 98"):
        read(98, 225)
    tile.close()
    with pytest.raises(OSError, match="descriptor"):
        read(97, 225)
    with pytest.raises(TileCorrupt, match="another size"):
        HydratedTile.open(folder)


def test_chunked_points_equal_zarr(published, reference):
    store, entry = published
    tile = ChunkedTile(store, FORECAST_PRODUCT, entry.manifest, cache_bytes=200_000)
    for cell in cells() * 2:
        assert tile.series("ghi", cell).tolist() == reference[(slice(None), *cell)].tolist()
    tile.close()
    assert tile.series("ghi", (60, 190)).tolist() == reference[:, 60, 190].tolist(), "who still reads it goes on"


def read_by_tensorstore(path):
    ts = pytest.importorskip("tensorstore")
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{path}/ghi"}}
    return ts.open(spec, open=True, read=True).result().read().result()


def read_by_zarrs(path):
    pytest.importorskip("zarrs")
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
        return zarr.open_group(path, mode="r")["ghi"][...]


@pytest.mark.parametrize("read", [read_by_tensorstore, read_by_zarrs])
def test_other_libraries_read_the_same(published, reference, read):
    store, entry = published
    assert np.array_equal(read(str(store.path(entry.path))), reference)


def test_plain_xarray_opens_it(published, reference):
    xr = pytest.importorskip("xarray")
    store, entry = published
    ds = xr.open_zarr(str(store.path(entry.path)), chunks=None)
    point = ds.ghi.sel(lat=OSLO[0], lon=OSLO[1], method="nearest")
    np.testing.assert_allclose(point.values, reference[:, 97, 225] * 0.1, atol=1e-9)
    assert np.isnan(ds.ghi[:, 0, 0]).all()


def test_the_catalogue_opens_it_lazily_with_units(published):
    store, _ = published
    ds = catalog.open("forecast", store=store)
    assert ds.ghi.sizes == {"time": 66, "lat": 501, "lon": 934}
    assert ds.ghi.attrs["units"] == "W m-2"
    assert ds.ghi.attrs["standard_name"] == "surface_downwelling_shortwave_flux_in_air"
    assert ds.ghi.attrs["cell_methods"] == "time: mean"
    assert "start" in ds.time.attrs["long_name"]
    assert str(ds.time.values[0]).startswith("2026-06-01T00:00")
    assert ds.attrs["data_origin"] == "simulated"
    assert ds.temp_air.sel(lat=59.91, lon=10.75).values == pytest.approx(4.25)
    with pytest.raises(KeyError, match="2026-06-01T00"):
        catalog.open("forecast", "1999-01-01T00", store=store)


def test_a_hydrated_tile_is_made_once_and_found_again(hydrated, folder):
    hydrated().close()
    made = (folder / HEADER).stat().st_mtime_ns
    hydrated().close()
    assert (folder / HEADER).stat().st_mtime_ns == made
    assert sorted(path.name for path in folder.parent.iterdir()) == [".tile.lock", "tile"]


def flip_a_byte(path, at=3000):
    with path.open("r+b") as file:
        mmap.mmap(file.fileno(), 0)[at] ^= 0x10


def alter(folder, row, *, silently=False):
    """Change a byte of a grid row of a hydrated tile; silently as a disk does it, without a new modification time."""
    path = folder / POINTS
    before = path.stat()
    flip_a_byte(path, row * before.st_size // FORECAST.shape[0] + 1000)
    os.utime(path, ns=(0, before.st_mtime_ns if silently else before.st_mtime_ns + 1))


def test_an_altered_row_is_refused_at_its_first_reading_and_made_anew(hydrated, folder):
    tile = hydrated()
    good = tile.raw("ghi", 96, 0)
    alter(folder, 97)
    for _ in range(2):
        with pytest.raises(TileCorrupt, match="row 97"):
            tile.raw("ghi", 97, 225)
    assert "row 97" in tile.altered
    assert tile.raw("ghi", 96, 0) == good
    with pytest.raises(TileCorrupt, match="row 97"):
        HydratedTile.open(folder, check=True)
    hydrated().close()
    assert HydratedTile.open(folder, check=True).raw("ghi", 96, 0) == good


@pytest.mark.parametrize("row", [0, 97, 500])
@pytest.mark.parametrize(("silently", "checks"), [(False, 1), (True, FORECAST.shape[0])], ids=["written", "rotten"])
def test_a_row_that_was_altered_after_its_reading_is_found(hydrated, folder, row, silently, checks):
    tile = hydrated()
    tile.raw("ghi", row, 5)
    tile.recheck()
    assert tile.altered is None
    alter(folder, row, silently=silently)
    with suppress(TileCorrupt):
        for _ in range(checks):
            tile.recheck()
    assert f"row {row} " in tile.altered
    with pytest.raises(TileCorrupt, match=f"row {row} "):
        tile.raw("ghi", row, 5)


def test_what_a_killed_process_left_is_in_nobodys_way(hydrated, folder):
    hydrated().close()
    (folder / HEADER).unlink()  # half removed
    half_made = folder.with_name(".tile.k2j3h4g5")
    half_made.mkdir()
    (half_made / POINTS).write_bytes(b"1234")
    hydrated().close()
    assert sorted(path.name for path in folder.parent.iterdir()) == [".tile.lock", "tile"]


def test_a_header_that_is_json_but_no_header_is_refused(tmp_path):
    (tmp_path / HEADER).write_text("[]")
    with pytest.raises(TileCorrupt, match="cannot be read"):
        HydratedTile.open(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [Path.unlink, flip_a_byte, lambda path: flip_a_byte(path, -20), lambda path: os.truncate(path, 0)],
    ids=["deleted", "a byte of a chunk", "a byte of the index", "emptied"],
)
def test_a_damaged_shard_never_gives_a_wrong_number(reference, tmp_path, folder, damage, caplog):
    store = open_store(str(tmp_path / "tiles"))
    entry = publish_made_up(store, CYCLE)
    damage(store.path(entry.path) / "ghi/c/0/0/1")
    tile = hydrate(store, FORECAST_PRODUCT, entry.manifest, folder)
    inside, elsewhere = (70, 200), (130, 200)
    assert np.all(np.frombuffer(tile.raw("ghi", *inside), "<u2") == CORRUPT)
    with pytest.raises(TileCorrupt, match="checksum"):
        tile.values("ghi", inside)
    assert tile.raw("ghi", *elsewhere) == reference[(slice(None), *elsewhere)].tobytes()
    assert tile.raw("temp_air", *inside) == (np.full(66, round((4.25 + 100) / 0.01), "<u2")).tobytes()
    assert "ghi/c/0/0/1" in caplog.text
    (said,) = tile.damaged
    assert "ghi/c/0/0/1" in said

    chunked, read = ChunkedTile(store, FORECAST_PRODUCT, entry.manifest), []
    places = [(i, j) for i in (60, 64, 80, 96, 112) for j in (190, 192, 208, 224, 240)]
    for i, j in places:
        with suppress(TileCorrupt):
            read.append(chunked.series("ghi", (i, j)).tolist() == reference[:, i, j].tolist())
    assert all(read)
    assert len(read) < len(places)


def test_a_version_of_a_foreign_schema_is_refused(published, folder):
    store, entry = published
    values = json.loads(store.get(entry.manifest))
    key = "forecast/foreign.manifest.json"
    store.put(key, Manifest(**{**values, "schema": 7}).to_bytes())
    with pytest.raises(SchemaUnsupported, match="schema 7"):
        hydrate(store, FORECAST_PRODUCT, key, folder)
    with pytest.raises(SchemaUnsupported, match="schema 7"):
        ChunkedTile(store, FORECAST_PRODUCT, key)


def test_a_missing_manifest_is_corruption(published, folder):
    store, _ = published
    with pytest.raises(TileCorrupt, match=r"forecast/none\.json"):
        hydrate(store, FORECAST_PRODUCT, "forecast/none.json", folder)
