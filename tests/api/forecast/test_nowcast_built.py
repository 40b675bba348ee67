"""From satellite files to answers: half a frame, then none that is new."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from catalog.sources.errors import NotYetAvailable
from dags.build.forecast import nowcast
from tests.api.conftest import MovableClock, Start
from tests.support.context import context_of
from tests.support.images import FILL, NOMINAL, write
from tests.support.tiles import publish_made_up
from tiles.clock import Clock, format_moment
from tiles.store import Store, open_store

SEEN, MISSING = (58.9, 10.7), (60.7, 10.7)
NORTH = 59.8


def publish(store: Store, folder: Path, image: datetime) -> None:
    """What the DAG's task does a quarter of an hour after the image."""
    clock = Clock.parse(f"{(image + timedelta(minutes=16)).isoformat()}!")
    addresses = {"meteosat": str(folder)}
    nowcast.build(context_of(store, clock, partition=format_moment(image), addresses=addresses), deadline_s=5)


def half_a_frame(file: object) -> None:
    held = file["DSSF_TOT"]  # type: ignore[index]
    values = held[...]
    values[0, file["lat"][:] > NORTH] = FILL  # type: ignore[index]
    held[...] = values


async def test_whatever_the_satellite_does_the_answer_says_what_it_is(start: Start, tmp_path: Path) -> None:
    folder, store = tmp_path / "images", open_store(str(tmp_path / "tiles"))
    publish_made_up(store, datetime(2026, 6, 21, 10, tzinfo=UTC))
    write(folder, NOMINAL, lambda lat, lon: np.full(lat.shape, 333.0), edit=half_a_frame)
    publish(store, folder, NOMINAL)
    clock = MovableClock(NOMINAL + timedelta(minutes=18))
    api = await start(state_folder=tmp_path / "state", store_folder=tmp_path / "tiles", clock=clock)

    async def ask(place: tuple[float, float]) -> dict:  # type: ignore[type-arg]
        asked = await api.until(
            f"/api/forecast/nowcast?lat={place[0]}&lon={place[1]}",
            lambda a: a.status == 200 and ("satellite_time" in a.text or clock.moment > NOMINAL + timedelta(hours=1)),
            seconds=30,
        )
        return dict(asked.json)

    seen = await ask(SEEN)
    assert (seen["source"], seen["satellite_lag_min"]) == ("v7_satellite_nowcast", 18)
    first = seen["hours"][0]
    assert first["ghi_wm2"] == pytest.approx(333, rel=0.06), "of this hour's middle the image was made"
    assert abs(first["ghi_wm2"] - first["v23b_ghi_wm2"]) > 50
    assert first["clearsky_wm2"] == pytest.approx(750, rel=0.1)
    missing = await ask(MISSING)
    assert (missing["source"], missing["sat_covered"]) == ("v23b_fallback", False)
    assert all(hour["ghi_wm2"] == hour["v23b_ghi_wm2"] > 100 for hour in missing["hours"])

    with pytest.raises(NotYetAvailable):  # of other refusals tells tests/dags/test_build_nowcast.py
        publish(store, folder, NOMINAL + timedelta(minutes=15))
    clock.moment = NOMINAL + timedelta(minutes=80)
    assert (await ask(SEEN))["satellite_lag_min"] == 80, (
        "the last good image is served as long as it is worth something"
    )
    clock.moment = NOMINAL + timedelta(minutes=90)
    gone = await ask(SEEN)
    assert (gone["source"], gone["fallback_reason"]) == ("v23b_fallback", "no_recent_image")
    assert "satellite_time" not in gone
