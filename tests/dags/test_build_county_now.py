"""Counties of a day: which cells stand for them, power against pvlib, the curve of the day, and what is refused."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pvlib
import pytest

from catalog.sources.kartverket import borders as kartverket
from catalog.versions import Entry, Index, index_key, read_index
from dags.build.borders import municipality
from dags.build.cells import land_share
from dags.build.forecast import county_now, day
from dags.build.forecast.county_now import Weights, specific_power, weights_of
from dags.build.snow.snow_factors import reference_cells
from infra.simulator import borders
from tests.support.context import context_of
from tests.support.snow_factors import publish_borders
from tests.support.tiles import CYCLE, cover, publish_made_up
from tests.support.tmy import publish_land
from tiles.arrays import read_whole
from tiles.clock import Clock
from tiles.grid import FORECAST, NORWAY3KM, Cell
from tiles.manifest import Manifest
from tiles.products.county_now import COUNTIES, ENGINE, PERFORMANCE_RATIO, PRODUCT, ROOFS, TEMP_COEFF
from tiles.store import Store, open_store

NOW = CYCLE + timedelta(hours=3, minutes=30)
EVER = datetime(1950, 1, 1, tzinfo=UTC)
NUMBERS = list(COUNTIES)
EVERYWHERE = np.ones(FORECAST.shape, bool)


def land_of_counties() -> dict[Cell, int]:
    """Two municipalities of each county around Oslo: one of a cell, one of three in a row to the north."""
    row, column = NORWAY3KM.cell_at(59.3, 10.2)
    found = {}
    for k, county in enumerate(COUNTIES):
        found[row, column + k] = 100 * county + 1
        found |= {(row + 2 + step, column + k): 100 * county + 2 for step in range(3)}
    return found


def build(store: Store, now: datetime = NOW, partition: str | None = None) -> Entry:
    return county_now.build(context_of(store, Clock.parse(f"{now:%Y-%m-%dT%H:%M:%SZ}!"), partition=partition))


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with a cycle of 03 UTC, its day, and made-up borders."""
    store = open_store(str(tmp_path_factory.mktemp("days")))
    for hour in (0, 3):
        publish_made_up(store, CYCLE + timedelta(hours=hour), v1=False)
    publish_land(store, EVER)
    publish_borders(store, land_of_counties(), EVER)
    day.build(context_of(store, Clock.parse(f"{NOW:%Y-%m-%dT%H:%M:%SZ}!")))
    return store


@pytest.fixture(scope="module")
def built(days: Store) -> tuple[Store, Entry]:
    return days, build(days)


def read(store: Store, entry: Entry, name: str) -> Any:
    manifest = Manifest.read(store, entry.manifest)
    return PRODUCT.variable(name).unpack(read_whole(store, manifest, name))


def by_pvlib(cell: Cell, moment: datetime, ghi: float, temp_air: float) -> float:
    """Recompute the mix of roofs, W per kWp, with pvlib's functions."""
    times = pd.DatetimeIndex([moment + timedelta(minutes=30)])
    sun = pvlib.solarposition.get_solarposition(times, *FORECAST.centre(cell), method="nrel_numpy")
    split = pvlib.irradiance.erbs(np.array([ghi]), sun["zenith"], times)
    total = 0.0
    for tilt, azimuth, part in ROOFS:
        plane = pvlib.irradiance.get_total_irradiance(
            tilt, azimuth, sun["zenith"], sun["azimuth"], split["dni"], ghi, split["dhi"],
            dni_extra=pvlib.irradiance.get_extra_radiation(times), albedo=0.2, model="haydavies",
        )["poa_global"].to_numpy()[0]  # fmt: skip
        warm = pvlib.temperature.ross(plane, temp_air, k=0.0342)
        total += pvlib.pvsystem.pvwatts_dc(plane, warm, 1000 * part, TEMP_COEFF) * PERFORMANCE_RATIO
    return total


