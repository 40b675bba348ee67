"""The snow authority as simulated: its answers, what our own source reads of them, and its faults."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestClient, TestServer

from catalog.sources import http, nve_gts
from catalog.sources.errors import SourceError
from infra.simulator.server import create_app
from infra.simulator.snow.cells import land
from tests.support.nve_gts import asked_by
from tiles.clock import Clock

TODAY = date(2026, 2, 10)
OSLO, FINSE, SEA = (262_500, 6_648_500), (89_500, 6_734_500), (-60_500, 6_900_500)
THEMES = {
    "swe": ("mm", 65535),
    "sd": ("cm", 65535),
    "fsw": ("mm", 255),
    "sdfsw": ("cm", 65535),
    "tm": ("Celcius", 65535),
}


@pytest_asyncio.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)
    app = create_app(Clock.parse(f"{TODAY}T07:10:00Z!"), tmp_path, 100)
    async with TestClient(TestServer(app)) as client:
        yield client


async def one(client: Any, point: tuple[int, int], start: date | str, end: date | str, theme: str) -> tuple[int, Any]:
    answer = await client.get(f"/nve_gts/api/GridTimeSeries/{point[0]}/{point[1]}/{start}/{end}/{theme}.json")
    return answer.status, await answer.json()


async def many(client: Any, points: list[tuple[int, int]], start: date, end: date, theme: str) -> tuple[int, Any]:
    question = {
        "Theme": theme, "StartDate": f"{start}", "EndDate": f"{end}", "Format": "json",
        "MapCoordinateCsv": ", ".join(f"{x} {y}" for x, y in points),
    }  # fmt: skip
    answer = await client.post("/nve_gts/api/MultiPointTimeSeries/ByMapCoordinateCsv", json=question)
    return answer.status, await answer.json()


async def season(client: Any, points: list[tuple[int, int]] | None = None) -> nve_gts.SnowData:
    asked = asked_by(str(client.make_url("/nve_gts")), 60)
    points, last = points or [FINSE, OSLO], TODAY + timedelta(days=8)
    return await asyncio.to_thread(asked.at_points, points, date(2025, 9, 1), last, today=TODAY)


async def test_an_answer_is_worded_as_the_authoritys(client: Any) -> None:
    start, end = date(2026, 1, 20), TODAY + timedelta(days=9)
    for theme, (unit, no_data) in THEMES.items():
        status, told = await one(client, FINSE, start, end, theme)
        assert status == 200
        assert (told["Theme"], told["Unit"], told["NoDataValue"], told["TimeResolution"]) == (
            theme,
            unit,
            no_data,
            1440,
        )
        assert (told["X"], told["Y"]) == FINSE
        assert told["StartDate"] == "20.01.2026 06:00:00"
        assert told["EndDate"] == "19.02.2026 06:00:00"
        assert told["PrognoseStartDate"] == "11.02.2026 06:00:00"
        assert told["data_origin"] == "simulated"
        assert "SIMULATED" in told["FullName"]
        assert len(told["Data"]) == 31
        assert all(type(value) is (float if theme == "tm" else int) for value in told["Data"])
        assert all(value == round(value, 1) for value in told["Data"])
        status, batch = await many(client, [OSLO, FINSE], start, end, theme)
        assert status == 200
        series = batch.pop("CellTimeSeries")[1]
        assert series.pop("CellIndex") == (1549 - (FINSE[1] - 6_450_000) // 1000) * 1195 + (FINSE[0] + 75_000) // 1000
        assert {**batch, **series} == told, "of a batch as of the cell alone"
    assert (await one(client, FINSE, start, TODAY, "sd"))[1]["PrognoseStartDate"] is None


async def test_our_source_reads_it(client: Any) -> None:
    read = await season(client)
    assert read.data_origin == "simulated"
    assert read.points == (FINSE, OSLO)
    assert read.observed_until == nve_gts.day_of(TODAY) - 1
    values = read.values
    assert not any(np.isnan(field).any() for field in values.values())
    assert values["snow_depth"][-1, 0] > 500, "mm, of Finse in February"
    assert values["snow_depth"][:, 0].max() > values["snow_depth"][:, 1].max()
    assert 1100 < read.altitude[0] < 1500
    rise = np.diff(values["snow_depth"], axis=0)
    assert (rise <= values["new_snow_depth"][1:] + 15).all(), "mm; both are whole centimetres"
    np.testing.assert_array_equal(values["new_snow_depth"], 10 * values["new_snow"])
    assert values["temp_air"].min() > -40


async def test_a_stamp_is_the_end_of_its_day(client: Any) -> None:
    read = await season(client)
    depth = (await one(client, FINSE, TODAY, TODAY, "sd"))[1]["Data"]
    yesterday = read.days.tolist().index(nve_gts.day_of(TODAY) - 1)
    assert read.values["snow_depth"][yesterday, 0] == 10 * depth[0]


async def test_before_1957_there_is_no_data_and_after_nine_days_none_is_forecast(client: Any) -> None:
    _, told = await one(client, FINSE, "1957-08-30", "1957-09-04", "fsw")
    assert [value == 255 for value in told["Data"]] == [True, True, True, False, False, False]
    _, old = await one(client, FINSE, "1950-01-01", "1950-01-03", "tm")
    assert old["Data"] == [65535] * 3
    status, told = await one(client, FINSE, TODAY, TODAY + timedelta(days=10), "sd")
    assert status == 400
    assert "2026-02-19" in told["Error"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("89500/6734500/2026-02-01/2026-01-01/sd", "an end after it"),
        ("89500/6734500/2026-02-01/2026-02-02/depth", "Tema: depth"),
        ("89500/6734500/yesterday/2026-02-02/sd", "Expected dates"),
        ("east/north/2026-02-01/2026-02-02/sd", "Expected dates"),
        ("nan/6734500/2026-02-01/2026-02-02/sd", "at least one point"),
    ],
)
async def test_what_is_no_question_is_refused(client: Any, path: str, said: str) -> None:
    answer = await client.get(f"/nve_gts/api/GridTimeSeries/{path}.json")
    assert answer.status == 400
    assert said in (await answer.json())["Error"]
    refused = await client.post("/nve_gts/api/MultiPointTimeSeries/ByMapCoordinateCsv", data=b"{")
    assert refused.status == 400


async def test_one_point_at_sea_fails_the_whole_batch(client: Any) -> None:
    status, told = await many(client, [FINSE, SEA, OSLO], TODAY, TODAY, "fsw")
    assert status == 500
    assert told == {"Error": "Tema: fsw. No cell exists for coordinates X: -60500 Y: 6900500"}
    assert (await one(client, SEA, TODAY, TODAY, "fsw"))[0] == 400
    read = await season(client, [FINSE, SEA, OSLO])
    assert read.points == (FINSE, OSLO)


async def test_an_answer_too_large_is_refused(client: Any) -> None:
    status, told = await many(client, [FINSE] * 21, date(1957, 9, 2), TODAY, "sd")
    assert status == 500
    assert "maxJsonLength" in told["Error"]


@pytest.mark.slow
async def test_a_country_and_a_lifetime_are_soon_told(client: Any) -> None:
    rows, columns = (index[::40].tolist() for index in np.nonzero(land()))
    points = [(1000 * column - 74_500, 1000 * row + 6_450_500) for row, column in zip(rows, columns, strict=True)]
    began = time.perf_counter()
    read = await season(client, points)
    print(f"{len(points)} cells of {len(read.days)} days, five themes: {time.perf_counter() - began:.1f} s")
    assert len(read.points) == len(points) > 8_000
    for theme in ("sd", "tm"):
        began = time.perf_counter()
        assert len((await one(client, OSLO, date(1957, 9, 2), TODAY, theme))[1]["Data"]) > 24_000
        print(f"one cell since 1957, {theme}: {time.perf_counter() - began:.2f} s")
    assert time.perf_counter() - began < 1, "the second theme is there already"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"mode": "error", "status": 500, "times": 9}, "HTTP 500"),
        ({"mode": "error", "status": 429, "times": 9}, "HTTP 429"),
        ({"mode": "garbage"}, "JSON"),
        ({"mode": "empty"}, "JSON"),
        ({"mode": "truncate", "how": "file"}, "JSON"),
        ({"mode": "error_body", "status": 200}, "An error, as requested"),
        ({"mode": "error_body", "status": 400}, "An error, as requested"),
        ({"mode": "error_body", "status": 500}, "An error, as requested"),
        ({"mode": "missing"}, "no data"),
    ],
)
async def test_faults_are_one_sentence(client: Any, rule: dict[str, Any], sentence: str) -> None:
    assert (await client.post("/_misbehave", json={"path": "/nve_gts/*", **rule})).status == 200
    with pytest.raises(SourceError, match=f"^nve_gts: .*{sentence}"):
        await season(client)


async def test_in_the_other_unit_the_snow_is_as_deep(client: Any) -> None:
    good = await season(client)
    await client.post("/_misbehave", json={"path": "/nve_gts/*", "mode": "centimetres"})
    for theme, unit in (("swe", "cm"), ("sd", "mm"), ("fsw", "cm"), ("sdfsw", "mm"), ("tm", "Celcius")):
        assert (await one(client, FINSE, TODAY, TODAY, theme))[1]["Unit"] == unit
    other = await season(client)
    for name, values in good.values.items():
        np.testing.assert_allclose(other.values[name], values, atol=0.5)


async def test_a_series_may_end_early(client: Any) -> None:
    good = await season(client)
    await client.post("/_misbehave", json={"path": "/nve_gts/*", "mode": "short"})
    short = await season(client)
    assert np.isnan(short.values["swe"][-30:]).all()
    np.testing.assert_array_equal(short.values["swe"][:-30], good.values["swe"][:-30])


async def test_faults_of_snow_are_for_snow(client: Any) -> None:
    for mode in ("error_body", "missing", "centimetres", "short"):
        refused = await client.post("/_misbehave", json={"path": "/frost/*", "mode": mode})
        assert refused.status == 400
        assert "/nve_gts/" in (await refused.json())["error"]
    refused = await client.post("/_misbehave", json={"path": "/nve_gts/*", "mode": "error", "status": 200})
    assert refused.status == 400
