"""The outgoing model, chosen in four ways, on both sides of its last day."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.api.conftest import frozen
from tests.api.fabricated import entry
from tests.api.forecast.conftest import Serve

LAST_SECOND = datetime(2026, 11, 18, 23, 59, 59, tzinfo=UTC)
SUNSET = datetime(2026, 11, 19, tzinfo=UTC)
ENDS = "Thu, 19 Nov 2026 00:00:00 GMT"
OSLO = "/api/forecast?lat=59.91&lon=10.75"
CYCLE = datetime(2026, 11, 18, 18, tzinfo=UTC)
WAYS = ("model=v1", "v23b=false", "v23b=0", "corrected=true", "corrected=1", "fresh=true", "fresh=1&model=v23b")
OTHERS = ("", "model=v23b", "v23b=true", "corrected=false", "fresh=0")


async def test_before_the_sunset_v1_is_served(serve: Serve) -> None:
    api = await serve(entry(CYCLE), clock=frozen(LAST_SECOND))
    plain = (await api.ask(OSLO)).json
    for way in WAYS:
        asked = await api.ask(f"{OSLO}&{way}")
        assert asked.status == 200
        assert (asked.json["model"], asked.json["data_mode"]) == ("production_v1", "v1"), way
        assert asked.json["peak_ghi_wm2"] == plain["peak_ghi_wm2"] / 2
        assert asked.headers["Sunset"] == ENDS


async def test_from_the_sunset_on_the_choice_is_ignored_and_answered_with_the_header(serve: Serve) -> None:
    api = await serve(entry(CYCLE), clock=frozen(SUNSET))
    plain = (await api.ask(OSLO)).json
    for way in WAYS:
        asked = await api.ask(f"{OSLO}&{way}")
        assert asked.status == 200
        assert asked.json == {**plain, "warnings": ["The choice of v1 was ignored: v23b answers."]}, way
        assert asked.headers["Sunset"] == ENDS
    etag = asked.headers["ETag"]
    again = await api.ask(f"{OSLO}&model=v1", headers={"If-None-Match": etag})
    assert (again.status, again.headers["Sunset"]) == (304, ENDS)


@pytest.mark.parametrize("now", [LAST_SECOND, SUNSET])
async def test_the_default_is_unaffected(serve: Serve, now: datetime) -> None:
    api = await serve(entry(CYCLE), clock=frozen(now))
    for other in OTHERS:
        asked = await api.ask(f"{OSLO}&{other}")
        assert (asked.status, asked.json["model"], asked.json["data_mode"]) == (200, "production_v2_3b", "v23b")
        assert "Sunset" not in asked.headers
    asked = await api.ask("/api/forecast?lat=70&lon=20&model=v1")
    assert (asked.status, asked.headers["Sunset"]) == (503, ENDS), "a point without data says so too"
    assert "Sunset" not in (await api.ask("/api/forecast?lat=70&lon=20")).headers


async def test_a_source_without_cloud_has_no_v1(serve: Serve) -> None:
    api = await serve(entry(CYCLE, variables=("ghi",), source="arome_metcoop"), clock=frozen(LAST_SECOND))
    assert (await api.ask(OSLO)).status == 200
    for path in (f"{OSLO}&model=v1", "/api/forecast/latest"):
        asked = await api.ask(path)
        assert asked.status == 503
        assert asked.json["error"].startswith("No forecast data available")
        assert "production_v1" in asked.json["error"]
        assert "arome_metcoop" in asked.json["error"]


async def test_v1_comes_from_the_newest_cycle_that_has_it(serve: Serve) -> None:
    newer = entry(CYCLE + timedelta(hours=1), variables=("ghi",), source="arome_metcoop")
    api = await serve(entry(CYCLE), newer, clock=frozen(LAST_SECOND))
    cycles = [(await api.ask(path)).json["cycle_time"] for path in (OSLO, f"{OSLO}&model=v1", "/api/forecast/latest")]
    assert cycles == ["2026-11-18T19:00:00Z", "2026-11-18T18:00:00Z", "2026-11-18T18:00:00Z"]
