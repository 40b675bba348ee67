"""Frost: the stamp at the end of the hour, what is dropped and what is refused, and the faults of a service."""

import base64
import json
import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from catalog.sources import frost, http
from catalog.sources.errors import NotYetAvailable, Origin, SourceError
from infra.simulator.clearsky import sun_at
from kernels import sun
from tests.support.stations import answered, frost_stub, row, serving

START = datetime(2026, 6, 20, tzinfo=UTC)
UNIX = int(START.timestamp())
OSLO = (59.94, 10.72)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


def observe(url: str, numbers: tuple[int, ...] = (1,), hours: int = 4, start: datetime = START) -> frost.Observations:
    return frost.observations(url, numbers, start, start + timedelta(hours=hours), user_agent="test", deadline_s=60)


def observed(*rows: dict[str, Any], hours: int = 4) -> frost.Observations:
    with serving(lambda *_: answered(list(rows))) as url:
        return observe(url, hours=hours)


def refusal(*rows: dict[str, Any]) -> str:
    with pytest.raises(SourceError) as caught:
        observed(*rows)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_stamp_is_the_end_of_the_hour() -> None:
    got = observed(row("SN1", UNIX + 3600, 11.0), row("SN1", UNIX + 4 * 3600, 14.0))
    assert got.hours.tolist() == [UNIX + 3600 * h for h in range(4)]
    np.testing.assert_array_equal(got.ghi[:, 0], np.array([11, np.nan, np.nan, 14], np.float32))


def test_the_sun_says_that_the_hours_are_right() -> None:
    """A day that follows the sun at mid-hour exactly, as a pyranometer stamps it: at the hour's end."""
    middles = UNIX + 3600.0 * np.arange(24) + 1800
    height = np.maximum(np.sin(np.radians(sun.elevation(*OSLO, middles.astype(np.int64)))), 0)
    rows = [row("SN1", UNIX + 3600 * (h + 1), round(900 * float(height[h]), 3)) for h in range(24)]
    got = observed(*rows, hours=24)
    noon = np.average(got.hours + 1800, weights=got.ghi[:, 0])
    solar_noon = UNIX + 43_200 - OSLO[1] * 240 + _equation_of_time(noon)
    assert abs(noon - solar_noon) < 120, "half an hour off is 1800"


def _equation_of_time(unix: float) -> float:
    """Seconds by which the sun is late, from the simulator's own sun (pvlib)."""
    hour_angle = np.degrees(sun_at(np.array([unix])).greenwich[0])
    mean_angle = (unix % 86_400 - 43_200) / 240
    return -((hour_angle - mean_angle + 180) % 360 - 180) * 240


def test_a_time_offset_moves_the_stamp_and_parts_of_an_hour_are_dropped() -> None:
    got = observed(
        row("SN1", UNIX, 5.0, timeOffset="PT1H"),
        row("SN1", UNIX + 4 * 3600, 6.0, timeOffset="-PT2H"),
        row("SN1", UNIX + 3600, 7.0, timeOffset="PT30M"),
    )
    np.testing.assert_array_equal(got.ghi[:, 0], np.array([5, 6, np.nan, np.nan], np.float32))
    assert got.dropped == {"no whole hour": 1}


@pytest.mark.parametrize("change_of_clocks", ["2026-03-29", "2026-10-25"])
def test_nights_of_changed_clocks_have_24_hours_of_utc(change_of_clocks: str) -> None:
    start = datetime.fromisoformat(f"{change_of_clocks}T00:00:00+00:00")
    with frost_stub(lambda _, hour: (hour - start.timestamp()) / 3600) as url:
        got = observe(url, hours=24, start=start)
    np.testing.assert_array_equal(got.ghi[:, 0], np.arange(24, dtype=np.float32))


