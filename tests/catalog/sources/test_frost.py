"""Frost: the stamp at the end of the hour, what is dropped and what is refused, and the faults of a service."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from catalog.sources import frost
from catalog.sources.errors import NotYetAvailable, Origin, SourceError
from tests.support.http_server import serving
from tests.support.reading import sentence_of
from tests.support.stations import answered, frost_stub, row

START = datetime(2026, 6, 20, tzinfo=UTC)
UNIX = int(START.timestamp())
OSLO = (59.94, 10.72)


def observe(url: str, numbers: tuple[int, ...] = (1,), hours: int = 4, start: datetime = START) -> frost.Observations:
    return frost.observations(url, numbers, start, start + timedelta(hours=hours), user_agent="test", deadline_s=60)


def observed(*rows: dict[str, Any], hours: int = 4) -> frost.Observations:
    with serving(lambda *_: answered(list(rows))) as url:
        return observe(url, hours=hours)


def test_an_observation_is_stamped_with_the_end_of_its_hour() -> None:
    got = observed(row("SN1", UNIX + 3600, 11.0), row("SN1", UNIX + 4 * 3600, 14.0))
    assert got.hours.tolist() == [UNIX + 3600 * h for h in range(4)]
    np.testing.assert_array_equal(got.ghi[:, 0], np.array([11, np.nan, np.nan, 14], np.float32))


def test_a_time_offset_moves_the_stamp_and_parts_of_an_hour_are_dropped() -> None:
    got = observed(
        row("SN1", UNIX, 5.0, timeOffset="PT1H"),
        row("SN1", UNIX + 4 * 3600, 6.0, timeOffset="-PT2H"),
        row("SN1", UNIX + 3600, 7.0, timeOffset="PT30M"),
    )
    np.testing.assert_array_equal(got.ghi[:, 0], np.array([5, 6, np.nan, np.nan], np.float32))
    assert got.dropped == {"no whole hour": 1}


def test_poor_and_impossible_values_are_dropped_and_counted() -> None:
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
    uncontrolled["observations"].insert(0, {"elementId": "air_temperature", "value": 4, "unit": "degC"})
    del uncontrolled["observations"][1]["qualityCode"]
    assert observed(uncontrolled).ghi[0, 0] == 9


def test_of_duplicates_the_first_series_stays_in_any_order() -> None:
    both = [row("SN1", UNIX + 3600, 10.0, timeSeriesId=1), row("SN1", UNIX + 3600, 20.0, timeSeriesId=0)]
    for rows in (both, both[::-1]):
        got = observed(*rows)
        assert got.ghi[0, 0] == 20
        assert got.dropped == {"duplicate": 1}


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(SourceError, match="units that are not understood: 'J/cm2'"):
        observed(row("SN1", UNIX + 3600, 10.0, unit="J/cm2"))


@pytest.mark.parametrize(
    "broken",
    [
        {"sourceId": "SN1:0"},
        {**row("SN1", UNIX, 1.0), "referenceTime": "2026-06-20T00:00:00"},
        {**row("SN1", UNIX, 1.0), "observations": [7]},
        row("SN1", UNIX, 1.0, timeOffset="P1M"),
        row("SN1", UNIX, 1.0, qualityCode="x"),
        "row",
    ],
)
def test_a_malformed_row_is_refused_in_one_sentence(broken: Any) -> None:
    assert "holds an observation that is not understood" in sentence_of("frost", lambda: observed(broken))


@pytest.mark.parametrize("body", [b"<html>", b'{"data": 7}', b"[" * 100_000])
def test_what_is_no_answer_of_frost_is_refused(body: bytes) -> None:
    with serving(lambda *_: (200, {}, body)) as url, pytest.raises(SourceError, match=r"^frost: .*JSON"):
        observe(url)


@pytest.mark.parametrize("status", [404, 412])
def test_no_data_of_these_hours_is_no_error(status: int) -> None:
    with serving(lambda *_: (status, {}, b"{}")) as url:
        got = observe(url)
    assert np.isnan(got.ghi).all()
    assert got.ghi.shape == (4, 1)


def test_a_list_of_stations_that_is_not_there_is_one() -> None:
    with serving(lambda *_: (404, {}, b"{}")) as url, pytest.raises(NotYetAvailable):
        frost.stations(url, user_agent="test", deadline_s=5)


def test_the_client_id_is_the_user() -> None:
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


@pytest.mark.parametrize("origin", ["simulated", "live"])
def test_simulated_observations_are_known_as_such(origin: str) -> None:
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
