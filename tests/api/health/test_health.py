"""`/health` tells the truth about each product."""

import shutil
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web

from api.core import problems
from api.core.routing import Route
from api.jobs.kinds import KINDS
from api.jobs.queue import question_of
from tests.api.conftest import MovableClock, Start, frozen
from tests.api.fabricated import CYCLE, entry, hydrate, hydrate_turbidity, write_index
from tests.support.county_now import publish_counties
from tests.support.snow import publish_outlook
from tests.support.snow_factors import publish_factors
from tiles.products.registry import PRODUCTS
from tiles.store import open_store

NIGHT = datetime(2026, 12, 1, tzinfo=UTC)


MADE = {
    "forecast": entry(NIGHT),
    "day": entry(NIGHT, product="day", variables=("ghi",)),
    "correction": entry(NIGHT - timedelta(days=400), attempt="20250101T000000-aaaa", variables=("factor",)),
}


@pytest.fixture
def start_ready(start: Start, store: Path, tmp_path: Path) -> Start:
    """Start an application that lacks nothing."""
    for name, one in MADE.items():
        write_index(store, one, product=name)
    morning = NIGHT - timedelta(hours=18)
    publish_outlook(open_store(str(store)), morning.date())
    publish_factors(open_store(str(store)), morning)
    publish_counties(open_store(str(store)), NIGHT)
    own = tmp_path / "own"
    hydrate(own, MADE["forecast"])
    hydrate(own, MADE["day"])
    hydrate_turbidity(own)
    return partial(start, state_folder=own, clock=MovableClock(NIGHT + timedelta(hours=2, minutes=30)))


async def test_ready(start_ready: Start) -> None:
    health = (await (await start_ready()).ask("/health")).json
    assert (health["status"], health["database"], health["refusals"]) == ("ok", "up", {})
    assert health["now"] == "2026-12-01T02:30:00Z"
    assert set(health["products"]) == set(PRODUCTS)
    states = {name: p["state"] for name, p in health["products"].items()}
    assert {name for name, state in states.items() if state == "ready"} == {
        *MADE,
        "turbidity",
        "snow_outlook",
        "snow_factors",
        "county_now",
    }
    assert states["nowcast"] == "idle", "no light, no image, no trouble"
    correction = health["products"]["correction"]
    assert (correction["state"], correction["served"]) == ("ready", False), "no endpoint reads it"
    assert health["products"]["forecast"] == {
        "state": "ready",
        "version": "2026-12-01T00",
        "served": True,
        "issued_at": "2026-12-01T00:00:00Z",
        "age_s": 9000,
        "stale": False,
        "data_origin": "simulated",
        "newest_version": "2026-12-01T00",
        "catalog_readable": True,
        "damaged_shards": 0,
    }


async def test_stale_while_served_and_after(start: Start) -> None:
    clock = MovableClock(CYCLE + timedelta(hours=4))
    api = await start(clock=clock)
    for hours in (4, 13):
        clock.moment = CYCLE + timedelta(hours=hours)
        asked = await api.ask("/health")
        forecast = asked.json["products"]["forecast"]
        assert forecast["served"] == (hours == 4), "12 h after its cycle a forecast is served no more"
        assert (asked.status, asked.json["status"], forecast["state"], forecast["stale"]) == (
            200,
            "degraded",
            "stale",
            True,
        )
        assert forecast["age_s"] == hours * 3600


async def test_missing_and_building(start: Start, tmp_path: Path) -> None:
    api = await start(store_folder=tmp_path / "empty")
    states = {name: p["state"] for name, p in (await api.ask("/health")).json["products"].items()}
    on_request = {name for name, product in PRODUCTS.items() if product.on_request}
    assert {"horizon", "land"} <= on_request
    assert {states.pop(name) for name in {"correction", "skill", "station_forecast"} | on_request} == {"idle"}
    assert set(states.values()) == {"missing"}
    now = datetime.now(UTC)
    for product, begun in (("forecast", now), ("day", now - timedelta(days=1))):
        (tmp_path / "empty" / product / "v" / f"{begun:%Y%m%dT%H%M%S}-1a2b.zarr").mkdir(parents=True)
        (tmp_path / "empty" / product / "v" / f"{begun:%Y%m%dT%H%M%S}-1a2b.zarr" / "zarr.json").touch()
    asked = await api.until("/health", lambda asked: asked.json["products"]["forecast"]["state"] == "building")
    assert asked.json["products"]["day"]["state"] == "missing", "a draft of yesterday is a builder that died"
    shutil.rmtree(tmp_path / "empty" / "forecast")
    await api.until("/health", lambda asked: asked.json["products"]["forecast"]["state"] == "missing")