def test_quality_codes_and_values_that_cannot_be() -> None:
    hour = [UNIX + 3600 * (h + 1) for h in range(4)]
    got = observed(
        row("SN1", hour[0], 100.0, qualityCode=3),
        row("SN1", hour[1], 100.0, qualityCode=2),
        row("SN1", hour[2], 1501.0),
        row("SN1", hour[3], -3.0),
        row("SN1", hour[0], None),
        row("SN1", hour[0], "7"),
        row("SN2", hour[0], 7.0),
        row("SN1", hour[0] - 3600, 7.0),
    )
    np.testing.assert_array_equal(got.ghi[:, 0], np.array([np.nan, 100, np.nan, 0], np.float32))
    assert got.dropped == {"poor quality": 1, "beyond what can be": 3, "not asked for": 2}
    uncontrolled = row("SN1", hour[0], 9.0)
    del uncontrolled["observations"][0]["qualityCode"]
    assert observed(uncontrolled).ghi[0, 0] == 9


def test_a_number_of_a_series_that_no_array_holds_is_the_lowest() -> None:
    assert observed(row("SN1", UNIX + 3600, 10.0, timeSeriesId=-(10**30))).ghi[0, 0] == 10


def test_of_duplicates_the_first_series_stays_in_any_order() -> None:
    both = [row("SN1", UNIX + 3600, 10.0, timeSeriesId=1), row("SN1", UNIX + 3600, 20.0, timeSeriesId=0)]
    for rows in (both, both[::-1]):
        got = observed(*rows)
        assert got.ghi[0, 0] == 20
        assert got.dropped == {"duplicate": 1}


def test_another_element_beside_is_left_alone() -> None:
    mixed = row("SN1", UNIX + 3600, 10.0)
    mixed["observations"].append({"elementId": "air_temperature", "value": 4, "unit": "degC", "timeOffset": "PT0H"})
    assert observed(mixed).ghi[0, 0] == 10


def test_an_unknown_unit_is_refused() -> None:
    assert "units that are not understood: 'J/cm2'" in refusal(row("SN1", UNIX + 3600, 10.0, unit="J/cm2"))


@pytest.mark.parametrize(
    "broken",
    [
        {"sourceId": "SN1:0"},
        {**row("SN1", UNIX, 1.0), "referenceTime": "2026-06-20T00:00:00"},
        {**row("SN1", UNIX, 1.0), "referenceTime": 7},
        {**row("SN1", UNIX, 1.0), "observations": [7]},
        row("SN1", UNIX, 1.0, timeOffset="an hour"),
        row("SN1", UNIX, 1.0, timeOffset="P1M"),
        row("SN1", UNIX, 1.0, timeOffset=3600),
        row("SN1", UNIX, 1.0, qualityCode="x"),
        "row",
    ],
)
def test_a_malformed_row_is_refused_in_one_sentence(broken: Any) -> None:
    assert "holds an observation that is not understood" in refusal(broken)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"data": 7}', b"[" * 100_000])
def test_what_is_no_answer_of_frost_is_refused(body: bytes) -> None:
    with serving(lambda *_: (200, {}, body)) as url, pytest.raises(SourceError, match=r"^frost: .*JSON"):
        observe(url)


@pytest.mark.parametrize("status", [404, 412])
def test_no_data_is_no_error(status: int) -> None:
    with serving(lambda *_: (status, {}, b"{}")) as url:
        got = observe(url)
    assert np.isnan(got.ghi).all()
    assert got.ghi.shape == (4, 1)


def test_a_list_of_stations_that_is_not_there_is_one() -> None:
    with serving(lambda *_: (404, {}, b"{}")) as url, pytest.raises(NotYetAvailable):
        frost.stations(url, user_agent="test", deadline_s=5)


def test_the_client_id_is_the_user_and_in_no_sentence_or_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    sent = []

    def respond(_: str, __: Any, headers: Any) -> tuple[int, dict[str, str], bytes]:
        sent.append(headers.get("Authorization"))
        return (200, {}, b'{"data": []}') if headers.get("Authorization") else (401, {}, b"")

    with serving(respond) as url:
        with_id = url.replace("http://", "http://my-client-id@")
        assert np.isnan(observe(with_id).ghi).all()
        assert base64.b64decode(sent[-1].removeprefix("Basic ")) == b"my-client-id:"
        with pytest.raises(SourceError, match="HTTP 401: the upstream does not know these credentials"):
            observe(url)
    with pytest.raises(SourceError) as caught:
        observe("http://my-client-id@127.0.0.1:1")
    assert "my-client-id" not in str(caught.value)
    assert "my-client-id" not in caplog.text


