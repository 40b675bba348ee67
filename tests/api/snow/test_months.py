"""`GET /api/snowsoiling/calc`: what it says, traced from the tile through the kernels, and what its parameters do."""

import csv
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from api.data.location import SIMULATED
from kernels.pv.light import light_of
from kernels.pv.mean_days import mean_days
from kernels.pv.site import site_of
from kernels.snow.cover import cover
from kernels.snow.days import SnowWeather
from kernels.snow.months import Months, monthly
from kernels.snow.panel import Panel
from tests.api.conftest import Api, MovableClock, Start
from tests.api.snow.conftest import DAYS, MONTHS, MORNING, asking, months
from tests.support import snow as made_up
from tests.support import tmy
from tests.support.horizon import profiles
from tests.support.tmy import OSLO, OSLO_CELL, TROMSO
from tiles.grid import HORIZON, NORWAY3KM
from tiles.products.registry import product
from tiles.store import open_store

QUANTITIES = ("new_snow", "new_snow_depth", "snow_depth", "temp_air")


def stored(name: str, variable: str, values: np.ndarray) -> np.ndarray:
    """Values as a tile holds them."""
    return product(name).variable(variable).unpack(product(name).variable(variable).pack(values)).astype(np.float64)


def light_in_oslo(tilt: float, azimuth: float) -> np.ndarray:
    """The mean days on a plane in Oslo, from the made-up hours and the made-up hill."""
    names = ("ghi", "dni", "dhi", "temp_air", "rel_hum", "wind_speed")
    hours = {name: stored("ens_tmy30", name, tmy.hours_of("ens_tmy30", OSLO_CELL)[name]) for name in names}
    row, column = HORIZON.cell_at(*OSLO)
    first = row // 64 * 64, column // 64 * 64
    horizon = stored("horizon", "elevation", profiles(first)[:, row - first[0], column - first[1]])
    altitude = stored("tmy_stats", "altitude", np.array(123.4))
    site = site_of(hours, *NORWAY3KM.centre(OSLO_CELL), float(altitude), horizon)
    return mean_days(site, light_of(site), tilt, azimuth)


def months_in_oslo(panel: Panel, azimuth: float, start: int, soiling: float) -> Months:
    """What the kernels say of the made-up snow, from the first September before the first year."""
    days = made_up.days_of(date(start - 1, 9, 1), made_up.LAST)
    values = made_up.weather(days, OSLO_CELL)
    weather = SnowWeather(**{name: stored("snow_history", name, values[name]) for name in QUANTITIES})
    light = light_in_oslo(panel.tilt, azimuth)
    lon = NORWAY3KM.centre(OSLO_CELL)[1]
    return monthly(days, cover(days, weather, light, panel, lon), light, start, soiling)


@pytest.mark.parametrize(
    ("asked", "panel", "azimuth", "start", "soiling"),
    [
        ({}, Panel(30.0), 180.0, 1991, 1.0),
        (
            {"angle": 12.5, "aspect": -90, "mounting": "flat", "height_mm": 150, "lossmode": "strings", "strings": 2,
             "start": 2003, "soiling": 2.5},
            Panel(12.5, "flat", 150.0, 2, "strings"), 90.0, 2003, 2.5,
        ),
        ({"angle": 70, "aspect": 135, "mounting": "rack"}, Panel(70.0, "rack"), 315.0, 1991, 1.0),
    ],
)  # fmt: skip
async def test_what_it_says_is_what_the_kernels_say_of_the_tile(
    api: Api, asked: dict[str, object], panel: Panel, azimuth: float, start: int, soiling: float
) -> None:
    answer = await months(api, **asked)
    expected = months_in_oslo(panel, azimuth, start, soiling)
    fields = {
        "snow_loss_pct_mean": expected.mean,
        "snow_loss_pct_median": expected.median,
        "snow_loss_pct_p10": expected.p10,
        "snow_loss_pct_p90": expected.p90,
        "loss_pct_incl_soiling": expected.incl_soiling,
        "ns3031_style_pct": expected.ns3031,
        "covered_days_mean": expected.covered_days,
        "poa_month_kwh_m2": expected.poa,
        "n_years": expected.n_years,
    }
    for name, values in fields.items():
        told = [month[name] for month in answer["monthly"]]
        np.testing.assert_allclose(told, values, atol=0.0051, err_msg=name)
    annual, year = answer["annual"], expected.annual
    assert list(annual) == ["loss_pct_incl_soiling", "lost_kwh_m2", "poa_kwh_m2"]
    assert list(annual.values()) == pytest.approx([year.incl_soiling, year.lost_kwh_m2, year.poa], abs=0.0051)
    assert max(month["snow_loss_pct_mean"] for month in answer["monthly"]) > 5


