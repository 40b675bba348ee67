"""`GET /api/snowsoiling/calc`: what it says, traced from the tile through the kernels, and what its parameters do."""

import csv
import io
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from kernels.pv.light import light_of
from kernels.pv.mean_days import mean_days
from kernels.pv.site import site_of
from kernels.snow.cover import SnowWeather, cover
from kernels.snow.months import Months, monthly
from kernels.snow.panel import Panel
from tests.api.conftest import Api, MovableClock, Start
from tests.api.snow.conftest import MONTHS, MORNING, asking, months
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
    assert answer["annual"]["loss_pct_incl_soiling"] == pytest.approx(expected.annual.incl_soiling, abs=0.0051)
    assert max(month["snow_loss_pct_mean"] for month in answer["monthly"]) > 5


async def test_the_question_is_repeated_as_it_was_understood(api: Api) -> None:
    answer = await months(api, strings=4.0, height_mm=450)
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
    assert answer["warnings"] == ["The data are simulated: invented, and of no use for a real plant."]
    assert (await months(api, TROMSO))["inputs"]["cell"]["snow_cell_offset_m"] == 1000.0


async def test_the_year_is_weighted_by_irradiation(api: Api) -> None:
    answer = await months(api)
    poa = np.array([month["poa_month_kwh_m2"] for month in answer["monthly"]])
    loss = np.array([month["loss_pct_incl_soiling"] for month in answer["monthly"]])
    assert answer["annual"]["poa_kwh_m2"] == pytest.approx(poa.sum(), abs=0.01)
    assert answer["annual"]["lost_kwh_m2"] == pytest.approx(poa @ loss / 100, abs=0.2)
    assert answer["annual"]["loss_pct_incl_soiling"] == pytest.approx(poa @ loss / poa.sum(), abs=0.02)


async def test_headers(api: Api) -> None:
    asked = await api.ask(asking(MONTHS, aspect=1))
    headers = asked.headers
    assert headers["Content-Type"] == "application/json"
    assert headers["Cache-Control"] == "public, max-age=86400"
    assert headers["X-Tmy-Cell"] == "N3-066-112"
    assert float(headers["X-Tmy-Cell-Distance-Km"]) < 3
    assert headers["X-Data-Origin"] == "simulated"
    assert headers["X-Snowsoil-Cache"] == "MISS"
    assert "Content-Disposition" not in headers
    again = await api.ask(asking(MONTHS, aspect=1), headers={"If-None-Match": headers["ETag"]})
    assert (again.status, again.text) == (304, "")
    other = await api.ask(asking(MONTHS, aspect=2), headers={"If-None-Match": headers["ETag"]})
    assert other.status == 200


def snowy(answer: dict, field: str = "snow_loss_pct_mean") -> float:
    return sum(month[field] for month in answer["monthly"])


async def test_what_the_plane_does(api: Api) -> None:
    usual = await months(api)
    assert snowy(await months(api, angle=10)) > snowy(usual) > snowy(await months(api, angle=60))
    assert snowy(await months(api, mounting="rack")) < snowy(usual)
    assert snowy(await months(api, mounting="flat", height_mm=5000)) > snowy(usual)
    low = await months(api, mounting="flat", height_mm=0, angle=10)
    assert snowy(low) > snowy(await months(api, mounting="flat", height_mm=5000, angle=10))
    assert await months(api, height_mm=0) == {**usual, "inputs": {**usual["inputs"], "system_height_mm": 0.0}}
    strings = await months(api, lossmode="strings")
    assert snowy(strings) > snowy(usual)
    assert snowy(await months(api, lossmode="strings", strings=1)) > snowy(strings)
    north = await months(api, aspect=180)
    assert north["annual"]["poa_kwh_m2"] < usual["annual"]["poa_kwh_m2"]
    assert (await months(api, aspect=-180))["monthly"] == north["monthly"]


async def test_the_floor_of_soiling(api: Api) -> None:
    clean, dirty = await months(api, soiling=0), await months(api, soiling=5)
    for without, with_dirt in zip(clean["monthly"], dirty["monthly"], strict=True):
        assert without["loss_pct_incl_soiling"] == without["snow_loss_pct_mean"]
        assert with_dirt["snow_loss_pct_mean"] == without["snow_loss_pct_mean"]
    july = dirty["monthly"][6]
    assert (july["snow_loss_pct_mean"], july["loss_pct_incl_soiling"], july["ns3031_style_pct"]) == (0, 5, 5)


