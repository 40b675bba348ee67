"""Every route of the document, asked by schemathesis in all its ways: with a key of the plan pro, and without one."""

import asyncio
import copy
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.access import keys, partners
from api.access.secret import Secret
from api.database.engine import address, make_async_engine
from tests.api.fabricated import CYCLE, WEATHER, entry, hydrate, hydrate_turbidity, turbidity_entry, write_index
from tests.contract.asking import (
    EXAMPLES,
    FORECAST_ROUTE,
    LEAD_ROUTE,
    PLACES_ROUTE,
    PLANT_ROUTE,
    PRECISE_ROUTE,
    PV_ROUTE,
    REGISTER_ROUTE,
    ROOF_ROUTES,
    ROOFTOP_ROUTE,
    SITE_ROUTES,
    SNOW_ROUTES,
    TERRAIN_ROUTE,
    TMY_ROUTES,
    Run,
    run,
)
from tests.support.county_now import publish_counties
from tests.support.coverages import Coverages
from tests.support.horizon import publish_horizon
from tests.support.landcover import write_forest
from tests.support.place_search import PlaceSearches
from tests.support.point_forecasts import PointForecasts
from tests.support.snow import publish_snow
from tests.support.snow_factors import publish_factors
from tests.support.snowload import publish_snowload, publish_squares
from tests.support.tmy import LEVELS
from tests.support.worker import job_worker, until, worker
from tiles.clock import iso
from tiles.store import open_store

NOW = CYCLE + timedelta(hours=2, minutes=30)
SECRET = "a secret of thirty-two characters"


@dataclass
class Live:
    """A worker that runs, its document, and a key for it with the code of an agreement."""

    url: str
    document: Any
    key: str
    code: str


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path, climate: Path) -> Iterator[Live]:
    """One worker over fabricated tiles, its clock frozen soon after the cycle."""
    folder = tmp_path_factory.mktemp("contract")
    made = entry(variables=WEATHER)
    hydrate(folder / "state", made)
    hydrate_turbidity(folder / "state")
    write_index(folder / "tiles", made)
    write_index(folder / "tiles", turbidity_entry(), product="turbidity")
    for product in climate.iterdir():
        (folder / "tiles" / product.name).symlink_to(product)
    publish_horizon(open_store(str(folder / "tiles")))
    publish_snow(open_store(str(folder / "tiles")), NOW.date() - timedelta(days=1), LEVELS)
    publish_snowload(open_store(str(folder / "tiles")))
    publish_squares(open_store(str(folder / "tiles")), folder / "borders")
    publish_factors(open_store(str(folder / "tiles")))
    publish_counties(open_store(str(folder / "tiles")))
    database = f"sqlite:///{shutil.copy(migrated_sqlite, folder / 'solflis.sqlite')}"
    key, code = asyncio.run(_issue(database, folder))
    settings = {"ACCESS": "keys", "DATABASE": database, "SECRET": SECRET}
    forest = write_forest(folder / "forest.gpkg")
    settings |= dict.fromkeys(("BYGNINGER_URL", "BYGNINGSPUNKT_URL"), "http://127.0.0.1:9")
    settings |= {"AR50_URL": forest, "AR5_URL": forest}
    places = {"STORE": str(folder / "tiles"), "STATE": str(folder / "state"), "CLOCK": f"{iso(NOW)}!"}
    with (
        PointForecasts(CYCLE) as service,
        Coverages() as heights,
        PlaceSearches() as searches,
        job_worker(KARTVERKET_WCS_URL=heights.url, **places, **settings),
        worker(
            str(folder / "tiles"),
            folder / "state",
            f"{iso(NOW)}!",
            folder / "log",
            **settings,
            LOCATIONFORECAST_URL=service.url,
            KARTVERKET_WCS_URL=heights.url,
            KARTVERKET_ADRESSER_URL=searches.url,
        ) as url,
    ):
        until(url, "/api/forecast/latest", 200)
        yield Live(url, httpx.get(f"{url}/openapi.json").json(), key, code)
    assert '"level":"ERROR"' not in (folder / "log").read_text().upper()


async def _issue(database: str, state: Path) -> tuple[str, str]:
    engine, secret = make_async_engine(address(database, state)), Secret(SECRET.encode())
    key = await keys.issue(engine, secret, "contract@example.com", "pro", NOW)
    code = await partners.add(engine, secret, "contract", NOW, "anlegg")
    await engine.dispose()
    return key, code


def _routes(document: Any) -> set[str]:
    return {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}


@pytest.fixture(scope="module")
def keyed(live: Live) -> Run:
    """Everything, with a key, each request from an address of its own."""
    return run(live.url, live.document, {"X-API-Key": live.key, "X-Anlegg-Beta": live.code}, apart=True)


