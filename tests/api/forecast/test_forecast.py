"""`GET /api/forecast`: what a good answer holds."""

import numpy as np
import pytest

from tests.api.conftest import Api, require_documented
from tests.api.fabricated import HOURS, OSLO_CELL, SCALE, series

OSLO = "/api/forecast?lat=59.91&lon=10.75"


async def test_series_is_the_tile_s(api: Api) -> None:
    body = (await api.ask(OSLO)).json
    rows = body["ghi_timeseries"]
    expected = np.round(series() * SCALE, 1)
    assert [row["ghi_wm2"] for row in rows] == expected.tolist()
    assert [row["hour"] for row in rows] == list(range(HOURS))
    assert [row["timestamp"] for row in rows[:2]] == ["2026-06-01T00:00:00Z", "2026-06-01T01:00:00Z"]
    assert rows[-1]["timestamp"] == "2026-06-03T17:00:00Z"
    assert body["peak_ghi_wm2"] == expected.max()
    assert body["daily_ghi_kwh_m2"] == pytest.approx(expected.sum() / 1000, abs=5e-4)
    assert body["grid_index"] == {"i_lat": OSLO_CELL[0], "i_lon": OSLO_CELL[1]}


async def test_head_of_the_body(api: Api) -> None:
    asked = await api.ask(OSLO)
    await require_documented(api, "GET /api/forecast", asked)
    body = asked.json
    del body["ghi_timeseries"], body["peak_ghi_wm2"], body["daily_ghi_kwh_m2"], body["grid_index"], body["days"]
    assert body == {
        "site": "59.91,10.75",
        "latitude": 59.91,
        "longitude": 10.75,
        "cycle_time": "2026-06-01T00:00:00Z",
        "model": "production_v2_3b",
        "data_mode": "v23b",
        "time_convention": "timestamp: start of the hour, UTC; ghi_wm2: mean over [timestamp, timestamp + 1 h)",
        "cycle_age_hours": 2.5,
        "data_origin": "simulated",
    }


@pytest.mark.parametrize("query", ["lat=60&lon=10.5", "lon=10.5&lat=60", "lat=6e1&lon=%2B10.5", "lat=60.&lon=10.50"])
async def test_other_spellings_of_a_point_give_the_same_body(api: Api, query: str) -> None:
    assert (await api.ask(f"/api/forecast?{query}")).text == (await api.ask("/api/forecast?lat=60.0&lon=10.5")).text


@pytest.mark.parametrize(("lat", "lon", "cell"), [(57, 4, (0, 0)), (72, 32, (500, 933)), (57.0151, 4, (1, 0))])
async def test_borders_of_the_coverage_belong_to_it(api: Api, lat: float, lon: float, cell: tuple[int, int]) -> None:
    body = (await api.ask(f"/api/forecast?lat={lat}&lon={lon}")).json
    assert (body["grid_index"]["i_lat"], body["grid_index"]["i_lon"]) == cell


async def test_a_site_is_its_point(api: Api) -> None:
    by_site = (await api.ask("/api/forecast?site=jegerveien")).json
    by_point = (await api.ask("/api/forecast?lat=59.958&lon=10.69")).json
    assert by_site.pop("site") == "jegerveien"
    assert by_point.pop("site") == "59.958,10.69"
    assert by_site == by_point


async def test_what_is_ignored_is_told_and_flags_that_are_off_are_not(api: Api) -> None:
    plain = (await api.ask(OSLO)).json
    assert (await api.ask(f"{OSLO}&daily=false&extended=0&timezone=UTC&layout=rows")).json == plain
    told = (await api.ask(f"{OSLO}&utm_source=x&snow=1&precise=true&altitude_m=9")).json
    assert told.pop("warnings") == [
        "Unknown parameters were ignored: utm_source.",
        "Without arrays these were ignored: precise, snow, altitude_m.",
    ]
    assert told == plain


async def test_etags_tell_cells_and_models_apart_and_are_answered_with_304(api: Api) -> None:
    paths = (OSLO, "/api/forecast?lat=59.94&lon=10.75", f"{OSLO}&model=v1", "/api/forecast/latest")
    answers = [await api.ask(path) for path in paths]
    assert len({asked.headers["ETag"] for asked in answers}) == len(paths)
    again = await api.ask(OSLO, "HEAD", headers={"If-None-Match": answers[0].headers["ETag"]})
    assert (again.status, again.text, again.headers["ETag"]) == (304, "", answers[0].headers["ETag"])
    assert again.headers["X-Data-Origin"] == "simulated"
    assert again.headers["Cache-Control"] == "private, max-age=60"


async def test_every_object_tells_what_was_ignored(api: Api) -> None:
    for path in ("/api/forecast/latest", "/health"):
        told = await api.ask(f"{path}?colour=red")
        assert told.json["warnings"] == ["Unknown parameters were ignored: colour."]
        assert "X-Warning" not in told.headers
        await require_documented(api, f"GET {path}", told)
    sites = await api.ask("/api/sites?colour=red")  # its fields are sites
    assert (list(sites.json), sites.headers["X-Warning"]) == (["jegerveien"], told.json["warnings"][0])


async def test_latest(api: Api) -> None:
    asked = await api.ask("/api/forecast/latest")
    assert list(asked.json) == ["cycle_time", "model", "n_times", "n_lat", "n_lon", "ghi_max", "timestamps"]
    timestamps = asked.json.pop("timestamps")
    assert asked.json | {"timestamps": None} == {
        "cycle_time": "2026-06-01T00:00:00Z", "model": "production_v1", "n_times": HOURS, "n_lat": 501, "n_lon": 934,
        "ghi_max": 250.0, "timestamps": None,
    }  # fmt: skip
    assert timestamps[0] == "2026-06-01T00:00:00.000Z"
    assert len(timestamps) == HOURS


async def test_sites(api: Api) -> None:
    sites = (await api.ask("/api/sites")).json
    assert list(sites) == ["jegerveien"]
    site = sites["jegerveien"]
    assert list(site) == ["name", "lat", "lon", "altitude_m", "arrays"]
    assert (site["lat"], site["lon"], site["altitude_m"], len(site["arrays"])) == (59.958, 10.69, 190, 2)
    assert list(site["arrays"][0]) == ["name", "kwp", "tilt_deg", "azimuth_deg"]
