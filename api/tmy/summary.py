"""The bodies of `/api/tmy/stats` and `/api/tmy/sources`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.data.tmy_products import ENSEMBLE, ProductName
from api.data.tmy_statistics import OfProduct
from api.data.typical_year import Found, made_of
from api.data.versions import Version
from tiles.products.tmy import MADE_OF

EXCEEDANCE = "Pxx is the value exceeded in xx % of years (P90 is the 10th percentile)."


def stats(found: Found, lat: float, lon: float) -> dict[str, Any]:
    """Return what is known of a cell.

    Parameters
    ----------
    found : Found
    lat, lon : float
        As queried.
    """
    known = found.known
    north, east = found.centre
    _, first, last = MADE_OF[ENSEMBLE]
    n_years = last - first + 1
    bias = known.bias_correction
    return {
        "cell_id": found.place.cell_id,
        "lat": round(north, 5),
        "lon": round(east, 5),
        "elevation_m": round(known.elevation, 1),
        "query": {"lat": lat, "lon": lon, "cell_distance_km": round(found.place.distance_km, 3)},
        "products": {name: _product(name, of) for name, of in known.products.items()},
        "monthly_ghi_kwh_m2": {
            name: {"p50": _rounded(of.monthly_p50), "p90": _rounded(of.monthly_p90)}
            for name, of in known.products.items()
        },
        "bias_correction": {
            "applied_wm2_per_month": _rounded(bias),
            "n_stations": known.n_stations,
            "mean_abs_wm2": round(float(np.abs(bias).mean()), 2),
        },
        "ensemble_weights": known.weights,
        "n_years": {"reanalysis": n_years, "solarmodel": n_years if known.weight_solarmodel > 0 else 0},
        "exceedance_definition": EXCEEDANCE,
    }


def _product(name: ProductName, of: OfProduct) -> dict[str, Any]:
    return {
        "years": list(MADE_OF[name][1:]),
        "selected_years": list(of.selected_years),
        "annual_ghi_kwh_m2": {which: _shown(value) for which, value in of.annual_ghi.items()},
        "annual_ghi_std_kwh_m2": _shown(of.annual_ghi_std),
        "annual_dni_kwh_m2_tmy": _shown(of.annual_dni),
    }


def sources(found: Found, versions: Mapping[ProductName, Version]) -> dict[str, Any]:
    """Return where a cell's typical years come from.

    Parameters
    ----------
    found : Found
    versions : mapping of str to Version
        Of each product that exists in the cell.
    """
    known = found.known
    return {
        "products": {
            name: {
                "source": f"{made_of(name, known)}: {version.credits}",
                "period": "{}-{}".format(*MADE_OF[name][1:]),
                "selected_year_per_month": list(known.products[name].selected_years),
            }
            for name, version in versions.items()
        },
        "bias_correction_wm2_per_month": _rounded(known.bias_correction),
        "n_stations_bias": known.n_stations,
        "method": found.stats.method,
    }


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [float(value) for value in values.round(2)]


def _shown(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
