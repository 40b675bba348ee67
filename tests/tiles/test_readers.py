"""Every reader of a tile gives the same numbers: ours, zarr-python, tensorstore, zarrs, xarray; on folders and S3."""

import json

import numpy as np
import pytest
import zarr

import catalog
from tests.support.tiles import CYCLE, OSLO, WINDOW, made_up_ghi, publish_made_up
from tiles.chunked import ChunkedTile
from tiles.errors import SchemaUnsupported, TileCorrupt
from tiles.grid import FORECAST
from tiles.hydrate import hydrate
from tiles.hydrated import POINTS, HydratedTile, hydrated_dir
from tiles.manifest import Manifest
from tiles.product import CORRUPT, FILL
from tiles.products.registry import product
from tiles.store import open_store

FORECAST_PRODUCT = product("forecast")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    entry = publish_made_up(store, CYCLE)
    return store, entry


@pytest.fixture(scope="module")
def reference(published):
    store, entry = published
    return zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")["ghi"][...]


@pytest.fixture(scope="module")
def tile(published, tmp_path_factory):
    store, entry = published
    state = tmp_path_factory.mktemp("state")
    return hydrate(store, FORECAST_PRODUCT, entry.manifest, hydrated_dir(state, entry.path))


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


@pytest.mark.parametrize("cell", cells())
def test_hydrated_points_equal_zarr(tile, reference, cell):
    assert np.frombuffer(tile.raw("ghi", *cell), "<u2").tolist() == reference[(slice(None), *cell)].tolist()


@pytest.mark.parametrize("names", [("ghi",), ("ghi", "temp_air"), ("temp_air", "ghi"), ("temp_air",)])
def test_series_of_a_point_are_read_together(tile, names):
    read = tile.reader(*names)
    for cell in cells():
        assert read(*cell) == b"".join(tile.raw(name, *cell) for name in names)
    with pytest.raises(KeyError):
        tile.reader("ghi", "snow")


def test_a_file_cut_short_is_no_series(published, tmp_path):
    store, entry = published
    tile = hydrate(store, FORECAST_PRODUCT, entry.manifest, tmp_path / "tile")
    with (tmp_path / "tile" / POINTS).open("r+b") as file:
        file.truncate(100_000)
    read = tile.reader("ghi", "temp_air")
    assert len(read(0, 5)) == 264  # of 396 that are read
    with pytest.raises(TileCorrupt, match="0 of 396 bytes"):
        read(97, 225)
    tile.close()
    with pytest.raises(OSError, match="descriptor"):
        read(0, 5)


def test_chunked_points_equal_zarr(published, reference):
    store, entry = published
    tile = ChunkedTile(store, FORECAST_PRODUCT, entry.manifest, cache_bytes=200_000)
    for cell in cells() * 2:
        assert tile.series("ghi", cell).tolist() == reference[(slice(None), *cell)].tolist()
    assert 100_000 < sum(kept.nbytes for kept in tile._cache.values()) <= 200_000


def test_tensorstore_reads_the_same(published, reference):
    ts = pytest.importorskip("tensorstore")
    store, entry = published
    array = ts.open(
        {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(store.path(entry.path) / "ghi")}},
        open=True,
        read=True,
    ).result()
    assert np.array_equal(array.read().result(), reference)


def test_zarrs_reads_the_same(published, reference):
    pytest.importorskip("zarrs")
    store, entry = published
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
        group = zarr.open_group(str(store.path(entry.path)), mode="r")
        assert np.array_equal(group["ghi"][...], reference)


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
    with pytest.raises(KeyError, match=r"correction, .*forecast"):
        catalog.open("nonsense", store=store)


def test_a_hydrated_tile_is_made_once_and_found_again(published, tmp_path):
    store, entry = published
    folder = tmp_path / "tile"
    hydrate(store, FORECAST_PRODUCT, entry.manifest, folder).close()
    made = (folder / "tile.json").stat().st_mtime_ns
    hydrate(store, FORECAST_PRODUCT, entry.manifest, folder).close()
    assert (folder / "tile.json").stat().st_mtime_ns == made
    assert [p.name for p in tmp_path.iterdir() if p.name != "tile"] == [".tile.lock"]