async def test_in_the_polar_night_there_is_nothing_to_lose(api: Api) -> None:
    answer = await months(api, TROMSO)
    december = answer["monthly"][11]
    assert december["poa_month_kwh_m2"] == 0
    assert december["covered_days_mean"] > 5
    for name in ("mean", "median", "p10", "p90"):
        assert december[f"snow_loss_pct_{name}"] == 0
    assert answer["annual"]["loss_pct_incl_soiling"] > 0
    assert "no horizon is built for this position yet" in answer["warnings"][0]


async def test_snow_in_summer(start: Start, own_bare: Path, tmp_path: Path) -> None:
    def with_a_july(days: made_up.Days, cell: tuple[int, int]) -> made_up.Values:
        dates = days.astype("datetime64[D]")
        months_of = dates.astype("datetime64[M]")
        month, day = months_of.astype(int) % 12 + 1, (dates - months_of).astype(int) + 1
        july = (month == 7) & (day <= 3)
        return made_up.from_new_snow(np.where(july, 400.0, 0.0), np.where(july, -3.0, 12.0))

    made_up.publish_history(open_store(str(own_bare)), of=with_a_july)
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    answer = await months(api)
    losses = [month["snow_loss_pct_mean"] for month in answer["monthly"]]
    assert losses[6] > 5
    assert [loss for i, loss in enumerate(losses) if i != 6] == [0] * 11


async def test_the_first_years_and_a_series_that_ends_early(start: Start, own_bare: Path, tmp_path: Path) -> None:
    store = open_store(str(own_bare))
    made_up.publish_history(store, "2012-2015", first=date(2012, 9, 1), last=date(2015, 3, 20))
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    answer = await months(api)
    assert [month["n_years"] for month in answer["monthly"]] == [3, 3, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3]
    told = " ".join(answer["warnings"])
    assert "begins in 2012" in told
    assert "Fewer than 10 years" in told
    of_2015 = await months(api, start=2015)
    assert [month["n_years"] for month in of_2015["monthly"]] == [1, 1] + [0] * 10
    march = of_2015["monthly"][2]
    assert [march[name] for name in march if name not in ("month", "n_years", "poa_month_kwh_m2")] == [None] * 7
    assert march["poa_month_kwh_m2"] > 0
    assert of_2015["annual"]["loss_pct_incl_soiling"] is None
    assert "No year has 90 % of the days of month 3, 4" in " ".join(of_2015["warnings"])


async def test_from_the_first_year_of_the_series(api: Api) -> None:
    answer = await months(api, start=1957)
    assert [month["n_years"] for month in answer["monthly"]] == 8 * [68] + 4 * [68]
    assert "begins in 1957" in answer["warnings"][0]


async def test_one_table(api: Api) -> None:
    asked = await api.ask(asking(MONTHS, format="csv", angle=35.5, nonsense=1))
    assert asked.headers["Content-Type"] == "text/csv; charset=utf-8"
    name = "service_snowsoiling_59.91_10.75_35.5deg.csv"
    assert asked.headers["Content-Disposition"] == f"attachment; filename={name}"
    rows = list(csv.DictReader(io.StringIO(asked.text)))
    answer = await months(api, angle=35.5, nonsense=1)
    assert [row["scope"] for row in rows] == ["month"] * 12 + ["year"]
    for row, month in zip(rows, answer["monthly"], strict=False):
        assert {key: float(row[key]) for key in month} == month
    year = rows[-1]
    for key, value in answer["annual"].items():
        assert float(year[key]) == value
    assert year["inputs_cell_id"] == "N3-066-112"
    assert year["method_model"] == answer["method"]["model"]
    assert year["warnings"] == " | ".join(answer["warnings"])
    assert "nonsense" in year["warnings"]


async def test_no_cell_of_a_table_is_a_formula(api: Api) -> None:
    asked = await api.ask(asking(MONTHS, format="csv", **{"%3DHYPERLINK": 1}))
    rows = list(csv.reader(io.StringIO(asked.text)))
    cells = [cell for row in rows for cell in row]
    assert any("=HYPERLINK" in cell for cell in cells)
    assert not [cell for cell in cells if cell.startswith(("=", "@", "+"))]


async def test_of_walls_the_model_says_how_little_it_knows(api: Api) -> None:
    for angle, told in ((60, False), (61, True), (90, True)):
        answer = await months(api, angle=angle)
        assert any("hardly any snow stays on a wall" in one for one in answer["warnings"]) is told
