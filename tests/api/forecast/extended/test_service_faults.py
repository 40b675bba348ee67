"""An external service that fails: 502 and never a stale answer, while what is fresh and everybody else are served."""

import asyncio
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api import upstream
from api.forecast.extended import external
from tests.api.conftest import Api, MovableClock, Start
from tests.api.forecast.extended.conftest import EXTENDED, OSLO, Service, times_of

FAILS = "Den eksterne værtjenesten svarer ikke"
ELSEWHERE = "/api/forecast/extended?lat=60.39&lon=5.32"
FAULTS: dict[str, dict[str, Any]] = {
    "error": {"mode": "error"},
    "refused": {"mode": "error", "status": 403},
    "too often": {"mode": "error", "status": 429},
    "absent": {"mode": "notfound"},
    "noise": {"mode": "garbage"},
    "nothing": {"mode": "empty"},
    "half": {"mode": "truncate", "how": "file"},
    "broken off": {"mode": "truncate", "how": "connection"},
    "reset": {"mode": "reset"},
    "another point": {"mode": "wronggrid"},
}


async def test_it_fails_and_comes_back(served: Api, service: Service, caplog: pytest.LogCaptureFixture) -> None:
    for number, (name, fault) in enumerate(FAULTS.items()):
        where = f"/api/forecast/extended?lat=60.{number}&lon=10.75"  # of which nothing is kept
        service.misbehave(**fault)
        failed = await served.ask(where)
        assert failed.status == 502, name
        assert failed.json["error"].startswith(FAILS)
        assert int(failed.headers["Retry-After"]) > 0
        [line] = [r.getMessage() for r in caplog.records if r.getMessage().startswith("locationforecast: ")]
        assert f"60.{number}" not in caplog.text, "where somebody lives stays out of the log"
        assert len(line) < 300
        caplog.clear()
        service.behave()
        times_of(await served.ask(where))


async def test_one_fault_is_outlived(served: Api, service: Service) -> None:
    service.misbehave(mode="error", status=503, times=2)
    times_of(await served.ask(EXTENDED))
    assert len(service.asked) == 3


