"""One number followed from the authority's snow to an answer: built by the builder, read by the API."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dags.areas import Area
from dags.build.snow import authority as snow_asking
from dags.build.snow import snow_daily, snow_factors
from tests.api.conftest import MovableClock, Start
from tests.api.fabricated import HOURS, OSLO_CELL, WEATHER, entry, hydrate, write_index
from tests.api.forecast.conftest import PLANT
from tests.support.context import context_of
from tests.support.snow_authority import Days, FakeAuthority, no_snow, snowy
from tests.support.tmy import OSLO
from tests.support.tmy import OSLO_CELL as OSLO_3KM

CYCLE = datetime(2026, 11, 23, 6, tzinfo=UTC)
THAW = datetime(2026, 11, 24, 6, tzinfo=UTC)


def winter_until_the_thaw(days: Days, point: Any) -> dict[str, Any]:
    """New snow in the frost every day, and from the 24th on bare ground."""
    bare, white = no_snow(days, point), snowy(days, point)
    thawed = days >= int(np.datetime64(THAW.replace(tzinfo=None), "D").astype(int))
    return {name: np.where(thawed, bare[name], white[name]) for name in bare}


async def test_the_thaw_is_seen_at_six(
    start: Start, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "tiles"
    monkeypatch.setattr(snow_asking, "nve_gts", FakeAuthority(winter_until_the_thaw))
    monkeypatch.setattr(snow_factors, "reference_cells", lambda *_: {301: [OSLO_3KM]})
    addresses = {"nve_gts": "http://authority", "kartverket": str(shared_data / "borders")}
    snow_daily.build(context_of(store, "2026-11-23T10:00:00Z!", (Area("Oslo", *OSLO),), addresses=addresses))

    hour = (CYCLE.hour + np.arange(HOURS)) % 24
    made = entry(CYCLE, variables=WEATHER)
    hydrate(tmp_path / "state", made, {OSLO_CELL: np.where((hour >= 8) & (hour < 14), 1500, 0).astype("<u2")})
    write_index(store, made)
    moment = CYCLE + timedelta(hours=4)
    api = await start(clock=MovableClock(moment), state_folder=tmp_path / "state", store_folder=store)

    plain = (await api.ask("/api/forecast", "POST", json=PLANT)).json
    answer = (await api.ask("/api/forecast", "POST", json={**PLANT, "snow": True})).json
    said = answer["snow"]
    assert (said["snow_applied"], said["kommune"], said["kommune_number"]) == (True, "Oslo", "0301")
    assert said["kommune_by"] == "borders"
    assert said["issued_utc"] == "2026-11-23T06:00:00Z"
    assert said["age_hours"] == 4
    assert "nve_gts" in said["source"]
    assert said["dates"] == ["2026-11-23", "2026-11-24", "2026-11-25"]
    assert [array["factors"] for array in said["arrays"]] == [[0.0, 1.0, 1.0]] * 2
    under_snow, free = [], []
    for before, after in zip(plain["pv_timeseries"], answer["pv_timeseries"], strict=True):
        covered = datetime.fromisoformat(before["timestamp"]) < THAW
        (under_snow if covered else free).append(before["total_W"])
        assert after["total_W"] == (0.0 if covered else before["total_W"]), before
    assert max(under_snow) > 100
    assert max(free) > 100
