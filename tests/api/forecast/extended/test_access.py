"""Who may ask for ten days, and what it counts for."""

from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from api.access import keys
from api.access.secret import load_secret
from api.database.engine import address, make_async_engine
from tests.api.conftest import Asked, MovableClock, Start
from tests.api.forecast.extended.conftest import EXTENDED, OSLO, Service

NOT_INCLUDED = {"error": "Extended forecast requires Basic tier or higher"}
BODY = {"latitude": 59.91, "longitude": 10.75}
BIG = {**BODY, "arrays": [{"name": "a", "kwp": 151, "tilt_deg": 30, "azimuth_deg": 180}]}


class Asking:
    """An API that counts, and keys for it."""

    def __init__(self, api: Any, issued: dict[str, str]) -> None:
        self._api, self._keys = api, issued

    async def get(self, path: str, plan: str | None = None) -> Asked:
        """Ask with a plan's key."""
        answer: Asked = await self._api.ask(path, headers=self._head(plan))
        return answer

    async def post(self, body: Any, plan: str | None = None) -> Asked:
        """Ask with a body."""
        answer: Asked = await self._api.ask("/api/forecast/extended", "POST", json=body, headers=self._head(plan))
        return answer

    def _head(self, plan: str | None) -> dict[str, str]:
        return {"X-API-Key": self._keys[plan]} if plan else {}


@pytest_asyncio.fixture
async def asking(start: Start, service: Service, own_state: Path, clock: MovableClock, tmp_path: Path) -> Any:
    database = f"sqlite:///{tmp_path}/solflis.sqlite"
    api = await start(
        clock=clock, access="keys", database=database, locationforecast_url=service.url, state_folder=own_state
    )
    engine = make_async_engine(address(database, own_state))
    secret = load_secret(None, own_state)
    issued = {
        plan: await keys.issue(engine, secret, f"{plan}@b.no", plan, clock.moment) for plan in ("free", "basic", "pro")
    }
    yield Asking(api, issued)
    await engine.dispose()


@pytest.mark.parametrize("plan", [None, "free"])
async def test_not_for_free(asking: Asking, service: Service, plan: str | None) -> None:
    answers = [
        await asking.get(EXTENDED, plan),
        await asking.get(f"/api/forecast?{OSLO}&extended=true", plan),
        await asking.get(f"/api/forecast?{OSLO}&extended=1&daily=false", plan),
        await asking.post(BODY, plan),
        await asking.post(BIG, plan),
    ]
    for asked in answers:
        assert (asked.status, asked.json) == (403, NOT_INCLUDED)
        assert asked.headers["X-Quota-Remaining"] == asked.headers["X-Quota-Limit"]
    assert service.asked == []


async def test_from_basic_on_and_counted_once(asking: Asking) -> None:
    left = []
    for asked in (
        await asking.get(EXTENDED, "basic"),
        await asking.get(f"/api/forecast?{OSLO}&extended=true", "basic"),
        await asking.post(BODY, "basic"),
    ):
        assert asked.status == 200, asked.text[:300]
        left.append(int(asked.headers["X-Quota-Limit"]) - int(asked.headers["X-Quota-Remaining"]))
        plants = int(asked.headers["X-Quota-Plants-Limit"]) - int(asked.headers["X-Quota-Plants-Remaining"])
        assert plants == 1
    assert left == [1, 2, 3]


async def test_a_failure_of_the_service_costs_nothing(asking: Asking, service: Service) -> None:
    service.misbehave(mode="error", status=403)
    for _ in range(2):
        asked = await asking.get(EXTENDED, "basic")
        assert asked.status == 502
        assert asked.headers["X-Quota-Remaining"] == asked.headers["X-Quota-Limit"]


async def test_power_by_plan(asking: Asking) -> None:
    asked = await asking.post(BIG, "basic")
    assert asked.status == 403
    assert "151" in asked.json["error"]
