"""The stitched day: which cycle each hour is of, what a lacking or damaged cycle does, and the first day of all."""

import os
import shutil
from datetime import datetime, timedelta

import numpy as np
import pytest
import zarr

from catalog.versions import Index, index_key, read_index
from dags.build.forecast import day
from tests.support.context import context_of
from tests.support.tiles import CYCLE, cover, publish_made_up
from tiles.arrays import read_whole
from tiles.clock import Clock
from tiles.grid import FORECAST
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.store import open_store

OSLO = FORECAST.cell_at(59.91, 10.75)
SLOW = pytest.mark.slow


def at(hour: int) -> datetime:
    return CYCLE + timedelta(hours=hour)


def stitch(store, cycle, said=None):
    clock = Clock.parse(f"{cycle:%Y-%m-%dT%H}:30:00Z!")
    report = [].append if said is None else said.append
    return day.build(context_of(store, clock, partition=f"{cycle:%Y-%m-%dT%H}", report=report))


def series(store, entry, name="ghi"):
    return read_whole(store, Manifest.read(store, entry.manifest), name)[(slice(None), *OSLO)].astype(int)


def of_cycle(store, version, name="ghi"):
    return series(store, read_index(store, "forecast").get(version), name)


def keep(store, cycles, *hours):
    """Publish the cycles of some hours alone; return their entries."""
    entries = tuple(entry for entry in read_index(cycles, "forecast").entries if entry.issued_at in map(at, hours))
    store.put(index_key("forecast"), Index(entries).to_bytes())
    return entries


@pytest.fixture(scope="module")
def cycles(tmp_path_factory):
    """A store with five cycles, each with a sun of its own."""
    store = open_store(str(tmp_path_factory.mktemp("cycles")))
    for hour in (-2, 0, 1, 2, 3):
        publish_made_up(store, at(hour), level=400.0 + 50 * hour, v1=False)
    return store


@pytest.fixture
def store(cycles, tmp_path):
    return open_store(str(shutil.copytree(cycles.url, tmp_path / "tiles", copy_function=os.link)))


@pytest.fixture(scope="module")
def morning(cycles, tmp_path_factory):
    """Cycles of 00, 02 and 03 UTC, and the days stitched at 02 and 03."""
    folder = tmp_path_factory.mktemp("morning") / "tiles"
    store, said = open_store(str(shutil.copytree(cycles.url, folder, copy_function=os.link))), []
    keep(store, cycles, 0, 2, 3)
    return store, stitch(store, at(2)), stitch(store, at(3), said), said


def test_each_past_hour_is_of_the_newest_cycle_that_had_it(morning):
    store, _, entry, _ = morning
    whole = series(store, entry)
    times = [round(t) for t in read_times(store, entry)]
    assert times[0] == int(CYCLE.timestamp())
    assert np.diff(times).tolist() == [3600] * (len(times) - 1)
    assert len(whole) == 3 + 66
    # 00 and 01 UTC of the midnight cycle (there was none at 01), 02 UTC of its own, then the cycle itself
    np.testing.assert_array_equal(whole[:2], of_cycle(store, "2026-06-01T00")[:2])
    np.testing.assert_array_equal(whole[2:3], of_cycle(store, "2026-06-01T02")[:1])
    np.testing.assert_array_equal(whole[3:], of_cycle(store, "2026-06-01T03"))
    assert whole[2] > 0, "the sun is up at 02 UTC in June: the rows can be told apart"
    assert entry.variables == ("ghi", "temp_air", "wind_speed")
    assert (entry.valid_from, entry.valid_to) == (CYCLE, at(3 + 66))


def read_times(store, entry):
    return zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")["time"][...]


