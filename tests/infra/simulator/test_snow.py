"""The simulated snow: its days, the climate it is of, what it obeys, and that it is always the same."""

import subprocess
import sys

import numpy as np
import pytest
from pyproj import Transformer

from infra.simulator.snow.cells import COLUMNS, ROWS, SIZE, X0, Y0, cell_at, land, where
from infra.simulator.snow.normals import LAPSE, PLACES, climate, mean_wetness, waves
from infra.simulator.snow.pack import Snow, first_day, snow, snow_of_days
from infra.simulator.snow.years import anomaly_k
from infra.simulator.weather import truth
from tiles.grid import SENORGE1KM

TOWNS = {
    "Oslo": (59.913, 10.750), "Bergen": (60.392, 5.324), "Trondheim": (63.430, 10.395), "Tromso": (69.649, 18.955),
    "Finse": (60.602, 7.504),
}  # fmt: skip
YEARS = range(1990, 2020)
LAST = first_day(2020) - 1
TODAY = first_day(2026) + 83  # 23 November 2026
MONTHS = np.arange(first_day(1990), LAST + 1).astype("datetime64[D]").astype("datetime64[M]").astype(int) % 12


def cells_of(*positions: tuple[float, float]) -> np.ndarray:
    lat, lon = np.array(positions).T
    x, y = Transformer.from_crs(4258, 25833, always_xy=True).transform(lon, lat)
    return cell_at(np.asarray(x), np.asarray(y))


@pytest.fixture(scope="module")
def thirty_years() -> Snow:
    return snow(cells_of(*TOWNS.values()), YEARS, LAST, TODAY)


def test_cells_are_those_of_the_authoritys_grid() -> None:
    grid = SENORGE1KM
    assert (grid.x0, grid.y0, grid.size, grid.n_y, grid.n_x) == (X0, Y0, SIZE, ROWS, COLUMNS)
    row, column = SENORGE1KM.cell_at(60.602, 7.504)
    (finse,) = cells_of((60.602, 7.504)).tolist()
    assert finse == (ROWS - 1 - row) * COLUMNS + column
    at = where(np.array([finse]))
    assert (float(at.lat[0]), float(at.lon[0])) == pytest.approx(SENORGE1KM.centre((row, column)), abs=1e-6)
    assert 1100 < float(at.altitude[0]) < 1500
    assert 300_000 < np.count_nonzero(land()) < 350_000, "km2: Norway's mainland is 324,000"


def test_there_is_none_at_sea_abroad_or_off_the_grid() -> None:
    assert (cells_of(*TOWNS.values()) >= 0).all()
    assert (
        cells_of((58.0, 4.5), (59.33, 18.07), (66.0, 8.0), (69.0, 33.0), (50.0, 10.0), (75.0, 60.0)).tolist()
        == [-1] * 6
    )


def test_a_day_runs_from_six_to_six() -> None:
    """In July it is the truth's mean of these hours and no others, moved by what changes slowly."""
    cells = cells_of((63.43, 10.395), (59.913, 10.75))
    at = where(cells)
    first = first_day(2025) + 303
    days = np.arange(first, first + 31)
    made = snow(cells, range(2025, 2026), int(days[-1]), TODAY).temp_air[-len(days) :]
    made = made - anomaly_k(days, waves(days)[1], at.lat)

    def left_over(begins_h: int) -> float:
        moments = days[:, None] * 86_400.0 + 3600 * (begins_h + 0.5 + np.arange(24))
        mean = truth(at.lat, at.lon, moments.ravel())["temp_air"].reshape(len(days), 24, -1).mean(axis=1)
        difference = (made - mean).astype(np.float64)
        trend = np.array([np.polyval(np.polyfit(days - first, one, 2), days - first) for one in difference.T])
        return float((difference - trend.T).std())

    others = {begins_h: left_over(begins_h) for begins_h in (-18, 0, 12, 30)}
    print("left over, K: ", left_over(6), others)
    assert left_over(6) < 0.2
    assert min(others.values()) > 1.5 * left_over(6)
    assert min(others[-18], others[30]) > 4 * left_over(6), "a day too early or too late"


