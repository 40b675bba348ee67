"""`POST /api/forecast`: what a good answer holds, and that its numbers are right."""

from collections.abc import Sequence
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pvlib
import pytest

from api.forecast.rows import as_columns
from tests.api.conftest import Api, require_documented
from tests.api.fabricated import HOURS, SCALE, series, temperature
from tests.api.forecast.conftest import SOUTH, WEST, Post

EAST = {**WEST, "name": "øst", "azimuth_deg": 90}
WALL = {"name": "vegg", "kwp": 2, "tilt_deg": 90, "azimuth_deg": 225}
FLAT = {"name": "flat", "kwp": 1, "tilt_deg": 0, "azimuth_deg": 0}


def by_pvlib(arrays: Sequence[dict[str, Any]], ratio: float = 0.85, coefficient: float = -0.004) -> np.ndarray:
    """Calculate the simplified engine's power with pvlib: (m, n) W."""
    middles = pd.date_range("2026-06-01T00:30", periods=HOURS, freq="h", tz="UTC")
    sun = pvlib.solarposition.get_solarposition(middles, 59.91, 10.75, method="nrel_numpy")
    ghi, zenith = np.round(series() * SCALE, 1), sun["zenith"].to_numpy()
    extra = pvlib.irradiance.get_extra_radiation(middles, method="nrel").to_numpy()
    split = pvlib.irradiance.erbs(ghi, zenith, middles)
    watts = []
    for array in arrays:
        facing = array["tilt_deg"], array["azimuth_deg"]
        plane = pvlib.irradiance.get_total_irradiance(
            *facing, zenith, sun["azimuth"].to_numpy(), np.asarray(split["dni"]), ghi, np.asarray(split["dhi"]),
            dni_extra=extra, albedo=0.2, model="haydavies",
        )["poa_global"]  # fmt: skip
        warmth = temperature() + 0.0342 * plane - 25
        watts.append(array["kwp"] * plane * ratio * (1 + coefficient * warmth))
    return np.array(watts)


@pytest.mark.parametrize("arrays", [[SOUTH, WEST], [EAST], [WALL], [FLAT, SOUTH, EAST, WEST]])
async def test_power_is_what_pvlib_says(post: Post, arrays: list[dict[str, Any]]) -> None:
    body = (await post(arrays=arrays)).json
    expected = by_pvlib(arrays)
    for array, watts in zip(arrays, expected, strict=True):
        answered = np.array([row[f"{array['name']}_W"] for row in body["pv_timeseries"]])
        assert watts.max() > 200
        # Half an hour, or a quarter of a turn, would be off by far more.
        assert np.abs(answered - watts).max() < 0.01 * watts.max()


async def test_system_is_taken_as_given(post: Post) -> None:
    expected = by_pvlib([SOUTH], ratio=0.7, coefficient=-0.003)[0]
    body = (await post(arrays=[SOUTH], performance_ratio=0.7, temp_coeff_pmax=-0.003)).json
    assert body["pv_system"]["performance_ratio"] == 0.7
    assert np.abs(np.array([row["sør_W"] for row in body["pv_timeseries"]]) - expected).max() < 0.01 * expected.max()
    nothing = (await post(performance_ratio=0)).json["pv_system"]
    assert (nothing["peak_power_w"], nothing["total_production_kwh"]) == (0, 0)


async def test_rows_are_those_of_the_irradiance(post: Post, sunny: Api) -> None:
    body = (await post()).json
    get = (await sunny.ask("/api/forecast?lat=59.91&lon=10.75")).json
    assert list(body) == [*get, "pv_system", "pv_timeseries"]
    by_day = [
        {**day, "production_kwh": of["production_kwh"]} for day, of in zip(get["days"], body["days"], strict=True)
    ]
    assert {name: body[name] for name in get} == {**get, "days": by_day}
    names = ["hour", "timestamp", "ghi_wm2"]
    assert [{name: row[name] for name in names} for row in body["pv_timeseries"]] == get["ghi_timeseries"]
    assert {tuple(row) for row in body["pv_timeseries"]} == {(*names, "sør_W", "vest_W", "total_W", "total_kWh")}


