"""The body of an answer, from what was calculated.

Energy and irradiation are printed in whole thousandths: what is printed of months adds up to the year, and so does the
energy of surfaces. All energies are rounded in one way, by surface and month, so that what is the same is printed so.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.core.pipeline import origin_of
from api.data.tmy_products import ENSEMBLE
from api.pv import method
from api.pv.calculation import LEAN, Floats, Result
from api.pv.service import Inputs
from kernels.pv.years import stage_losses
from tiles.products.tmy import MADE_OF

Thousandths = NDArray[np.int64]


def body(inputs: Inputs, result: Result) -> dict[str, Any]:
    """Return an answer as JSON is made of it."""
    query, location, found = inputs.query, inputs.location, inputs.location.found
    kwp = np.array([one.kwp for one in result.surfaces])
    shaded, unshaded = result.years.shaded, result.years.unshaded
    delivered = result.after_snow(shaded.out)
    by_surface, before_snow, energy = _thousandths(delivered), _energy(shaded.out), _energy(delivered)
    without_horizon = _energy(unshaded.out)
    clipped = (_energy(shaded.ac) - before_snow).clip(0)
    poa = _thousandths(kwp @ shaded.poa / kwp.sum())
    e_kwh, poa_kwh_m2 = _sum(energy), _sum(poa)
    ideal = float(kwp.sum()) * poa_kwh_m2
    snow_pct = _lost(shaded.out.sum(axis=0), delivered.sum(axis=0))
    by_year = {name: None if out is None else _energy(result.after_snow(out)) for name, out in result.years.out.items()}
    median, lean = by_year["p50"], by_year.pop(LEAN)
    losses = {stage: _rounded(lost) for stage, lost in stage_losses(kwp, result.years, delivered).items()}
    left = float(np.prod([1 - lost / 100 for lost in losses.values()]))
    answer = {
        "inputs": query.inputs(),
        "tmy": {
            "cell_id": found.place.cell_id,
            "product": ENSEMBLE,
            "cell_distance_km": round(found.place.distance_km, 3),
            "elevation_m": round(found.known.elevation, 1),
            "product_years": list(MADE_OF[ENSEMBLE][1:]),
            "confidence": query.confidence,
            "data_origin": origin_of(location.year.data_origin, found.stats.data_origin),
        },
        "arrays": [
            {
                **one._asdict(),
                "e_kwh": _sum(by_surface[i]),
                "poa_kwh_m2": _sum(_thousandths(shaded.poa[i])),
            }
            for i, one in enumerate(result.surfaces)
        ],
        "monthly": [
            {
                "month": month + 1,
                "e_kwh": int(energy[month]) / 1000,
                "poa_kwh_m2": int(poa[month]) / 1000,
                "snow_loss_pct": _rounded(snow_pct[month]),
                "clipped_kwh": int(clipped[month]) / 1000,
            }
            for month in range(12)
        ],
        "annual": {
            "e_kwh": e_kwh,
            "specific_yield_kwh_kwp": _rounded(e_kwh / float(kwp.sum())),
            "poa_kwh_m2": poa_kwh_m2,
            "performance_ratio": round(e_kwh / ideal, 4) if ideal > 0 else 0.0,
            "e_std_kwh": None if median is None or lean is None else _sum(median - lean),
            "clipped_kwh": _sum(clipped),
            "losses_pct": {**losses, "total": _rounded(100 * (1 - left))},
            "percentiles_kwh": {name: None if months is None else _sum(months) for name, months in by_year.items()},
        },
        "side_by_side": {
            "unshaded_kwh": _sum(without_horizon),
            "shaded_kwh": _sum(before_snow),
            "shaded_snow_kwh": e_kwh,
        },
        "method": method.method(inputs),
        "warnings": method.warnings(inputs, result, _sum(before_snow)),
        "monthly_unshaded_kwh": [int(month) / 1000 for month in without_horizon],
    }
    if query.optimize != "none":
        [best] = result.surfaces
        answer["optimum"] = {"angle": best.angle, "aspect": best.aspect}
    return answer


def _lost(before: Floats, after: Floats) -> Floats:
    """Return what is lost of each month, %; 0 where there is nothing to lose."""
    percent: Floats = 100 * np.divide(before - after, before, out=np.zeros(12), where=before > 0)
    return percent


def _energy(out: Floats) -> Thousandths:
    """Return what a plant gives by month, thousandths of kWh, of what its surfaces give by month, kWh."""
    months: Thousandths = _thousandths(out).sum(axis=0)
    return months


def _thousandths(values: Floats) -> Thousandths:
    return np.rint(values * 1000).astype(np.int64)


def _sum(values: Thousandths) -> float:
    return int(values.sum()) / 1000


def _rounded(value: float) -> float:
    return round(float(value), 3) + 0.0  # no -0
