"""Who may ask for ten days, and what it counts for."""

from pathlib import Path

import pytest
import pytest_asyncio

from tests.api.conftest import MovableClock
from tests.api.forecast.conftest import Counted, CountedStart, left
from tests.api.forecast.extended.conftest import EXTENDED, OSLO
from tests.support.simulated import Simulated

PATH = "/api/forecast/extended"
BODY = {"latitude": 59.91, "longitude": 10.75}
BIG = {**BODY, "arrays": [{"name": "a", "kwp": 151, "tilt_deg": 30, "azimuth_deg": 180}]}
BY_QUERY = (EXTENDED, f"/api/forecast?{OSLO}&extended=true")


@pytest_asyncio.fixture
async def counted(start_counted: CountedStart, service: Simulated, own_state: Path, clock: MovableClock) -> Counted:
    """An API that counts."""
    return await start_counted(own_state, clock=clock, locationforecast_url=service.url)


@pytest.mark.parametrize("plan", [None, "free"])
async def test_not_for_free(counted: Counted, service: Simulated, plan: str | None) -> None:
    key = await counted.key(plan) if plan else None
    refused = [await counted.ask(key, path) for path in BY_QUERY]
    refused += [await counted.ask(key, PATH, body) for body in (BODY, BIG)]
    for asked in refused:
        assert (asked.status, asked.json["error"]) == (403, "Extended forecast requires Basic tier or higher")
        assert asked.headers["X-Quota-Remaining"] == asked.headers["X-Quota-Limit"]
    assert service.asked == []


async def test_from_basic_on_and_counted_once(counted: Counted) -> None:
    key = await counted.key("basic")
    answers = [*[await counted.ask(key, path) for path in BY_QUERY], await counted.ask(key, PATH, BODY)]
    assert [left(asked) for asked in answers] == [(9_999, 99), (9_998, 99), (9_997, 99)]
    refused = await counted.ask(key, PATH, BIG)
    assert (refused.status, "151" in refused.json["error"]) == (403, True)


async def test_a_failure_of_the_service_costs_nothing(counted: Counted, service: Simulated) -> None:
    service.misbehave(mode="error", status=403)
    key = await counted.key("basic")
    for _ in range(2):
        asked = await counted.ask(key, EXTENDED)
        assert asked.status == 502
        assert asked.headers["X-Quota-Remaining"] == asked.headers["X-Quota-Limit"]
