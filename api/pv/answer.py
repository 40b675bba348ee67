"""The body of an answer, from what was calculated.

Energy and irradiation are printed in whole thousandths: what is printed of months adds up to the year, and so does the
energy of surfaces. All energies are rounded in one way, by surface and month, so that what is the same is printed so.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.pv import told
from api.pv.calculation import Floats, Result
from api.pv.choice import Chosen
from api.pv.query import Asked
from api.tmy.cells import origin
from api.tmy.choice import ENSEMBLE
from tiles.products.tmy import MADE_OF

Thousandths = NDArray[np.int64]


def body(asked: Asked, chosen: Chosen, result: Result) -> dict[str, Any]:
    """Return an answer as JSON is made of it.

    Parameters
    ----------
    asked : Asked
    chosen : Chosen
    result : Result
    """
    kwp = np.array([one.kwp for one in result.surfaces])
    shaded = result.shaded
    by_surface = _thousandths(result.left(shaded.out))
    before_snow, energy = energy_of(shaded.out), energy_of(result.left(shaded.out))
    clipped = (energy_of(shaded.ac) - before_snow).clip(0)
    snow_pct = _snow_pct(result)
    poa = _thousandths(kwp @ shaded.poa / kwp.sum())
    e_kwh, poa_kwh_m2 = _sum(energy), _sum(poa)
    ideal = float(kwp.sum()) * poa_kwh_m2
    answer = {
        "inputs": asked.inputs(),
        "tmy": {
            "cell_id": chosen.found.place.cell_id,
            "product": ENSEMBLE,
            "cell_distance_km": round(chosen.found.place.distance_km, 3),
            "elevation_m": round(chosen.found.known.elevation, 1),
            "product_years": list(MADE_OF[ENSEMBLE][1:]),
            "confidence": asked.confidence,
            "data_origin": origin(chosen.version, chosen.found.stats),
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
            "e_std_kwh": _std(result),
            "clipped_kwh": _sum(clipped),
            "losses_pct": _losses(kwp, result),
            "percentiles_kwh": {
                name: None if out is None else _sum(energy_of(result.left(out)))
                for name, out in result.percentiles.items()
            },
        },
        "side_by_side": {
            "unshaded_kwh": _sum(energy_of(result.unshaded.out)),
            "shaded_kwh": _sum(before_snow),
            "shaded_snow_kwh": e_kwh,
        },
        "method": told.method(asked, chosen),
        "warnings": told.warnings(
            asked, chosen, result.hidden_kwh, _sum(before_snow), None if result.snow is None else result.snow.years
        ),
    }
    if asked.optimize != "none":
        [best] = result.surfaces
        answer["optimum"] = {"angle": best.angle, "aspect": best.aspect}
    return answer


def for_picture(answer: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """Return what a chart shows: an answer, and what each month would give without its horizon."""
    unshaded = energy_of(result.unshaded.out)
    return {**answer, "monthly_unshaded_kwh": [int(month) / 1000 for month in unshaded]}


def _snow_pct(result: Result) -> Floats:
    """Return what snow and soiling take of all surfaces in each month, (12,), %; 0 where there is nothing to take."""
    before, after = result.shaded.out.sum(axis=0), result.left(result.shaded.out).sum(axis=0)
    percent: Floats = 100 * np.divide(before - after, before, out=np.zeros(12), where=before > 0)
    return percent


def _losses(kwp: Floats, result: Result) -> dict[str, float]:
    """Return what each stage loses of what the one before leaves, %; their total is of the printed parts."""
    shaded, unshaded = result.shaded, result.unshaded

    def per_plane(values: Floats) -> float:
        return float(kwp @ values.sum(axis=1))

    stages = {
        "horizon": (per_plane(unshaded.poa), per_plane(shaded.poa)),
        "aoi": (per_plane(shaded.poa), per_plane(shaded.effective)),
        "spectral": (per_plane(shaded.effective), per_plane(shaded.usable)),
        "temperature_irradiance": (per_plane(shaded.usable), float(shaded.dc.sum())),
        "system": (float(shaded.dc.sum()), float(shaded.ac.sum())),
        "clipping": (float(shaded.ac.sum()), float(shaded.out.sum())),
        "snow": (float(shaded.out.sum()), float(result.left(shaded.out).sum())),
    }
    losses = {
        name: _rounded(100 * (1 - after / before)) if before > 0 else 0.0 for name, (before, after) in stages.items()
    }
    left = float(np.prod([1 - loss / 100 for loss in losses.values()]))
    return {**losses, "total": _rounded(100 * (1 - left))}


def _std(result: Result) -> float | None:
    median = result.percentiles["p50"]
    return (
        None
        if median is None or result.lean is None
        else _sum(energy_of(result.left(median)) - energy_of(result.left(result.lean)))
    )


def energy_of(out: Floats) -> Thousandths:
    """Return what a plant gives by month, thousandths of kWh, of what its surfaces give by month, kWh."""
    months: Thousandths = _thousandths(out).sum(axis=0)
    return months


def _thousandths(values: Floats) -> Thousandths:
    return np.rint(values * 1000).astype(np.int64)


def _sum(values: Thousandths) -> float:
    return int(values.sum()) / 1000


def _rounded(value: float) -> float:
    return round(float(value), 3) + 0.0  # no -0
