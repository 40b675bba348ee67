"""From winters to loads and to warnings, without a server: what made-up cells say."""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest

from api.snowload import answer, calculation, warned
from api.snowload.annex import AnnexTable
from api.snowload.asked import Asked, centre_of, understood
from api.snowload.calculation import CellLoad, aggregate, of_cell
from api.snowload.maxima import Looked, Maxima, _cell_of
from api.snowload.query import SnowloadQuery
from api.snowload.told import method
from catalog.sources.nve_gts import Point
from kernels.snowload.fits import levels
from tests.support.snowload import CENTRE, winters

FIRST = 1957
NO_TABLE = {"sk_kn_m2": None, "site_elevation_m": None}


def asked_for(**query: Any) -> Asked:
    """What a query about the usual place means, in November 2026."""
    return understood(SnowloadQuery(x=CENTRE[0], y=CENTRE[1], **query), (), date(2026, 8, 31))


def maxima(swe: Any, altitude: float = 100.0, data_origin: Any = "live") -> Maxima:
    """The winters of a cell since 1957."""
    return Maxima(FIRST, np.asarray(swe, np.float64), altitude, "v", data_origin, False, ())


def cell(swe: float, altitude: float = 100.0, point: Point = CENTRE, left_out: int = 0) -> CellLoad:
    """A cell of some characteristic water equivalent, its highest winter too."""
    years = tuple(range(1976, 2026 - left_out))
    return CellLoad(point, altitude, years, np.full(len(years), swe), left_out, np.full(3, swe), swe)


def told(asked: Asked, cells: list[CellLoad], looked: Looked | None = None) -> str:
    """All warnings about cells, in one text."""
    known = {one.point: maxima(np.full(69, one.swe), one.altitude) for one in cells}
    return " ".join(warned.warnings(asked, {**known, **(looked or {})}, cells, [], aggregate(cells, 1.5), NO_TABLE))


def test_of_an_even_number_of_cells_the_median_lies_between_two() -> None:
    result = aggregate([cell(swe) for swe in (100, 200, 600, 300)], 2.0)
    assert (result.swe, result.load, result.characteristic) == pytest.approx((250.0, 2.45, 4.9))
    assert result.cv_pct == pytest.approx(100 * np.std([100, 200, 600, 300]) / 300)


def test_spread_is_said_of_several_cells_that_have_any_snow() -> None:
    assert aggregate([cell(100)], 1.5).cv_pct is None
    assert aggregate([cell(0), cell(0)], 1.5).cv_pct is None
    assert aggregate([cell(0), cell(0), cell(90)], 1.5).cv_pct == pytest.approx(100 * np.sqrt(2))


def test_heights_that_are_not_known_do_not_count() -> None:
    assert aggregate([cell(1, 50.0), cell(1, np.nan), cell(1, 70.0)], 1.5).altitude == (50.0, 70.0)
    assert aggregate([cell(1, np.nan)], 1.5).altitude is None


def test_the_winter_that_runs_does_not_count() -> None:
    """It is not whole on 31 August 2026, whatever a tile holds of it."""
    swe = [*winters(CENTRE), 9000.0]
    made = of_cell(asked_for(), CENTRE, maxima(swe))
    assert isinstance(made, CellLoad)
    assert (made.years[0], made.years[-1]) == (1976, 2025)
    assert made.highest < 9000


def test_a_single_millimetre_is_snow() -> None:
    made = of_cell(asked_for(), CENTRE, maxima([0.0] * 68 + [0.5]))
    assert isinstance(made, CellLoad)
    assert made.factors is not None


@pytest.mark.parametrize(
    ("x", "y", "centre"),
    [(262_000.0, 6_649_000.0, (262_500, 6_649_500)), (261_999.9, 6_648_999.9, (261_500, 6_648_500)),
     (-1.0, 6_649_999.9, (-500, 6_649_500)), (0.0, 6_650_000.0, (500, 6_650_500))],
)  # fmt: skip
def test_a_cell_holds_its_western_and_southern_edge(x: float, y: float, centre: Point) -> None:
    assert centre_of(x, y) == centre


def test_the_grid_ends_where_the_authoritys_does() -> None:
    """Its outermost cells, and those beyond."""
    assert _cell_of((-74_500, 6_450_500)) == (0, 0)
    assert _cell_of((1_119_500, 7_999_500)) == (1549, 1194)
    for beyond in ((-75_500, 6_450_500), (1_120_500, 7_999_500), (0, 6_449_500), (0, 8_000_500)):
        assert _cell_of(beyond) is None


def test_the_first_possible_start_is_not_before_the_data() -> None:
    assert not asked_for(start=date(1957, 9, 1)).early
    assert asked_for(start=date(1957, 8, 31)).early
    assert asked_for(start=date(1957, 8, 31)).start == date(1957, 9, 1)


@pytest.mark.parametrize(("lat", "lon"), [(57.0, 8.0), (72.0, 20.0), (60.0, 4.0), (70.0, 32.0)])
def test_the_edge_of_the_coverage_belongs_to_it(lat: float, lon: float) -> None:
    assert understood(SnowloadQuery(lat=lat, lon=lon), (), date(2026, 8, 31)).lat == lat


def test_cells_at_different_heights_are_told() -> None:
    low = cell(100, 100.0)
    assert "m apart" not in told(asked_for(elev=175), [low, cell(100, 250.0)])
    assert "between 100 and 251 m above the sea, 151 m apart" in told(asked_for(elev=175), [low, cell(100, 251.0)])


