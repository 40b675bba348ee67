"""Data of the picture of a snow load, made up: what `api.snowload.picture.draw` takes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

PERIODS = [1.01, 1.1, 1.25, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150]
NOTE = "An estimate for decision support, to be checked by the responsible designer."


def seasons(n: int = 50, mean: float = 240.0, missing: Sequence[int] = ()) -> list[float | None]:
    """Return the highest SWE of so many seasons, mm; those at some places are not known."""
    drawn = np.random.default_rng(7).gamma(6.0, mean / 6.0, n).round(1)
    return [None if i in missing else float(mm) for i, mm in enumerate(drawn)]


def cell_picture(maxima: Sequence[float | None] | None = None, **more: Any) -> dict[str, Any]:
    """Return the data of a cell near Finse, with rough fits of its seasons."""
    maxima = seasons() if maxima is None else maxima
    known = sorted(mm for mm in maxima if mm is not None)
    n = len(known)
    mean, beta = float(np.mean(known or [0])), math.sqrt(6) / math.pi * float(np.std(known or [0]))
    asked = more.get("return_period_yr", 50)
    plotted = [1 / (1 - (i - 0.44) / (n + 0.12)) for i in range(1, n + 1)]

    def gumbel(years: float) -> float:
        return mean + beta * (-math.log(-math.log1p(-1 / years)) - 0.57722)

    def empirical(years: float) -> float:
        return float(np.interp(years, plotted, known)) if n else 0.0

    by_method = {"gamma": lambda years: 0.96 * gumbel(years), "gumbel": gumbel, "empirical": empirical}
    levels = {name: fit(asked) for name, fit in by_method.items()}
    swe = sum(levels.values()) / 3
    return {
        "lat": 60.6021, "lon": 7.5044, "x": 88500, "y": 6744500, "altitude_m": 1222.4, "return_period_yr": asked,
        "seasons": list(range(2026 - len(maxima), 2026)), "maxima": list(maxima), "periods": PERIODS,
        "curves": {name: [fit(years) for years in PERIODS] for name, fit in by_method.items()},
        "plotting": {"periods": plotted, "swe": known}, "levels": levels, "char_swe_mm": swe,
        "char_sd_kn_m2": swe * 9.8e-3, "characteristic_snow_load_kn_m2": swe * 9.8e-3 * 1.5,
        "variability_factor": 1.5, "n_cells": 9, "grid": "3x3", "data_origin": "live", "warnings": [], "note": NOTE,
        **more,
    }  # fmt: skip