def test_what_an_earlier_day_took_from_the_same_cycles_is_read_from_there(morning):
    store, earlier, entry, said = morning
    assert "stitch 69 hours from day 2026-06-01T02 (3), forecast 2026-06-01T03 (66)" in said
    of = Manifest.read(store, entry.manifest).provenance["hours_from"]
    assert [name.split("/")[0][-2:] for name in of[:4]] == ["00", "00", "02", "03"]
    assert len(of) == 69
    np.testing.assert_array_equal(series(store, entry)[:3], series(store, earlier)[:3])


def test_a_cycle_that_came_late_is_used(store, cycles):
    keep(store, cycles, 0, 3)
    first = stitch(store, at(3))
    keep(store, cycles, 0, 2, 3)
    again = stitch(store, at(3))
    np.testing.assert_array_equal(series(store, again)[2:3], of_cycle(store, "2026-06-01T02")[:1])
    assert series(store, first)[2] != series(store, again)[2]


@pytest.mark.parametrize(
    "damage", ["shards", pytest.param("manifest gone", marks=SLOW), pytest.param("manifest cut", marks=SLOW)]
)
def test_a_damaged_earlier_day_is_done_without(store, tmp_path, damage):
    """Else no day would come of any cycle until midnight."""
    stitch(store, at(0))
    earlier = stitch(store, at(1))
    manifest = tmp_path / "tiles" / earlier.manifest
    if damage == "manifest gone":
        manifest.unlink()
    shards = [path for path in (tmp_path / "tiles" / earlier.path / "ghi" / "c").rglob("*") if path.is_file()]
    for file in {"shards": shards, "manifest cut": [manifest]}.get(damage, []):
        file.write_bytes(file.read_bytes()[:-9])
    said: list[str] = []
    entry = stitch(store, at(2), said)
    assert any("without the earlier day" in line for line in said)
    assert series(store, entry)[1] == of_cycle(store, "2026-06-01T01")[0]


def test_hours_that_no_cycle_holds_are_named_and_nothing_is_published(store, cycles):
    (newest,) = keep(store, cycles, 3)
    with pytest.raises(day.DayIncomplete, match="no published cycle holds the hour from 2026-06-01T00:00:00Z"):
        day.stitch(context_of(store, "2026-06-01T03:30:00Z!"), newest)
    with pytest.raises(ValueError, match="forecast 2026-06-01T05 is not published"):
        stitch(store, at(5))
    assert read_index(store, "day").entries == ()


def test_on_the_first_day_the_cycle_of_midnight_is_built_first(store, cycles, monkeypatch):
    keep(store, cycles, 3)
    built = []

    def build(context):
        built.append((context.partition, context.source))
        return keep(store, cycles, 0, 3)[0]

    monkeypatch.setattr(day.build_forecast, "build", build)
    clock = Clock.parse("2026-06-01T03:30:00Z!")
    entry = day.build(context_of(store, clock, partition="2026-06-01T03"))
    assert built == [("2026-06-01T00", "made_up")]
    np.testing.assert_array_equal(series(store, entry)[:3], of_cycle(store, "2026-06-01T00")[:3])


def test_the_evening_before_is_enough_for_the_morning(store, cycles):
    keep(store, cycles, -2, 1)
    entry = stitch(store, at(1))
    np.testing.assert_array_equal(series(store, entry)[:1], of_cycle(store, "2026-05-31T22")[2:3])


def test_a_cell_that_one_cycle_lacks_has_no_day(store, monkeypatch):
    def lacking(store, manifest, name):
        values = read_whole(store, manifest, name)
        if (manifest.version, name) == ("2026-06-01T00", "temp_air"):
            values[(slice(None), *OSLO)] = FILL
        return values

    monkeypatch.setattr(day, "read_whole", lacking)
    entry = stitch(store, at(1))
    assert set(series(store, entry)) == {FILL}
    values = read_whole(store, Manifest.read(store, entry.manifest), "ghi")
    assert FILL not in values[:, OSLO[0] + 1, OSLO[1]]
    assert np.count_nonzero(values[0] != FILL) == np.count_nonzero(cover()) - 1
