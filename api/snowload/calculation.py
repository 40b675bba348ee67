"""From the winters' maxima to loads. It loads the kernels: see `api/engines.py`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from api import texts
from api.snowload.asked import LEAST_SEASONS, Asked
from api.snowload.maxima import Lacking, Looked, Maxima
from catalog.sources.nve_gts import Point
from kernels.snowload.fits import combined, levels

GRAVITY = 9.8
"""m/s2, as the contract has it."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellLoad:
    """What a cell says.

    Parameters
    ----------
    point : Point
    altitude : float
        m; NaN where it is not known.
    years : tuple of int
        In which the winters begin that count.
    maxima : float64 (n,)
        Of these winters, mm.
    left_out : int
        Winters from the start on that do not count: too few of their days are known, or they are not there yet.
    levels : float64 (3,)
        By fit (`kernels.snowload.fits.METHODS`), mm.
    swe : float
        Their mean: the characteristic water equivalent, mm.
    """

    point: Point
    altitude: float
    years: tuple[int, ...]
    maxima: Floats
    left_out: int
    levels: Floats
    swe: float

    @property
    def highest(self) -> float:
        """Highest annual maximum, mm."""
        return float(self.maxima.max())

    @property
    def factors(self) -> tuple[float, float, float, float] | None:
        """Ratios of the levels, and of their mean, to the maximum; None where there never was snow."""
        if self.highest == 0:
            return None
        gamma, gumbel, empirical = (float(level) / self.highest for level in self.levels)
        return gamma, gumbel, empirical, self.swe / self.highest

    @property
    def load(self) -> float:
        """Characteristic load of the cell, kN/m2."""
        return kn_m2(self.swe)


@dataclass(frozen=True)
class Failed:
    """A cell that could not be computed.

    Parameters
    ----------
    point : Point
    text : str
        Why, for the caller.
    """

    point: Point
    text: str


@dataclass(frozen=True)
class Aggregate:
    """What the cells say together; see the contract."""

    swe: float
    load: float
    characteristic: float
    cv_pct: float | None
    altitude: tuple[float, float] | None


def kn_m2(swe: float) -> float:
    """Return the load of a water equivalent (mm), kN/m2."""
    return swe * GRAVITY / 1000


def of_cells(asked: Asked, looked: Looked, points: Sequence[Point]) -> tuple[list[CellLoad], list[Failed]]:
    """Return the cells that can be computed, and the others.

    Parameters
    ----------
    asked : Asked
    looked : Looked
    points : sequence of Point
    """
    made = [of_cell(asked, point, looked[point]) for point in points]
    return [one for one in made if isinstance(one, CellLoad)], [one for one in made if isinstance(one, Failed)]


def of_cell(asked: Asked, point: Point, there: Maxima | Lacking) -> CellLoad | Failed:
    """Return what a cell says, or why it says nothing."""
    if isinstance(there, Lacking):
        return Failed(point, there.text)
    years = there.first + np.arange(there.swe.size)
    counts = (years >= asked.seasons.start) & (years < asked.seasons.stop) & ~np.isnan(there.swe)
    maxima, n = np.ascontiguousarray(there.swe[counts]), int(np.count_nonzero(counts))
    if n < LEAST_SEASONS:
        text = texts.SNOWLOAD_CELL_SHORT if n else texts.SNOWLOAD_CELL_EMPTY
        return Failed(point, text.format(n=n, start=asked.start, least=LEAST_SEASONS))
    by_method = levels(maxima, (asked.period,))
    return CellLoad(
        point=point,
        altitude=there.altitude,
        years=tuple(years[counts].tolist()),
        maxima=maxima,
        left_out=len(asked.seasons) - n,
        levels=by_method[:, 0],
        swe=float(combined(by_method)[0]),
    )


def aggregate(cells: Sequence[CellLoad], variability: float) -> Aggregate:
    """Return what cells say together: the median, and how far they are apart.

    Parameters
    ----------
    cells : sequence of CellLoad
        One at least.
    variability : float
    """
    swe = np.array([cell.swe for cell in cells])
    median, mean = float(np.median(swe)), float(swe.mean())
    heights = [cell.altitude for cell in cells if not np.isnan(cell.altitude)]
    return Aggregate(
        swe=median,
        load=kn_m2(median),
        characteristic=kn_m2(median) * variability,
        cv_pct=None if mean == 0 or len(cells) == 1 else 100 * float(swe.std()) / mean,
        altitude=(min(heights), max(heights)) if heights else None,
    )
