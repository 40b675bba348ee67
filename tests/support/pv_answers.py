"""Answers of `/api/pv/calc`, made up, as far as its picture reads them."""

from collections.abc import Sequence
from typing import Any

KWP = 10.0
OSLO = (150.0, 330.0, 740.0, 1020.0, 1210.0, 1230.0, 1190.0, 1010.0, 730.0, 420.0, 180.0, 95.0)
TROMSO = (0.0, 95.0, 510.0, 900.0, 960.0, 930.0, 900.0, 690.0, 410.0, 170.0, 8.0, 0.0)
NONE = (0.0,) * 12


def calc_answer(
    would: Sequence[float] = OSLO,
    *,
    kwp: float = KWP,
    shade: Sequence[float] = NONE,
    clipped: Sequence[float] = NONE,
    snow_pct: Sequence[float] = NONE,
    data_origin: str = "live",
    planes: int = 1,
    warnings: Sequence[str] = (),
    **inputs: Any,
) -> dict[str, Any]:
    """What a plant of 10 kWp would give in the months, with shares of it shaded and clipped, then snow; all times kWp.

    Parameters
    ----------
    would, shade, clipped : (12,) kWh
    snow_pct : (12,) %
    """
    scale = kwp / KWP
    rest = [scale * (w - s - c) for w, s, c in zip(would, shade, clipped, strict=True)]
    e = [r * (1 - p / 100) for r, p in zip(rest, snow_pct, strict=True)]
    year = sum(e)
    asked = {
        "lat": 59.9139,
        "lon": 10.7522,
        "loss": 14.0,
        "pvtechchoice": "crystSi",
        "mountingplace": "free",
        "maxpower": None,
    }
    return {
        "inputs": {**asked, **inputs},
        "tmy": {
            "cell_id": "r0412_c0123",
            "product": "ens_tmy30",
            "cell_distance_km": 1.234,
            "confidence": "p50",
            "data_origin": data_origin,
        },
        "arrays": [
            {"kwp": kwp / planes, "angle": 35.0, "aspect": -45.0, "e_kwh": year / planes, "poa_kwh_m2": 1100.0}
            for _ in range(planes)
        ],
        "monthly": [
            {"month": n, "e_kwh": one, "poa_kwh_m2": 90.0, "snow_loss_pct": p, "clipped_kwh": c * scale}
            for n, (one, p, c) in enumerate(zip(e, snow_pct, clipped, strict=True), 1)
        ],
        "annual": {
            "e_kwh": year,
            "specific_yield_kwh_kwp": year / kwp,
            "percentiles_kwh": {"p50": year, "p75": year * 0.96, "p90": year * 0.93, "p95": year * 0.91},
        },
        "monthly_unshaded_kwh": [r + scale * s for r, s in zip(rest, shade, strict=True)],
        "warnings": list(warnings),
    }