def test_after_too_many_requests_it_is_tried_again() -> None:
    asked = []

    def respond(*_: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append(1)
        return (429, {"Retry-After": "0"}, b"") if len(asked) < 3 else answered([row("SN1", UNIX + 3600, 4.0)])

    with serving(respond) as url:
        assert observe(url).ghi[0, 0] == 4
    assert len(asked) == 3


def test_rows_that_are_held_back_are_asked_for_in_halves() -> None:
    """An answer of at most two rows: four hours come in two questions more, each of half the time."""
    spans = []

    def respond(_: str, asked: Any, __: Any) -> tuple[int, dict[str, str], bytes]:
        start, end = (int(datetime.fromisoformat(t).timestamp()) for t in asked["referencetime"][0].split("/"))
        spans.append((end - start) // 3600)
        rows = [row("SN1", stamp, float((stamp - UNIX) // 3600)) for stamp in range(start, end, 3600)]
        return answered(rows[:2], currentItemCount=len(rows[:2]), totalItemCount=len(rows))

    with serving(respond) as url:
        got = observe(url)
        np.testing.assert_array_equal(got.ghi[:, 0], np.array([1, 2, 3, 4], np.float32))
    assert spans == [4, 2, 2]
    with (
        serving(lambda *_: answered([], currentItemCount=0, totalItemCount=5)) as url,
        pytest.raises(SourceError, match="0 of 5 rows even for one hour"),
    ):
        observe(url)


def test_many_stations_and_weeks_are_asked_for_in_parts() -> None:
    with frost_stub(lambda number, hour: number + (hour - UNIX) / 36_000) as url:
        got = observe(url, tuple(range(1, 131)), hours=24 * 9)
    expected = np.arange(1, 131)[None, :] + 0.1 * np.arange(24 * 9)[:, None]
    np.testing.assert_allclose(got.ghi, expected, rtol=1e-5)


def test_simulated_observations_are_known_as_such() -> None:
    for origin in ("simulated", "live"):
        with frost_stub(lambda *_: 5.0, origin) as url:
            assert observe(url).data_origin == origin


def test_the_real_list_of_stations_is_read(shared_data: Any) -> None:
    document = json.loads((shared_data / "api_samples/frost_sources_v0_norway.json").read_text())
    with serving(lambda *_: (200, {}, json.dumps(document).encode())) as url:
        listed = frost.stations(url, user_agent="test", deadline_s=10)
    stations = {s.number: s for s in listed.stations}
    assert listed.data_origin == "live"
    assert len(stations) > 1500
    assert stations[18700] == frost.Station(18700, "OSLO - BLINDERN", 59.9423, 10.72, 94.0)
    placed = [row for row in document["data"] if "geometry" in row and row.get("validTo") is None]
    assert len(listed.stations) == len({row["id"] for row in placed})


def test_stations_without_place_number_or_present_are_left_out_and_malformed_ones_refused() -> None:
    good = {"id": "SN7", "name": "A", "geometry": {"coordinates": [10.0, 60.0]}, "masl": 5}
    unusable = [
        {**good, "id": "NL1"},
        {**good, "id": "SN8", "validTo": "2020-01-01T00:00:00Z"},
        {"id": "SN9", "name": "B"},
    ]
    origin = Origin("frost", "http://somewhere")
    assert [s.number for s in frost.read_stations(origin, [good, *unusable])] == [7]
    for broken in ({"name": "A"}, {**good, "geometry": {"coordinates": [10.0]}}, 7):
        with pytest.raises(SourceError, match="a station that is not understood"):
            frost.read_stations(origin, [broken])
    for nowhere in ({"geometry": {"coordinates": [10.0, 600.0]}}, {"masl": float("inf")}):
        with pytest.raises(SourceError, match="lies nowhere"):
            frost.read_stations(origin, [{**good, **nowhere}])
