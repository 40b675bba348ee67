"""Registered plants in the extended forecast."""

import pytest

from tests.api.conftest import HALF_PAST_TWO, Api, require_documented
from tests.support.plants import SOILED, made_plant, register


async def test_all_hours_of_a_plant_are_calibrated(sunny: Api) -> None:
    plant = await register(sunny.app, made_plant(used_at=HALF_PAST_TWO), SOILED)
    get = await sunny.ask(f"/api/forecast/extended?anlegg_id={plant.id}")
    forwarded = await sunny.good(f"/api/forecast?anlegg_id={plant.id}&extended=true")
    post = await sunny.ask("/api/forecast/extended", "POST", json={"anlegg_id": plant.id})
    assert get.json == forwarded == post.json
    body = get.json
    assert body["total_hours"] == len(body["pv_timeseries"]) == len(body["pv_timeseries_ukorrigert"]) > 100
    for row, original in zip(body["pv_timeseries"], body["pv_timeseries_ukorrigert"], strict=True):
        assert row["total_W"] == pytest.approx(0.8 * original["total_W"], abs=0.11)
    assert body["kalibrering"]["brukt"] is True
    await require_documented(sunny, "GET /api/forecast/extended", get)
    off = await sunny.good(f"/api/forecast/extended?anlegg_id={plant.id}&kalibrering=0")
    assert off["pv_timeseries"] == body["pv_timeseries_ukorrigert"]
    file = await sunny.ask(f"/api/forecast/extended?anlegg_id={plant.id}&format=csv")
    assert "total_ukorrigert_kWh" in file.text