@pytest.mark.parametrize(
    ("town", "january", "july", "depths_cm"),
    [
        ("Oslo", (-4.5, -1.5), (16, 19), {0: (10, 40), 1: (10, 40), 2: (8, 40), 6: (0, 0)}),
        ("Bergen", (0.3, 3.0), (13, 16.5), {0: (1, 12), 1: (1, 12), 3: (0, 5), 6: (0, 0)}),
        ("Trondheim", (-4, -0.5), (13.5, 16.5), {0: (5, 35), 1: (5, 35), 6: (0, 0)}),
        ("Tromso", (-5, -2.5), (11, 14), {11: (15, 50), 0: (30, 90), 2: (50, 120), 4: (0, 40), 6: (0, 0)}),
        ("Finse", (-12, -8), (6, 10), {0: (90, 220), 3: (150, 320), 4: (100, 300)}),
    ],
)
def test_the_climate_of_towns(
    thirty_years: Snow,
    town: str,
    january: tuple[float, float],
    july: tuple[float, float],
    depths_cm: dict[int, tuple[float, float]],
) -> None:
    which = list(TOWNS).index(town)
    temp_air, depth = thirty_years.temp_air[:, which], thirty_years.snow_depth[:, which] / 10
    assert january[0] < temp_air[MONTHS == 0].mean() < january[1]
    assert july[0] < temp_air[MONTHS == 6].mean() < july[1]
    for month, (least, most) in depths_cm.items():
        assert least <= depth[month == MONTHS].mean() <= most, month
    assert 2.5 < temp_air[MONTHS == 0].std() < 6.0, "thaws and cold spells"


def test_winters_differ(thirty_years: Snow) -> None:
    depth = thirty_years.snow_depth / 10
    starts = [first_day(year) - first_day(1990) for year in YEARS]
    deepest = np.array([part.max(axis=0) for part in np.split(depth, starts[1:])])
    oslo, bergen, trondheim, tromso, finse = (np.sort(deepest[:, k]) for k in range(5))
    assert oslo[0] < 20
    assert 45 < oslo[-1] < 140
    for town in (oslo, bergen, trondheim, tromso):
        assert town[25] > 1.5 * town[5]
    assert np.median(finse) > np.median(tromso) > np.median(oslo) > np.median(bergen)


def test_normals_come_out_at_the_places_they_are_of(thirty_years: Snow) -> None:
    rows = {entry.split()[0]: entry.split()[1:] for entry in PLACES.replace("\n", ";").split(";") if entry.strip()}
    at = where(cells_of(*TOWNS.values()))
    for which, town in enumerate(TOWNS):
        _, _, height, *normals, _ = map(float, rows[town])
        for month, normal in zip((0, 3, 6, 9), normals, strict=True):
            here = normal - LAPSE * (float(at.altitude[which]) - height)
            assert thirty_years.temp_air[month == MONTHS, which].mean() == pytest.approx(here, abs=1.2)


def test_precipitation_is_that_of_the_places() -> None:
    lat, lon = np.array([TOWNS["Bergen"], TOWNS["Oslo"]]).T
    level = np.array([12, 94], dtype=np.float32)
    bergen, oslo = climate(lat, lon, level, level).year_mm.tolist()
    assert bergen == pytest.approx(2250, rel=0.1)
    assert oslo == pytest.approx(800, rel=0.1)
    higher = climate(lat, lon, level + np.float32(500), level).year_mm
    assert (higher > 1.1 * np.array([bergen, oslo])).all(), "more falls on mountains"
    assert 0.2 < mean_wetness() < 3


def test_snow_comes_and_goes_as_it_must(thirty_years: Snow) -> None:
    new, swe, depth = thirty_years.new_snow, thirty_years.swe, thirty_years.snow_depth
    rise_swe, rise_depth = np.diff(swe, axis=0), np.diff(depth, axis=0)
    assert (rise_swe <= new[1:] + 1e-2).all(), "nothing but new snow adds to it"
    assert (rise_depth <= 10 * new[1:] + 1e-1).all(), "of 100 kg/m3"
    assert min(new.min(), swe.min(), depth.min()) >= 0
    assert ((swe == 0) == (depth == 0)).all()
    lying = swe > 5
    density = 1000 * swe[lying] / depth[lying]
    assert density.min() >= 99
    assert density.max() <= 451
    assert not new[thirty_years.temp_air > 9].any(), "no snow in warmth"
    # melt: at most a degree-day's worth
    melted = swe[:-1] + new[1:] - swe[1:]
    assert (melted[thirty_years.temp_air[1:] < -8] < 0.51).all()
    warm = thirty_years.temp_air[1:] > 2
    assert (melted[warm & (swe[1:] > 0)] >= 2.4 * thirty_years.temp_air[1:][warm & (swe[1:] > 0)] - 1e-2).all()


