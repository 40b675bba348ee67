"""The figures of a day against a computation by hand, and days on which there is nothing to say."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from catalog.dataset import open_dataset
from catalog.figures import figures
from catalog.sources.frost import Station
from catalog.versions import read_index
from dags.build.context import NothingToBuild
from dags.build.correction import skill
from tests.support.context import context_of
from tests.support.stations import Observe, clear_sky, frost_stub, publish_cycle
from tests.support.tiles import hour_starts
from tiles.clock import Clock
from tiles.manifest import Manifest
from tiles.store import Store, open_store

DAY = datetime(2026, 6, 20, tzinfo=UTC)
UNIX = int(DAY.timestamp())
CLOCK = Clock.parse("2026-06-21T05:00:00Z!")
PLACES = (Station(1, "A", 59.9, 10.7, 10.0), Station(2, "B", 63.4, 10.4, 10.0))
HOURS = hour_starts(DAY - timedelta(days=1), 48)
SKY = clear_sky(PLACES, HOURS, DAY)[0]


def kc(number: int, hour: int) -> float:
    return 0.5 + 0.1 * number + 0.3 * float(np.sin(hour / 10_000))


def truth(number: int, hour: int) -> float | None:
    if number == 2 and hour == UNIX + 10 * 3600:
        return None
    row = (hour - int(HOURS[0])) // 3600
    return float(np.float32(kc(number, hour) * SKY[row, number - 1]))


def publish(store: Store, cycle: datetime, factor: float) -> None:
    """A forecast that is the truth's index times a factor; as published another, and by cloud a third."""
    times = hour_starts(cycle)
    sky = clear_sky(PLACES, times, DAY)
    raw = (factor * np.array([[kc(p.number, t) for p in PLACES] for t in times.tolist()]) * sky[0]).astype(np.float32)
    publish_cycle(store, cycle, raw, stations=PLACES, sky=sky, ghi=raw * np.float32(1.1), v1=raw * np.float32(0.5))


def build(store: Store, observe: Observe = truth, day: str | None = "2026-06-20", origin: str = "simulated") -> Any:
    lines: list[str] = []
    with frost_stub(observe, origin) as url:
        entry = skill.build(context_of(store, CLOCK, partition=day, addresses={"frost": url}, report=lines.append))
    return entry, lines


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two cycles: of the day's 00 UTC, 20 % too bright, and of 12 UTC the day before, 20 % too dark."""
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    publish(store, DAY, 1.2)
    publish(store, DAY - timedelta(hours=12), 0.8)
    publish(store, DAY + timedelta(hours=24), 0.1)
    entry, lines = build(store)
    return store, entry, lines


def by_hand(number: int, pieces: list[tuple[float, range]]) -> dict[str, float]:
    """nMAE, bias, RMSE and skill of hours of the day, written out; pieces are a cycle's factor and its hours."""
    errors, seen, against = [], [], []
    for factor, h in [(factor, h) for factor, hours in pieces for h in hours]:
        clear, before = float(SKY[24 + h, number - 1]), float(SKY[h, number - 1])
        observed, yesterday = truth(number, UNIX + 3600 * h), truth(number, UNIX + 3600 * h - 86_400)
        if clear < 5 or observed is None:
            continue
        error = factor * kc(number, UNIX + 3600 * h) * clear - observed
        errors.append(error)
        seen.append(observed)
        if before >= 5 and yesterday is not None:
            against.append((error, yesterday / before * clear - observed))
    squares = np.array(against) ** 2
    return {
        "pairs": len(errors),
        "nmae": float(np.abs(errors).sum() / np.sum(seen)),
        "bias": float(np.mean(errors)),
        "rmse": float(np.sqrt(np.square(errors).mean())),
        "skill": float(1 - np.sqrt(squares[:, 0].mean() / squares[:, 1].mean())),
    }


# Class of lead, and the hours of the day in it: of the day's own cycle, and of the one 12 hours before.
CLASSES = {
    2: [(1.2, range(6, 12))],
    3: [(1.2, range(12, 18)), (0.8, range(6))],
    4: [(1.2, range(18, 24)), (0.8, range(6, 12))],
    5: [(0.8, range(12, 24))],
}


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("lead", CLASSES)
def test_figures_are_those_by_hand(judged: Any, number: int, lead: int) -> None:
    store, entry, _ = judged
    ds = open_dataset("skill", entry.version, store=store, clock=CLOCK).isel(lead=lead).sel(station=number).load()
    for model, times in (("raw", 1.0), ("v23b", 1.1), ("v1", 0.5)):
        expected = by_hand(number, [(factor * times, hours) for factor, hours in CLASSES[lead]])
        assert int(ds.pairs) == expected["pairs"] > 4
        for figure, tolerance in (("nmae", 6e-4), ("bias", 0.1), ("rmse", 0.1), ("skill", 3e-3)):
            assert float(ds[f"{figure}_{model}"]) == pytest.approx(expected[figure], abs=tolerance)


def test_the_version_is_the_day_and_says_where_it_is_from(judged: Any) -> None:
    store, entry, _ = judged
    assert (entry.version, entry.source, entry.data_origin) == ("2026-06-20", "met_nordic", "simulated")
    said = Manifest.read(store, entry.manifest).provenance
    assert said["sources"][0]["cycles"] == ["2026-06-19T12", "2026-06-20T00"], "a cycle after the day holds none of it"
    assert said["overall"]["raw"]["bias"][2] > 0
    assert said["overall"]["v23b"]["skill"][7] is None
    assert build(store, day=None)[0].version == "2026-06-20", "the last day that has ended"
    assert len(read_index(store, "skill").entries) == 1


def test_the_report_is_a_table_that_can_be_read_later(judged: Any) -> None:
    store, _, lines = judged
    heading, *rows = figures(store, CLOCK.now(), "2026-06-20")
    assert heading == "forecasts of 2026-06-20 from met_nordic at stations (simulated data)"
    assert [row for row in rows if row in lines] == rows
    assert figures(store, CLOCK.now()) == [heading, *rows]
    assert any(all(word in line for word in ("lead h", "nMAE %", "skill %")) for line in rows)
    (row,) = [line.split() for line in rows if line.split()[:2] == ["6-12", "raw"]]
    assert row[2] == "11"  # 6 hours at two stations, one of them not observed
    assert float(row[3]) == pytest.approx(20, abs=0.1)
    with pytest.raises(KeyError, match="no forecasts of 2026-06-01 were judged; there are: 2026-06-20"):
        figures(store, CLOCK.now(), "2026-06-01")


def test_without_the_day_before_there_is_no_skill_but_the_rest(store: Store) -> None:
    publish(store, DAY, 1.2)
    entry, _ = build(store, lambda n, hour: truth(n, hour) if hour >= UNIX else None)
    assert "rmse_v23b" in entry.variables
    assert not [name for name in entry.variables if name.startswith("skill")]


def test_what_cannot_be_judged(store: Store) -> None:
    with pytest.raises(NothingToBuild, match="no station_forecast of met_nordic holds an hour of 2026-06-20"):
        build(store)
    with pytest.raises(ValueError, match="2026-06-21 has not ended yet"):
        build(store, day="2026-06-21")
    with pytest.raises(ValueError, match="'soon' is not a day"):
        build(store, day="soon")
    publish(store, DAY, 1.0)
    with pytest.raises(NothingToBuild, match="no hour of 2026-06-20 by daylight"):
        build(store, lambda *_: None)
    with pytest.raises(NothingToBuild, match="live observations do not judge simulated forecasts"):
        build(store, origin="live")
    assert read_index(store, "skill").entries == ()
