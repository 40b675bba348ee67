"""`/api/tmy/stats` and `/api/tmy/sources`: the contract's fields, and what is in them."""

import numpy as np
import pytest

from tests.api.conftest import Api
from tests.api.tmy.conftest import tmy
from tests.support.tmy import METHOD, OSLO, OSLO_CELL, TROMSO, annual_of
from tiles.grid import NORWAY3KM, distance_km
from tiles.products.tmy import MADE_OF

YEARS = list(range(1995, 2007))
BIAS = np.linspace(-3, 2.5, 12)


async def test_stats_have_the_contract_s_fields(api: Api) -> None:
    stats = (await api.ask(tmy(path="/api/tmy/stats"))).json
    assert list(stats) == [
        "cell_id", "lat", "lon", "elevation_m", "query", "products", "monthly_ghi_kwh_m2", "bias_correction",
        "ensemble_weights", "n_years", "exceedance_definition",
    ]  # fmt: skip
    assert (stats["cell_id"], stats["elevation_m"]) == ("N3-066-112", 123.4)
    centre = NORWAY3KM.centre(OSLO_CELL)
    assert (stats["lat"], stats["lon"]) == pytest.approx(centre, abs=1e-5)
    assert stats["query"] == {
        "lat": OSLO[0], "lon": OSLO[1], "cell_distance_km": pytest.approx(distance_km(*OSLO, *centre), abs=0.001),
    }  # fmt: skip
    assert list(stats["products"]) == list(stats["monthly_ghi_kwh_m2"]) == list(MADE_OF)
    for name, product in stats["products"].items():
        assert product == {
            "years": list(MADE_OF[name][1:]),
            "selected_years": YEARS,
            "annual_ghi_kwh_m2": pytest.approx(annual_of(name, OSLO_CELL), abs=0.07),
            "annual_ghi_std_kwh_m2": pytest.approx(41.5, abs=0.1),
            "annual_dni_kwh_m2_tmy": pytest.approx(950, abs=0.1),
        }
    monthly = stats["monthly_ghi_kwh_m2"]["reanalysis_tmy18"]
    assert monthly["p50"] == pytest.approx(np.linspace(5, 160, 12), abs=0.01)
    assert monthly["p90"] == pytest.approx(0.9 * np.linspace(5, 160, 12), abs=0.01)
    assert stats["bias_correction"] == {
        "applied_wm2_per_month": pytest.approx(BIAS, abs=0.01),
        "n_stations": 5,
        "mean_abs_wm2": pytest.approx(np.abs(BIAS).mean(), abs=0.01),
    }
    assert stats["ensemble_weights"] == {"reanalysis": 0.4, "solarmodel": 0.6}
    assert stats["n_years"] == {"reanalysis": 30, "solarmodel": 30}
    assert "P90 is the 10th percentile" in stats["exceedance_definition"]


async def test_north_of_the_satellite_a_product_is_absent(api: Api) -> None:
    stats = (await api.ask(tmy(TROMSO, "/api/tmy/stats"))).json
    assert list(stats["products"]) == ["ens_tmy30", "reanalysis_tmy30", "reanalysis_tmy18"]
    assert stats["ensemble_weights"] == {"reanalysis": 1, "solarmodel": 0}
    assert stats["n_years"] == {"reanalysis": 30, "solarmodel": 0}
    products = (await api.ask(tmy(TROMSO, "/api/tmy/sources"))).json["products"]
    assert list(products) == list(stats["products"])
    assert products["ens_tmy30"]["source"].startswith("the reanalysis alone, for the solar model does not reach")
    here = (await api.ask(tmy(path="/api/tmy/sources"))).json["products"]
    assert here["ens_tmy30"]["source"].startswith("reanalysis (0.40) and solar model (0.60)")


async def test_sources_have_the_contract_s_fields(api: Api) -> None:
    sources = (await api.ask(tmy(path="/api/tmy/sources"))).json
    assert list(sources) == ["products", "bias_correction_wm2_per_month", "n_stations_bias", "method"]
    assert sources["bias_correction_wm2_per_month"] == pytest.approx(BIAS, abs=0.01)
    assert (sources["n_stations_bias"], sources["method"]) == (5, METHOD)
    product = sources["products"]["reanalysis_tmy18"]
    assert list(product) == ["source", "period", "selected_year_per_month"]
    assert (product["period"], product["selected_year_per_month"]) == ("2008-2025", YEARS)
    for word in ("reanalysis", "A reanalysis", "CC BY 4.0", "An institute"):
        assert word in product["source"]