async def test_who_sends_us_away_is_left_alone(served: Api, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.misbehave(mode="error", status=429, retry_after=1800)
    assert (await served.ask(EXTENDED)).status == 502
    service.behave()
    again = await served.ask(ELSEWHERE)
    assert again.status == 502
    assert 1790 <= int(again.headers["Retry-After"]) <= 1800
    assert len(service.asked) == 1, "neither again nor for another place"
    later = time.monotonic() + 1801
    monkeypatch.setattr(upstream.time, "monotonic", lambda: later)
    times_of(await served.ask(ELSEWHERE))


async def test_what_is_fresh_outlives_the_service_and_no_longer(
    served: Api, service: Service, clock: MovableClock
) -> None:
    first = await served.ask(EXTENDED)
    service.misbehave(mode="reset")
    clock.moment += timedelta(minutes=29)
    fresh = await served.ask(EXTENDED)
    assert fresh.json["timeseries"] == first.json["timeseries"]
    assert (await served.ask(ELSEWHERE)).status == 502
    clock.moment += timedelta(minutes=1)
    assert (await served.ask(EXTENDED)).status == 502, "what has expired is no answer"


async def test_no_network_while_it_is_fresh_and_a_condition_after(
    served: Api, service: Service, clock: MovableClock
) -> None:
    clock.moment = clock.moment.replace(minute=5)
    first = (await served.ask(EXTENDED)).json["timeseries"]
    for _ in range(5):
        await served.ask(EXTENDED)
    assert len(service.asked) == 1
    clock.moment = clock.moment.replace(minute=40)  # expired, but the service has made nothing new
    assert (await served.ask(EXTENDED)).json["timeseries"] == first
    assert service.asked[1].headers["If-Modified-Since"] == "Mon, 01 Jun 2026 02:00:00 GMT"
    clock.moment = clock.moment.replace(minute=59)
    await served.ask(EXTENDED)
    assert len(service.asked) == 2, "304 made it fresh again"
    clock.moment += timedelta(minutes=15)
    newer = await served.ask(EXTENDED)
    assert len(service.asked) == 3
    assert newer.json["external_service"]["updated_at"] == "2026-06-01T03:00:00Z"


async def test_many_at_once_one_question(served: Api, service: Service) -> None:
    answers = await asyncio.gather(*(served.ask(EXTENDED) for _ in range(12)))
    assert {a.status for a in answers} == {200}
    assert len(service.asked) == 1


async def test_a_place_is_four_decimals(served: Api, service: Service) -> None:
    for lat in ("59.912340001", "59.91234", "59.9123399"):
        asked = await served.ask(f"/api/forecast/extended?lat={lat}&lon=10.750000001")
        times_of(asked)
        assert asked.json["latitude"] == float(lat)
    assert [r.query["lat"] for r in service.asked] == ["59.9123"]
    assert service.asked[0].headers["User-Agent"].startswith("solflis/")


async def test_a_slow_service_holds_up_nobody_else(
    served: Api, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    times_of(await served.ask(EXTENDED))
    monkeypatch.setattr(upstream, "WITHIN_S", 3.0)
    service.misbehave(mode="slow", seconds=7)
    places = [f"/api/forecast/extended?lat=60.{i}&lon=10.75" for i in range(10)]
    began = time.monotonic()
    slow = [asyncio.create_task(served.ask(path)) for path in places]
    while len(service.asked) < 1 + external.THREADS:
        await asyncio.sleep(0.02)
    others = [await served.ask(path) for path in (f"/api/forecast?{OSLO}", EXTENDED, "/health")]
    assert [other.status for other in others] == [200, 200, 200]
    assert not any(one.done() for one in slow), "they did not wait for the service"
    assert len(service.asked) == 1 + external.THREADS
    answers = await asyncio.gather(*slow)
    assert {a.status for a in answers} == {502}
    assert time.monotonic() - began < 5.7


async def test_a_service_that_ends_before_the_regional_model(served: Api, service: Service) -> None:
    service.misbehave(mode="stale", hours=9 * 24)
    assert (await served.ask(EXTENDED)).status == 502


async def test_without_turbidity_or_v15(start: Start, service: Service, store: Path, own_state: Path) -> None:
    (store / "turbidity" / "index.json").unlink()
    api = await start(locationforecast_url=service.url, state_folder=own_state)
    asked = await api.ask(EXTENDED)
    assert asked.status == 503
    assert asked.json["error"].startswith("No forecast data available")
    (store / "forecast" / "index.json").unlink()
    api = await start(locationforecast_url=service.url, state_folder=own_state)
    asked = await api.ask(EXTENDED)
    assert asked.status == 503
    assert "production_v1" in asked.json["error"]
    assert service.asked == []


async def test_bad_questions(served: Api, service: Service) -> None:
    missing = "GET: provide ?lat=&lon= or ?site=jegerveien."
    for query, text in (
        ("", missing),
        ("?lat=59.91", missing),
        ("?lat=x&lon=10.75", missing),
        ("?lat=56.99&lon=10.75", "Location outside Norway coverage (57-72N, 4-32E)"),
    ):
        asked = await served.ask(f"/api/forecast/extended{query}")
        assert asked.status == 400
        assert asked.json["error"].startswith(text)
    assert service.asked == []


async def test_bad_bodies(served: Api) -> None:
    asked = await served.ask("/api/forecast/extended", "POST", data=b"{", headers={"Content-Type": "application/json"})
    assert (asked.status, asked.json["error"]) == (400, "Invalid JSON body")
    assert "example" in asked.json
    outside = {"latitude": 40.0, "longitude": 10.75}
    asked = await served.ask("/api/forecast/extended", "POST", json=outside)
    assert (asked.status, asked.json["error"]) == (400, "Location outside Norway coverage (57-72N, 4-32E)")
    plant = {"latitude": 59.91, "longitude": 10.75, "anlegg_id": "x"}
    assert (await served.ask("/api/forecast/extended", "POST", json=plant)).status == 404
