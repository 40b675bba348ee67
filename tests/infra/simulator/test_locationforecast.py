"""The point forecast service as the authority's: protocol, steps, and the weather it shows."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import Any

import pytest

from infra.simulator.locationforecast import forecast

OSLO = (59.91, 10.75)
CLOCK = "2026-06-20T14:10:00Z!"
NOW = datetime(2026, 6, 20, 14, 10, tzinfo=UTC)
HERE = "/locationforecast/complete?lat=59.91&lon=10.75"


def times(answer: Any) -> list[datetime]:
    return [datetime.fromisoformat(step["time"]) for step in answer["properties"]["timeseries"]]


@pytest.mark.parametrize("issued", [NOW.replace(minute=0) + timedelta(hours=h) for h in (0, 5)])
def test_hourly_then_every_six_hours(issued: datetime) -> None:
    at = times(forecast(*OSLO, issued))
    assert at[0] == issued
    hours = [(b - a) / timedelta(hours=1) for a, b in pairwise(at)]
    assert hours[:59] == [1.0] * 59
    assert set(hours[60:]) == {6.0}
    assert 1 <= hours[59] <= 6
    assert all(t.hour % 6 == 0 for t in at[60:])
    assert timedelta(days=9, hours=18) <= at[-1] - at[0] <= timedelta(days=10)


async def test_protocol(client: Any) -> None:
    answer = await client.get(HERE)
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("application/json")
    assert answer.headers["X-Data-Origin"] == "simulated"
    assert parsedate_to_datetime(answer.headers["Last-Modified"]) == NOW.replace(minute=0)
    assert parsedate_to_datetime(answer.headers["Expires"]) == NOW + timedelta(minutes=30)
    told = await answer.json()
    assert told["properties"]["meta"]["data_origin"] == "simulated"
    assert told["geometry"]["coordinates"][:2] == [10.75, 59.91]
    same = await client.get(HERE, headers={"If-Modified-Since": answer.headers["Last-Modified"]})
    assert same.status == 304
    assert "Expires" in same.headers
    older = await client.get(HERE, headers={"If-Modified-Since": "Sat, 20 Jun 2026 13:59:59 GMT"})
    assert older.status == 200
    assert (await client.get(HERE.replace("complete", "2.0/compact"))).status == 200
    assert (await client.get(HERE, headers={"User-Agent": ""})).status == 403, "who asks has to be named"
    assert (await (await client.get(f"{HERE}&altitude=321")).json())["geometry"]["coordinates"][2] == 321


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("?lat=59.91", 400),
        ("?lat=x&lon=10", 400),
        ("?lat=59.912345&lon=10.75", 403),
        ("?lat=10&lon=10.75", 422),
    ],
)
async def test_refusals(client: Any, path: str, status: int) -> None:
    assert (await client.get(f"/locationforecast/complete{path}")).status == status


async def rule(client: Any, **fields: Any) -> None:
    answer = await client.post("/_misbehave", json={"path": "/locationforecast/*", "times": 1, **fields})
    assert answer.status == 200


async def test_faults(client: Any) -> None:
    await rule(client, mode="error", status=429, retry_after=7)
    answer = await client.get(HERE)
    assert (answer.status, answer.headers["Retry-After"]) == (429, "7")
    await rule(client, mode="wronggrid")
    assert (await (await client.get(HERE)).json())["geometry"]["coordinates"][0] == 11.75
    await rule(client, mode="stale", hours=6)
    assert times(await (await client.get(HERE)).json())[0] == NOW.replace(minute=0) - timedelta(hours=6)