def test_with_a_key_of_the_plan_pro(live: Live, keyed: Run) -> None:
    assert not keyed.failures, keyed.told()
    assert {answer.route for answer in keyed.answers} == _routes(live.document)
    of_sites = {route.partition(" ")[2] for route in (*SITE_ROUTES, *ROOF_ROUTES)}
    for path in live.document["paths"].keys() - of_sites:
        refused = {a.method for a in keyed.answers if a.route.endswith(f" {path}") and a.status == 405}
        assert len(refused) >= 5, f"{path}: other methods than {refused}"
    assert {200, 304, 400, 503} <= set(keyed.statuses(FORECAST_ROUTE))
    # 403 is for plants of more power than the plan allows.
    assert not {401, 429} & set(keyed.statuses(FORECAST_ROUTE))
    assert {200, 400, 415} <= set(keyed.statuses(REGISTER_ROUTE))
    for route in ("POST /api/forecast", "POST /api/forecast/bulk", LEAD_ROUTE):
        assert {200, 400, 415} <= set(keyed.statuses(route)), keyed.statuses(route)
    typical_years = [keyed.statuses(route) for route in TMY_ROUTES]
    assert all({200, 400} <= set(statuses) for statuses in typical_years), typical_years
    assert {404, 503} <= set().union(*typical_years), typical_years
    assert {200, 304, 400, 404, 503} <= set(keyed.statuses(PV_ROUTE)), keyed.statuses(PV_ROUTE)
    for route in SNOW_ROUTES:
        assert {200, 400, 404, 503} <= set(keyed.statuses(route)), keyed.statuses(route)
    assert {200, 304, 400, 404} <= set(keyed.statuses(TERRAIN_ROUTE)), keyed.statuses(TERRAIN_ROUTE)
    assert {200, 400} <= set(keyed.statuses(PLACES_ROUTE)), keyed.statuses(PLACES_ROUTE)
    assert {201, 400, 415} <= set(keyed.statuses(PLANT_ROUTE)), keyed.statuses(PLANT_ROUTE)
    for route in (ROOFTOP_ROUTE, PRECISE_ROUTE):
        assert {200, 400, 404, 415} <= set(keyed.statuses(route)), keyed.statuses(route)


def test_every_documented_header_of_a_forecast_is_seen(live: Live, keyed: Run) -> None:
    documented = live.document["paths"]["/api/forecast"]["get"]["responses"]["200"]["headers"]
    seen = {name for a in keyed.answers if a.route == FORECAST_ROUTE and a.status == 200 for name in a.headers}
    legacy = httpx.get(f"{live.url}/api/forecast?lat=59.91&lon=10.75&model=v1", headers={"X-API-Key": live.key})
    assert {name.lower() for name in documented} <= {*seen, *legacy.headers}


@pytest.mark.slow
def test_without_a_key(live: Live) -> None:
    ran = run(live.url, live.document, {"X-Forwarded-For": "198.51.100.5"}, few=True)
    assert not ran.failures, ran.told()
    assert {answer.route for answer in ran.answers} == _routes(live.document)


def test_one_address_may_register_so_often(live: Live) -> None:
    ran = run(live.url, _alone(live.document, "/api/register"), {"X-Forwarded-For": "198.51.100.8"}, few=True)
    assert not ran.failures, ran.told()
    assert 429 in ran.statuses(REGISTER_ROUTE)


def _alone(document: Any, path: str) -> Any:
    return copy.deepcopy({**document, "paths": {path: document["paths"][path]}})


@pytest.mark.parametrize("way", ["an unknown key", pytest.param("used up", marks=pytest.mark.slow)])
def test_whoever_may_not(live: Live, way: str) -> None:
    headers = {"X-API-Key": "sk_live_unknown"} if way == "an unknown key" else {"X-Forwarded-For": "198.51.100.7"}
    for _ in range(24):
        httpx.get(f"{live.url}/api/forecast?lat=59.91&lon=10.75", headers=headers)
    ran = run(live.url, _alone(live.document, "/api/forecast"), headers, few=True)
    assert not ran.failures, ran.told()
    statuses = ran.statuses(FORECAST_ROUTE)
    assert statuses[401] >= 2
    assert not {200, 304, 429} & set(statuses)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_hundred_thousand_requests_find_no_fault(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else schemathesis seeks accepted requests near those it had: ten times as long, and fewer are accepted.
    monkeypatch.setattr("hypothesis.target", lambda *_, **__: 0.0)
    ran = run(
        live.url, live.document, {"X-API-Key": live.key, "X-Anlegg-Beta": live.code}, apart=True, examples=EXAMPLES
    )
    assert not ran.failures, ran.told()
    assert ran.asked >= 100_000
