"""The borders of the municipalities: polygons for geopandas, corners for the API; publishing again."""

import json
import shutil
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import geopandas
import numpy as np
import pystac
import pytest
import shapely
from pyproj import Transformer

from catalog import stac
from catalog.sources.errors import SourceError
from catalog.sources.kartverket import borders as kartverket
from catalog.verify import verify
from catalog.versions import Entry, Index, index_key, read_index
from dags.build.borders import municipality_borders
from infra.simulator import borders
from tests.support.context import context_of
from tiles.chunked import ChunkedTile
from tiles.errors import DraftInvalid
from tiles.products.municipality_borders import CORNERS, POLYGONS, PRODUCT
from tiles.store import Store, open_store

CLOCK = "2026-11-23T10:00:00Z!"
TO_UTM = Transformer.from_crs(4326, 25833, always_xy=True).transform


def build(store: Store, url: Path, clock: str = CLOCK) -> Entry:
    return municipality_borders.build(context_of(store, clock, addresses={"kartverket": str(url)}))


@pytest.fixture
def real(real_borders: Store) -> tuple[Store, Entry]:
    (entry,) = read_index(real_borders, PRODUCT.name).entries
    return real_borders, entry


@pytest.fixture
def simulated(tmp_path: Path) -> Path:
    """A folder with the simulator's borders."""
    folder = tmp_path / "borders"
    folder.mkdir()
    (folder / kartverket.COUNTIES).write_text(json.dumps(borders.document("Fylker")))
    (folder / kartverket.MUNICIPALITIES).write_text(json.dumps(borders.document("Kommuner")))
    return folder


def test_geopandas_reads_the_polygons_of_the_source(real: tuple[Store, Entry], shared_data: Path) -> None:
    store, entry = real
    frame = geopandas.read_parquet(Path(store.url) / entry.path / POLYGONS)
    assert frame.columns.tolist() == ["number", "name", "county", "geometry"]
    assert (len(frame), frame.crs.to_epsg(), frame.is_valid.all()) == (357, 25833, True)
    assert frame.area.sum() / 1e6 == pytest.approx(323_800, rel=0.002), "km2, by the statistics of Norway"
    oslo = frame[frame["number"] == 301].iloc[0]
    assert (oslo["name"], oslo["county"], oslo.geometry.area / 1e6) == ("Oslo", "Oslo", pytest.approx(454, rel=0.01))
    source = kartverket.municipalities(str(shared_data / "borders"), user_agent="test", deadline_s=10)
    numbers, polygons = (source.areas[name].to_numpy() for name in ("number", "geometry"))
    whole = shapely.is_valid(polygons)
    assert np.count_nonzero(~whole) == 33
    for number, given in zip(
        numbers[whole], shapely.transform(polygons, TO_UTM, interleaved=False)[whole], strict=True
    ):
        one, other = (
            shapely.MultiPoint(shapely.get_coordinates(polygon))
            for polygon in (given, frame.geometry[frame["number"] == number].iloc[0])
        )
        assert one.difference(other, grid_size=0.001).is_empty, number


def test_the_api_reads_the_same_to_a_tenth_of_a_metre(real: tuple[Store, Entry]) -> None:
    store, entry = real
    frame = geopandas.read_parquet(Path(store.url) / entry.path / POLYGONS)
    with np.load(BytesIO(ChunkedTile(store, PRODUCT, entry.manifest).attached(CORNERS))) as corners:
        x, y, first, area = (corners[name] for name in ("x", "y", "first", "area"))
    np.testing.assert_allclose(np.column_stack([x, y]) / 10, frame.get_coordinates(), atol=0.0501, rtol=0)
    rings = shapely.linearrings(x / 10, y / 10, indices=np.repeat(np.arange(len(area)), np.diff(first)))
    outlines = shapely.get_parts(frame.boundary.to_numpy())
    assert (len(rings), area.max() + 1) == (len(outlines), len(frame))
    np.testing.assert_allclose(np.bincount(area, shapely.length(rings)), frame.boundary.length, rtol=1e-4)


def test_files_are_listed_with_checksums_and_municipalities_with_counties(
    real: tuple[Store, Entry],
) -> None:
    store, entry = real
    assert (entry.data_origin, entry.source) == ("live", "kartverket")
    manifest = ChunkedTile(store, PRODUCT, entry.manifest).manifest
    asset = pystac.Item.from_dict(json.loads(store.get(stac.item_key(entry)))).assets[POLYGONS]
    assert asset.media_type == "application/vnd.apache.parquet"
    assert asset.href.endswith(f"{entry.path}/{POLYGONS}")
    assert asset.extra_fields["file:checksum"] == f"1220{manifest.objects[POLYGONS]['sha256']}"
    assert verify(store, PRODUCT.name, entry.version, report=lambda _: None) == []
    listed = manifest.provenance["municipalities"]
    numbers = [number for number, _, _ in listed]
    assert (len(listed), numbers) == (357, sorted(numbers))
    assert {tuple(one) for one in listed} > {(301, "Oslo", "Oslo"), (1515, "Herøy", "Møre og Romsdal")}
    assert len({county for _, _, county in listed}) == 15
    [source] = manifest.provenance["sources"]
    assert [Path(read["url"]).name for read in source["inputs"]] == [kartverket.MUNICIPALITIES, kartverket.COUNTIES]


def test_borders_of_the_schema_before_are_built_again(simulated: Path, store: Store) -> None:
    first = build(store, simulated)
    old = Index(()).with_entry(replace(first, schema=PRODUCT.schema - 1))
    store.put(index_key(PRODUCT.name), old.to_bytes())
    again = municipality_borders.ensure(context_of(store, CLOCK, addresses={"kartverket": str(simulated)}))
    assert (again.version, again.schema) == (first.version, PRODUCT.schema)
    assert again.attempt != first.attempt


def test_other_names_of_counties_are_another_version(simulated: Path, store: Store) -> None:
    first = build(store, simulated)
    assert first.data_origin == "simulated"
    changed = borders.document("Fylker")
    del changed["features"][0]["properties"]["fylkesnummer"]
    unknown = int(borders.document("Fylker")["features"][0]["properties"]["fylkesnummer"])
    (simulated / kartverket.COUNTIES).write_text(json.dumps(changed))
    second = build(store, simulated, "2026-11-24T10:00:00Z!")
    assert second.version != first.version
    assert second.issued_at > first.issued_at
    listed = ChunkedTile(store, PRODUCT, second.manifest).manifest.provenance["municipalities"]
    assert {number // 100 for number, _, county in listed if county is None} == {unknown}
    assert all(county is None or isinstance(county, str) for _, _, county in listed)


def test_one_simulated_file_makes_it_simulated(shared_data: Path, simulated: Path, tmp_path: Path) -> None:
    shutil.copy(shared_data / "borders" / kartverket.MUNICIPALITIES, simulated)
    assert build(open_store(str(tmp_path / "tiles")), simulated).data_origin == "simulated"


def test_what_is_not_norway_is_refused(simulated: Path, tmp_path: Path, store: Store) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        build(store, tmp_path / "nowhere")
    few = borders.document("Kommuner")
    few["features"] = few["features"][:99]
    for bad, said in (
        (few, "99 municipalities have land, 100 to 400 are expected"),
        (borders.document("Kommuner", swapped=True), "outside -100 to 1200"),
    ):
        (simulated / kartverket.MUNICIPALITIES).write_text(json.dumps(bad))
        with pytest.raises(DraftInvalid, match=said):
            build(store, simulated)
    assert not read_index(store, PRODUCT.name).entries
