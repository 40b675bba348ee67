"""What the designer must know: warnings, at their limits."""

import re
from typing import Any

import numpy as np
import pytest

from api.core.printing import rounded
from api.snowload.answer import aggregate, body, for_picture
from api.snowload.maxima import CellLoad
from api.snowload.warnings import SIMULATED, warnings
from catalog.snow_products import SnowCell
from catalog.sources.nve_gts import Point
from kernels.snowload.site import CellSnow
from tests.api.conftest import Api
from tests.api.snowload.conftest import calc, inputs_of, listed, maxima, warns
from tests.support.snowload import CENTRE, FIRST_YEAR, ONE_BIG, winters

EAST = CENTRE[0] + 1000, CENTRE[1]
NO_TABLE = {"sk_kn_m2": None}


def cell(swe: float, altitude: float = 100.0, left_out: int = 0, levels: Any = None, point: Point = CENTRE) -> CellLoad:
    """A cell whose highest winters had 100 mm."""
    years = np.arange(1976, 2026 - left_out)
    snow = CellSnow(years, np.full(years.size, 100.0), np.array(levels or [swe] * 3, np.float64))
    return CellLoad(maxima(np.full(69, swe), altitude, point=point), snow)


def warned(*cells: CellLoad, own: SnowCell | None = None, **query: Any) -> str:
    """All warnings about cells, in one text."""
    data = {load.cell.point: load.cell for load in cells}
    inputs = inputs_of({**data, CENTRE: own or data[CENTRE]}, **query)
    return " ".join(warnings(inputs, cells, [], aggregate(cells, 1.5), NO_TABLE))


async def test_only_the_missing_table_is_warned_of_where_nothing_is_odd(api: Api) -> None:
    answer = await calc(api, cells=listed(CENTRE))
    assert all("table" in warning for warning in answer["warnings"]), answer["warnings"]


USUAL: dict[str, object] = {"x": 262715, "y": 6649143}


@pytest.mark.parametrize(
    ("query", "within", "words"),
    [
        ({"elev": 161}, {"elev": 160}, ["The plot lies at 161 m", "90 to 110 m", "more snow"]),
        ({"elev": 39}, {"elev": 40}, ["The plot lies at 39 m", "less snow"]),
        ({"start": "1997-9-1"}, {"start": "1996-9-1"}, ["Only 29 winters count"]),
        ({"start": "1900-1-1"}, {"start": "1957-9-1"}, ["begins on 1957-09-01: there are no data before 1957"]),
        ({"returnperiod": 100, "start": "1977-9-1"}, {"returnperiod": 100}, ["Only 49 winters count", "100 years"]),
        ({"cells": listed(CENTRE, EAST, CENTRE, CENTRE)}, USUAL, ["2 of the chosen cells named a cell again"]),
        ({"cells": "303500_6700500"}, {"cells": listed((CENTRE[0], CENTRE[1] + 3000))}, ["km from the point"]),
        ({"cells": listed(ONE_BIG)}, USUAL, ["one winter stands out", "304500, 6700500", "2500 mm"]),
        ({"lat": 69.65, "lon": 18.96, **USUAL}, USUAL, ["Ignored with x: lat, lon"]),
        ({"return_period": 100}, USUAL, ["Unknown parameters were ignored: return_period"]),
    ],
)
async def test_odd_questions_are_warned_of_and_usual_ones_are_not(
    api: Api, query: dict[str, object], within: dict[str, object], words: list[str]
) -> None:
    assert warns(await calc(api, **query), *words)
    assert not warns(await calc(api, **within), re.sub(r"\d+", "", words[0]).strip())


@pytest.mark.parametrize(
    ("swe", "altitudes", "expected"),
    [([100], [50], (None, [50, 50])), ([0, 0], [50, np.nan], (None, [50, 50])),
     ([0, 0, 90], [50, np.nan, 70], (141.4, [50, 70])), ([90], [np.nan], (None, None))],
)  # fmt: skip
def test_spread_needs_several_cells_with_snow_and_heights_that_are_known(
    swe: list[float], altitudes: list[float], expected: tuple[float | None, list[float] | None]
) -> None:
    found = aggregate([cell(mm, altitude) for mm, altitude in zip(swe, altitudes, strict=True)], 1.5)
    assert (found["sd_cv_pct"], found["altitude_range_m"]) == expected


