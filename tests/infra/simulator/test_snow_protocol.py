"""The simulated snow authority: its climate, its answers, what our own source reads of them, and its faults."""

import asyncio
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from pyproj import Transformer

from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from infra.simulator.snow.cells import cell_at, land
from infra.simulator.snow.pack import Snow, first_day, snow
from tests.support.nve_gts import asked_by

TODAY = date(2026, 2, 10)
CLOCK = f"{TODAY}T07:10:00Z!"
OSLO, FINSE, SEA = (262_500, 6_648_500), (89_500, 6_734_500), (-60_500, 6_900_500)
THEMES = {
    "swe": ("mm", 65535),
    "sd": ("cm", 65535),
    "fsw": ("mm", 255),
    "sdfsw": ("cm", 65535),
    "tm": ("Celcius", 65535),
}


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


async def test_one_point_at_sea_or_too_many_values_fail_the_whole_batch(client: Any) -> None:
    status, told = await many(client, [FINSE, SEA, OSLO], TODAY, TODAY, "fsw")
    assert status == 500
    assert told == {"Error": "Tema: fsw. No cell exists for coordinates X: -60500 Y: 6900500"}
    assert (await one(client, SEA, TODAY, TODAY, "fsw"))[0] == 400
    read = await season(client, [FINSE, SEA, OSLO])
    assert read.points == (FINSE, OSLO)
    status, told = await many(client, [FINSE] * 21, date(1957, 9, 2), TODAY, "sd")
    assert (status, "maxJsonLength" in told["Error"]) == (500, True), "an answer that is too large"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"mode": "error_body", "status": 200}, "An error, as requested"),
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


TOWNS = {
    "Oslo": (59.913, 10.750), "Bergen": (60.392, 5.324), "Trondheim": (63.430, 10.395), "Tromso": (69.649, 18.955),
    "Finse": (60.602, 7.504),
}  # fmt: skip
YEARS = range(1990, 2020)
LAST = first_day(2020) - 1
NOVEMBER = first_day(2026) + 83  # 23 November 2026
MONTHS = np.arange(first_day(1990), LAST + 1).astype("datetime64[D]").astype("datetime64[M]").astype(int) % 12


def cells_of(*positions: tuple[float, float]) -> np.ndarray:
    lat, lon = np.array(positions).T
    x, y = Transformer.from_crs(4258, 25833, always_xy=True).transform(lon, lat)
    return cell_at(np.asarray(x), np.asarray(y))


@pytest.fixture(scope="module")
def thirty_years() -> Snow:
    return snow(cells_of(*TOWNS.values()), YEARS, LAST, NOVEMBER)


def test_there_is_none_at_sea_abroad_or_off_the_grid() -> None:
    assert (cells_of(*TOWNS.values()) >= 0).all()
    assert (
        cells_of((58.0, 4.5), (59.33, 18.07), (66.0, 8.0), (69.0, 33.0), (50.0, 10.0), (75.0, 60.0)).tolist()
        == [-1] * 6
    )


@pytest.mark.parametrize(
    ("town", "january", "july", "depths_cm"),
    [
        ("Oslo", (-4.5, -1.5), (16, 19), {0: (10, 40), 1: (10, 40), 2: (8, 40), 6: (0, 0)}),
        ("Bergen", (0.3, 3.0), (13, 16.5), {0: (1, 12), 1: (1, 12), 3: (0, 5), 6: (0, 0)}),
        ("Trondheim", (-4, -0.5), (13.5, 16.5), {0: (5, 35), 1: (5, 35), 6: (0, 0)}),
        ("Tromso", (-5, -2.5), (11, 14), {11: (15, 50), 0: (30, 90), 2: (50, 120), 4: (0, 40), 6: (0, 0)}),
        ("Finse", (-12, -8), (6, 10), {0: (90, 220), 3: (150, 320), 4: (100, 300)}),
    ],
)
def test_the_climate_of_towns(
    thirty_years: Snow,
    town: str,
    january: tuple[float, float],
    july: tuple[float, float],
    depths_cm: dict[int, tuple[float, float]],
) -> None:
    which = list(TOWNS).index(town)
    temp_air, depth = thirty_years.temp_air[:, which], thirty_years.snow_depth[:, which] / 10
    assert january[0] < temp_air[MONTHS == 0].mean() < january[1]
    assert july[0] < temp_air[MONTHS == 6].mean() < july[1]
    for month, (least, most) in depths_cm.items():
        assert least <= depth[month == MONTHS].mean() <= most, month
    assert 2.5 < temp_air[MONTHS == 0].std() < 6.0, "thaws and cold spells"


def test_snow_comes_and_goes_as_it_must(thirty_years: Snow) -> None:
    new, swe, depth = thirty_years.new_snow, thirty_years.swe, thirty_years.snow_depth
    rise_swe, rise_depth = np.diff(swe, axis=0), np.diff(depth, axis=0)
    assert (rise_swe <= new[1:] + 1e-2).all(), "nothing but new snow adds to it"
    assert (rise_depth <= 10 * new[1:] + 1e-1).all(), "of 100 kg/m3"
    assert min(new.min(), swe.min(), depth.min()) >= 0
    assert ((swe == 0) == (depth == 0)).all()
    lying = swe > 5
    density = 1000 * swe[lying] / depth[lying]
    assert density.min() >= 99
    assert density.max() <= 451
    assert not new[thirty_years.temp_air > 9].any(), "no snow in warmth"
    # melt: at most a degree-day's worth
    melted = swe[:-1] + new[1:] - swe[1:]
    assert (melted[thirty_years.temp_air[1:] < -8] < 0.51).all()
    warm = thirty_years.temp_air[1:] > 2
    assert (melted[warm & (swe[1:] > 0)] >= 2.4 * thirty_years.temp_air[1:][warm & (swe[1:] > 0)] - 1e-2).all()


def test_forecasts_are_wrong_and_ever_more_so() -> None:
    chosen = np.flatnonzero(land()[::-1].ravel())[::4_000]
    year, begin = range(2024, 2025), first_day(2024)
    real = snow(chosen, year, begin + 200, begin + 300).temp_air
    off: dict[int, list[float]] = {0: [], 8: []}
    for issued in range(100, 180, 5):
        said = snow(chosen, year, begin + issued + 8, begin + issued)
        np.testing.assert_allclose(said.temp_air[:issued], real[:issued], atol=1e-3)
        for lead, errors in off.items():
            errors.append(np.abs(said.temp_air[issued + lead] - real[issued + lead]).mean())
    assert 0.05 < np.mean(off[0]) < 1.0
    assert 1.5 * np.mean(off[0]) < np.mean(off[8]) < 6.0
