"""What the designer must know of an answer, in sentences; the limits are listed in this folder's README."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from api.snowload.asked import Asked
from api.snowload.maxima import Lacking, Looked, Maxima
from kernels.snowload.seasons import LEAST_DAYS
from tiles.products.snow_history import FIRST_YEAR

if TYPE_CHECKING:
    from api.snowload.calculation import Aggregate, CellLoad, Failed

SIMULATED = "The snow is simulated: invented, and of no use for a real building."
SIMULATED_BORDERS = "The municipalities are simulated: their borders, names and numbers are invented."
SPREAD_M = 150.0
OFF_SITE_M = 50.0
FEW_YEARS = 30
HIGH_CV_PCT = 20.0
FAR_M = 10_000.0
FITS_APART = 0.25
"""So far apart, as a part of their mean, the three fits may lie."""
LOW, HIGH = 0.8, 1.55
"""Between these, times the usual one (`usual`), the combined factor lies: 50 years from 50 winters 0.72 to 1.39."""
_OF_THE_TABLE = 50
_EULER = 0.5772156649015329


def warnings(
    asked: Asked,
    looked: Looked,
    cells: Sequence["CellLoad"],
    failed: Sequence["Failed"],
    result: "Aggregate",
    compared: Mapping[str, Any],
) -> list[str]:
    """Return what the designer must know.

    Parameters
    ----------
    asked : Asked
    looked : Looked
    cells, failed : sequence of CellLoad, of Failed
    result : Aggregate
    compared : mapping
        `eurocode_comparison` of the answer.
    """
    return [
        *_of_question(asked),
        *_of_heights(asked, looked, result),
        *_of_series(asked, looked, cells),
        *_of_fits(asked, cells),
        *_of_cells(asked, looked, cells, failed, result),
        *_of_table(asked, result, compared),
    ]


def _of_question(asked: Asked) -> list[str]:
    told = []
    if asked.ignored:
        told.append(f"Unknown parameters were ignored: {', '.join(asked.ignored)}.")
    if asked.both:
        told.append("x and y count; lat and lon were not used.")
    if asked.early:
        told.append(f"The series begins on {asked.start}: there are no data before {FIRST_YEAR}.")
    if asked.repeated:
        told.append(f"{asked.repeated} of the chosen cells named a cell again and count once.")
    far = max(float(np.hypot(x - asked.x, y - asked.y)) for x, y in asked.cells)
    if far > FAR_M:
        told.append(f"A chosen cell lies {far / 1000:.0f} km from the point: its snow may be another's.")
    return told


def _of_heights(asked: Asked, looked: Looked, result: "Aggregate") -> list[str]:
    if result.altitude is None:
        return ["The cells' heights are not known."]
    low, high = result.altitude
    told = []
    if high - low > SPREAD_M:
        told.append(
            f"The cells lie between {low:.0f} and {high:.0f} m above the sea, {high - low:.0f} m apart: choose those "
            "(`cells`) that lie at the plot's height."
        )
    site = asked.elev if asked.elev is not None else getattr(looked[asked.centre], "altitude", None)
    if site is not None and (site > high + OFF_SITE_M or site < low - OFF_SITE_M):  # NaN is neither
        more = "more" if site > high else "less"
        heights = f"{low:.0f} m" if low == high else f"{low:.0f} to {high:.0f} m"
        told.append(
            f"The plot lies at {site:.0f} m, the cells at {heights}: {more} snow than theirs is to be expected there."
        )
    return told


def _of_series(asked: Asked, looked: Looked, cells: Sequence["CellLoad"]) -> list[str]:
    told = []
    fewest = min(len(cell.years) for cell in cells)
    if fewest < max(FEW_YEARS, asked.period / 2):
        told.append(f"Only {fewest} winters count: a value of {asked.period} years from so few is uncertain.")
    newest = asked.seasons.stop - 1
    lasts = [one.last if isinstance(one := looked[cell.point], Maxima) else newest for cell in cells]
    if behind := sum(last < newest for last in lasts):
        first = min(lasts) + 1
        told.append(f"Winters from {first}-{first + 1} on are not in the data yet ({behind} of {len(cells)} cells).")
    gaps = max(cell.left_out - max(0, newest - last) for cell, last in zip(cells, lasts, strict=True))
    if gaps > 0:
        told.append(f"Up to {gaps} winters of a cell are left out: fewer than {LEAST_DAYS} of their days are known.")
    bare = sum(cell.highest == 0 for cell in cells)
    if bare:
        told.append(
            f"{bare} of {len(cells)} cells never had snow in these winters: their 0 counts in the median, and is no "
            "load to design with."
        )
    return told


def usual(period: float, n_years: int) -> float:
    """Return the usual ratio of a return period's value to the highest of some winters.

    The highest of n winters is that of 1.78 n years (Gumbel); values grow with the return period as in EN 1991-1-3
    Annex D for a coefficient of variation of 0.65.
    """
    return _growth(period) / _growth(n_years * math.exp(_EULER))


def _growth(period: float) -> float:
    """Return the value of a return period over that of 50 years."""
    v = 0.65 * math.sqrt(6) / math.pi
    return (1 - v * (math.log(-math.log1p(-1 / period)) + _EULER)) / (1 - v * (math.log(-math.log1p(-1 / 50)) + _EULER))


def _of_fits(asked: Asked, cells: Sequence["CellLoad"]) -> list[str]:
    known = [(cell, cell.factors) for cell in cells if cell.factors is not None]
    told = []
    below = [cell for cell, factors in known if factors[3] < LOW * usual(asked.period, len(cell.years))]
    if below:
        worst = max(below, key=lambda cell: cell.highest - cell.swe)
        told.append(
            f"In {len(below)} of {len(cells)} cells one winter stands out: at {worst.point[0]}, {worst.point[1]} the "
            f"highest was {worst.highest:.0f} mm, far more than the {worst.swe:.0f} mm of {asked.period} years."
        )
    beyond = sum(factors[3] > HIGH * usual(asked.period, len(cell.years)) for cell, factors in known)
    if beyond:
        told.append(
            f"In {beyond} of {len(cells)} cells the value lies far beyond the highest winter: the fits carry it."
        )
    apart = sum(max(factors[:3]) - min(factors[:3]) > FITS_APART * factors[3] for _, factors in known)
    if apart:
        told.append(
            f"In {apart} of {len(cells)} cells the three fits lie more than {100 * FITS_APART:.0f} % apart: look at "
            "the winters (`format=png`)."
        )
    return told


def _of_cells(
    asked: Asked, looked: Looked, cells: Sequence["CellLoad"], failed: Sequence["Failed"], result: "Aggregate"
) -> list[str]:
    told = []
    if failed:
        told.append(
            f"{len(failed)} of {len(cells) + len(failed)} cells could not be computed (`cell_errors`): the others "
            "count alone."
        )
    if any(one.point == asked.centre for one in failed):
        told.append("The point's own cell is one of those that could not be computed.")
    if any(isinstance(one := looked[each.point], Lacking) and one.failure is not None for each in failed):
        told.append("The snow authority could not be asked for all of them: ask again in a few minutes.")
    if result.cv_pct is not None and result.cv_pct > HIGH_CV_PCT:
        told.append(
            f"The cells' loads vary by {result.cv_pct:.0f} % (standard deviation over mean): the plot needs a closer "
            "look."
        )
    return told


def _of_table(asked: Asked, result: "Aggregate", compared: Mapping[str, Any]) -> list[str]:
    sk = compared["sk_kn_m2"]
    if sk is None:
        return []
    told = []
    if asked.elev is None:
        told.append(
            f"The plot's height was not given (`elev`): the table was read at {compared['site_elevation_m']:.0f} m, "
            "the mean of its cell of 1 km."
        )
    if asked.period != _OF_THE_TABLE:
        told.append(f"The table's {sk:.2f} kN/m2 is of 50 years, the value from the cells of {asked.period}.")
    elif round(result.characteristic, 2) != round(sk, 2):
        more = "more" if sk > result.characteristic else "less"
        told.append(
            f"The table of the national annex gives {sk:.2f} kN/m2, {more} than the {result.characteristic:.2f} kN/m2 "
            "from the cells: the designer decides which holds."
        )
    return told