def test_a_county_hour_is_what_pvlib_makes_of_the_published_cells(built: tuple[Store, Entry]) -> None:
    store, entry = built
    stitched = read_index(store, "day").get(entry.version)
    assert stitched is not None
    manifest = Manifest.read(store, stitched.manifest)
    ghi, temp_air = (
        day.PRODUCT.variable(name).unpack(read_whole(store, manifest, name)) for name in ("ghi", "temp_air")
    )
    county, hour = 46, 9
    means = []
    for number in (4601, 4602):
        places = [cell for cell, of in land_of_counties().items() if of == number]
        # the lowest third of three cells is one
        chosen = reference_cells(np.where(mask_of(places), number, 0), np.ones(NORWAY3KM.shape))[number]
        cells = [FORECAST.cell_at(*NORWAY3KM.centre(cell)) for cell in chosen]
        moment = CYCLE + timedelta(hours=hour)
        power = [by_pvlib(cell, moment, ghi[hour, *cell], temp_air[hour, *cell]) for cell in cells]
        means.append((np.mean([ghi[hour, *cell] for cell in cells]), np.mean(power)))
    expected_ghi, expected_power = np.mean(means, axis=0)
    assert expected_power > 200
    column = NUMBERS.index(county)
    assert read(store, entry, "ghi")[hour, column] == pytest.approx(expected_ghi, abs=0.06)
    assert read(store, entry, "specific_power")[hour, column] == pytest.approx(expected_power, rel=2e-3)


def mask_of(cells: list[Cell]) -> np.ndarray:
    found = np.zeros(NORWAY3KM.shape, bool)
    found[tuple(np.array(cells).T)] = True
    return found


def test_the_curve_peaks_near_solar_noon_and_is_nought_at_night(built: tuple[Store, Entry]) -> None:
    store, entry = built
    power = read(store, entry, "specific_power")
    assert power.shape == (3 + 66, 15)
    # 10.5 degrees east: noon is at 11:18 UTC, in the hour from 11
    assert set(power[:24].argmax(axis=0)) == {11}
    assert set(power[24:48].argmax(axis=0)) == {11}
    assert (power[[0, 22, 23]] == 0).all()
    assert 300 < power.max() < 1000


def test_version_times_and_provenance_are_those_of_the_day(built: tuple[Store, Entry]) -> None:
    store, entry = built
    stitched = read_index(store, "day").get(entry.version)
    assert stitched is not None
    assert (entry.version, entry.issued_at) == ("2026-06-01T03", CYCLE + timedelta(hours=3))
    assert (entry.valid_from, entry.valid_to) == (stitched.valid_from, stitched.valid_to)
    said = Manifest.read(store, entry.manifest).provenance
    assert [(one["name"], one["version"]) for one in said["sources"]] == [
        ("day", entry.version),
        ("municipality", "borders-195001010000"),
    ]
    assert said["data_origin"] == entry.data_origin == "simulated"
    assert said["engine"] == ENGINE
    assert said["counties"][0] == [3, "Oslo", 2, 2]
    assert said["roofs"][0] == [30, 180, 0.3]


def test_the_named_engine_is_the_one_that_is_used() -> None:
    from kernels.production import SIMPLIFIED

    assert ENGINE == SIMPLIFIED
    assert sum(part for _, _, part in ROOFS) == pytest.approx(1)


def test_polar_night_gives_nothing_and_light_without_sun_is_no_power() -> None:
    tromso = FORECAST.cell_at(69.65, 18.96)
    times = int(datetime(2026, 12, 21, tzinfo=UTC).timestamp()) + 3600 * np.arange(24)
    dark = np.zeros((24, 1))
    assert (specific_power([tromso], times, dark, dark - 5) == 0).all()


def test_municipalities_weigh_the_same_and_cells_share_their_municipality() -> None:
    row, column = NORWAY3KM.cell_at(60.0, 10.5)
    lone, pair = (row, column), [(row + 5, column), (row + 10, column)]
    weights = weights_of({3101: [lone], 3102: pair, 301: [lone], 2401: [lone]}, EVERYWHERE)
    a, b, c = (weights.cells.index(FORECAST.cell_at(*NORWAY3KM.centre(cell))) for cell in (lone, *pair))
    of = weights.share[NUMBERS.index(31)]
    assert of[[a, b, c]].tolist() == [0.5, 0.25, 0.25]
    assert weights.share[NUMBERS.index(3), a] == 1
    assert weights.municipalities.sum() == 3, "no county is 24"


