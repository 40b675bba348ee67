"""What is answered, against scipy's fits of the same winters, and from the tile to the text."""

import csv
import io

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.api.conftest import Api
from tests.api.snowload.conftest import calc
from tests.support.snowload import ALL_ZERO, CENTRE, FIRST_YEAR, GAPS, LAST_YEAR, LAT, LEFT_OUT, LON, altitude, winters


def gringorten(maxima: NDArray[np.float64], period: float) -> float:
    """The value of a return period by plotting positions, written down once more."""
    ordered = np.sort(maxima)
    n = ordered.size
    position = (np.arange(1, n + 1) - 0.44) / (n + 0.12)
    if 1 - 1 / period <= position[-1]:
        return float(np.interp(1 - 1 / period, position, ordered))
    at, reduced = (-np.log(-np.log(p)) for p in (1 - 1 / period, position))
    slope = (ordered[-1] - ordered[-2]) / (reduced[-1] - reduced[-2])
    return float(ordered[-1] + slope * (at - reduced[-1]))


def by_scipy(maxima: NDArray[np.float64], period: float) -> tuple[float, float, float]:
    """Gamma, Gumbel and empirical value of a return period."""
    p = 1 - 1 / period
    shape, _, scale = stats.gamma.fit(maxima, floc=0)
    width = np.sqrt(6) / np.pi * maxima.std(ddof=1)
    gumbel = stats.gumbel_r.ppf(p, maxima.mean() - np.euler_gamma * width, width)
    return float(stats.gamma.ppf(p, shape, scale=scale)), float(gumbel), gringorten(maxima, period)


@pytest.mark.parametrize("period", [20, 50, 100])
async def test_every_cell_is_fitted_as_scipy_does_and_the_median_is_the_sites(api: Api, period: int) -> None:
    answer = await calc(api, returnperiod=period, variability=1.2)
    assert [(cell["x"], cell["y"]) for cell in answer["cells"]] == [
        (CENTRE[0] + east, CENTRE[1] + north) for north in (1000, 0, -1000) for east in (-1000, 0, 1000)
    ]
    swe = []
    for cell in answer["cells"]:
        point = cell["x"], cell["y"]
        maxima = winters(point)[1976 - FIRST_YEAR :]
        fits = by_scipy(maxima, period)
        swe.append(float(np.mean(fits)))
        assert (cell["n_years"], cell["n_left_out"], cell["period"]) == (50, 0, "1976-2026")
        assert cell["altitude_m"] == pytest.approx(altitude(point), abs=0.05)
        assert cell["max_swe_mm"] == maxima.max()
        told = [cell[f"factor_{name}"] for name in ("gamma", "gumbel", "empirical")]
        assert told == pytest.approx([fit / maxima.max() for fit in fits], abs=6e-5)
        assert cell["factor_combined"] == pytest.approx(swe[-1] / maxima.max(), abs=6e-5)
        assert cell["char_swe_mm"] == pytest.approx(swe[-1], abs=0.051)
        assert cell["char_sd_kn_m2"] == pytest.approx(swe[-1] * 9.8 / 1000, abs=6e-4)
    told = answer["aggregate"]
    assert told["median_char_swe_mm"] == pytest.approx(np.median(swe), abs=0.051)
    assert told["median_char_sd_kn_m2"] == pytest.approx(np.median(swe) * 9.8 / 1000, abs=6e-4)
    assert told["characteristic_snow_load_kn_m2"] == pytest.approx(1.2 * np.median(swe) * 9.8 / 1000, abs=6e-4)
    assert told["sd_cv_pct"] == pytest.approx(100 * np.std(swe) / np.mean(swe), abs=0.051)
    assert told["altitude_range_m"] == [90.0, 110.0]
    assert told["n_cells"] == 9
    assert answer["cell_errors"] == []


async def test_inputs_are_repeated_with_their_defaults(api: Api) -> None:
    answer = await calc(api)
    assert answer["inputs"] == {
        "lat": LAT,
        "lon": LON,
        "utm33": {"x": 262715, "y": 6649143},
        "center_cell": {"x": CENTRE[0], "y": CENTRE[1], "altitude_m": 100.0},
        "grid": "3x3",
        "manual_cells": False,
        "variability_factor": 1.5,
        "return_period_yr": 50,
        "series_start": "1976-09-01",
    }
    assert "the responsible designer" in answer["method"]["disclaimer"]
    assert "NA.4.1(2)" in answer["method"]["reference"]
    assert "snowload/1957-2026" in answer["method"]["data_source"]
    assert "NVE" in answer["method"]["data_source"]
    assert "NLOD 2.0" in answer["method"]["data_source"]
    assert "50 years" in answer["method"]["statistics"]


