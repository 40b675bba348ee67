"""An authority that fails, or lacks something: what is refused, what is kept, what is never lost."""

from datetime import date
from typing import Any

import numpy as np
import pytest

from catalog.sources.errors import SourceError
from catalog.versions import read_index
from tests.support.snow_authority import Days, FakeAuthority, no_snow
from tests.support.snow_morning import BERGEN_CELL, CLOCK, by_day, day, outlook, said_of
from tests.support.tmy import OSLO_CELL
from tiles.grid import NORWAY3KM
from tiles.store import Store


def test_another_authority_is_not_mixed_with_the_first(store: Store, fake: FakeAuthority, build: Any) -> None:
    build("2026-11-22")
    fake.forget()
    fake.data_origin, fake.values = "live", by_day()
    build("2026-11-23", url="http://another")
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 12, 1))}
    assert len(fake.searched) >= 1
    assert said_of(store, "snow_outlook", "2026-11-23")["data_origin"] == "live"
    np.testing.assert_allclose(outlook(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), np.arange(92))


def test_a_damaged_earlier_version_is_asked_for_anew(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = by_day()
    build("2026-11-22")
    held = read_index(store, "snow_outlook").get("2026-11-22")
    assert held is not None
    at = f"{held.path}/swe/c/0/{OSLO_CELL[0] // 16}/{OSLO_CELL[1] // 16}"
    store.put(at, store.get(at)[:-9] + b"012345678")
    fake.forget()
    said = build("2026-11-23")
    assert any("a block is asked for anew" in line for line in said)
    assert fake.asked_days() == {
        (date(2026, 9, 1), date(2026, 12, 1)),
        (date(2026, 11, 12), date(2026, 12, 1)),
    }
    np.testing.assert_allclose(outlook(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]), np.arange(92))


def test_a_version_without_an_observed_day_is_no_help(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.late_days, clock = 1, "2026-09-03T10:00:00Z!"
    build("2026-09-02", clock=clock)
    fake.late_days, fake.data_origin = 0, "live"
    build("2026-09-03", clock=clock)
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 9, 10)), (date(2026, 9, 1), date(2026, 9, 11))}
    assert said_of(store, "snow_outlook", "2026-09-03")["data_origin"] == "live"


def test_what_was_simulated_stays_named_so(store: Store, fake: FakeAuthority, build: Any) -> None:
    build("2026-11-22")
    fake.data_origin = "live"
    build("2026-11-23")
    for product in ("snow_outlook", "snow_factors"):
        assert said_of(store, product, "2026-11-23")["data_origin"] == "simulated"


