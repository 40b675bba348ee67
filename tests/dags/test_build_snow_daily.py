"""The snow of a morning: what is asked for, what is kept, what is refused, and what it leaves of production."""

import shutil
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import catalog
from catalog.sources.errors import SourceError
from catalog.verify import verify
from catalog.versions import read_index
from dags.areas import Area
from dags.builders import municipality, snow_asking, snow_daily, snow_factors, snow_stored
from dags.builders.registry import BUILDERS, Request
from dags.builders.snow_season import Season
from kernels.snow.cover import SnowWeather, cover
from kernels.snow.panel import Panel
from tests.support.snow_authority import Days, FakeAuthority, no_snow, snowy
from tests.support.tmy import OSLO, OSLO_CELL
from tiles.clock import Clock
from tiles.grid import NORWAY3KM
from tiles.manifest import Manifest
from tiles.products.snow_factors import GEOMETRIES
from tiles.store import Store, open_store

OSLO_AREA = Area("Oslo", *OSLO)
BERGEN_CELL = NORWAY3KM.cell_at(60.39, 5.33)
BESIDE_BERGEN = (BERGEN_CELL[0], BERGEN_CELL[1] + 1)
REFERENCES = {301: [OSLO_CELL], 4601: [BERGEN_CELL, BESIDE_BERGEN]}
CLOCK = "2026-11-23T10:00:00Z!"
URL = "http://authority"


def day(text: str) -> int:
    return int(np.datetime64(text, "D").astype(int))


