"""Production by one URL, the variables of the hours, and files of one table."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.api.conftest import Api, require_documented
from tests.api.fabricated import entry, temperature, wind
from tests.api.forecast.conftest import PLANT, SOUTH, WEST, Post, Serve
from tests.api.forecast.test_production import by_pvlib

OSLO = "/api/forecast?lat=59.91&lon=10.75"
URL = f"{OSLO}&arrays=6.4:30:180,3.2:30:270"
NAMED = [{**SOUTH, "name": "array_1"}, {**WEST, "name": "array_2"}]


async def test_a_url_gives_what_the_post_gives(sunny: Api, post: Post) -> None:
    for query, body in (
        ("", {}),
        ("&precise=1&altitude_m=300", {"precise": True, "altitude_m": 300}),
        ("&performance_ratio=0.7&temp_coeff_pmax=-0.003", {"performance_ratio": 0.7, "temp_coeff_pmax": -0.003}),
        ("&layout=columns&model=v1", {"layout": "columns", "model": "v1"}),
        ("&timezone=Europe/Oslo&snow=1", {"timezone": "Europe/Oslo", "snow": True}),
    ):
        asked = await sunny.ask(URL + query)
        assert asked.text == (await post(arrays=NAMED, **body)).text, query
    await require_documented(sunny, "GET /api/forecast", asked)
    one = await sunny.ask(f"{OSLO}&kwp=6.4&tilt=30&azimuth=180")
    assert one.text == (await post(arrays=NAMED[:1])).text
    both = (await sunny.ask(f"{URL}&kwp=9")).json
    assert (both["pv_system"]["total_kwp"], both["warnings"]) == (9.6, ["Ignored with arrays: kwp."])


async def test_a_site_has_its_own_arrays_with_precise_or_snow(sunny: Api, post: Post) -> None:
    site = (await sunny.ask("/api/sites")).json["jegerveien"]
    place = {"latitude": site["lat"], "longitude": site["lon"], "arrays": site["arrays"]}
    for flag, more in (("precise=1", {"precise": True, "altitude_m": site["altitude_m"]}), ("snow=1", {"snow": True})):
        by_site = (await sunny.ask(f"/api/forecast?site=jegerveien&{flag}")).json
        by_post = (await post(**place, **more)).json
        assert by_site.pop("site") == "jegerveien"
        del by_post["site"]
        assert by_site == by_post
    assert "pv_system" not in (await sunny.ask("/api/forecast?site=jegerveien")).json


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("kwp=6.4", "tilt"), ("kwp=6.4&tilt=30", "azimuth"), ("tilt=30&azimuth=180", "kwp"),
        ("kwp=0&tilt=1&azimuth=1", "kwp"), ("kwp=1&tilt=91&azimuth=1", "tilt"), ("kwp=1&tilt=1&azimuth=-90", "azimuth"),
        ("arrays=", "arrays"), ("arrays=6.4:30", "arrays"), ("arrays=6.4:30:180,", "arrays"),
        ("arrays=0:30:180", "arrays"), ("arrays=1:91:180", "arrays"), ("arrays=1:1:361", "arrays"),
        (f"arrays={','.join(['1:1:1'] * 51)}", "arrays"), ("variables=rain", "variables"), ("format=xml", "format"),
    ],
)  # fmt: skip
async def test_what_cannot_be_a_plant(sunny: Api, query: str, parameter: str) -> None:
    asked = await sunny.ask(f"{OSLO}&{query}")
    assert (asked.status, asked.json["parameter"]) == (400, parameter)


async def test_variables_are_added_to_the_hours(sunny: Api, post: Post) -> None:
    names = "ghi,dni,dhi,poa,temp_air,wind_speed,cloud"
    plain, body = (await sunny.ask(URL)).json, (await sunny.ask(f"{URL}&variables={names}")).json
    assert body["missing_variables"] == ["cloud"]
    rows = body["ghi_timeseries"]
    fields = ["dni_wm2", "dhi_wm2", "array_1_poa_wm2", "array_2_poa_wm2", "temperature_c", "wind_speed_ms"]
    assert list(rows[0]) == ["hour", "timestamp", "ghi_wm2", *fields]
    np.testing.assert_allclose([row["temperature_c"] for row in rows], temperature(), atol=0.051)
    np.testing.assert_allclose([row["wind_speed_ms"] for row in rows], wind(), atol=0.051)
    # 1 kWp that loses nothing and does not mind heat gives as many watts as there fall on a square metre
    on_planes = by_pvlib([{**array, "kwp": 1} for array in NAMED], ratio=1, coefficient=0)
    for array, expected in zip(NAMED, on_planes, strict=True):
        poa = np.array([row[f"{array['name']}_poa_wm2"] for row in rows])
        assert np.abs(poa - expected).max() < 0.01 * expected.max()
    assert all(row["dhi_wm2"] <= row["ghi_wm2"] for row in rows)
    for row in rows:
        for field in fields:
            del row[field]
    del body["missing_variables"]
    assert body == plain
    precise = (await post(precise=True, variables="dni,dhi")).json
    assert precise["ghi_timeseries"] != (await post(variables="dni,dhi")).json["ghi_timeseries"]
    columns = (await sunny.ask(f"{OSLO}&variables=temp_air,poa&layout=columns")).json
    np.testing.assert_allclose(columns["ghi_timeseries"]["temperature_c"], temperature(), atol=0.051)
    assert columns["warnings"] == ["Without arrays these were ignored: variables=poa."]


async def test_what_a_source_lacks_is_named(serve: Serve) -> None:
    api = await serve(entry(variables=("ghi",)))
    body = (await api.ask(f"{OSLO}&variables=dni,temp_air,wind_speed,cloud")).json
    assert body["missing_variables"] == ["temp_air", "wind_speed", "cloud"]
    assert max(row["dni_wm2"] for row in body["ghi_timeseries"]) > 100


async def test_files_hold_what_the_rows_hold(sunny: Api) -> None:
    url = f"{URL}&variables=dni,temp_air&precise=1"
    body = (await sunny.ask(url)).json
    expected = pd.DataFrame(body["pv_timeseries"]).drop(columns="hour")
    expected.insert(2, "dni_wm2", [row["dni_wm2"] for row in body["ghi_timeseries"]])
    expected.insert(3, "temperature_c", [row["temperature_c"] for row in body["ghi_timeseries"]])
    table = await sunny.ask(f"{url}&format=csv&layout=columns&x=1")
    assert table.headers["Content-Type"].startswith("text/csv")
    assert table.headers["X-Warning"] == "Unknown parameters were ignored: x. Ignored with format=csv: layout."
    assert table.headers["Cache-Control"] == "private, max-age=60"
    assert "# cycle_time: 2026-06-01T00:00:00Z" in table.text
    assert f"# engine: {body['pv_system']['engine']}\n" in table.text
    assert f"# total_production_kwh: {body['pv_system']['total_production_kwh']}\n" in table.text
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(table.body), comment="#"), expected)
    parquet, arrow = [await sunny.ask(f"{url}&format={form}") for form in ("parquet", "arrow")]
    frame = pq.read_table(io.BytesIO(parquet.body)).to_pandas()
    arrow_frame = pa.ipc.open_file(io.BytesIO(arrow.body)).read_all().to_pandas()
    assert (frame == arrow_frame).all(axis=None)
    assert frame["timestamp"].dt.strftime("%Y-%m-%dT%H:%M:%SZ").tolist() == expected["timestamp"].tolist()
    pd.testing.assert_frame_equal(frame.drop(columns="timestamp"), expected.drop(columns="timestamp"))


async def test_a_file_by_post_has_its_own_name(sunny: Api) -> None:
    names = set()
    for more in ({}, {"precise": True}, {"timezone": "UTC", "arrays": [SOUTH]}):
        file = await sunny.ask("/api/forecast", "POST", json={**PLANT, "format": "csv", **more})
        names.add(file.headers["Content-Disposition"])
        assert "sør_W" in file.text
    assert len(names) == 3
    again = await sunny.ask(f"{OSLO}&format=csv")
    assert (await sunny.ask(f"{OSLO}&format=csv", headers={"If-None-Match": again.headers["ETag"]})).status == 304