async def test_x_and_y_count_where_both_pairs_are_given(api: Api) -> None:
    by_metres = await calc(api, lat=69.65, lon=18.96, x=262715, y=6649143)
    assert by_metres["inputs"]["lat"] == pytest.approx(LAT, abs=2e-5)
    assert by_metres["inputs"]["lon"] == pytest.approx(LON, abs=2e-5)
    assert by_metres["cells"] == (await calc(api))["cells"]


@pytest.mark.parametrize("side", [1, 3, 5])
async def test_the_grid_is_so_many_cells_to_a_side(api: Api, side: int) -> None:
    answer = await calc(api, grid=side)
    assert (len(answer["cells"]), answer["inputs"]["grid"]) == (side**2, f"{side}x{side}")
    reach = 1000 * (side // 2)
    assert {cell["x"] - CENTRE[0] for cell in answer["cells"]} == set(range(-reach, reach + 1, 1000))


@pytest.mark.parametrize(
    ("start", "first"),
    [("1991-9-1", 1991), ("1992-10-6", 1992), ("1992-10-7", 1993), ("1991-08-31", 1991), ("1992-1-1", 1992),
     ("1995-10-07", 1995), ("1995-10-8", 1996), ("1957-9-1", 1957)],
)  # fmt: skip
async def test_a_winter_counts_where_the_start_leaves_330_of_its_days(api: Api, start: str, first: int) -> None:
    """1995-96 has 366 days: one more may be missing."""
    answer = await calc(api, grid=1, start=start)
    [cell] = answer["cells"]
    assert (cell["n_years"], cell["period"]) == (LAST_YEAR - first + 1, f"{first}-2026")
    assert cell["max_swe_mm"] == winters(CENTRE)[first - FIRST_YEAR :].max()
    year, month, day = (int(part) for part in start.split("-"))
    assert answer["inputs"]["series_start"] == f"{year}-{month:02d}-{day:02d}"


async def test_a_start_before_the_data_is_told(api: Api) -> None:
    answer = await calc(api, grid=1, start="1900-1-1")
    assert answer["inputs"]["series_start"] == "1957-09-01"
    assert answer["cells"][0]["n_years"] == 69
    assert any("no data before 1957" in warning for warning in answer["warnings"])


async def test_winters_with_too_few_days_are_left_out_and_counted(api: Api) -> None:
    answer = await calc(api, cells=f"{GAPS[0]}_{GAPS[1]}")
    [cell] = answer["cells"]
    assert (cell["n_years"], cell["n_left_out"], cell["period"]) == (48, 2, "1976-2026")
    kept = [swe for year, swe in enumerate(winters(GAPS), FIRST_YEAR) if year >= 1976 and year not in LEFT_OUT]
    assert cell["factor_gamma"] == pytest.approx(by_scipy(np.array(kept), 50)[0] / max(kept), abs=6e-5)
    assert any("2 winters of a cell are left out" in warning for warning in answer["warnings"])


async def test_a_cell_that_never_had_snow_answers_with_no_load_and_says_so(api: Api) -> None:
    answer = await calc(api, cells=f"{ALL_ZERO[0]}_{ALL_ZERO[1]}")
    [cell] = answer["cells"]
    assert [cell[f"factor_{name}"] for name in ("gamma", "gumbel", "empirical", "combined")] == [None] * 4
    assert (cell["max_swe_mm"], cell["char_swe_mm"], cell["char_sd_kn_m2"]) == (0, 0, 0)
    assert answer["aggregate"]["characteristic_snow_load_kn_m2"] == 0
    assert answer["aggregate"]["sd_cv_pct"] is None
    assert any("never had snow" in warning for warning in answer["warnings"])


async def test_the_table_holds_a_row_for_each_cell_and_the_totals_at_the_bottom(api: Api) -> None:
    from tests.api.snowload.conftest import asking

    answer = await calc(api, returnperiod=20)
    file = await api.ask(asking(returnperiod=20, format="csv"))
    assert file.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert file.headers["Content-Disposition"] == "attachment; filename=service_snowload_262715_6649143.csv"
    assert "Cache-Control" not in file.headers
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [row["scope"] for row in rows] == ["cell"] * 9 + ["total"]
    for row, cell in zip(rows, answer["cells"], strict=False):
        assert {name: row[name] for name in cell} == {name: str(value) for name, value in cell.items()}
    total = rows[-1]
    for name in ("characteristic_snow_load_kn_m2", "median_char_sd_kn_m2", "sd_cv_pct", "n_cells"):
        assert total[name] == str(answer["aggregate"][name])
    assert (total["inputs_return_period_yr"], total["eurocode_kommunenummer"]) == ("20", "0301")