def test_an_answer_that_ends_early_takes_no_observation_away(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = by_day()
    build("2026-11-22")

    def ends_early(days: Days, point: Any) -> dict[str, Any]:
        values = by_day(1000)(days, point)
        return values | {"swe": np.where(days > day("2026-11-15"), np.nan, values["swe"])}

    fake.values = ends_early
    build("2026-11-23")
    oslo = outlook(store).isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    since = np.arange(82)  # to 21 November, the last day that the version before observed
    np.testing.assert_allclose(oslo.swe[:82], np.where((since >= 72) & (since <= 75), since + 1000, since))
    assert np.isnan(oslo.swe[82:]).all(), "an old forecast is no observation"
    np.testing.assert_allclose(oslo.snow_depth[72:], 3 * (np.arange(72, 92) + 1000))


@pytest.mark.parametrize("after", [0, 1])
def test_when_the_authority_fails_what_was_published_stays(
    store: Store, fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    from dags.build.snow import snow_outlook

    monkeypatch.setattr(snow_outlook, "CELLS_AT_ONCE", 8)
    build("2026-11-22")
    assert len(fake.calls) > 1
    fake.forget()
    fake.fails_after = after
    with pytest.raises(SourceError, match="does not answer"):
        build("2026-11-23")
    for product in ("snow_outlook", "snow_factors"):
        assert [entry.version for entry in read_index(store, product).entries] == ["2026-11-22"]
    fake.fails_after = None
    build("2026-11-23")
    assert read_index(store, "snow_factors").entries[-1].version == "2026-11-23"


@pytest.mark.slow
def test_cells_without_any_value_are_left_out_and_not_looked_for_again(
    store: Store, fake: FakeAuthority, build: Any
) -> None:
    fake.there = lambda point: not (20_000 < point[0] - NORWAY3KM.x0 < 60_000)  # nothing around Bergen
    said = build("2026-11-22")
    assert any("3 of" in line or "2 of" in line for line in said if "left out" in line)
    assert not np.isfinite(outlook(store, "2026-11-22").swe.values[:, BERGEN_CELL[0], BERGEN_CELL[1]]).any()
    assert [one[0] for one in said_of(store, "snow_factors", "2026-11-22")["municipalities"]] == [301]
    fake.forget()
    build("2026-11-23")
    assert fake.searched == []


def test_cells_without_any_value_are_looked_for_again_after_a_week(
    store: Store, fake: FakeAuthority, build: Any
) -> None:
    fake.there = lambda point: not (20_000 < point[0] - NORWAY3KM.x0 < 60_000)  # nothing around Bergen
    for morning in ("2026-11-16", "2026-11-22"):
        fake.forget()
        build(morning)
        assert bool(fake.searched) == (morning == "2026-11-16")
    fake.there = lambda _: True
    fake.forget()
    build("2026-11-23")
    assert len(fake.searched) == 1
    assert len(fake.searched[0]) <= 3, "those alone that were not found"
    assert np.isfinite(outlook(store).swe.values[:, BERGEN_CELL[0], BERGEN_CELL[1]]).all()
    told = said_of(store, "snow_outlook", "2026-11-23")
    assert (told["cells_without_data"], told["cells_searched"]) == ([], "2026-11-23")


def test_an_authority_that_knows_nothing_publishes_nothing(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.there = lambda _: False
    with pytest.raises(SourceError, match="no snow data of any of"):
        build()
    fake.there = lambda _: True
    build("2026-11-22")
    fake.values = lambda days, _: dict.fromkeys(no_snow(days, (0, 0)), np.full(days.size, np.nan))
    with pytest.raises(SourceError, match=r"of \d+ cells that had data 0 have some now; nothing is published"):
        build("2026-11-23")
    assert [entry.version for entry in read_index(store, "snow_outlook").entries] == ["2026-11-22"]


def test_a_cell_without_data_this_morning_keeps_what_was_observed(
    store: Store, fake: FakeAuthority, build: Any
) -> None:
    fake.values = by_day()
    build("2026-11-22")
    here = (337_500 + NORWAY3KM.x0, 199_500 + NORWAY3KM.y0)
    fake.there = lambda point: point != here
    build("2026-11-23")
    swe = outlook(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    np.testing.assert_allclose(swe[:82], np.arange(82))
    assert np.isnan(swe[82:]).all(), "an old forecast is no observation"


@pytest.mark.parametrize(
    ("partition", "clock", "match"),
    [
        ("2026-11-24", CLOCK, "not observed before 06 UTC"),
        ("2026-11-23", "2026-11-23T05:59:00Z!", "not observed before 06 UTC"),
        ("today", CLOCK, "'today' is not a day"),
    ],
)
def test_what_is_not_observed_yet_is_refused(
    fake: FakeAuthority, build: Any, partition: str, clock: str, match: str
) -> None:
    with pytest.raises(ValueError, match=match):
        build(partition, clock=clock)
    assert fake.calls == []


def test_a_value_that_cannot_be_is_not_published(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = lambda days, point: no_snow(days, point) | {"temp_air": np.full(days.size, 90.0)}
    with pytest.raises(SourceError, match=r"temp_air is 90 degC on 2026-09-01 at \(.*\), outside -75 to 50"):
        build()
    assert read_index(store, "snow_outlook").entries == ()
