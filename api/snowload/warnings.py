"""Warnings for the designer; this folder's README lists their limits."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from api.snowload.maxima import CellLoad, Failed, last_winter
from api.snowload.site import Inputs, Site
from kernels.snowload.seasons import LEAST_DAYS
from kernels.snowload.site import usual_factor
from tiles.products.snow_history import FIRST_YEAR

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
"""Between these, times `usual_factor`, the combined factor lies: 50 years from 50 winters 0.72 to 1.39."""
_OF_THE_TABLE = 50


def warnings(
    inputs: Inputs,
    cells: Sequence[CellLoad],
    failed: Sequence[Failed],
    aggregate: Mapping[str, Any],
    compared: Mapping[str, Any],
) -> Iterator[str]:
    """Yield what the designer must know.

    Parameters
    ----------
    inputs : Inputs
    cells, failed : sequence of CellLoad, of Failed
    aggregate, compared : mapping
        `aggregate` and `eurocode_comparison` of the answer.
    """
    site = inputs.site
    yield from _of_query(site)
    yield from _of_heights(site, inputs.height, aggregate["altitude_range_m"])
    yield from _of_series(inputs, cells)
    yield from _of_fits(site, cells)
    yield from _of_cells(site, failed, len(cells), aggregate["sd_cv_pct"])
    if compared["sk_kn_m2"] is not None:
        yield from _of_table(site, aggregate["characteristic_snow_load_kn_m2"], compared)


def _of_query(site: Site) -> Iterator[str]:
    query = site.query
    if query.start is not None and query.start < site.start:
        yield f"The series begins on {site.start}: there are no data before {FIRST_YEAR}."
    if repeated := len(query.cells or site.cells) - len(site.cells):
        yield f"{repeated} of the chosen cells named a cell again and count once."
    far = max(float(np.hypot(x - site.x, y - site.y)) for x, y in site.cells)
    if far > FAR_M:
        yield f"A chosen cell lies {far / 1000:.0f} km from the point: its snow may be another's."


def _of_heights(site: Site, own: float | None, altitudes: Sequence[float] | None) -> Iterator[str]:
    if altitudes is None:
        yield "The cells' heights are not known."
        return
    low, high = altitudes
    if high - low > SPREAD_M:
        yield (
            f"The cells lie between {low:.0f} and {high:.0f} m above the sea, {high - low:.0f} m apart: choose those "
            "(`cells`) that lie at the plot's height."
        )
    height = own if site.query.elev is None else site.query.elev
    if height is not None and not low - OFF_SITE_M <= height <= high + OFF_SITE_M:
        more = "more" if height > high else "less"
        cells = f"{low:.0f} m" if low == high else f"{low:.0f} to {high:.0f} m"
        yield f"The plot lies at {height:.0f} m, the cells at {cells}: {more} snow than theirs is to be expected there."


def _of_series(inputs: Inputs, cells: Sequence[CellLoad]) -> Iterator[str]:
    period, newest = inputs.site.query.returnperiod, inputs.site.seasons.stop - 1
    fewest = min(len(snow.years) for _, snow in cells)
    if fewest < max(FEW_YEARS, period / 2):
        yield f"Only {fewest} winters count: a value of {period} years from so few is uncertain."
    lasts = [last_winter(cell) for cell, _ in cells]
    if behind := sum(last < newest for last in lasts):
        first = min(lasts) + 1
        yield f"Winters from {first}-{first + 1} on are not in the data yet ({behind} of {len(cells)} cells)."
    counted = [len(snow.years) + max(0, newest - last) for (_, snow), last in zip(cells, lasts, strict=True)]
    if (gaps := len(inputs.site.seasons) - min(counted)) > 0:
        yield f"Up to {gaps} winters of a cell are left out: fewer than {LEAST_DAYS} of their days are known."
    if bare := sum(snow.highest == 0 for _, snow in cells):
        yield (
            f"{bare} of {len(cells)} cells never had snow in these winters: their 0 counts in the median, and is no "
            "load to design with."
        )


def _of_fits(site: Site, cells: Sequence[CellLoad]) -> Iterator[str]:
    period, n = site.query.returnperiod, len(cells)
    factors = np.array([snow.factors for _, snow in cells])  # NaN, where there never was snow, is beyond no limit
    combined = factors[:, 3]
    usual = np.array([usual_factor(period, len(snow.years)) for _, snow in cells])
    if below := [load for load, is_below in zip(cells, combined < LOW * usual, strict=True) if is_below]:
        cell, snow = max(below, key=lambda load: load.snow.highest - load.snow.swe)
        yield (
            f"In {len(below)} of {n} cells one winter stands out: at {cell.point[0]}, {cell.point[1]} the "
            f"highest was {snow.highest:.0f} mm, far more than the {snow.swe:.0f} mm of {period} years."
        )
    if beyond := np.count_nonzero(combined > HIGH * usual):
        yield f"In {beyond} of {n} cells the value lies far beyond the highest winter: the fits carry it."
    if apart := np.count_nonzero(np.ptp(factors[:, :3], axis=1) > FITS_APART * combined):
        yield (
            f"In {apart} of {n} cells the three fits lie more than {100 * FITS_APART:.0f} % apart: look at "
            "the winters (`format=png`)."
        )


def _of_cells(site: Site, failed: Sequence[Failed], n_cells: int, cv_pct: float | None) -> Iterator[str]:
    if failed:
        n = n_cells + len(failed)
        yield f"{len(failed)} of {n} cells could not be computed (`cell_errors`): the others count alone."
    if any(cell.point == site.centre for cell in failed):
        yield "The point's own cell is one of those that could not be computed."
    if any(cell.failure is not None for cell in failed):
        yield "The snow authority could not be asked for all of them: ask again in a few minutes."
    if cv_pct is not None and cv_pct > HIGH_CV_PCT:
        yield f"The cells' loads vary by {cv_pct:.0f} % (standard deviation over mean): the plot needs a closer look."


def _of_table(site: Site, characteristic: float, compared: Mapping[str, Any]) -> Iterator[str]:
    sk, query = compared["sk_kn_m2"], site.query
    if query.elev is None:
        yield (
            f"The plot's height was not given (`elev`): the table was read at {compared['site_elevation_m']:.0f} m, "
            "the mean of its cell of 1 km."
        )
    if query.returnperiod != _OF_THE_TABLE:
        yield f"The table's {sk:.2f} kN/m2 is of 50 years, the value from the cells of {query.returnperiod}."
    elif round(characteristic, 2) != round(sk, 2):
        more = "more" if sk > characteristic else "less"
        yield (
            f"The table of the national annex gives {sk:.2f} kN/m2, {more} than the {characteristic:.2f} kN/m2 "
            "from the cells: the designer decides which holds."
        )