@pytest.mark.parametrize(
    ("within", "beyond", "words", "warning"),
    [
        ([cell(100), cell(100, 250.0, point=EAST)], [cell(100), cell(100, 251.0, point=EAST)], "m apart",
         "The cells lie between 100 and 251 m above the sea, 151 m apart"),
        ([cell(100), cell(149, point=EAST)], [cell(100), cell(154, point=EAST)], "vary by", "vary by 21 %"),
        ([cell(100, levels=[90.0, 100.0, 110.0])], [cell(100, levels=[86.0, 100.0, 114.0])], "three fits",
         "In 1 of 1 cells the three fits lie more than 25 % apart"),
    ],
)  # fmt: skip
def test_cells_that_differ_and_fits_that_disagree_are_warned_of(
    within: list[CellLoad], beyond: list[CellLoad], words: str, warning: str
) -> None:
    assert words not in warned(*within)
    assert warning in warned(*beyond)


@pytest.mark.parametrize(
    ("altitude", "warning"), [(151.0, "at 151 m, the cells at 100 m: more"), (150.0, ""), (np.nan, "")]
)
def test_without_elev_the_plot_is_as_high_as_its_cell(altitude: float, warning: str) -> None:
    found = warned(cell(100, point=EAST), own=maxima([1.0], altitude), cells=(EAST,))
    assert ("The plot lies" in found, warning in found) == (bool(warning), True)


@pytest.mark.parametrize(("left_out", "gaps"), [(1, ""), (2, "Up to 1 winters of a cell are left out")])
def test_a_winter_that_is_not_there_yet_is_not_left_out(left_out: int, gaps: str) -> None:
    own = maxima(np.ones(68))
    inputs, cells = inputs_of({CENTRE: own}), [cell(100, left_out=left_out)._replace(cell=own)]
    found = " ".join(warnings(inputs, cells, [], aggregate(cells, 1.5), NO_TABLE))
    assert "Winters from 2025-2026 on are not in the data yet" in found
    assert ("left out" in found, gaps in found) == (bool(gaps), True)


@pytest.mark.parametrize(("period", "low", "high"), [(20, 0.58, 1.16), (50, 0.71, 1.40), (100, 0.80, 1.59)])
def test_a_value_far_from_the_highest_winter_is_warned_of(period: Any, low: float, high: float) -> None:
    for factor, warning in ((low, "one winter stands out"), (high, "far beyond the highest winter")):
        assert warning in warned(cell(100 * factor), returnperiod=period)
        assert warning not in warned(cell(50 * (low + high)), returnperiod=period)


@pytest.mark.parametrize("simulated", [CENTRE, EAST])
def test_the_simulated_is_named_of_counting_cells_and_of_the_points_own(simulated: Point) -> None:
    data = {p: maxima(winters(p), data_origin="simulated" if p == simulated else "live") for p in (EAST, CENTRE)}
    inputs = inputs_of(data, cells=(EAST,))
    answer = body(inputs, "nb")
    assert SIMULATED in answer["warnings"]
    assert for_picture(inputs, answer, "nb")["data_origin"] == "simulated"
    assert ("simulated (NLOD" in answer["method"]["data_source"]) == (simulated == EAST)


def test_the_running_winter_does_not_count_and_a_single_millimetre_is_snow() -> None:
    """It is not whole on 31 August 2026, whatever a tile holds of it."""
    [running] = body(inputs_of({CENTRE: maxima([*winters(CENTRE), 9000.0])}, grid=1), "nb")["cells"]
    assert running["period"] == "1976-2026"
    assert running["max_swe_mm"] == rounded(float(winters(CENTRE)[1976 - FIRST_YEAR :].max()), 1)
    [little] = body(inputs_of({CENTRE: maxima([0.0] * 68 + [0.5])}, grid=1), "nb")["cells"]
    assert little["factor_combined"] is not None