async def test_the_question_is_repeated_as_it_was_understood(api: Api) -> None:
    asked = await api.ask(asking(MONTHS, strings=4.0, height_mm=450))
    expected = {
        "Content-Type": "application/json",
        "Cache-Control": "public, max-age=86400",
        "X-Tmy-Cell": "N3-066-112",
        "X-Data-Origin": "simulated",
        "X-Snowsoil-Cache": "MISS",
    }
    assert {name: asked.headers[name] for name in expected} == expected
    answer = asked.json
    assert answer["inputs"] == {
        "lat": OSLO[0],
        "lon": OSLO[1],
        "cell": {"id": "N3-066-112", "distance_km": 0.49, "altitude_m": 112.0, "snow_cell_offset_m": 0.0},
        "angle_deg": 30.0,
        "aspect_deg": 0.0,
        "mounting": "roof",
        "system_height_mm": 450.0,
        "n_strings": 4,
        "loss_mode": "linear",
        "series_start": 1991,
        "soiling_floor_pct": 1.0,
    }
    assert [month["month"] for month in answer["monthly"]] == list(range(1, 13))
    assert [month["n_years"] for month in answer["monthly"]] == 8 * [35] + 4 * [34]
    assert "snow_history" in answer["method"]["data"]
    assert "with the terrain's shade" in answer["method"]["data"]
    assert "NLOD 2.0" in answer["method"]["data"]
    assert (await months(api, TROMSO))["inputs"]["cell"]["snow_cell_offset_m"] == 1000.0


async def test_in_the_polar_night_there_is_nothing_to_lose(api: Api) -> None:
    answer = await months(api, TROMSO)
    december = answer["monthly"][11]
    assert december["poa_month_kwh_m2"] == 0
    assert december["covered_days_mean"] > 5
    for name in ("mean", "median", "p10", "p90"):
        assert december[f"snow_loss_pct_{name}"] == 0
    assert answer["annual"]["loss_pct_incl_soiling"] > 0
    assert "no horizon is built for this position yet" in answer["warnings"][0]


async def test_the_first_years_and_a_series_that_ends_early(start: Start, own_bare: Path, tmp_path: Path) -> None:
    store = open_store(str(own_bare))
    made_up.publish_history(store, "2012-2015", first=date(2012, 9, 1), last=date(2015, 3, 20))
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    answer = await months(api)
    assert [month["n_years"] for month in answer["monthly"]] == [3, 3, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3]
    told = " ".join(answer["warnings"])
    assert ("begins in 2012" in told, "Fewer than 10 years" in told) == (True, True)
    of_2015 = await months(api, start=2015)
    assert [month["n_years"] for month in of_2015["monthly"]] == [1, 1] + [0] * 10
    march = of_2015["monthly"][2]
    assert [march[name] for name in march if name not in ("month", "n_years", "poa_month_kwh_m2")] == [None] * 7
    assert march["poa_month_kwh_m2"] > 0
    assert of_2015["annual"]["loss_pct_incl_soiling"] is None
    assert "No year has 90 % of the days of month 3, 4" in " ".join(of_2015["warnings"])


async def test_the_table_has_everything_that_json_has(api: Api) -> None:
    asked = await api.ask(asking(MONTHS, format="csv", angle=35.5, nonsense=1))
    assert asked.headers["Content-Type"] == "text/csv; charset=utf-8"
    name = "service_snowsoiling_59.91_10.75_35.5deg.csv"
    assert asked.headers["Content-Disposition"] == f"attachment; filename={name}"
    comments = [line.removeprefix("# ") for line in asked.text.splitlines() if line.startswith("#")]
    rows = list(csv.DictReader(line for line in asked.text.splitlines() if not line.startswith("#")))
    answer = await months(api, angle=35.5)
    assert [row["scope"] for row in rows] == ["month"] * 12 + ["year"]
    for row, expected in zip(rows, [*answer["monthly"], answer["annual"]], strict=True):
        assert {key: float(row[key]) for key in expected} == expected
    assert "inputs_cell_id: N3-066-112" in comments
    assert f"method_model: {answer['method']['model']}" in comments
    assert [one for one in comments if one.startswith("warning")] == [f"warning: {one}" for one in answer["warnings"]]


async def test_files_of_different_content_have_different_names(api: Api) -> None:
    variants: list[dict[str, object]] = [
        {}, {"angle": 31}, {"aspect": 1}, {"mounting": "rack"}, {"mounting": "flat"}, {"lossmode": "strings"},
        {"lossmode": "strings", "strings": 2}, {"start": 1992}, {"soiling": 2},
    ]  # fmt: skip
    answers = [await api.ask(asking(MONTHS, format="csv", **more)) for more in variants]
    assert len({asked.headers["Content-Disposition"] for asked in answers}) == len(variants)


@pytest.mark.parametrize(
    ("path", "asked", "expected"),
    [
        (MONTHS, {"nonsense": 1, "api_key": "x"}, "Unknown parameters were ignored: nonsense."),
        (MONTHS, {"height_mm": 200, "mounting": "rack"}, "Ignored with mounting=rack: height_mm."),
        (MONTHS, {"strings": 2}, "Ignored with lossmode=linear: strings."),
        (DAYS, {"strings": 2}, "Ignored with lossmode=linear: strings."),
        (DAYS, {"start": 1991}, "Unknown parameters were ignored: start."),
    ],
)
async def test_ignored_parameters_are_told(api: Api, path: str, asked: dict[str, object], expected: str) -> None:
    answer = (await api.ask(asking(path, **asked))).json
    assert answer["warnings"] == [SIMULATED, expected]


@pytest.mark.parametrize(("path", "of"), [(MONTHS, {"reference", "note"}), (DAYS, {"horizon", "caveat"})])
async def test_short_and_full_method_have_the_fields_of_the_contract(api: Api, path: str, of: set[str]) -> None:
    short, full = [(await api.ask(asking(path, method=method))).json["method"] for method in ("short", "full")]
    assert set(short) == set(full) == {"model", "data", "docs"} | of
    assert all(len(short[name]) < len(full[name]) for name in (of | {"model"}) - {"horizon"})
