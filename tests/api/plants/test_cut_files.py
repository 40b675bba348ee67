"""Files that end within an hour, or in the future."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from api.core.errors import ApiError
from api.core.settings import Settings
from api.plants.head import Head, Processed
from api.plants.upload import model_of, process
from tests.api.conftest import MovableClock
from tests.support.plants import made_plant

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
QUARTER_S = 900


def processed(begin: datetime, folder: Path) -> Processed:
    """Process a week of quarters under a clear sky."""
    plant, settings = made_plant(), Settings(store=str(folder), state=folder, clock=MovableClock(NOON))
    starts = int(begin.timestamp()) + QUARTER_S * np.arange(7 * 96)
    kwh = model_of(plant, settings).clear(starts // 3600 * 3600) / 4000
    times = [datetime.fromtimestamp(one, UTC) for one in starts.tolist()]
    rows = [f"{time:%Y-%m-%d %H:%M};{value:.3f}" for time, value in zip(times, kwh.tolist(), strict=True)]
    file = "\n".join(["Tid (UTC);Produksjon kWh", *rows]).encode()
    return process(plant, file, Head(plant.id, "opp_1", "a.csv"), settings)


def test_hours_that_a_file_has_in_part_at_its_ends_are_not_stored(tmp_path: Path) -> None:
    cut = datetime(2026, 6, 10, 10, 30, tzinfo=UTC)
    starts = processed(cut, tmp_path).reading.hours.starts
    assert starts[0] == (cut + timedelta(minutes=30)).timestamp()
    assert starts[-1] == (cut + timedelta(days=7, minutes=-90)).timestamp()
    whole = processed(datetime(2026, 6, 10, 10, tzinfo=UTC), tmp_path).reading.hours.starts
    assert whole.size == 7 * 24


def test_hours_of_the_future_are_told_and_not_stored(tmp_path: Path) -> None:
    past = processed(NOON - timedelta(days=7), tmp_path)
    assert (past.content["kontroll"]["status"], past.content["endringer"]) == ("ok", [])
    both = processed(NOON - timedelta(days=5), tmp_path)
    assert both.reading.hours.starts[-1] == NOON.timestamp()
    assert [one["kode"] for one in both.content["endringer"]] == ["future"]
    with pytest.raises(ApiError, match="ikke har vært ennå") as refused:
        processed(NOON + timedelta(hours=1), tmp_path)
    assert refused.value.problem.code == "NOT_INTERPRETED"
