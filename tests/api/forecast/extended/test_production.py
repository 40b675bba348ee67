"""Production, days, variables and files of an extended forecast are those of the ordinary one, farther ahead."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.api.conftest import Api, MovableClock, Start
from tests.api.forecast.extended.conftest import EXTENDED, PLANT
from tests.support.horizon import OSLO, publish_horizon
from tests.support.simulated import Simulated
from tiles.store import open_store

PATH = "/api/forecast/extended"
EAST = {"latitude": OSLO[0], "longitude": OSLO[1], "precise": True}
EAST["arrays"] = [{"name": "array_1", "kwp": 10, "tilt_deg": 60, "azimuth_deg": 90}]
URL = f"lat={OSLO[0]}&lon={OSLO[1]}&arrays=10:60:90&precise=1"


async def test_the_horizon_is_applied_as_in_the_ordinary_forecast(
    start: Start, sunny: Api, service: Simulated, clock: MovableClock, bare_state: Path, own_store: Path
) -> None:
    before = (await sunny.ask(PATH, "POST", json=EAST)).json
    assert before["pv_system"]["no_horizon"] == "no horizon is published yet"
    publish_horizon(open_store(str(own_store)))
    api = await start(clock=clock, locationforecast_url=service.url, state_folder=bare_state, store_folder=own_store)
    after = (await api.ask(PATH, "POST", json=EAST)).json
    ordinary = (await api.ask("/api/forecast", "POST", json={**EAST, "model": "v1"})).json
    assert after["pv_system"]["horizon"] == ordinary["pv_system"]["horizon"]
    assert after["pv_system"]["horizon_applied"] is True
    # but for the last, whose light is split by the hours around it
    both = list(zip(after["pv_timeseries"], ordinary["pv_timeseries"], strict=False))[:65]
    assert [row["total_W"] for row, _ in both] == [row["total_W"] for _, row in both]
    lost = [b["total_W"] - a["total_W"] for b, a in zip(before["pv_timeseries"], after["pv_timeseries"], strict=True)]
    assert max(lost[66:]) > 100, "in the external hours too"
    for by_url in (f"{PATH}?{URL}", f"/api/forecast?{URL}&extended=true"):
        assert (await api.ask(by_url)).json == after


async def test_days_variables_and_files(sunny: Api) -> None:
    more: dict[str, Any] = {"timezone": "Europe/Oslo", "variables": "dni,temp_air,wind_speed,cloud"}
    body = (await sunny.ask(PATH, "POST", json={**PLANT, **more})).json
    rows, days = body["timeseries"], body["days"]
    assert [day["complete"] for day in days] == [False, *[True] * (len(days) - 2), False]
    assert sum(day["production_kwh"] for day in days) == pytest.approx(body["pv_system"]["total_production_kwh"])
    assert sum(day["ghi_kwh_m2"] for day in days) == pytest.approx(body["total_ghi_kwh_m2"], abs=6e-4)
    assert body["missing_variables"] == []
    assert all({"dni_wm2", "temperature_c", "wind_speed_ms"} <= row.keys() for row in rows)
    assert ["cloud_fraction" in row for row in rows] == [False] * 66 + [True] * (len(rows) - 66)
    asked = await sunny.ask(PATH, "POST", json={**PLANT, **more, "format": "csv"})
    frame = pd.read_csv(io.StringIO(asked.text), comment="#")
    assert asked.headers["Content-Disposition"].startswith("attachment; filename=extended_59.91_10.75_")
    for name in ("timestamp", "source", "dni_wm2", "temperature_c"):
        assert frame[name].tolist() == [row[name] for row in rows], name
    np.testing.assert_array_equal(frame["total_W"], [row["total_W"] for row in body["pv_timeseries"]])


async def test_irradiance_alone_and_the_nowcast_are_files_too(served: Api) -> None:
    asked = await served.ask(f"{EXTENDED}&format=csv")
    assert "\ntimestamp,ghi_wm2,source,cloud_fraction,temperature_c\n" in asked.text
    nowcast = await served.ask("/api/forecast/nowcast?lat=59.91&lon=10.75&format=csv")
    assert nowcast.text.splitlines()[-4:][0].startswith("2026-06-01T02:00:00Z,")
