"""Snow over ten days: factors end before the series does, and the answer says so."""

from pathlib import Path

import pytest

from tests.api.conftest import Api, require_documented
from tests.api.forecast.extended.conftest import PLANT
from tests.api.forecast.snow.test_single import day_of
from tests.support.snow_factors import DAYS, factor, publish_factors
from tiles.products.snow_factors import GEOMETRIES
from tiles.store import open_store

PATH = "/api/forecast/extended"
PLANES = {"sør": GEOMETRIES.index((30, 180)), "vest": GEOMETRIES.index((90, 270))}


async def test_hours_behind_the_last_day_are_not_reduced(sunny: Api, own_store: Path) -> None:
    api, snowy = sunny, {**PLANT, "snow": True}
    before = (await api.ask(PATH, "POST", json=snowy)).json
    assert before["snow"] == {"snow_applied": False, "reason": "snow_blob_unavailable"}
    publish_factors(open_store(str(own_store)))
    plain = (await api.ask(PATH, "POST", json=PLANT)).json["pv_timeseries"]
    while not (body := (await api.ask(PATH, "POST", json=snowy)).json)["snow"]["snow_applied"]:
        assert body["pv_timeseries"] == plain
    (await require_documented(api, f"POST {PATH}"))(body)
    said = body["snow"]
    assert said["dates"] == [f"2026-{day}" for day in ("05-31", *(f"06-0{n}" for n in range(1, 9)))]
    behind = [row["timestamp"] for row in plain if day_of(row["timestamp"]) >= DAYS]
    assert behind[0] == "2026-06-09T06:00:00Z"
    assert said["hours_not_reduced"] == len(behind) > 24

    columns = (await api.ask(PATH, "POST", json={**snowy, "layout": "columns"})).json
    assert columns["snow"] == said
    assert columns["pv_timeseries"]["total_W"] == [row["total_W"] for row in body["pv_timeseries"]]
    for before, after in zip(plain, body["pv_timeseries"], strict=True):
        for name, plane in PLANES.items():
            day = day_of(before["timestamp"])
            left = factor(0, plane, day) if day < DAYS else 1.0
            assert after[f"{name}_W"] == pytest.approx(before[f"{name}_W"] * left, abs=0.1)
    assert max(row["total_W"] for row in plain if row["timestamp"] in behind) > 500
    total = round(sum(row["total_kWh"] for row in body["pv_timeseries"]), 4)
    assert body["pv_system"]["total_production_kwh"] == total