@pytest.fixture(scope="module")
def borders(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with land and municipalities, and where their borders are."""
    folder, url = tmp_path_factory.mktemp("borders"), str(shared_data / "borders")
    municipality.build(url=url, store=open_store(str(folder)), clock=Clock.parse(CLOCK), report=[].append)
    return folder, url


@pytest.fixture
def store(borders: tuple[Path, str], tmp_path: Path) -> Store:
    shutil.copytree(borders[0], tmp_path / "tiles")
    return open_store(str(tmp_path / "tiles"))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeAuthority:
    authority = FakeAuthority()
    monkeypatch.setattr(snow_asking, "nve_gts", authority)
    monkeypatch.setattr(snow_factors, "reference_cells", lambda *_: REFERENCES)
    return authority


@pytest.fixture
def build(store: Store, borders: tuple[Path, str]) -> Any:
    def building(morning: str = "2026-11-23", *areas: Area, url: str = URL, clock: str = CLOCK) -> list[str]:
        said: list[str] = []
        ask = snow_daily.Ask(morning, url, borders[1], areas or (OSLO_AREA,))
        snow_daily.build(ask, store=store, clock=Clock.parse(clock), report=said.append)
        return said

    return building


def by_day(shift: float = 0.0) -> Any:
    """Snow that tells its day, and which answer it is of."""

    def values(days: Days, point: Any) -> dict[str, Any]:
        since = days - day("2026-09-01") + shift
        return no_snow(days, point) | {"swe": since, "snow_depth": 3 * since, "temp_air": since % 300 / 10}

    return values


def outlook(store: Store, morning: str = "2026-11-23") -> Any:
    return catalog.open("snow_outlook", version=morning, store=store.url)


def factors(store: Store, morning: str = "2026-11-23") -> Any:
    return catalog.open("snow_factors", version=morning, store=store.url).load()


def said_of(store: Store, product: str, version: str) -> dict[str, Any]:
    entry = read_index(store, product).get(version)
    assert entry is not None
    return Manifest.read(store, entry.manifest).provenance


def test_a_season_is_asked_for_once_and_published(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = by_day()
    said = build()
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 12, 1))}
    assert len(fake.calls) == 1
    data = outlook(store)
    assert data.time.values[[0, -1]].astype("datetime64[D]").astype(str).tolist() == ["2026-09-01", "2026-12-01"]
    held = np.isfinite(data.snow_row.values)
    assert held[OSLO_CELL]
    assert held[BERGEN_CELL]
    assert 25 <= np.count_nonzero(held) <= 38
    oslo = data.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    np.testing.assert_allclose(oslo.swe, np.arange(92))
    np.testing.assert_allclose(oslo.temp_air, np.arange(92) / 10, atol=0.01)
    assert (float(oslo.altitude), float(oslo.snow_row), float(oslo.snow_column)) == (120, 199, 337)
    assert verify(store, "snow_outlook", "2026-11-23", report=lambda _: None) == []
    assert "snow_daily: 0 requests to nve_gts" in said  # this one is not asked by HTTP
    entry = read_index(store, "snow_outlook").newest(Clock.parse(CLOCK).now())
    assert entry is not None
    assert f"{entry.issued_at:%Y-%m-%dT%H}" == "2026-11-23T06"
    told = said_of(store, "snow_outlook", "2026-11-23")
    assert (told["observed_until"], told["snow_year_start"]) == ("2026-11-22", "2026-09-01")
    assert (told["days"], told["data_origin"]) == (["2026-09-01", "2026-12-01"], "simulated")
    assert {"sources", "licence", "attribution", "method", "generator", "requests"} <= set(told)


def test_the_next_morning_asks_for_ten_days_again_and_what_is_new(
    store: Store, fake: FakeAuthority, build: Any
) -> None:
    fake.values = by_day()
    build("2026-11-22")
    fake.forget()
    fake.values = by_day(1000)
    build("2026-11-23")
    assert fake.searched == []
    assert fake.asked_days() == {(date(2026, 11, 12), date(2026, 12, 1))}, "10 observed days, a new one, 9 ahead"
    assert len(fake.calls) == 1
    swe = outlook(store).swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    since = np.arange(92)
    # what was forecast the day before is observed now, and what was observed lately is corrected
    np.testing.assert_allclose(swe, np.where(since < 72, since, since + 1000))
    before = outlook(store, "2026-11-22").swe.isel(y=OSLO_CELL[0], x=OSLO_CELL[1]).load()
    np.testing.assert_allclose(before, np.arange(91))


def test_after_days_without_a_build_all_of_them_are_asked_for(fake: FakeAuthority, build: Any) -> None:
    build("2026-11-02")
    fake.forget()
    build("2026-11-23")
    assert fake.asked_days() == {(date(2026, 10, 23), date(2026, 12, 1))}


def test_a_new_area_is_asked_for_whole(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = by_day()
    build("2026-11-22")
    fake.forget()
    build("2026-11-23", OSLO_AREA, Area("Finse", 60.602, 7.504))
    assert fake.asked_days() == {
        (date(2026, 9, 1), date(2026, 12, 1)),
        (date(2026, 11, 12), date(2026, 12, 1)),
    }
    finse = NORWAY3KM.cell_at(60.602, 7.504)
    for cell in (finse, OSLO_CELL):
        np.testing.assert_allclose(outlook(store).swe.isel(y=cell[0], x=cell[1]), np.arange(92))


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


def test_the_seasons() -> None:
    for morning, first, last in (
        ("2026-08-31", "2025-09-01", "2026-09-08"),
        ("2026-09-01", "2025-09-01", "2026-09-09"),  # the day before is the newest observed
        ("2026-09-02", "2026-09-01", "2026-09-10"),
        ("2027-01-01", "2026-09-01", "2027-01-09"),
    ):
        season = Season(date.fromisoformat(morning))
        assert (season.first.isoformat(), season.last.isoformat()) == (first, last)
        assert season.days.size == (season.last - season.first).days + 1
    assert Season(date(2024, 9, 1)).days.size == 375


def test_a_new_season_begins_without_the_last(store: Store, fake: FakeAuthority, build: Any) -> None:
    clock = "2026-09-02T10:00:00Z!"
    build("2026-09-01", clock=clock)
    fake.forget()
    fake.data_origin = "live"
    build("2026-09-02", clock=clock)
    assert said_of(store, "snow_outlook", "2026-09-02")["data_origin"] == "live"
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 9, 10))}
    assert outlook(store, "2026-09-01").sizes["time"] == 374
    assert outlook(store, "2026-09-02").sizes["time"] == 10
    assert factors(store, "2026-09-02").sizes["day"] == 10


def test_an_authority_that_is_a_day_late_in_a_new_season(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.late_days, clock = 1, "2026-09-04T10:00:00Z!"
    build("2026-09-02", clock=clock)
    assert said_of(store, "snow_outlook", "2026-09-02")["observed_until"] == "2026-08-31"
    for morning, until in (("2026-09-03", "2026-09-01"), ("2026-09-04", "2026-09-02")):
        build(morning, clock=clock)
        assert said_of(store, "snow_outlook", morning)["observed_until"] == until


def test_nothing_is_taken_over_of_no_days() -> None:
    packed, days = snow_stored.empty(3, (0, 0)), np.arange(20_000, 20_003)
    snow_stored.take_over(packed, (0, 0), [(0, 0)], days, snow_stored.empty(3, (0, 0)), days[:0])
    assert all((packed[name] == 65535).all() for name in packed)


def test_a_version_without_an_observed_day_is_no_help(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.late_days, clock = 1, "2026-09-03T10:00:00Z!"
    build("2026-09-02", clock=clock)
    fake.late_days, fake.data_origin = 0, "live"
    build("2026-09-03", clock=clock)
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 9, 10)), (date(2026, 9, 1), date(2026, 9, 11))}
    assert said_of(store, "snow_outlook", "2026-09-03")["data_origin"] == "live"


def test_an_earlier_morning_is_not_made_of_a_later_one(store: Store, fake: FakeAuthority, build: Any) -> None:
    build("2026-11-23")
    fake.forget()
    build("2026-11-22")
    assert fake.asked_days() == {(date(2026, 9, 1), date(2026, 11, 30))}
    assert len(fake.searched) >= 1


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


@pytest.mark.parametrize(("mark", "searched"), [(snow_asking.mark_of(URL), False), ("another", True)])
def test_snow_cells_of_a_history_of_the_same_authority_are_not_searched(
    fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch, mark: str, searched: bool
) -> None:
    from dags.builders import snow_outlook

    real, held = snow_outlook.read_index, {OSLO_CELL: (200, 338)}
    history = SimpleNamespace(
        manifest=SimpleNamespace(provenance={"authority": mark}),
        snow_cells=lambda _: held,
    )
    monkeypatch.setattr(
        snow_outlook,
        "read_index",
        lambda store, name: SimpleNamespace(entries=["it"]) if name == "snow_history" else real(store, name),
    )
    monkeypatch.setattr(snow_outlook, "Published", lambda *_: history)
    build()
    middle = (NORWAY3KM.x0 + 337_500, NORWAY3KM.y0 + 199_500)
    assert (middle in {point for points in fake.searched for point in points}) == searched
    assert (middle in fake.calls[0].points) == searched


@pytest.mark.parametrize("after", [0, 1])
def test_when_the_authority_fails_what_was_published_stays(
    store: Store, fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    from dags.builders import snow_outlook

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


def test_bare_ground_leaves_all_and_snow_takes_some(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = lambda days, point: (snowy if point[0] > 200_000 else no_snow)(days, point)
    build()
    made = factors(store)
    assert made.municipality.values.tolist() == [301, 4601]
    assert (made.factor.sel(municipality=4601) == 1).all()
    assert (made.factor.sel(municipality=301) < 0.5).all()
    told = said_of(store, "snow_factors", "2026-11-23")
    assert [row[:2] + row[5:] for row in told["municipalities"]] == [[301, "Oslo", 1], [4601, "Bergen", 2]]
    lat, lon = NORWAY3KM.centre(OSLO_CELL)
    assert told["municipalities"][0][2:5] == [pytest.approx(lat, abs=1e-4), pytest.approx(lon, abs=1e-4), 120]
    assert told["geometries"][:5] == [[10, 0], [10, 90], [10, 180], [10, 270], [20, 0]]
    assert verify(store, "snow_factors", "2026-11-23", report=lambda _: None) == []


def test_factors_are_of_yesterday_and_nine_days_ahead_in_order(store: Store, fake: FakeAuthority, build: Any) -> None:
    def falls_on_the_26th(days: Days, point: Any) -> dict[str, Any]:
        fell = np.where(days == day("2026-11-26"), 20.0, 0.0)
        lies = np.where(days >= day("2026-11-26"), 20.0, 0.0)
        return no_snow(days, point) | {
            "swe": lies, "snow_depth": 8 * lies, "new_snow": fell, "new_snow_depth": 8 * fell, "temp_air": fell - 25,
        }  # fmt: skip

    fake.values = falls_on_the_26th
    build()
    told = said_of(store, "snow_factors", "2026-11-23")["days"]
    assert told == [str(date(2026, 11, 22) + timedelta(days=n)) for n in range(10)]
    factor = factors(store).factor.sel(municipality=301)
    south_30 = factor.values[10]
    assert (south_30[:4] == 1).all()
    assert (south_30[4:] < 0.3).all()
    steep, flat = factor.values[18], factor.values[2]
    assert (steep >= flat).all()


@pytest.mark.parametrize("origin", ["live", "simulated"])
def test_factors_are_simulated_if_any_input_is(store: Store, fake: FakeAuthority, build: Any, origin: str) -> None:
    fake.data_origin = origin
    build()
    told = said_of(store, "snow_factors", "2026-11-23")
    assert told["data_origin"] == origin  # the borders are real ones
    assert [source["name"] for source in told["sources"]] == ["nve_gts", "kartverket"]
    assert ("NLOD" in told["licence"]) == (origin == "live")
    outlook_entry = read_index(store, "snow_outlook").entries[-1]
    assert outlook_entry.data_origin == origin


def test_factors_are_simulated_if_the_borders_are(
    store: Store, fake: FakeAuthority, build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = municipality.read
    monkeypatch.setattr(municipality, "read", lambda *given: replace(real(*given), data_origin="simulated"))
    fake.data_origin = "live"
    build()
    assert said_of(store, "snow_outlook", "2026-11-23")["data_origin"] == "live"
    assert said_of(store, "snow_factors", "2026-11-23")["data_origin"] == "simulated"


def test_factors_are_of_roofs_in_the_light_of_their_own_plane() -> None:
    days = np.arange(20_000, 20_040)
    fell = np.where(np.arange(40) % 9 == 2, 12.0, 0.0)
    weather = SnowWeather(fell, 8 * fell, np.full(40, 200.0), np.where(np.arange(40) % 9 < 5, -6.0, 1.5))
    light = np.linspace(5.0, 400.0, 24)[:, None, None] * np.linspace(0.0, 1.0, 24)[None, None, :] * np.ones((24, 12, 1))
    made = snow_factors.factors(days, [weather], light, 10.0)

    def left(plane: int, mounting: str, of: int) -> Any:
        tilt = float(GEOMETRIES[plane][0])
        return 1 - cover(days, weather, light[of], Panel(tilt, mounting=mounting), 10.0).loss

    for plane in range(len(GEOMETRIES)):
        np.testing.assert_allclose(made[plane], left(plane, "roof", plane), atol=1e-9)
    assert any(not np.allclose(made[p], left(p, "rack", p)) for p in range(24))
    assert any(not np.allclose(made[p], left(p, "roof", 0)) for p in range(24))


def test_days_without_data_have_no_factor() -> None:
    weather = SnowWeather(*(np.array([0.0, np.nan, 0.0]) for _ in range(4)))
    other = SnowWeather(*(np.array([0.0, np.nan, np.nan]) for _ in range(4)))
    made = snow_factors.factors(np.arange(20_000, 20_003), [weather, other], np.full((24, 12, 24), 100.0), 10.0)
    assert made.shape == (24, 3)
    assert np.isnan(made[:, 1]).all()
    np.testing.assert_array_equal(made[:, [0, 2]], 1.0)


def test_reference_cells_are_low_lie_on_land_and_are_spread(store: Store) -> None:
    from dags.builders import climate
    from dags.builders.areas import land_share

    entry = read_index(store, "municipality").entries[-1]
    by_cell = municipality.read(store, entry)
    share = land_share(store, Clock.parse(CLOCK))
    found = snow_factors.reference_cells(by_cell.number, share)
    assert list(found) == sorted(by_cell.names)
    lat, lon = NORWAY3KM.positions
    height = climate.altitude(lat, lon)
    for number in (301, 4601, 4620, 5501, 3420):
        cells, of_it = found[number], by_cell.number == number
        assert 1 <= len(set(cells)) == len(cells) <= 9
        assert all(of_it[cell] and share[cell] >= 0.5 for cell in cells)
        highest = max(height[cell] for cell in cells)
        of_land = height[of_it & (share >= 0.5)]
        assert np.count_nonzero(of_land <= highest) >= of_land.size / 3 * 0.5
        assert highest <= np.sort(of_land)[-(-of_land.size // 3) - 1]
    spread = np.array(found[4620])
    assert np.ptp(spread, axis=0).max() >= 3


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


@pytest.mark.parametrize(("clock", "version"), [("2026-11-23T07:09:00Z!", "2026-11-22"), (CLOCK, "2026-11-23")])
def test_the_command_builds_the_last_morning(
    store: Store, fake: FakeAuthority, borders: tuple[Path, str], clock: str, version: str
) -> None:
    urls = {"nve_gts": URL, "kartverket": borders[1]}
    request = Request(None, None, urls, store, Clock.parse(clock), [].append, (OSLO_AREA,))
    assert BUILDERS["snow_daily"](request).version == version
    with pytest.raises(ValueError, match="nve_gts alone, not of 'met_nordic'"):
        BUILDERS["snow_daily"](Request(None, "met_nordic", urls, store, Clock.parse(clock), [].append))


def test_a_value_that_cannot_be_is_not_published(store: Store, fake: FakeAuthority, build: Any) -> None:
    fake.values = lambda days, point: no_snow(days, point) | {"temp_air": np.full(days.size, 90.0)}
    with pytest.raises(SourceError, match=r"temp_air is 90 degC on 2026-09-01 at \(.*\), outside -75 to 50"):
        build()
    assert read_index(store, "snow_outlook").entries == ()