def test_cells_without_forecast_count_nothing() -> None:
    row, column = NORWAY3KM.cell_at(60.0, 10.5)
    lone, pair = (row, column), [(row + 5, column), (row + 10, column)]
    covered = EVERYWHERE.copy()
    for cell in (lone, pair[0]):
        covered[FORECAST.cell_at(*NORWAY3KM.centre(cell))] = False
    weights = weights_of({3101: [lone], 3102: pair}, covered)
    assert weights.share[NUMBERS.index(31)].tolist() == [1.0]
    assert weights.municipalities[NUMBERS.index(31)] == 1


def require_whole_country(weights: Weights, municipalities: int) -> None:
    assert weights.municipalities.sum() == municipalities
    np.testing.assert_allclose(weights.share.sum(axis=1), 1)
    lat, lon = np.array([FORECAST.centre(cell) for cell in weights.cells]).T
    middle = {n: (share @ lat, share @ lon) for n, share in zip(NUMBERS, weights.share, strict=True)}
    expected = {3: (59.9, 10.7), 11: (59.0, 5.9), 46: (60.7, 5.8), 50: (63.7, 10.8), 56: (70.2, 26.0), 42: (58.4, 7.8)}
    for number, (north, east) in expected.items():
        assert middle[number] == (pytest.approx(north, abs=0.6), pytest.approx(east, abs=1.5)), number


def test_all_real_municipalities_stand_for_their_counties(real_borders: Store) -> None:
    [entry] = read_index(real_borders, "municipality").entries
    share = land_share(real_borders, Clock.parse("2026-06-21T10:00:00Z!"))
    references = reference_cells(municipality.read(real_borders, entry).number, share)
    require_whole_country(weights_of(references, EVERYWHERE), 357)


def test_simulated_municipalities_stand_for_all_counties(store: Store, tmp_path: Path) -> None:
    (tmp_path / kartverket.COUNTIES).write_text(json.dumps(borders.document("Fylker")))
    (tmp_path / kartverket.MUNICIPALITIES).write_text(json.dumps(borders.document("Kommuner")))
    context = context_of(store, "2026-06-21T10:00:00Z!", addresses={"kartverket": str(tmp_path)})
    by_cell = municipality.read(store, municipality.ensure(context))
    require_whole_country(
        weights_of(reference_cells(by_cell.number, land_share(store, context.clock)), EVERYWHERE), 112
    )


def other(days: Store, folder: Path, lying_in: Mapping[Cell, int], *products: str) -> Store:
    """A store with these products of another, and borders of its own."""
    store = open_store(str(folder / "other"))
    for product in products:
        for key in days.keys(product):
            store.put(key, days.get(key))
    publish_borders(store, lying_in, EVER)
    return store


def test_a_county_without_a_cell_is_named_and_nothing_is_published(days: Store, tmp_path: Path) -> None:
    without = {cell: number for cell, number in land_of_counties().items() if number // 100 not in (3, 56)}
    store = other(days, tmp_path, without, "day", "land")
    with pytest.raises(ValueError, match=r"no cell of county 03 Oslo, 56 Finnmark; .*solflis build municipality"):
        build(store)
    assert read_index(store, PRODUCT.name).entries == ()


def test_a_day_that_is_not_published_is_refused(days: Store, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="day 2026-06-01T05 is not published"):
        build(days, partition="2026-06-01T05")
    with pytest.raises(ValueError, match="day of now is not published: build it with 'solflis build day'"):
        build(other(days, tmp_path, {}, "land"))
    with pytest.raises(ValueError, match="noon"):
        build(days, partition="noon")


def test_a_day_without_temperature_is_refused(days: Store, tmp_path: Path) -> None:
    store = other(days, tmp_path, land_of_counties(), "day", "land")
    [entry] = read_index(store, "day").entries
    document = json.loads(Index((entry,)).to_bytes())
    text = json.dumps(document).replace('"temp_air", ', "")
    assert text != json.dumps(document)
    store.put(index_key("day"), text.encode())
    with pytest.raises(ValueError, match="has no temp_air, without which no production is calculated"):
        build(store)


def test_the_made_up_source_covers_all_that_stands_for_counties() -> None:
    """Else the tests above would see less than they say."""
    assert all(cover()[FORECAST.cell_at(*NORWAY3KM.centre(cell))] for cell in land_of_counties())
