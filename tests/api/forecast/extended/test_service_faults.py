"""An external service that fails: 502 and never a stale answer, while what is fresh and everybody else are served."""

import asyncio
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api.core import upstream
from api.forecast import extended
from tests.api.conftest import Api, MovableClock, Start
from tests.api.fabricated import alter, hydrate_turbidity
from tests.api.forecast.extended.conftest import EXTENDED, OSLO, times_of
from tests.support.simulated import Simulated

FAILS = "Den eksterne værtjenesten svarer ikke"
ELSEWHERE = "/api/forecast/extended?lat=60.39&lon=5.32"
FAULTS: dict[str, dict[str, Any]] = {
    "error": {"mode": "error"},
    "too often": {"mode": "error", "status": 429},
    "noise": {"mode": "garbage"},
    "broken off": {"mode": "truncate", "how": "connection"},
    "reset": {"mode": "reset"},
    "another point": {"mode": "wronggrid"},
}


async def test_it_fails_and_comes_back(served: Api, service: Simulated, caplog: pytest.LogCaptureFixture) -> None:
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


async def test_what_is_fresh_outlives_the_service_and_no_longer(
    served: Api, service: Simulated, clock: MovableClock
) -> None:
    first = await served.ask(EXTENDED)
    service.misbehave(mode="reset")
    clock.moment += timedelta(minutes=29)
    fresh = await served.ask(EXTENDED)
    assert fresh.json["timeseries"] == first.json["timeseries"]
    assert (await served.ask(ELSEWHERE)).status == 502
    clock.moment += timedelta(minutes=1)
    assert (await served.ask(EXTENDED)).status == 502, "what has expired is no answer"


async def test_many_at_once_one_question(served: Api, service: Simulated) -> None:
    answers = await asyncio.gather(*(served.ask(EXTENDED) for _ in range(12)))
    assert {a.status for a in answers} == {200}
    assert len(service.asked) == 1


async def test_a_place_is_four_decimals(served: Api, service: Simulated) -> None:
    for lat in ("59.912340001", "59.91234", "59.9123399"):
        asked = await served.ask(f"/api/forecast/extended?lat={lat}&lon=10.750000001")
        times_of(asked)
        assert asked.json["latitude"] == float(lat)
    assert [r.query["lat"] for r in service.asked] == ["59.9123"]
    assert service.asked[0].headers["User-Agent"].startswith("solflis/")


async def test_a_slow_service_holds_up_nobody_else(
    served: Api, service: Simulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    times_of(await served.ask(EXTENDED))
    monkeypatch.setattr(upstream, "WITHIN_S", 3.0)
    service.misbehave(mode="slow", seconds=7)
    places = [f"/api/forecast/extended?lat=60.{i}&lon=10.75" for i in range(10)]
    began = time.monotonic()
    slow = [asyncio.create_task(served.ask(path)) for path in places]
    while len(service.asked) < 1 + extended.THREADS:
        await asyncio.sleep(0.02)
    others = [await served.ask(path) for path in (f"/api/forecast?{OSLO}", EXTENDED, "/health")]
    assert [other.status for other in others] == [200, 200, 200]
    assert not any(one.done() for one in slow), "they did not wait for the service"
    assert len(service.asked) == 1 + extended.THREADS
    answers = await asyncio.gather(*slow)
    assert {a.status for a in answers} == {502}
    assert time.monotonic() - began < 5.7


async def test_a_service_that_ends_before_the_regional_model(served: Api, service: Simulated) -> None:
    service.misbehave(mode="stale", hours=9 * 24)
    assert (await served.ask(EXTENDED)).status == 502


async def test_without_turbidity_or_v15(start: Start, service: Simulated, store: Path, own_state: Path) -> None:
    (store / "turbidity" / "index.json").unlink()
    api = await start(locationforecast_url=service.url, state_folder=own_state)
    asked = await api.ask(EXTENDED)
    assert (asked.status, asked.json["code"]) == (503, "NOT_BUILT")
    (store / "forecast" / "index.json").unlink()
    api = await start(locationforecast_url=service.url, state_folder=own_state)
    asked = await api.ask(EXTENDED)
    assert asked.status == 503
    assert "production_v1" in asked.json["error"]
    assert service.asked == []


async def test_an_altered_turbidity_is_503(start: Start, service: Simulated, state: Path, tmp_path: Path) -> None:
    hydrate_turbidity(tmp_path)
    (tmp_path / "hydrated" / "forecast").symlink_to(state / "hydrated" / "forecast")
    api = await start(locationforecast_url=service.url, state_folder=tmp_path, poll_s=3600)
    alter(tmp_path, "turbidity")
    asked = await api.ask(EXTENDED)
    assert (asked.status, asked.json["error"].split(" ")[0]) == (503, "No")