def test_every_snow_year_begins_bare(thirty_years: Snow) -> None:
    for year in YEARS:
        day = first_day(year) - first_day(1990)
        np.testing.assert_allclose(thirty_years.swe[day], np.minimum(thirty_years.swe[day], thirty_years.new_snow[day]))
    assert thirty_years.swe[first_day(1991) - first_day(1990) - 1].sum() < 1500, "no glaciers among the towns"


def test_alone_in_a_batch_and_for_other_years_it_is_the_same() -> None:
    chosen = np.flatnonzero(land()[::-1].ravel())[::9_000]
    together = snow(chosen, range(2005, 2008), first_day(2008) - 1, TODAY)
    backwards = snow(chosen[::-1].copy(), range(2006, 2007), first_day(2007) - 40, TODAY)
    span = slice(first_day(2006) - first_day(2005), first_day(2007) - 40 + 1 - first_day(2005))
    for one, other in zip(together, backwards, strict=True):
        np.testing.assert_allclose(one[span], other[:, ::-1], atol=2e-2)
    for k in (3, 20):
        alone = snow(chosen[k : k + 1], range(2005, 2008), first_day(2008) - 1, TODAY)
        for one, other in zip(together, alone, strict=True):
            np.testing.assert_allclose(one[:, k], other[:, 0], atol=2e-2)


@pytest.mark.slow
def test_another_process_says_the_same(thirty_years: Snow) -> None:
    code = (
        "from infra.simulator.snow.pack import snow, first_day; import numpy as np;"
        f"s = snow(np.array({cells_of(*TOWNS.values()).tolist()}), range(1990, 2020), {LAST}, {TODAY});"
        "print(s.swe.sum(dtype=float), s.temp_air.sum(dtype=float))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    expected = thirty_years.swe.sum(dtype=float), thirty_years.temp_air.sum(dtype=float)
    assert (float(told[0]), float(told[1])) == pytest.approx(expected, rel=1e-9)


def test_forecasts_are_wrong_and_ever_more_so() -> None:
    chosen = np.flatnonzero(land()[::-1].ravel())[::4_000]
    year, begin = range(2024, 2025), first_day(2024)
    real = snow(chosen, year, begin + 200, begin + 300).temp_air
    off: dict[int, list[float]] = {0: [], 8: []}
    for issued in range(100, 180, 5):
        said = snow(chosen, year, begin + issued + 8, begin + issued)
        np.testing.assert_allclose(said.temp_air[:issued], real[:issued], atol=1e-3)
        for lead, errors in off.items():
            errors.append(np.abs(said.temp_air[issued + lead] - real[issued + lead]).mean())
    assert 0.05 < np.mean(off[0]) < 1.0
    assert 1.5 * np.mean(off[0]) < np.mean(off[8]) < 6.0


def test_what_was_computed_last_is_kept() -> None:
    cells = cells_of(TOWNS["Oslo"])
    one = snow_of_days(cells, TODAY - 10, TODAY + 8, TODAY)
    assert len(one.swe) == 19
    longer = snow_of_days(cells, TODAY - 40, TODAY + 8, TODAY)
    np.testing.assert_array_equal(longer.temp_air[30:], one.temp_air)
    assert np.shares_memory(longer.swe, one.swe), "the same season, whatever of it is asked"
    tomorrow = snow_of_days(cells, TODAY - 10, TODAY + 8, TODAY + 1)
    assert not np.shares_memory(tomorrow.swe, one.swe), "another day's forecast"
    for first in (first_day(2001), first_day(2001) - 1, first_day(2001) + 122):
        assert len(snow_of_days(cells, first, first + 3, TODAY).swe) == 4
