"""The bodies of answers, from what was calculated. It loads the kernels: see `api/core/engines.py`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from api.core.errors import ApiError, Language
from api.core.pipeline import origin_of
from api.core.printing import rounded
from api.core.upstream import retry_after
from api.snowload import problems
from api.snowload.comparison import NO_BORDERS, NOWHERE, comparison
from api.snowload.maxima import MAXIMA, CellLoad, Failed
from api.snowload.method import method
from api.snowload.site import LEAST_SEASONS, Inputs
from api.snowload.warnings import SIMULATED, SIMULATED_BORDERS, warnings
from catalog.sources.nve_gts import Point
from kernels.snowload.fits import METHODS, levels, plotting
from kernels.snowload.site import cell_snow, known_winters, variation, weight

_CURVE = tuple(float(period) for period in np.geomspace(1.05, 200, 60).round(4))
"""Return periods at which the picture draws the fits, years."""
_FACTORS = (*METHODS, "combined")
NOT_DRAWN = "The winters shown are those of the point's own cell, which is not one of the cells that count."


def body(inputs: Inputs, language: Language) -> dict[str, Any]:
    """Return the answer as JSON is made of it.

    Parameters
    ----------
    inputs : Inputs
    language : str
        Of `cell_errors`.

    Raises
    ------
    ApiError
        `NO_LAND`, `NO_CELL`, `DAMAGED`: no cell can be computed.
    """
    site = inputs.site
    loads = [load_of(inputs, point) for point in site.cells]
    cells = [load for load in loads if isinstance(load, CellLoad)]
    failed = [load for load in loads if isinstance(load, Failed)]
    if not cells:
        raise _no_cell(failed, language)
    result = aggregate(cells, site.query.variability)
    borders, elev = inputs.municipalities, site.query.elev
    located = NO_BORDERS if borders is None else borders.at(site.x, site.y) or NOWHERE
    compared, of_table = comparison(inputs.annex, located, inputs.height if elev is None else elev)
    return {
        "method": method(site, [load.cell for load in cells]),
        "inputs": _inputs(inputs),
        "eurocode_comparison": compared,
        "cells": [_cell(load, len(site.seasons)) for load in cells],
        "cell_errors": [cell.entry(language) for cell in failed],
        "aggregate": result,
        "warnings": [
            *warnings(inputs, cells, failed, result, compared),
            *of_table,
            *([SIMULATED] if inputs.snow_origin != "live" else []),
            *([SIMULATED_BORDERS] if inputs.borders_origin != "live" else []),
        ],
    }


def for_picture(inputs: Inputs, answer: dict[str, Any], language: Language) -> dict[str, Any]:
    """Return what the picture shows: the centre cell, which need not be among the chosen ones.

    Raises
    ------
    ApiError
        `NO_CENTRE`: that cell could not be computed.
    """
    site = inputs.site
    load = load_of(inputs, site.centre)
    if isinstance(load, Failed):
        headers = retry_after(load.failure) if load.failure else {}
        raise problems.NO_CENTRE(headers=headers, fields={"cell_errors": [load.entry(language)]})
    snow = load.snow
    known = dict(zip(snow.years.tolist(), snow.maxima.tolist(), strict=True))
    periods, swe = plotting(snow.maxima)
    return {
        "inputs": answer["inputs"],
        "aggregate": answer["aggregate"],
        "data_origin": origin_of(inputs.snow_origin, inputs.borders_origin),
        "warnings": answer["warnings"] if site.centre in site.cells else [NOT_DRAWN, *answer["warnings"]],
        "seasons": list(site.seasons),
        "maxima": [known.get(year) for year in site.seasons],
        "periods": list(_CURVE),
        "curves": dict(zip(METHODS, levels(snow.maxima, np.array(_CURVE)).tolist(), strict=True)),
        "plotting": {"periods": periods.tolist(), "swe": swe.tolist()},
        "levels": dict(zip(METHODS, snow.levels.tolist(), strict=True)),
        "char_swe_mm": snow.swe,
    }


def aggregate(cells: Sequence[CellLoad], variability: float) -> dict[str, Any]:
    """Return `aggregate` of the answer.

    Parameters
    ----------
    cells : sequence of CellLoad
        One at least.
    variability : float
    """
    swe = [snow.swe for _, snow in cells]
    median = float(np.median(swe))
    heights = [height for cell, _ in cells if (height := rounded(cell.altitude, 1)) is not None]
    return {
        "characteristic_snow_load_kn_m2": rounded(weight(median) * variability, 3),
        "median_char_sd_kn_m2": rounded(weight(median), 3),
        "median_char_swe_mm": rounded(median, 1),
        "n_cells": len(cells),
        "sd_cv_pct": rounded(variation(swe), 1),
        "altitude_range_m": [min(heights), max(heights)] if heights else None,
    }


def load_of(inputs: Inputs, point: Point) -> CellLoad | Failed:
    """Return the load of a cell, or why there is none."""
    site, cell = inputs.site, inputs.data[point]
    if isinstance(cell, Failed):
        return cell
    years, maxima = known_winters(cell.first, cell.values[MAXIMA], site.seasons)
    if years.size < LEAST_SEASONS:
        return Failed(point, problems.CELL_SHORT(n=years.size, start=site.start, least=LEAST_SEASONS))
    return CellLoad(cell, cell_snow(years, maxima, site.query.returnperiod))


def _no_cell(failed: Sequence[Failed], language: Language) -> ApiError:
    """Return the refusal where no cell could be computed: `Retry-After` where the authority failed."""
    fields = {"cell_errors": [cell.entry(language) for cell in failed]}
    if failures := [cell.failure for cell in failed if cell.failure is not None]:
        return problems.NO_CELL(headers=retry_after(failures[0]), fields=fields)
    codes = {cell.error.problem.code for cell in failed}
    if problems.DAMAGED.code in codes:
        return problems.DAMAGED(fields=fields)
    return (problems.NO_LAND if codes == {problems.NO_LAND.code} else problems.NO_CELL)(fields=fields)


def _inputs(inputs: Inputs) -> dict[str, Any]:
    site, query = inputs.site, inputs.site.query
    chosen = f"{len(site.cells)} cell{'s' if len(site.cells) > 1 else ''}"
    return {
        "lat": round(site.lat, 6),
        "lon": round(site.lon, 6),
        "utm33": dict(zip("xy", site.metres, strict=True)),
        "center_cell": {"x": site.centre[0], "y": site.centre[1], "altitude_m": inputs.height},
        "grid": chosen if query.cells else f"{query.grid}x{query.grid}",
        "manual_cells": bool(query.cells),
        "variability_factor": query.variability,
        "return_period_yr": query.returnperiod,
        "series_start": str(site.start),
    }


def _cell(load: CellLoad, n_seasons: int) -> dict[str, Any]:
    cell, snow = load
    return {
        "x": cell.point[0],
        "y": cell.point[1],
        "altitude_m": rounded(cell.altitude, 1),
        "n_years": snow.years.size,
        "n_left_out": n_seasons - snow.years.size,
        "period": f"{snow.years[0]}-{snow.years[-1] + 1}",
        "max_swe_mm": rounded(snow.highest, 1),
        **{f"factor_{name}": rounded(factor, 4) for name, factor in zip(_FACTORS, snow.factors, strict=True)},
        "char_swe_mm": rounded(snow.swe, 1),
        "char_sd_kn_m2": rounded(weight(snow.swe), 3),
    }
