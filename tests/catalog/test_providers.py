"""Whose data a version is, as STAC tells it."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pystac.validation
import pytest

from catalog import stac
from catalog.providers import credits_of
from catalog.publish import Moment, publish
from catalog.sources.registry import SOURCES
from tests.support.tiles import CYCLE, cover, made_up_draft
from tiles.store import Store, open_store

SOLFLIS = "Solflis"


def live(*names: str, source: str = "", **more: Any) -> dict[str, Any]:
    """A provenance as builders write it."""
    sources = [SOURCES[name].named("live") for name in names]
    return {"source": source or "+".join(names), "data_origin": "live", "sources": sources, **more}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "tiles"))


def published(store: Store, provenance: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Item and collection of a version with a provenance."""
    draft = made_up_draft(store, CYCLE)
    draft.provenance.update(provenance)
    moment = Moment(CYCLE, CYCLE, CYCLE + timedelta(hours=len(draft.axis("time"))))
    entry = publish(draft, moment, now=CYCLE, expected=cover(), report=lambda _: None)
    return json.loads(store.get(stac.item_key(entry))), json.loads(store.get(stac.collection_key("forecast")))


@pytest.mark.parametrize(
    ("provenance", "producers", "licence"),
    [
        pytest.param(live("met_nordic"), ["MET Norway"], "CC-BY-4.0", id="forecast"),
        pytest.param(live("kartverket_wcs"), ["Kartverket"], "CC-BY-4.0", id="horizon"),
        pytest.param(live("nve_gts"), ["NVE"], "NLOD-2.0", id="snow_history"),
        pytest.param(live("nve_gts", "kartverket", source="nve_gts"), ["NVE", "Kartverket"], "other", id="factors"),
        pytest.param(live("nora3", "sarah3", "frost"), ["MET Norway", "EUMETSAT CM SAF"], "other", id="typical years"),
        pytest.param(live("era5"), ["ECMWF / Copernicus Climate Change Service"], "other", id="era5"),
        pytest.param(
            live("meteosat", "met_nordic", source="meteosat"), ["EUMETSAT LSA SAF", "MET Norway"], "other", id="nowcast"
        ),
    ],
)
def test_a_live_version_names_its_own_producers_and_licence(
    store: Store, provenance: dict[str, Any], producers: list[str], licence: str
) -> None:
    item, collection = published(store, provenance)
    for told in (item["properties"], collection):
        assert [p["name"] for p in told["providers"]] == [*producers, SOLFLIS]
        assert told["license"] == licence
        assert "licensor" not in told["providers"][-1]["roles"]
    texts = {link["href"] for link in item["links"] if link["rel"] == "license"}
    assert texts == {link["href"] for link in collection["links"] if link["rel"] == "license"}
    assert texts == {SOURCES[one["name"]].licence.url for one in provenance["sources"]}
    for document in (item, collection):
        # the extensions' schemas are on the network
        pystac.validation.validate_dict({**document, "stac_extensions": []})


def test_a_stitched_product_names_the_producer_of_its_forecasts() -> None:
    day = {"source": "arome_metcoop", "data_origin": "live", "sources": [{"name": "forecast", "version": "x"}]}
    assert [p.name for p in credits_of([day]).providers] == ["MET Norway", SOLFLIS]


def test_every_attribution_of_a_producer_is_told() -> None:
    (met_norway, _) = credits_of([live("nora3", "frost")]).providers
    assert met_norway.description == (
        "MET Norway, NORA3 (Haakenstad et al. 2021) (CC BY 4.0 / NLOD 2.0); MET Norway, Frost API (CC BY 4.0)"
    )


def test_what_is_simulated_is_nobodys_but_ours(store: Store) -> None:
    sources = [SOURCES["nve_gts"].named("simulated")]
    item, collection = published(store, {"source": "nve_gts", "data_origin": "simulated", "sources": sources})
    for told in (item["properties"], collection):
        assert [p["name"] for p in told["providers"]] == [SOLFLIS]
        assert "producer" in told["providers"][0]["roles"]


def test_of_a_mixture_only_the_live_source_is_named() -> None:
    sources = [SOURCES["meteosat"].named("simulated"), SOURCES["met_nordic"].named("live")]
    mixed = {"source": "meteosat", "data_origin": "simulated", "sources": sources}
    assert [p.name for p in credits_of([mixed]).providers] == ["MET Norway", SOLFLIS]


def test_an_operators_own_file_is_told_with_its_licence() -> None:
    file = {"name": "file", "licence": "not stated in the file", "attribution": "oslo.tif", "data_origin": "live"}
    told = credits_of([{"source": "file", "data_origin": "live", "sources": [file]}])
    assert [p.name for p in told.providers] == ["oslo.tif", SOLFLIS]
    assert told.licence == "other"


def test_what_is_made_of_no_source_is_ours() -> None:
    told = credits_of([{"source": "none", "data_origin": "live", "sources": []}])
    assert [p.name for p in told.providers] == [SOLFLIS]
    assert told.licence == "CC-BY-4.0"