def test_an_altered_hydrated_file_is_refused_and_made_anew(published, tmp_path):
    store, entry = published
    folder = tmp_path / "tile"
    hydrate(store, FORECAST_PRODUCT, entry.manifest, folder).close()
    with (folder / POINTS).open("r+b") as file:
        file.seek(12345)
        file.write(b"\x07")
    with pytest.raises(TileCorrupt, match=POINTS):
        HydratedTile.open(folder)
    hydrate(store, FORECAST_PRODUCT, entry.manifest, folder).close()
    HydratedTile.open(folder).close()


def test_what_a_killed_process_left_is_in_nobodys_way(published, tmp_path):
    store, entry = published
    folder = tmp_path / "tile"
    hydrate(store, FORECAST_PRODUCT, entry.manifest, folder).close()
    (folder / "tile.json").unlink()  # half removed
    (tmp_path / ".tile.k2j3h4g5").mkdir()  # half made
    (tmp_path / ".tile.k2j3h4g5" / POINTS).write_bytes(b"1234")
    hydrate(store, FORECAST_PRODUCT, entry.manifest, folder).close()
    assert sorted(p.name for p in tmp_path.iterdir()) == [".tile.lock", "tile"]


def test_a_header_that_is_json_but_no_header_is_refused(tmp_path):
    (tmp_path / "tile.json").write_text("[]")
    with pytest.raises(TileCorrupt, match="cannot be read"):
        HydratedTile.open(tmp_path)


def damaged_copy(published, tmp_path, damage):
    """A store of its own with one damaged shard of ghi."""
    store = open_store(str(tmp_path / "tiles"))
    entry = publish_made_up(store, CYCLE)
    damage(store.path(entry.path) / "ghi/c/0/0/1")
    return store, entry


def flip_a_byte(path, at=3000):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [lambda p: p.unlink(), flip_a_byte, lambda p: flip_a_byte(p, -20), lambda p: p.write_bytes(b"")],
    ids=["deleted", "a byte of a chunk", "a byte of the index", "emptied"],
)
def test_a_damaged_shard_never_gives_a_wrong_number(published, reference, tmp_path, damage, caplog):
    store, entry = damaged_copy(published, tmp_path, damage)
    tile = hydrate(store, FORECAST_PRODUCT, entry.manifest, tmp_path / "h")
    inside, elsewhere = (70, 200), (130, 200)
    assert np.all(np.frombuffer(tile.raw("ghi", *inside), "<u2") == CORRUPT)
    assert tile.raw("ghi", *elsewhere) == reference[(slice(None), *elsewhere)].tobytes()
    assert tile.raw("temp_air", *inside) == (np.full(66, round((4.25 + 100) / 0.01), "<u2")).tobytes()
    assert "ghi/c/0/0/1" in caplog.text
    (said,) = tile.header["damaged"]
    assert "ghi/c/0/0/1" in said

    chunked = ChunkedTile(store, FORECAST_PRODUCT, entry.manifest)
    read, refused = 0, 0
    for i in (60, 64, 80, 96, 112):
        for j in (190, 192, 208, 224, 240):
            try:
                assert chunked.series("ghi", (i, j)).tolist() == reference[:, i, j].tolist()
                read += 1
            except TileCorrupt:
                refused += 1
    assert refused >= 1


def test_a_version_of_a_foreign_schema_is_refused(published, tmp_path):
    store, entry = published
    values = json.loads(store.get(entry.manifest))
    key = "forecast/foreign.manifest.json"
    store.put(key, Manifest(**{**values, "schema": 7}).to_bytes())
    with pytest.raises(SchemaUnsupported, match="schema 7"):
        hydrate(store, FORECAST_PRODUCT, key, tmp_path / "h")
    with pytest.raises(SchemaUnsupported, match="schema 7"):
        ChunkedTile(store, FORECAST_PRODUCT, key)


def test_a_missing_manifest_is_corruption(published, tmp_path):
    store, _ = published
    with pytest.raises(TileCorrupt, match=r"forecast/none\.json"):
        hydrate(store, FORECAST_PRODUCT, "forecast/none.json", tmp_path / "h")
