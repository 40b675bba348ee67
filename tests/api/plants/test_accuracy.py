"""`GET /api/anlegg/{id}/treff`: errors of forecasts by lead and month."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Connection

from api.data.plants import measurements, store, weather
from api.data.plants.measurements import HOUR_S, Hours
from api.data.plants.production import plant_watts
from api.data.plants.weather import Weather
from tests.api.conftest import require_documented
from tests.api.plants.conftest import PATH, Service
from tests.support.plants import NOON, SOILED

FIRST = int(datetime(2026, 5, 30, tzinfo=UTC).timestamp())
JUNE = int(datetime(2026, 6, 1, tzinfo=UTC).timestamp())
STARTS = FIRST + HOUR_S * np.arange(4 * 24)


def stored(connection: Connection, plant_id: str, last: int) -> None:
    """Store four days on which the plant gives 0.8 of what was forecast; with lead 24 twice as much was forecast."""
    plant = store.find(connection, plant_id)
    assert plant is not None
    ghi, temp_air = np.where(STARTS // HOUR_S % 24 > 2, 300.0, 0.0), np.full(STARTS.size, 15.0)
    watts = plant_watts(plant, STARTS, ghi, temp_air).sum(axis=0)
    measurements.put(connection, plant_id, Hours(STARTS[:-6], 0.8 * watts[:-6]), "api")
    factor = np.where(STARTS >= JUNE, 0.9, np.nan)
    weather.put(connection, plant_id, 1, Weather(STARTS, ghi, temp_air, factor))
    weather.put(connection, plant_id, 24, Weather(STARTS, 2 * ghi, temp_air, np.full(STARTS.size, np.nan)))
    store.set_calibration(connection, plant_id, {**SOILED, "last": last}, NOON)


async def fill(service: Service, plant_id: str, last: int) -> None:
    async with service.api.app.resources.database.engine.begin() as connection:
        await connection.run_sync(stored, plant_id, last)


async def test_errors_before_and_after_calibration(idle: Service) -> None:
    plant = await idle.kari.register()
    await fill(idle, plant, JUNE - 1)
    asked = await idle.kari.ask(f"/{plant}/treff")
    assert asked.status == 200, asked.text
    await require_documented(idle.api, f"GET {PATH}/{{id}}/treff", asked)
    found = asked.json
    assert (found["fra"], found["til"]) == ("2026-05-30T04:00:00Z", "2026-06-02T17:00:00Z")
    assert found["grunnlag_til"] == "2026-05-31T23:59:59Z"
    assert found["kalibrering"]["faktor"] == 0.8
    by_lead = {row["ledetid_timer"]: row for row in found["samlet"]}
    assert set(by_lead) == {1, 24}
    short, long = by_lead[1], by_lead[24]
    assert short["kalibrert"] == pytest.approx({"mae_w": 0, "skjevhet_w": 0}, abs=0.3)
    assert short["ukalibrert"]["skjevhet_w"] == short["ukalibrert"]["mae_w"] > 100
    assert short["ukalibrert"]["mae_w"] == pytest.approx(0.25 * short["malt_w"], rel=0.01)
    assert long["kalibrert"]["mae_w"] > short["ukalibrert"]["mae_w"]
    assert "varslet" not in long
    given = short["varslet"]
    assert given["ukalibrert_mae_w"] == pytest.approx(2 * given["mae_w"], rel=0.01)
    months = {row["maaned"]: row for row in found["rader"] if row["ledetid_timer"] == 1}
    assert list(months) == ["2026-05", "2026-06"]
    assert [row["etter_grunnlaget"] for row in months.values()] == [False, True]
    assert sum(row["timer"] for row in months.values()) == short["timer"] < STARTS.size
    assert "varslet" not in months["2026-05"]
    assert months["2026-06"]["varslet"]["timer"] == months["2026-06"]["timer"]


async def test_nothing_to_compare_is_an_empty_answer_and_anothers_plant_is_not_found(idle: Service) -> None:
    plant = await idle.kari.register()
    asked = await idle.kari.ask(f"/{plant}/treff")
    empty: dict[str, Any] = {"fra": None, "til": None, "grunnlag_til": None, "samlet": [], "rader": []}
    assert {name: asked.json[name] for name in empty} == empty
    assert asked.json["kalibrering"]["brukt"] is False
    for path in (f"/{plant}/treff", "/anl_x/treff"):
        assert (await idle.ola.ask(path)).status == 404
    shown = (await idle.kari.ask(f"/{plant}")).json
    assert shown["kalibrering"] == asked.json["kalibrering"]


async def test_nothing_of_forecasts_and_calibration_outlives_the_plant(idle: Service) -> None:
    plant = await idle.kari.register()
    await fill(idle, plant, JUNE)
    assert (await idle.kari.ask(f"/{plant}", "DELETE")).status == 200
    assert (await idle.kari.ask(f"/{plant}/treff")).status == 404
    async with idle.api.app.resources.database.engine.begin() as connection:
        left = await connection.run_sync(weather.read, plant)
    assert not any(one.starts.size for one in left.values())
