"""The stitched day: which cycle each hour is of, what a lacking or damaged cycle does, and the first day of all."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from catalog.verify import verify
from catalog.versions import read_index
from dags.build.forecast import day
from tests.support import tiles
from tests.support.context import context_of
from tests.support.tiles import CYCLE, cover
from tiles.arrays import read_whole
from tiles.clock import Clock
from tiles.errors import DraftInvalid
from tiles.grid import FORECAST
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.store import open_store

OSLO = FORECAST.cell_at(59.91, 10.75)


def publish_made_up(store, cycle, **options):
    return tiles.publish_made_up(store, cycle, v1=False, **options)


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


@pytest.fixture
def store(tmp_path):
    return open_store(str(tmp_path / "tiles"))


@pytest.fixture(scope="module")
def morning(tmp_path_factory):
    """Cycles of 00, 02 and 03 UTC with suns of their own, and the days stitched at 02 and 03."""
    store = open_store(str(tmp_path_factory.mktemp("tiles")))
    for hour, level in ((0, 400.0), (2, 500.0), (3, 600.0)):
        publish_made_up(store, at(hour), level=level)
    said: list[str] = []
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
    assert verify(store) == []


def read_times(store, entry):
    import zarr

    return zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")["time"][...]


def test_what_an_earlier_day_took_from_the_same_cycles_is_read_from_there(morning):
    store, earlier, entry, said = morning
    assert "stitch 69 hours from day 2026-06-01T02 (3), forecast 2026-06-01T03 (66)" in said
    of = Manifest.read(store, entry.manifest).provenance["hours_from"]
    assert [name.split("/")[0][-2:] for name in of[:4]] == ["00", "00", "02", "03"]
    assert len(of) == 69
    np.testing.assert_array_equal(series(store, entry)[:3], series(store, earlier)[:3])


def test_a_cycle_that_came_late_is_used(store):
    publish_made_up(store, at(0), level=400.0)
    publish_made_up(store, at(3), level=600.0)
    first = stitch(store, at(3))
    publish_made_up(store, at(2), level=500.0, now=at(3))
    again = stitch(store, at(3))
    np.testing.assert_array_equal(series(store, again)[2:3], of_cycle(store, "2026-06-01T02")[:1])
    assert series(store, first)[2] != series(store, again)[2]


def test_a_damaged_earlier_day_is_done_without(store, tmp_path):
    for hour in (0, 1, 2):
        publish_made_up(store, at(hour), level=400.0 + 50 * hour)
    earlier = stitch(store, at(1))
    for shard in (tmp_path / "tiles" / earlier.path / "ghi" / "c").rglob("*"):
        if shard.is_file():
            shard.write_bytes(shard.read_bytes()[:-1])
    said: list[str] = []
    entry = stitch(store, at(2), said)
    assert any("without the earlier day" in line for line in said)
    assert series(store, entry)[1] == of_cycle(store, "2026-06-01T01")[0]


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_an_earlier_day_whose_manifest_is_damaged_is_done_without(store, tmp_path, damage):
    """Else no day would come of any cycle until midnight."""
    for hour in (0, 1, 2):
        publish_made_up(store, at(hour), level=400.0 + 50 * hour)
    stitch(store, at(0))
    manifest = tmp_path / "tiles" / stitch(store, at(1)).manifest
    if damage == "gone":
        manifest.unlink()
    else:
        manifest.write_bytes(manifest.read_bytes()[:-9])
    said: list[str] = []
    entry = stitch(store, at(2), said)
    assert any("without the earlier day 2026-06-01T01" in line for line in said)
    assert "stitch 68 hours from day 2026-06-01T00 (1), forecast 2026-06-01T01 (1), forecast 2026-06-01T02 (66)" in said
    assert series(store, entry)[1] == of_cycle(store, "2026-06-01T01")[0]


def test_hours_that_no_cycle_holds_are_named_and_nothing_is_published(store):
    newest = publish_made_up(store, at(3))
    with pytest.raises(day.DayIncomplete, match="no published cycle holds the hour from 2026-06-01T00:00:00Z"):
        day.stitch(context_of(store, "2026-06-01T03:30:00Z!"), newest)
    assert read_index(store, "day").entries == ()


def test_on_the_first_day_the_cycle_of_midnight_is_built_first(store, monkeypatch):
    publish_made_up(store, at(3), level=600.0)
    built = []

    def build(context):
        built.append((context.partition, context.source))
        return publish_made_up(store, CYCLE, now=at(3))

    monkeypatch.setattr(day.build_forecast, "build", build)
    clock = Clock.parse("2026-06-01T03:30:00Z!")
    entry = day.build(context_of(store, clock, partition="2026-06-01T03"))
    assert built == [("2026-06-01T00", "made_up")]
    np.testing.assert_array_equal(series(store, entry)[:3], of_cycle(store, "2026-06-01T00")[:3])


def test_the_evening_before_is_enough_for_the_morning(store):
    publish_made_up(store, at(-2), level=300.0)
    publish_made_up(store, at(1), level=500.0)
    entry = stitch(store, at(1))
    np.testing.assert_array_equal(series(store, entry)[:1], of_cycle(store, "2026-05-31T22")[2:3])


def test_a_cell_that_one_cycle_lacks_has_no_day(store, monkeypatch):
    publish_made_up(store, at(0))
    publish_made_up(store, at(1))
    whole = read_whole

    def lacking(store, manifest, name):
        values = whole(store, manifest, name)
        if manifest.version == "2026-06-01T00" and name == "temp_air":
            values[(slice(None), *OSLO)] = FILL
        return values

    monkeypatch.setattr(day, "read_whole", lacking)
    entry = stitch(store, at(1))
    assert set(series(store, entry)) == {FILL}
    neighbour = (OSLO[0] + 1, OSLO[1])
    values = whole(store, Manifest.read(store, entry.manifest), "ghi")
    assert FILL not in values[(slice(None), *neighbour)]
    assert np.count_nonzero(values[0] != FILL) == np.count_nonzero(cover()) - 1


def test_a_cycle_of_another_domain_is_refused(store, monkeypatch):
    publish_made_up(store, at(0))
    publish_made_up(store, at(1))

    def half(store, manifest, name, whole=read_whole):
        values = whole(store, manifest, name)
        if manifest.version == "2026-06-01T00":
            values[:, :100] = FILL
        return values

    monkeypatch.setattr(day, "read_whole", half)
    with pytest.raises(DraftInvalid, match=r"is missing in .* of the cells"):
        stitch(store, at(1))


def test_a_forecast_that_is_not_published_has_no_day(store):
    with pytest.raises(ValueError, match="forecast 2026-06-01T05 is not published"):
        stitch(store, at(5))


@pytest.mark.slow
def test_the_day_is_the_utc_day_also_where_clocks_are_changed(store):
    """Both nights of summer time: 24 hours from 00 UTC to 00 UTC, no hour twice."""
    for night in (datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)):
        publish_made_up(store, night)
        publish_made_up(store, night + timedelta(hours=3))
        entry = stitch(store, night + timedelta(hours=3))
        times = read_times(store, entry)
        assert (times[0], times[24] - times[0]) == (int(night.timestamp()), 86_400)
        assert np.all(np.diff(times) == 3600)
