"""Sums by day: which hours belong to a day of a time zone, and whether all of it is there."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from api.forecast.days import days_of
from tests.api.conftest import Api
from tests.api.fabricated import SCALE, series
from tests.api.forecast.conftest import Post

OSLO = "/api/forecast?lat=59.91&lon=10.75"


def hours(start: str, count: int) -> np.ndarray:
    return int(datetime.fromisoformat(start).replace(tzinfo=UTC).timestamp()) + 3600 * np.arange(count)


def lengths(start: str, count: int, zone: str) -> list[tuple[str, int, bool]]:
    days = days_of(hours(start, count), zone)
    spans = [end - begin for begin, end in days.spans]
    assert days.ends.tolist() == np.cumsum(spans).tolist()
    return list(zip(days.dates, spans, days.complete, strict=True))


@pytest.mark.parametrize(
    ("start", "zone", "days"),
    [
        ("2026-06-01T00:00", "UTC", [("06-01", 24, True), ("06-02", 24, True), ("06-03", 18, False)]),
        ("2026-06-01T00:00", "Europe/Oslo", [("06-01", 22, False), ("06-02", 24, True), ("06-03", 20, False)]),
        ("2026-03-28T23:00", "Europe/Oslo", [("03-29", 23, True), ("03-30", 24, True), ("03-31", 19, False)]),
        ("2026-10-24T22:00", "Europe/Oslo", [("10-25", 25, True), ("10-26", 24, True), ("10-27", 17, False)]),
        ("2026-05-31T18:00", "Asia/Kolkata", [("05-31", 1, False), ("06-01", 24, True), ("06-02", 23, False)]),
    ],
)
def test_days_of_a_zone(start: str, zone: str, days: list[tuple[str, int, bool]]) -> None:
    count = sum(hours for _, hours, _ in days)
    assert lengths(start, count, zone) == [(f"2026-{day}", hours, whole) for day, hours, whole in days]


def test_the_last_day_is_whole_where_the_series_ends_at_midnight() -> None:
    assert lengths("2026-10-24T22:00", 25, "Europe/Oslo") == [("2026-10-25", 25, True)]
    assert lengths("2026-10-24T22:00", 24, "Europe/Oslo") == [("2026-10-25", 24, False)]


def require_sums(days: list[dict[str, Any]], rows: list[dict[str, Any]], offset: int) -> None:
    """The days are those of the rows, a day beginning so many hours before UTC's."""
    by_date: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        local = datetime.fromisoformat(row["timestamp"]).timestamp() + offset * 3600
        by_date.setdefault(f"{datetime.fromtimestamp(local, UTC):%Y-%m-%d}", []).append(row)
    assert [day["date"] for day in days] == list(by_date)
    for day, of in zip(days, by_date.values(), strict=True):
        assert day["ghi_kwh_m2"] == round(sum(row["ghi_wm2"] for row in of) / 1000, 4)
        if "total_kWh" in of[0]:
            assert day["production_kwh"] == round(sum(row["total_kWh"] for row in of), 4)


async def test_get_has_the_sums_of_its_days(api: Api) -> None:
    zones = (("", 0, 2), ("&timezone=UTC", 0, 2), ("&timezone=Europe/Oslo", 2, 1), ("&timezone=Pacific%2FApia", 13, 2))
    for zone, offset, whole in zones:
        body = (await api.ask(OSLO + zone)).json
        require_sums(body["days"], body["ghi_timeseries"], offset)
        assert body["daily_ghi_kwh_m2"] == pytest.approx(sum(day["ghi_kwh_m2"] for day in body["days"]), abs=5e-4)
        assert [day["complete"] for day in body["days"]].count(True) == whole
        assert "production_kwh" not in body["days"][0]
    assert sum(day["ghi_kwh_m2"] for day in body["days"]) == pytest.approx(series().sum() * SCALE / 1000)
    tags = {(await api.ask(f"{OSLO}&timezone={zone}")).headers["ETag"] for zone in ("UTC", "Europe/Oslo")}
    assert len(tags) == 2


@pytest.mark.parametrize("more", [{}, {"precise": True}, {"layout": "columns"}])
async def test_production_has_the_energy_of_its_days(post: Post, more: dict[str, Any]) -> None:
    for zone, offset in (("UTC", 0), ("Europe/Oslo", 2)):
        body = (await post(timezone=zone, **more)).json
        rows = body["pv_timeseries"]
        if more.get("layout") == "columns":
            rows = [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]
        require_sums(body["days"], rows, offset)


async def test_a_zone_that_is_none_is_refused(api: Api, post: Post) -> None:
    for zone in ("", "Oslo", "Europe", "../../etc/passwd", "Europe/Oslo%00", "+02:00"):
        asked = await api.ask(f"{OSLO}&timezone={zone}")
        assert (asked.status, asked.json["parameter"]) == (400, "timezone"), zone
    for value in (7, None, "Mars/Phobos"):
        asked = await post(timezone=value)
        assert asked.json["error"] == "timezone må være en tidssone fra IANA, for eksempel Europe/Oslo."