def test_high_variation_is_told() -> None:
    assert "vary by" not in told(asked_for(), [cell(100), cell(149)])
    assert "vary by 21 %" in told(asked_for(), [cell(100), cell(154)])


def test_without_elev_the_plot_is_as_high_as_its_cell() -> None:
    chosen = cell(100, 100.0, (400_500, 6_649_500))
    there = {CENTRE: maxima([1.0], 151.0)}
    asked = replace(asked_for(), cells=(chosen.point,))
    assert "The plot lies at 151 m, the cells at 100 m: more snow" in told(asked, [chosen], there)
    assert "The plot lies at" not in told(asked, [chosen], {CENTRE: maxima([1.0], 150.0)})
    assert "The plot lies at" not in told(asked, [chosen], {CENTRE: maxima([1.0], np.nan)})
    assert "The plot lies at 20 m, the cells at 100 m: less snow" in told(replace(asked, elev=20.0), [chosen])


def test_a_winter_that_is_not_there_yet_is_none_that_was_left_out() -> None:
    late = {CENTRE: maxima(np.ones(68))}
    said = told(asked_for(), [cell(100, left_out=1)], late)
    assert "Winters from 2025-2026 on are not in the data yet" in said
    assert "left out" not in said
    assert "Up to 1 winters of a cell are left out" in told(asked_for(), [cell(100, left_out=2)], late)


@pytest.mark.parametrize(("period", "low", "high"), [(20, 0.58, 1.16), (50, 0.71, 1.40), (100, 0.80, 1.59)])
def test_a_value_far_from_the_highest_winter_is_told(period: Any, low: float, high: float) -> None:
    asked = asked_for(returnperiod=period)
    for factor, said in ((low, "one winter stands out"), (high, "far beyond the highest winter")):
        odd = replace(cell(100), swe=100 * factor, levels=np.full(3, 100 * factor))
        assert said in told(asked, [odd])
        usual = replace(odd, swe=100 * (low + high) / 2, levels=np.full(3, 100 * (low + high) / 2))
        assert said not in told(asked, [usual])


def test_fits_that_disagree_are_told() -> None:
    assert "three fits" not in told(asked_for(), [replace(cell(100), levels=np.array([90.0, 100.0, 110.0]))])
    assert "three fits lie more than 25 % apart" in told(
        asked_for(), [replace(cell(100), levels=np.array([86.0, 100.0, 114.0]))]
    )


def test_the_picture_shows_the_points_own_cell() -> None:
    other = (CENTRE[0] + 1000, CENTRE[1])
    asked = replace(asked_for(returnperiod=20), cells=(other,))
    ours, theirs = winters(CENTRE).copy(), winters(other)
    ours[2000 - FIRST] = np.nan
    looked = {CENTRE: maxima(ours, data_origin="simulated"), other: maxima(theirs)}
    ground = answer.Ground(None, AnnexTable())
    body = answer.body(asked, looked, ground)
    shown = answer.for_picture(asked, looked, ground, body)
    assert shown["seasons"] == list(range(1976, 2026))
    assert shown["maxima"] == [None if np.isnan(swe) else swe for swe in ours[1976 - FIRST :]]
    known = ours[1976 - FIRST :][~np.isnan(ours[1976 - FIRST :])]
    assert list(shown["levels"].values()) == pytest.approx(levels(known, (20,))[:, 0].tolist())
    at = shown["periods"].index(min(shown["periods"], key=lambda period: abs(period - 20)))
    assert [curve[at] for curve in shown["curves"].values()] == pytest.approx(
        levels(known, (shown["periods"][at],))[:, 0].tolist()
    )
    assert shown["char_sd_kn_m2"] == pytest.approx(calculation.kn_m2(shown["char_swe_mm"]))
    assert shown["data_origin"] == "simulated"
    assert shown["warnings"][0] == answer.NOT_DRAWN
    assert any("not published here yet" in warning for warning in body["warnings"])


@pytest.mark.parametrize("simulated", [CENTRE, (CENTRE[0] + 1000, CENTRE[1])])
def test_what_is_simulated_is_said_of_the_counting_cells_and_of_the_points_own(simulated: Point) -> None:
    other = (CENTRE[0] + 1000, CENTRE[1])
    looked: Looked = {
        point: maxima(winters(point), data_origin="simulated" if point == simulated else "live")
        for point in (CENTRE, other)
    }
    asked, ground = replace(asked_for(), cells=(other,)), answer.Ground(None, AnnexTable())
    body = answer.body(asked, looked, ground)
    assert warned.SIMULATED in body["warnings"]
    assert answer.for_picture(asked, looked, ground, body)["data_origin"] == "simulated"
    assert warned.SIMULATED_BORDERS not in body["warnings"]


def test_sources_of_one_name_and_other_terms_are_both_named() -> None:
    live, made_up = ({"name": "nve_gts", "licence": "NLOD", "attribution": who} for who in ("NVE", "SIMULATED"))
    both = [replace(maxima(winters(CENTRE)), sources=(one,)) for one in (live, made_up)]
    source = method(asked_for(), both)["data_source"]
    assert "NVE" in source
    assert "SIMULATED" in source


def test_winters_that_are_not_published_are_not_left_out() -> None:
    behind = maxima(winters(CENTRE)[:-2])
    made = of_cell(asked_for(), CENTRE, behind)
    assert isinstance(made, CellLoad)
    said = told(asked_for(), [made], {CENTRE: behind})
    assert "Winters from 2024-2025 on are not in the data yet (1 of 1 cells)" in said
    assert "left out" not in said
