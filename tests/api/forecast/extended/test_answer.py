"""What an extended forecast says, and that it says the same in all its forms."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from infra.simulator.locationforecast import forecast
from kernels.clearsky import hour_mean, prepare
from tests.api.conftest import Api, MovableClock, Start, require_documented
from tests.api.fabricated import CYCLE, entry, hydrate, write_index
from tests.api.forecast.extended.conftest import EXTENDED, OSLO, PLANT, times_of
from tests.support.simulated import Simulated

HOUR = timedelta(hours=1)


def seamless(stamps: list[str]) -> bool:
    moments = [datetime.fromisoformat(stamp) for stamp in stamps]
    return all(b - a == HOUR for a, b in pairwise(moments))


async def test_two_sources_one_series(served: Api, service: Simulated) -> None:
    asked = await served.ask(EXTENDED)
    body = asked.json
    rows = body["timeseries"]
    assert seamless(times_of(asked))
    assert (body["mode"], body["model"], body["data_origin"]) == ("extended", "production_v1", "simulated")
    assert asked.headers["X-Data-Origin"] == "simulated"
    assert body["regional_model_hours"] == 66
    assert body["external_forecast_hours"] >= 160
    assert body["total_hours"] == len(rows) == 66 + body["external_forecast_hours"]
    assert [row["source"] for row in rows] == ["regional_model"] * 66 + ["external_forecast"] * (len(rows) - 66)
    assert set(rows[0]) == {"timestamp", "ghi_wm2", "source"}
    assert set(rows[66]) == {"timestamp", "ghi_wm2", "source", "cloud_fraction", "temperature_c"}
    assert body["cycle_time"] == "2026-06-01T00:00:00Z"
    assert rows[0]["timestamp"] == body["cycle_time"]
    assert body["peak_ghi_wm2"] == max(row["ghi_wm2"] for row in rows)
    assert body["total_ghi_kwh_m2"] == pytest.approx(sum(row["ghi_wm2"] for row in rows) / 1000, abs=0.0006)
    assert body["external_service"]["updated_at"] == "2026-06-01T02:00:00Z"
    assert body["external_service"]["licence"] == "CC BY 4.0"
    assert len(service.asked) == 1


async def test_the_regional_hours_are_those_of_v1(served: Api) -> None:
    rows = (await served.ask(EXTENDED)).json["timeseries"]
    ordinary = (await served.ask(f"/api/forecast?{OSLO}&model=v1")).json["ghi_timeseries"]
    assert [(r["timestamp"], r["ghi_wm2"]) for r in rows[:66]] == [(r["timestamp"], r["ghi_wm2"]) for r in ordinary]


async def test_the_external_hours_are_the_clear_sky_under_their_cloud(served: Api, clock: MovableClock) -> None:
    body = (await served.ask(EXTENDED)).json
    told = forecast(59.91, 10.75, clock.moment.replace(minute=0))
    at = {s["time"]: s["data"]["instant"]["details"] for s in told["properties"]["timeseries"]}
    for row in body["timeseries"][66:]:
        start = datetime.fromisoformat(row["timestamp"])
        before = start - timedelta(hours=start.hour % 6)
        share = ((start - before) / HOUR + 0.5) / 6  # all of them lie in the six-hourly part; the hour's middle
        ends = [at[f"{t:%Y-%m-%dT%H:%M:%SZ}"] for t in (before, before + 6 * HOUR)]
        cloud, degrees = (
            ends[0][name] * (1 - share) + ends[1][name] * share for name in ("cloud_area_fraction", "air_temperature")
        )
        assert row["cloud_fraction"] == pytest.approx(cloud / 100, abs=0.0006)
        assert row["temperature_c"] == pytest.approx(degrees, abs=0.06)
        clear, sine = np.empty(1, np.float32), np.empty(1, np.float32)
        cell = prepare(np.array([59.91]), np.array([10.75]), told["geometry"]["coordinates"][2], 3.0)
        hour_mean(cell, int(start.timestamp()), clear, sine)
        assert row["ghi_wm2"] == pytest.approx(clear[0] * (1 - 0.75 * (cloud / 100) ** 3.4), abs=0.1)


async def test_columns_say_what_rows_say(served: Api) -> None:
    rows = (await served.ask(EXTENDED)).json["timeseries"]
    columns = (await served.ask(f"{EXTENDED}&layout=columns")).json["timeseries"]
    assert columns == {
        name: [row.get(name) for row in rows]
        for name in ("timestamp", "ghi_wm2", "source", "cloud_fraction", "temperature_c")
    }


async def test_the_ordinary_route_forwards(served: Api) -> None:
    direct = (await served.ask(EXTENDED)).json
    for path, warnings in (
        (f"/api/forecast?{OSLO}&extended=true&daily=true", ["These do not apply to the extended forecast: daily."]),
        (f"{EXTENDED}&daily=maybe&model=v9", ["Unknown parameters were ignored: daily, model."]),
    ):
        told = (await served.ask(path)).json
        assert told.pop("warnings") == warnings
        assert told == direct
    by_site = (await served.ask("/api/forecast?site=jegerveien&extended=1")).json
    assert (by_site["mode"], by_site["site"], by_site["latitude"]) == ("extended", "jegerveien", 59.958)


async def test_a_cycle_with_age_has_no_seam(served: Api, clock: MovableClock) -> None:
    clock.moment = CYCLE + timedelta(hours=11, minutes=40)
    asked = await served.ask(EXTENDED)
    stamps = times_of(asked)
    assert seamless(stamps)
    assert asked.json["regional_model_hours"] == 66
    assert asked.json["cycle_age_hours"] == 11.67
    assert stamps[66] == "2026-06-03T18:00:00Z"
    assert datetime.fromisoformat(stamps[-1]) >= clock.moment + timedelta(days=9, hours=17)


@pytest.mark.parametrize("cycle", [datetime(2026, 3, 28, 12, tzinfo=UTC), datetime(2026, 10, 24, 12, tzinfo=UTC)])
async def test_nights_of_summer_time(
    start: Start, service: Simulated, clock: MovableClock, store: Path, bare_state: Path, cycle: datetime
) -> None:
    clock.moment = cycle + timedelta(hours=1)
    hydrate(bare_state, made := entry(cycle, variables=("ghi_v1",)))
    write_index(store, made)
    api = await start(clock=clock, locationforecast_url=service.url, state_folder=bare_state)
    stamps = times_of(await api.ask(EXTENDED))
    assert seamless(stamps)
    assert len(set(stamps)) == len(stamps) >= 230
    assert all(stamp.endswith(":00:00Z") for stamp in stamps)


async def test_production_over_both(sunny: Api) -> None:
    plain, systems = (await sunny.ask(EXTENDED)).json, []
    for precise in (False, True):
        asked = await sunny.ask("/api/forecast/extended", "POST", json={**PLANT, "precise": precise})
        assert asked.status == 200, asked.text[:300]
        await require_documented(sunny, "POST /api/forecast/extended", asked)
        body = asked.json
        assert body["timeseries"] == plain["timeseries"]
        rows = body["pv_timeseries"]
        for row, light in zip(rows, plain["timeseries"], strict=True):
            assert (row["timestamp"], row["ghi_wm2"]) == (light["timestamp"], light["ghi_wm2"])
            assert row["total_W"] == pytest.approx(row["sør_W"] + row["vest_W"])
            assert row["total_W"] == 0 or row["ghi_wm2"] > 0
        assert body["pv_system"]["total_production_kwh"] == pytest.approx(sum(row["total_kWh"] for row in rows))
        assert sum(row["total_kWh"] for row in rows[66:]) > sum(row["total_kWh"] for row in rows[:66]) > 0
        systems.append(body["pv_system"])
    assert [system["engine"] for system in systems] == ["simplified_haydavies_v1", "perez_huld_v1"]
    without = {"latitude": 59.91, "longitude": 10.75}
    assert (await sunny.ask("/api/forecast/extended", "POST", json=without)).json == plain
    snowy = (await sunny.ask("/api/forecast/extended", "POST", json={**without, "snow": True})).json
    assert "snow" not in snowy
