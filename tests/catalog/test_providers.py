"""Whose data a version is, as STAC tells it."""

import json
from typing import Any

import pytest

from catalog import stac
from catalog.providers import credits_of
from catalog.sources.registry import SOURCES
from tests.support.tiles import CYCLE, publish_at
from tests.support.tmy import mask
from tiles.products.land import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

SOLFLIS = "Solflis"


def live(*names: str) -> dict[str, Any]:
    """A provenance as builders write it."""
    sources = [SOURCES[name].named("live") for name in names]
    return {"source": "+".join(names), "data_origin": "live", "sources": sources}


def published(store: Store, provenance: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Item and collection of a version with a provenance."""
    draft = Draft(store, PRODUCT, "a version", {}, provenance)
    for variable in PRODUCT.variables:
        draft.write_packed(variable.name, variable.pack(mask().astype(float)))
    entry = publish_at(draft, CYCLE)
    return json.loads(store.get(stac.item_key(entry))), json.loads(store.get(stac.collection_key(PRODUCT.name)))


@pytest.mark.parametrize(
    ("provenance", "producers", "licence"),
    [
        pytest.param(live("nve_gts"), ["NVE"], "NLOD-2.0", id="one source"),
        pytest.param(live("nora3", "sarah3", "frost"), ["MET Norway", "EUMETSAT CM SAF"], "other", id="several"),
    ],
)
def test_a_live_version_names_its_sources(store: Store, provenance: Any, producers: list[str], licence: str) -> None:
    item, collection = published(store, provenance)
    for told in (item["properties"], collection):
        assert [p["name"] for p in told["providers"]] == [*producers, SOLFLIS]
        assert told["license"] == licence
        assert "licensor" not in told["providers"][-1]["roles"]
    texts = {link["href"] for link in item["links"] if link["rel"] == "license"}
    assert texts == {link["href"] for link in collection["links"] if link["rel"] == "license"}
    assert texts == {SOURCES[one["name"]].licence.url for one in provenance["sources"]}


def test_a_stitched_product_names_the_producer_of_its_forecasts() -> None:
    day = {"source": "arome_metcoop", "data_origin": "live", "sources": [{"name": "forecast", "version": "x"}]}
    assert [p.name for p in credits_of([day]).providers] == ["MET Norway", SOLFLIS]


def test_every_attribution_of_a_producer_is_told() -> None:
    (met_norway, _) = credits_of([live("nora3", "frost")]).providers
    assert met_norway.description == (
        "MET Norway, NORA3 (Haakenstad et al. 2021) (CC BY 4.0 / NLOD 2.0); MET Norway, Frost API (CC BY 4.0)"
    )


@pytest.mark.parametrize(("origin", "producers"), [("live", ["MET Norway", SOLFLIS]), ("simulated", [SOLFLIS])])
def test_only_live_sources_are_named(origin: str, producers: list[str]) -> None:
    sources = [SOURCES["meteosat"].named("simulated"), SOURCES["met_nordic"].named(origin)]
    mixed = {"source": "meteosat", "data_origin": "simulated", "sources": sources}
    assert [p.name for p in credits_of([mixed]).providers] == producers


def test_an_operators_own_file_is_told_with_its_licence() -> None:
    file = {"name": "file", "licence": "not stated in the file", "attribution": "oslo.tif", "data_origin": "live"}
    told = credits_of([{"source": "file", "data_origin": "live", "sources": [file]}])
    assert [p.name for p in told.providers] == ["oslo.tif", SOLFLIS]
    assert told.licence == "other"


def test_what_is_made_of_no_source_is_ours() -> None:
    told = credits_of([{"source": "none", "data_origin": "live", "sources": []}])
    assert [p.name for p in told.providers] == [SOLFLIS]
    assert told.licence == "CC-BY-4.0"
