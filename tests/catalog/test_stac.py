"""The STAC item of a version says what it holds: its own step, the bounds of its time, and the box of what is built."""

import hashlib
import json
from datetime import UTC, datetime

import pystac.validation
import pytest
from pyproj import Transformer

from catalog import stac
from catalog.versions import Index, read_index
from tests.support.tmy import OSLO
from tiles.manifest import Manifest
from tiles.product import Product
from tiles.products.registry import PRODUCTS

NAMES = ("forecast", "snow_history", "snow_factors", "snowload", "reanalysis_tmy30", "tmy_stats", "horizon")


@pytest.fixture(scope="module")
def items(everything):
    """The item of each product, and the store."""
    entries = {name: read_index(everything, name).entries[-1] for name in NAMES}
    return everything, {name: json.loads(everything.get(stac.item_key(entry))) for name, entry in entries.items()}


@pytest.mark.parametrize(
    ("name", "dimension", "step", "extent", "bounds"),
    [
        ("forecast", "time", "PT1H", ["2026-06-01T00:00:00Z", "2026-06-03T18:00:00Z"], "time_bnds"),
        ("snow_history", "time", "P1D", ["1957-09-01T06:00:00Z", "1959-01-01T06:00:00Z"], "time_bnds"),
        ("snow_factors", "day", "P1D", ["2026-05-30T06:00:00Z", "2026-06-09T06:00:00Z"], "day_bnds"),
        ("snowload", "season", "P1Y", ["1957-09-01T06:00:00Z", "2026-09-01T06:00:00Z"], None),
        ("reanalysis_tmy30", "hour", "PT1H", ["2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z"], "hour_bnds"),
    ],
)
def test_an_item_tells_its_own_step_and_the_time_it_covers(items, name, dimension, step, extent, bounds):
    said = items[1][name]["properties"]["cube:dimensions"][dimension]
    assert (said["type"], said["step"], said.get("solflis:bounds")) == ("temporal", step, bounds)
    assert said["extent"] == extent


@pytest.mark.parametrize("name", NAMES)
def test_the_box_is_that_of_what_is_built(items, name):
    item = items[1][name]
    west, south, east, north = item["bbox"]
    assert item["geometry"]["coordinates"][0][0] == [west, south]
    collection = json.loads(items[0].get(f"{item['collection']}/collection.json"))
    assert collection["extent"]["spatial"]["bbox"] == [item["bbox"]]
    if PRODUCTS[item["collection"]].grid is None:
        assert item["bbox"] == list(stac.COVERAGE)
    elif name == "reanalysis_tmy30":  # a block of 48 km around Oslo
        assert west < OSLO[1] < east
        assert south < OSLO[0] < north
        assert east - west < 1.2
        assert north - south < 0.6
    else:
        assert item["bbox"] != list(stac.COVERAGE)


def test_dimensions_that_are_no_time_tell_their_values(items):
    stats = items[1]["tmy_stats"]["properties"]["cube:dimensions"]
    assert stats["product"]["values"][0] == "ens_tmy30"
    assert stats["month"]["extent"] == [1, 12]
    assert items[1]["horizon"]["properties"]["cube:dimensions"]["azimuth"]["extent"][0] >= 0
    chunk = items[1]["snow_history"]["properties"]["cube:variables"]["swe"]["solflis:chunk"]
    assert chunk == {"time": "487 days", "y": "3000 m", "x": "3000 m"}


def test_every_document_is_valid_stac(items):
    store, of = items
    others = {"catalog.json", *(f"{item['collection']}/collection.json" for item in of.values())}
    for document in (*of.values(), *(json.loads(store.get(key)) for key in others)):
        # the extensions' schemas are on the network
        pystac.validation.validate_dict({**document, "stac_extensions": []})


def test_a_forecast_is_described_by_chunks_projection_provider_and_checksum(items):
    store, of = items
    properties, manifest = of["forecast"]["properties"], of["forecast"]["assets"]["manifest"]
    ghi = properties["cube:variables"]["ghi"]
    assert ghi["solflis:chunk"] == {"time": "66 hours", "lat": "0.48 degrees", "lon": "0.48 degrees"}
    assert ghi["solflis:shard"]["lat"] == "3.84 degrees"
    assert (properties["proj:code"], properties["solflis:data_origin"]) == ("EPSG:4326", "simulated")
    assert properties["cube:dimensions"]["lat"]["extent"] == [57.0, 72.0]
    assert [provider["name"] for provider in properties["providers"]] == ["Solflis"], "simulated"
    (key,) = [key for key in store.keys("forecast") if key.endswith("manifest.json")]
    assert manifest["file:checksum"] == "1220" + hashlib.sha256(store.get(key)).hexdigest()
    children = [link["href"] for link in json.loads(store.get("catalog.json"))["links"] if link["rel"] == "child"]
    assert "./forecast/collection.json" in children


def test_a_whole_grid_has_the_box_of_the_grid():
    def box(product: Product) -> tuple[float, ...]:
        last = [-(-n // side) - 1 for n, side in zip(product.grid.shape, product.shard[-2:], strict=True)]
        steps = "0/" * (len(product.dims_of(product.variables[0])) - 2)
        name = product.variables[0].name
        objects = {f"{name}/c/{steps}{i}/{j}": {} for i, j in ((0, 0), last)}
        return stac.bbox(product, Manifest(product.name, "", "", 1, "", {name: {}}, {**objects, "lat/c/0/0": {}}))

    assert box(PRODUCTS["forecast"]) == pytest.approx((3.985, 56.985, 32.005, 72.015))
    west, south, east, north = box(PRODUCTS["snowload"])
    # the corners of the snow authority's grid, by pyproj alone
    inverse = Transformer.from_crs(25833, 4326, always_xy=True).transform
    grid = PRODUCTS["snowload"].grid
    corners = [inverse(x, y) for x in (grid.x0, grid.x0 + 1_195_000) for y in (grid.y0, grid.y0 + 1_550_000)]
    assert (west, south) == pytest.approx((min(c[0] for c in corners), min(c[1] for c in corners)), abs=0.3)
    northmost = inverse(500_000, grid.y0 + 1_550_000)[1]  # on the central meridian, and at no corner
    assert (east, north) == pytest.approx((max(c[0] for c in corners), northmost), abs=0.01)


def test_an_index_of_an_older_solflis_has_no_box_and_still_opens():
    entry = {
        "product": "land", "version": "1", "attempt": "a", "schema": 1, "path": "p", "manifest": "m", "source": "s",
        "data_origin": "live", "variables": ["land"],
        **dict.fromkeys(("issued_at", "valid_from", "valid_to", "published_at"), "2026-01-01T00:00:00Z"),
    }  # fmt: skip
    (read,) = Index.from_bytes(json.dumps({"entries": [entry]}).encode()).entries
    assert read.bbox == ()
    assert read.issued_at == datetime(2026, 1, 1, tzinfo=UTC)
