"""The bodies of answers, from what was calculated. It loads the kernels: see `api/engines.py`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from api import texts
from api.errors import ApiError, BadGateway, Unavailable
from api.snowload import told, warned
from api.snowload.annex import AnnexTable
from api.snowload.asked import Asked
from api.snowload.calculation import Aggregate, CellLoad, Failed, aggregate, of_cell, of_cells
from api.snowload.comparison import comparison
from api.snowload.maxima import Lacking, Looked, Maxima
from api.snowload.municipality import Municipalities
from api.upstream import retry_after
from kernels.snowload.fits import METHODS, levels, plotting

_CURVE = tuple(float(period) for period in np.geomspace(1.05, 200, 60).round(4))
"""Return periods at which the picture draws the fits, years."""
NOT_DRAWN = "The winters shown are those of the point's own cell, which is not one of the cells that count."


@dataclass(frozen=True)
class Ground:
    """What an answer is made of beside the snow.

    Parameters
    ----------
    municipalities : Municipalities or None
        None where no borders are published.
    table : AnnexTable
    """

    municipalities: Municipalities | None
    table: AnnexTable

    @property
    def data_origin(self) -> str:
        """Of the borders; without any nothing of them is invented."""
        return "live" if self.municipalities is None else self.municipalities.data_origin


def body(asked: Asked, looked: Looked, ground: Ground) -> dict[str, Any]:
    """Return the answer as JSON is made of it.

    Parameters
    ----------
    asked : Asked
    looked : Looked
        What there is of its cells.
    ground : Ground

    Raises
    ------
    BadGateway, Unavailable
        No cell can be computed.
    """
    cells, failed = of_cells(asked, looked, asked.cells)
    if not cells:
        raise _nothing(asked, looked, failed)
    result = aggregate(cells, asked.variability)
    centre = looked[asked.centre]
    height = shown(centre.altitude, 1) if isinstance(centre, Maxima) else None
    compared, of_table = _compared(asked, ground, height)
    used = [one for cell in cells if isinstance(one := looked[cell.point], Maxima)]
    read = [one for one in looked.values() if isinstance(one, Maxima)]
    return {
        "method": told.method(asked, used),
        "inputs": _inputs(asked, height),
        "eurocode_comparison": compared,
        "cells": [_cell(cell) for cell in cells],
        "cell_errors": _errors(failed),
        "aggregate": _aggregate(result, len(cells)),
        "warnings": [
            *warned.warnings(asked, looked, cells, failed, result, compared),
            *of_table,
            *([warned.SIMULATED] if told.origin(read) != "live" else []),
            *([warned.SIMULATED_BORDERS] if ground.data_origin != "live" else []),
        ],
    }


def for_picture(asked: Asked, looked: Looked, ground: Ground, answer: dict[str, Any]) -> dict[str, Any]:
    """Return what the picture shows: the centre cell, which need not be among the chosen ones.

    Raises
    ------
    BadGateway
        That cell could not be computed.
    """
    there = looked[asked.centre]
    cell = of_cell(asked, asked.centre, there)
    if isinstance(cell, Failed):
        headers = retry_after(there.failure) if isinstance(there, Lacking) and there.failure else {}
        raise BadGateway(
            texts.SNOWLOAD_NO_PICTURE.format(why=cell.text), headers, {"cell_errors": answer["cell_errors"]}
        )
    drawn = asked.centre in asked.cells
    known = dict(zip(cell.years, cell.maxima.tolist(), strict=True))
    periods, swe = plotting(cell.maxima)
    return {
        "lat": asked.lat,
        "lon": asked.lon,
        "x": asked.centre[0],
        "y": asked.centre[1],
        "altitude_m": shown(cell.altitude, 0),
        "return_period_yr": asked.period,
        "seasons": list(asked.seasons),
        "maxima": [known.get(year) for year in asked.seasons],
        "periods": list(_CURVE),
        "curves": dict(zip(METHODS, levels(cell.maxima, np.array(_CURVE)).tolist(), strict=True)),
        "plotting": {"periods": periods.tolist(), "swe": swe.tolist()},
        "levels": dict(zip(METHODS, cell.levels.tolist(), strict=True)),
        "char_swe_mm": cell.swe,
        "char_sd_kn_m2": cell.load,
        "characteristic_snow_load_kn_m2": answer["aggregate"]["characteristic_snow_load_kn_m2"],
        "variability_factor": asked.variability,
        "n_cells": answer["aggregate"]["n_cells"],
        "grid": answer["inputs"]["grid"],
        "data_origin": origin(looked, ground),
        "warnings": answer["warnings"] if drawn else [NOT_DRAWN, *answer["warnings"]],
        "note": "Decision support for the responsible designer",
    }


def origin(looked: Looked, ground: Ground) -> str:
    """Return `simulated` if anything that an answer is made of is."""
    snow = told.origin(one for one in looked.values() if isinstance(one, Maxima))
    return "live" if {snow, ground.data_origin} == {"live"} else "simulated"


def shown(value: float, digits: int) -> float | None:
    """Return a number as it is printed; None for NaN."""
    return None if math.isnan(value) else round(float(value), digits) + 0.0  # no -0


def _nothing(asked: Asked, looked: Looked, failed: Sequence[Failed]) -> ApiError:
    """Return the answer where no cell could be computed: who waits for the authority is told how long."""
    lacking = [one for point in asked.cells if isinstance(one := looked[point], Lacking)]
    failures = [one.failure for one in lacking if one.failure is not None]
    fields = {"cell_errors": _errors(failed)}
    if any(one.text == texts.SNOWLOAD_CELL_DAMAGED for one in lacking) and not failures:
        damaged = Unavailable(texts.SNOWLOAD_NO_CELL)
        damaged.fields = fields
        return damaged
    return BadGateway(texts.SNOWLOAD_NO_CELL, retry_after(failures[0]) if failures else {}, fields)


def _errors(failed: Sequence[Failed]) -> list[dict[str, Any]]:
    return [{"x": one.point[0], "y": one.point[1], "error": one.text} for one in failed]


def _inputs(asked: Asked, height: float | None) -> dict[str, Any]:
    manual = f"{len(asked.cells)} cell{'s' if len(asked.cells) > 1 else ''}"
    return {
        "lat": round(asked.lat, 6),
        "lon": round(asked.lon, 6),
        "utm33": dict(zip("xy", asked.metres, strict=True)),
        "center_cell": {"x": asked.centre[0], "y": asked.centre[1], "altitude_m": height},
        "grid": manual if asked.manual else f"{asked.grid}x{asked.grid}",
        "manual_cells": asked.manual,
        "variability_factor": asked.variability,
        "return_period_yr": asked.period,
        "series_start": str(asked.start),
    }


def _compared(asked: Asked, ground: Ground, height: float | None) -> tuple[dict[str, Any], list[str]]:
    site = height if asked.elev is None else asked.elev
    if ground.municipalities is None:
        return comparison(ground.table, None, site, why_unlocated=told.NO_BORDERS)
    located = ground.municipalities.at(asked.x, asked.y)
    return comparison(ground.table, located, site, why_unlocated=None)


def _cell(cell: CellLoad) -> dict[str, Any]:
    factors = cell.factors or (math.nan,) * 4
    return {
        "x": cell.point[0],
        "y": cell.point[1],
        "altitude_m": shown(cell.altitude, 1),
        "n_years": len(cell.years),
        "n_left_out": cell.left_out,
        "period": f"{cell.years[0]}-{cell.years[-1] + 1}",
        "max_swe_mm": shown(cell.highest, 1),
        "factor_gamma": shown(factors[0], 4),
        "factor_gumbel": shown(factors[1], 4),
        "factor_empirical": shown(factors[2], 4),
        "factor_combined": shown(factors[3], 4),
        "char_swe_mm": shown(cell.swe, 1),
        "char_sd_kn_m2": shown(cell.load, 3),
    }


def _aggregate(result: Aggregate, n_cells: int) -> dict[str, Any]:
    return {
        "characteristic_snow_load_kn_m2": shown(result.characteristic, 3),
        "median_char_sd_kn_m2": shown(result.load, 3),
        "median_char_swe_mm": shown(result.swe, 1),
        "n_cells": n_cells,
        "sd_cv_pct": None if result.cv_pct is None else shown(result.cv_pct, 1),
        "altitude_range_m": None if result.altitude is None else [shown(one, 1) for one in result.altitude],
    }
