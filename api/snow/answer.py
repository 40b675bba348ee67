"""The bodies of answers, from what was calculated. It loads the kernels: see `api/engines.py`."""

import math
from typing import Any

import numpy as np

from api import texts
from api.errors import BadGateway
from api.snow import told
from api.snow.choice import Chosen
from api.snow.current import date_of
from api.snow.query import SoilingQuery
from kernels.snow.months import Months


def soiling(asked: SoilingQuery, ignored: tuple[str, ...], chosen: Chosen, months: Months) -> dict[str, Any]:
    """Return the answer of months as JSON is made of it.

    Raises
    ------
    BadGateway
        The authority knows no whole month.
    """
    n_years = months.n_years.tolist()
    if not any(n_years):
        raise BadGateway(texts.SNOW_NOTHING.format(start=asked.start))
    first = date_of(chosen.series.days[0]).year
    simulated = [told.SIMULATED] if chosen.origin != "live" else []
    return {
        "method": told.soiling_method(asked, chosen),
        "inputs": {"lat": asked.lat, "lon": asked.lon, "cell": cell(chosen), **asked.inputs()},
        "monthly": [
            {
                "month": month + 1,
                "n_years": n_years[month],
                "snow_loss_pct_mean": shown(months.mean[month], 2),
                "snow_loss_pct_median": shown(months.median[month], 2),
                "snow_loss_pct_p10": shown(months.p10[month], 2),
                "snow_loss_pct_p90": shown(months.p90[month], 2),
                "loss_pct_incl_soiling": shown(months.incl_soiling[month], 2),
                "ns3031_style_pct": shown(months.ns3031[month], 0),
                "covered_days_mean": shown(months.covered_days[month], 2),
                "poa_month_kwh_m2": shown(months.poa[month], 3),
            }
            for month in range(12)
        ],
        "annual": {
            "loss_pct_incl_soiling": shown(months.annual.incl_soiling, 2),
            "lost_kwh_m2": shown(months.annual.lost_kwh_m2, 3),
            "poa_kwh_m2": shown(months.annual.poa, 3),
        },
        "warnings": [*told.warnings(chosen, ignored, asked.angle), *told.of_years(asked, first, n_years), *simulated],
    }


def cell(chosen: Chosen) -> dict[str, Any]:
    """Return what an answer says of its cell."""
    return {
        "id": chosen.found.place.cell_id,
        "distance_km": round(chosen.found.place.distance_km, 3),
        "altitude_m": shown(chosen.series.altitude, 1),
        "snow_cell_offset_m": round(chosen.series.offset_m, 1),
    }


def shown(value: float | np.floating[Any], digits: int) -> float | None:
    """Return a number as it is printed; None for NaN."""
    number = float(value)
    return None if math.isnan(number) else round(number, digits) + 0.0  # no -0
