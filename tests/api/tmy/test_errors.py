"""Every row of the contract's errors, and what is damaged or half there."""

import shutil
from pathlib import Path

import pytest

from tests.api.conftest import Api, Asked, Start, damage
from tests.api.tmy.conftest import tmy
from tests.support.tmy import (
    NO_HOURS,
    NO_MEAN,
    NOT_BUILT,
    NOT_IN_BLOCK,
    OPEN_SEA,
    OSLO,
    TROMSO,
    publish_stats,
    publish_year,
)
from tiles.grid import NORWAY3KM
from tiles.products.tmy import MADE_OF
from tiles.products.tmy_stats import ANNUAL
from tiles.store import open_store

FILE, STATS, SOURCES = PATHS = ("/api/tmy", "/api/tmy/stats", "/api/tmy/sources")
NEXT = {"version": "1991-2026", "build": "made up in April"}


def assert_refused(asked: Asked, status: int, *words: str) -> None:
    """Hold a refusal to its status and to words of its text."""
    assert asked.status == status, asked.text
    assert all(word in asked.json["error"] for word in words), asked.json
    assert asked.headers["Cache-Control"] == "no-store"
    assert ("Retry-After" in asked.headers) == (status == 503)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("query", "parameter"),
    [("", "lat"), ("?lat=59.9", "lon"), ("?lat=x&lon=10", "lat"), ("?lat=59.9&lon=nan", "lon"), ("?lat=&lon=1", "lat")],
)
async def test_lat_and_lon_must_be_numbers(api: Api, path: str, query: str, parameter: str) -> None:
    asked = await api.ask(path + query)
    assert_refused(asked, 400, "Oppgi lat og lon som tall")
    assert asked.json["parameter"] == parameter


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("place", [(56.99, 10.0), (71.51, 25.0), (60.0, 3.99), (70.0, 31.51), ("inf", 10.0)])
async def test_outside_the_coverage(api: Api, path: str, place: tuple[float, float]) -> None:
    asked = await api.ask(tmy(place, path))
    assert_refused(asked, 400, "57 til 71.5", "4 til 31.5")
    assert asked.json["parameter"] == ("lon" if place[0] in (60, 70) else "lat")


@pytest.mark.parametrize("place", [(57.0, 4.0), (71.5, 31.5)])
async def test_the_limits_belong_to_the_coverage(api: Api, place: tuple[float, float]) -> None:
    assert_refused(await api.ask(tmy(place)), 404, "6 km")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("format", "xlsx", ("json", "epw", "tool_a", "pvsyst", "parquet", "measurement")),
        ("confidence", "p99", ANNUAL),
        ("source", "era5", ("ensemble", "reanalysis", "solarmodel")),
        ("period", "20", ("30", "18")),
        ("product", "tmy30", tuple(MADE_OF)),
        ("tz", "cet", ("utc", "local")),
    ],
)
async def test_a_wrong_value_is_answered_with_the_valid_ones(
    api: Api, name: str, value: str, words: tuple[str, ...]
) -> None:
    asked = await api.ask(tmy(**{name: value}))
    assert_refused(asked, 400, *words)
    assert asked.json["parameter"] == name


@pytest.mark.parametrize("source", ["", "ensemble", "solarmodel"])
async def test_18_years_are_of_the_reanalysis_only(api: Api, source: str) -> None:
    given = {"source": source} if source else {}
    assert_refused(await api.ask(tmy(period="18", **given)), 400, "period=18", "source=reanalysis, period=18")


@pytest.mark.parametrize(
    ("product", "name", "value"),
    [("ens_tmy30", "source", "reanalysis"), ("ens_tmy30", "period", "18"), ("reanalysis_tmy18", "period", "30")],
)
async def test_a_product_beside_what_it_is_not_of(api: Api, product: str, name: str, value: str) -> None:
    assert_refused(await api.ask(tmy(product=product, **{name: value})), 400, f"product={product}", f"{name}={value}")


@pytest.mark.parametrize("path", PATHS)
async def test_no_land_is_near(api: Api, path: str) -> None:
    assert_refused(await api.ask(tmy(OPEN_SEA, path)), 404, "6 km")


