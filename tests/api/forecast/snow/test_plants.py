"""Snow on registered plants: that of the day where it is known, else the month's of the calibration, never both."""

import numpy as np
import pytest

from api.data.plants.plant import Array
from tests.api.conftest import HALF_PAST_TWO, Api
from tests.api.forecast.conftest import PLANT
from tests.support.plants import SOILED, made_plant, register

JUNE = [1.0] * 5 + [0.5] + [1.0] * 6


async def test_snow_of_the_day_takes_the_place_of_the_months(snowy: Api) -> None:
    plant = made_plant(arrays=tuple(Array(**one) for one in PLANT["arrays"]), used_at=HALF_PAST_TWO)
    await register(snowy.app, plant, {**SOILED, "snow": JUNE})

    async def ratio(more: str) -> np.ndarray:
        body = await snowy.good(f"/api/forecast?anlegg_id={plant.id}{more}")
        main, original = (
            np.array([row["total_W"] for row in body[name]]) for name in ("pv_timeseries", "pv_timeseries_ukorrigert")
        )
        return main[original > 100] / original[original > 100]

    assert await ratio("") == pytest.approx(0.4, rel=0.01)
    assert await ratio("&snow=1") == pytest.approx(0.8, rel=0.01)
    snowless = (await snowy.good(f"/api/forecast?anlegg_id={plant.id}"))["pv_timeseries_ukorrigert"]
    snowed = (await snowy.good(f"/api/forecast?anlegg_id={plant.id}&snow=1"))["pv_timeseries_ukorrigert"]
    assert sum(row["total_W"] for row in snowed) < 0.5 * sum(row["total_W"] for row in snowless)


async def test_where_no_snow_of_the_day_is_known_the_months_counts(sunny: Api) -> None:
    plant = await register(sunny.app, made_plant(used_at=HALF_PAST_TWO), {**SOILED, "snow": JUNE})
    body = await sunny.good(f"/api/forecast?anlegg_id={plant.id}&snow=1")
    assert body["snow"]["snow_applied"] is False
    sums = body["pv_system"]
    assert sums["total_production_kwh"] == pytest.approx(0.4 * sums["ukorrigert"]["total_production_kwh"], rel=1e-3)