async def test_damaged_shards_show(start: Start, tmp_path: Path) -> None:
    hydrate(tmp_path / "own", entry(), damaged_shards=("ghi/c/0/1/2",))
    forecast = (await (await start(state_folder=tmp_path / "own")).ask("/health")).json["products"]["forecast"]
    assert (forecast["state"], forecast["damaged_shards"]) == ("corrupt", 1)


async def test_the_clock_shows(start: Start) -> None:
    assert (await (await start()).ask("/health")).json["clock"] == "frozen"
    api = await start(clock=frozen(CYCLE))
    assert (await api.ask("/health")).json["now"] == "2026-06-01T00:00:00Z"
    assert (await api.ask("/health")).headers["Cache-Control"] == "no-store"


async def damaged(_: web.BaseRequest, __: None) -> web.StreamResponse:
    raise problems.DAMAGED(product="tmy")


async def unbuilt(_: web.BaseRequest, __: None) -> web.StreamResponse:
    raise problems.NOT_BUILT_HERE(product="tmy", build="solflis build tmy")


async def test_what_answers_are_refused_for_shows(start_ready: Start) -> None:
    routes = (Route("GET", f"/{one.__name__}", one, summary="-", tag="-") for one in (damaged, unbuilt))
    api = await start_ready(more_routes=tuple(routes))
    shown = []
    for path, times in (("/unbuilt", 100), ("/nowhere", 30), ("/damaged", 3), ("/damaged", 20)):
        for _ in range(times):
            await api.ask(path)
        health = (await api.ask("/health")).json
        shown.append((health["status"], health["refusals"]))
    assert shown == [
        ("ok", {"NOT_BUILT": 100}),  # what the operator has not built is no trouble
        ("ok", {"NOT_BUILT": 100}),  # nor what callers do wrong
        ("ok", {"NOT_BUILT": 100, "DAMAGED": 3}),  # 2 %
        ("degraded", {"NOT_BUILT": 100, "DAMAGED": 23}),
    ]
    assert 'solflis_refusals_total{code="NOT_FOUND"} 30.0' in (await api.ask("/metrics")).text


@pytest.mark.parametrize(("access", "status"), [("keys", "degraded"), ("open", "ok")])
async def test_a_database_that_is_away_shows(start_ready: Start, access: str, status: str) -> None:
    api = await start_ready(access=access, database="postgresql+psycopg://nobody@127.0.0.1:9/none")
    health = (await api.ask("/health")).json
    assert (health["status"], health["database"]) == (status, "down")
    assert "solflis_database_up 0.0" in (await api.ask("/metrics")).text


async def test_jobs_that_no_worker_takes_show(start_ready: Start) -> None:
    clock = MovableClock(NIGHT + timedelta(hours=2, minutes=30))
    api = await start_ready(clock=clock)
    jobs = api.app.resources.jobs
    first = await jobs.ask("horizon_precise", question_of("a", 1), b"", b"")
    await jobs.ask("mail", question_of("b", 2), b"", b"", after=first.id)  # waits for the other, not for a worker
    clock.moment += timedelta(seconds=31)
    # a queue that does not answer at once is left out
    health = (await api.until("/health", lambda asked: asked.json["jobs"])).json
    waiting = {"horizon_precise": {"queued": 1, "waiting_s": 31}, "mail": {"queued": 1, "waiting_s": 0}}
    expected = {kind: {"queued": 0, "waiting_s": 0} for kind in KINDS} | waiting
    assert (health["status"], health["jobs"]) == ("degraded", expected)
    assert health["warnings"] == [
        "Jobs of these kinds wait for over 30 s; look whether `solflis worker` runs: horizon_precise."
    ]
