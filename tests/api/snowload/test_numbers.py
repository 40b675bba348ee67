"""What is answered, against the fits of the same winters, and from the tile to JSON and CSV."""

import numpy as np
import pytest

from kernels.snowload.fits import levels
from tests.api.conftest import Api
from tests.api.snowload.conftest import address, calc, listed, points_of, read_csv, warns
from tests.support.snowload import ALL_ZERO, CENTRE, FIRST_YEAR, GAPS, LAST_YEAR, LAT, LEFT_OUT, LON, altitude, winters


@pytest.mark.parametrize("period", [20, 50, 100])
async def test_every_cell_is_fitted_and_the_median_is_the_sites(api: Api, period: int) -> None:
    answer = await calc(api, returnperiod=period, variability=1.2)
    around = [(CENTRE[0] + east, CENTRE[1] + north) for north in (1000, 0, -1000) for east in (-1000, 0, 1000)]
    assert points_of(answer["cells"]) == around
    characteristic = []
    for point, cell in zip(around, answer["cells"], strict=True):
        maxima = winters(point)[1976 - FIRST_YEAR :]
        fits = levels(maxima, (period,))[:, 0]
        swe = float(np.mean(fits))
        characteristic.append(swe)
        assert (cell["n_years"], cell["n_left_out"], cell["period"]) == (50, 0, "1976-2026")
        assert cell["altitude_m"] == pytest.approx(altitude(point), abs=0.05)
        assert cell["max_swe_mm"] == maxima.max()
        factors = [cell[f"factor_{name}"] for name in ("gamma", "gumbel", "empirical", "combined")]
        assert factors == pytest.approx([value / maxima.max() for value in (*fits, swe)], abs=6e-5)
        assert cell["char_swe_mm"] == pytest.approx(swe, abs=0.051)
        assert cell["char_sd_kn_m2"] == pytest.approx(swe * 9.8 / 1000, abs=6e-4)
    median = np.median(characteristic)
    assert answer["aggregate"] == {
        "characteristic_snow_load_kn_m2": pytest.approx(1.2 * median * 9.8 / 1000, abs=6e-4),
        "median_char_sd_kn_m2": pytest.approx(median * 9.8 / 1000, abs=6e-4),
        "median_char_swe_mm": pytest.approx(median, abs=0.051),
        "n_cells": 9,
        "sd_cv_pct": pytest.approx(100 * np.std(characteristic) / np.mean(characteristic), abs=0.051),
        "altitude_range_m": [90.0, 110.0],
    }
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
    assert list(answer["method"]) == ["reference", "data_source", "statistics", "disclaimer", "docs"]
    assert "for a return period of 50 years (a gamma distribution" in answer["method"]["statistics"]
    assert "gamma distribution (maximum likelihood" in (await calc(api, method="full"))["method"]["statistics"]
    by_metres = await calc(api, x=262715, y=6649143)
    assert by_metres["aggregate"] == answer["aggregate"]
    assert by_metres["inputs"]["lat"] == pytest.approx(LAT, abs=2e-5)


async def test_the_grid_is_so_many_cells_to_a_side(api: Api) -> None:
    for side, reach in ((1, 0), (5, 2000)):
        answer = await calc(api, grid=side)
        assert (len(answer["cells"]), answer["inputs"]["grid"]) == (side**2, f"{side}x{side}")
        assert points_of(answer["cells"])[0] == (CENTRE[0] - reach, CENTRE[1] + reach)


async def test_any_position_in_a_cell_means_it_with_its_western_and_southern_edge(api: Api) -> None:
    for x, y in ((262_000, 6_649_000), (262_999, 6_649_999)):
        assert points_of((await calc(api, cells=f"{x}_{y}"))["cells"]) == [CENTRE]
    assert points_of((await calc(api, cells="261999_6649000"))["cells"]) == [(CENTRE[0] - 1000, CENTRE[1])]


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


async def test_winters_with_too_few_days_are_left_out_and_counted(api: Api) -> None:
    answer = await calc(api, cells=listed(GAPS))
    [cell] = answer["cells"]
    assert (cell["n_years"], cell["n_left_out"], cell["period"]) == (48, 2, "1976-2026")
    known = [swe for year, swe in enumerate(winters(GAPS), FIRST_YEAR) if year >= 1976 and year not in LEFT_OUT]
    assert cell["factor_gamma"] == pytest.approx(levels(np.array(known), (50,))[0, 0] / max(known), abs=6e-5)
    assert warns(answer, "2 winters of a cell are left out")


async def test_a_cell_that_never_had_snow_has_no_load_and_a_warning(api: Api) -> None:
    answer = await calc(api, cells=listed(ALL_ZERO))
    [cell] = answer["cells"]
    assert [cell[f"factor_{name}"] for name in ("gamma", "gumbel", "empirical", "combined")] == [None] * 4
    assert (cell["max_swe_mm"], cell["char_swe_mm"], cell["char_sd_kn_m2"]) == (0, 0, 0)
    assert answer["aggregate"]["characteristic_snow_load_kn_m2"] == 0
    assert answer["aggregate"]["sd_cv_pct"] is None
    assert warns(answer, "never had snow")


async def test_csv_is_one_table_with_the_totals_at_the_bottom_and_prose_above(api: Api) -> None:
    answer = await calc(api, returnperiod=20)
    file = await api.ask(address(returnperiod=20, format="csv"))
    assert file.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "Cache-Control" not in file.headers
    comments, rows = read_csv(file.text)
    assert [row["scope"] for row in rows] == ["cell"] * 9 + ["total"]
    for row, cell in zip(rows, answer["cells"], strict=False):
        assert {name: row[name] for name in cell} == {name: str(value) for name, value in cell.items()}
    total = answer["aggregate"]
    total["altitude_low_m"], total["altitude_high_m"] = total.pop("altitude_range_m")
    assert {name: rows[-1][name] for name in total} == {name: str(value) for name, value in total.items()}
    assert {"inputs_return_period_yr: 20", "eurocode_kommunenummer: 0301"} <= set(comments)


async def test_files_that_differ_have_different_names(api: Api) -> None:
    queries: list[dict[str, object]] = [
        {}, {"grid": 1}, {"returnperiod": 20}, {"variability": 1.2}, {"elev": 10}, {"start": "1990-1-1"},
        {"cells": listed(CENTRE)}, {"cells": listed(GAPS)}, {"x": 262715, "y": 6648143},
    ]  # fmt: skip
    for form, kind, some in (("csv", "attachment", queries), ("png", "inline", queries[:3])):
        names = [(await api.ask(address(**q, format=form), "HEAD")).headers["Content-Disposition"] for q in some]
        assert len(set(names)) == len(some)
        assert names[0] == f"{kind}; filename=service_snowload_262715_6649143.{form}"