async def test_north_of_the_satellite_there_is_no_solar_model(api: Api) -> None:
    assert_refused(await api.ask(tmy(TROMSO, source="solarmodel")), 404, "solarmodel_tmy30", "ens_tmy30")
    assert (await api.ask(tmy(TROMSO))).status == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("place", [NOT_BUILT, NORWAY3KM.centre(NOT_IN_BLOCK)])
async def test_land_that_is_not_built_names_the_nearest_that_is(
    api: Api, path: str, place: tuple[float, float]
) -> None:
    asked = await api.ask(tmy(place, path))
    assert_refused(asked, 503, "ikke bygd")
    assert (asked.json["code"], asked.json["build"]) == ("NOT_BUILT", "solflis build tmy")
    near = asked.json["nearest"]
    assert near["distance_km"] > 0
    assert (await api.ask(tmy((near["lat"], near["lon"]), path))).status == 200


async def test_statistics_without_the_hours(api: Api) -> None:
    place = NORWAY3KM.centre(NO_HOURS)
    assert (await api.ask(tmy(place))).json["code"] == "NOT_BUILT"
    assert (await api.ask(tmy(place, STATS))).status == 200


async def test_no_long_term_mean(api: Api) -> None:
    place = NORWAY3KM.centre(NO_MEAN)
    assert_refused(await api.ask(tmy(place, confidence="mean")), 503, "mean", "ens_tmy30")
    assert (await api.ask(tmy(place, confidence="p90"))).status == 200
    stats = (await api.ask(tmy(place, STATS))).json
    assert stats["products"]["ens_tmy30"]["annual_ghi_kwh_m2"]["mean"] is None
    assert (await api.ask(tmy(place, format="json"))).json["meta"]["annual_ghi_kwh_m2"]["mean"] is None


@pytest.mark.parametrize("missing", ["land", "tmy_stats", "ens_tmy30"])
async def test_a_product_that_is_not_published_is_named(start: Start, own_climate: Path, missing: str) -> None:
    shutil.rmtree(own_climate / missing)
    api = await start(store_folder=own_climate)
    asked = await api.ask(tmy())
    assert_refused(asked, 503, f"«{missing}» er ikke publisert")
    assert asked.json["code"] == "NOT_BUILT"
    assert (await api.ask(tmy(product="reanalysis_tmy18"))).status == (200 if missing == "ens_tmy30" else 503)


@pytest.mark.parametrize(
    ("product", "variable", "harmed"),
    [("ens_tmy30", "dhi", (FILE,)), ("tmy_stats", "annual_ghi_p95", PATHS)],
)
async def test_what_is_damaged_is_never_an_answer(
    start: Start, own_climate: Path, product: str, variable: str, harmed: tuple[str, ...]
) -> None:
    damage(own_climate, product, variable)
    api = await start(store_folder=own_climate)
    for path in PATHS:
        asked = await api.ask(tmy(OSLO, path))
        assert asked.status == (503 if path in harmed else 200)
        assert asked.json["code"] == "DAMAGED" if path in harmed else True


async def test_a_version_that_does_not_say_what_it_is_made_of_is_not_served(start: Start, own_climate: Path) -> None:
    for manifest in own_climate.glob("ens_tmy30/*/*.manifest.json"):
        manifest.write_text(manifest.read_text().replace('"method"', '"way"'))
    asked = await (await start(store_folder=own_climate)).ask(tmy())
    assert_refused(asked, 503, "ens_tmy30")
    assert asked.json["code"] == "DAMAGED", "it is built"


async def test_hours_and_statistics_of_two_builds_are_never_put_together(start: Start, own_climate: Path) -> None:
    store = open_store(str(own_climate))
    publish_year(store, "ens_tmy30", **NEXT)
    api = await start(store_folder=own_climate)
    for path in (FILE, SOURCES):
        refused = await api.ask(tmy(path=path))
        assert_refused(refused, 503, "ens_tmy30 og statistikken er ikke fra samme bygging")
        assert int(refused.headers["Retry-After"]) < 60
    assert (await api.ask(tmy(product="reanalysis_tmy30"))).status == 200
    publish_stats(store, **NEXT)
    assert (await api.until(tmy(), lambda asked: asked.status == 200)).status == 200
    assert_refused(await api.ask(tmy(product="reanalysis_tmy30")), 503, "reanalysis_tmy30 og statistikken")