async def test_printed_sums_are_exact(post: Post) -> None:
    arrays = [{**SOUTH, "name": f"streng {n}", "kwp": 0.123 * n, "tilt_deg": n} for n in range(1, 20)]
    for more in ({}, {"precise": True}):
        body = (await post(arrays=arrays, **more)).json
        rows, system = body["pv_timeseries"], body["pv_system"]
        for row in rows:
            assert row["total_W"] == round(sum(row[f"{array['name']}_W"] for array in arrays), 1)
            assert row["total_kWh"] == round(row["total_W"] / 1000, 4)
            assert all(round(value, 1) == value >= 0 for name, value in row.items() if name.endswith("_W"))
        assert system["total_production_kwh"] == round(sum(row["total_kWh"] for row in rows), 4) > 1
        assert system["peak_power_w"] == max(row["total_W"] for row in rows)
        assert system["total_kwp"] == round(sum(array["kwp"] for array in arrays), 9)


async def test_pv_system(post: Post) -> None:
    system = (await post()).json["pv_system"]
    for name in ("peak_power_w", "total_production_kwh"):
        assert system.pop(name) > 0
    assert system == {
        "total_kwp": 9.6,
        "arrays": [SOUTH, WEST],
        "performance_ratio": 0.85,
        "engine": "simplified_haydavies_v1",
        "horizon_applied": False,
    }


async def test_precise_is_another_engine_which_knows_wind_and_height(post: Post) -> None:
    simple, precise = (await post()).json, (await post(precise=True)).json
    assert precise["pv_system"]["engine"] == "perez_huld_v1"
    sums = [answer["pv_system"]["total_production_kwh"] for answer in (simple, precise)]
    assert sums[0] != sums[1] == pytest.approx(sums[0], rel=0.1)
    low = (await post(altitude_m=1500)).json
    assert low.pop("warnings") == ["altitude_m was ignored: it is used only with precise."]
    assert low == simple
    high = (await post(precise=True, altitude_m=1500)).json
    assert high["pv_timeseries"] != precise["pv_timeseries"]


async def test_a_place_without_arrays_has_irradiance_alone(post: Post, sunny: Api) -> None:
    get = await sunny.ask("/api/forecast?lat=59.91&lon=10.75")
    for arrays in ({}, {"arrays": []}):
        body = {"latitude": 59.91, "longitude": 10.75, **arrays}
        assert (await post(body=body)).text == get.text


async def test_snow_says_that_there_is_none_yet(post: Post) -> None:
    body = (await post(snow="1")).json
    assert body.pop("snow") == {"snow_applied": False, "reason": "snow_blob_unavailable"}
    assert body == (await post(snow=False)).json


async def test_v1_has_its_own_irradiance_and_says_when_it_ends(post: Post) -> None:
    for asked in ({"model": "v1"}, {"v23b": False}, {"corrected": True}, {"fresh": 1}):
        answer = await post(**asked)
        assert (answer.json["data_mode"], answer.headers["Sunset"]) == ("v1", "Thu, 19 Nov 2026 00:00:00 GMT")
        assert [row["ghi_wm2"] for row in answer.json["pv_timeseries"]] == np.round(series() // 2 * SCALE, 1).tolist()
    assert "Sunset" not in (await post()).headers


@pytest.mark.parametrize("more", [{}, {"precise": True, "snow": True}])
async def test_columns_hold_what_rows_hold(post: Post, more: dict[str, Any]) -> None:
    rows, columns = (await post(**more)).json, (await post(layout="columns", **more)).json
    for name in ("ghi_timeseries", "pv_timeseries"):
        assert columns[name] == as_columns(rows[name])
        assert list(columns.pop(name)) == list(rows.pop(name)[0])
    assert columns == rows


async def test_columns_of_irradiance_alone(sunny: Api) -> None:
    path = "/api/forecast?lat=59.91&lon=10.75"
    rows, columns = await sunny.ask(path), await sunny.ask(f"{path}&layout=columns")
    assert columns.json["ghi_timeseries"] == as_columns(rows.json["ghi_timeseries"])
    assert columns.headers["ETag"] != rows.headers["ETag"]
    assert (await sunny.ask(f"{path}&layout=rows")).text == rows.text
    refused = await sunny.ask(f"{path}&layout=table")
    assert (refused.status, refused.json["error"]) == (400, "Parameteren layout må være en av: rows, columns.")


async def test_answers_are_as_the_document_says(post: Post, sunny: Api) -> None:
    variants = ({}, {"snow": 1}, {"layout": "columns"}, {"arrays": []}, {"precise": True})
    answers = [await post(**more) for more in variants]
    validate = await require_documented(sunny, "POST /api/forecast", *answers)
    with pytest.raises(jsonschema.ValidationError):
        validate({**answers[0].json, "pv_system": None})
    assert answers[0].headers["X-Data-Origin"] == "simulated"
    assert "ETag" not in answers[0].headers
