"""Buildings of built-up ground: how much of it they cover and how high they are, from footprints and heights."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.sources import bygninger
from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.http import Deadline
from catalog.sources.kartverket import heights
from catalog.sources.land_cover import path_of

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

CELL_M = 2.0
# Of cells: so far around a cell `standing` looks.
_AROUND = 3
LEAST_M = 2.5
"""Height above the ground of what counts as a building where there are no footprints."""


class BuiltUp(NamedTuple):
    """Buildings of a window.

    Parameters
    ----------
    share : float32 (rows, columns)
        Of a cell under buildings, 0 to 1; row 0 is the southernmost.
    height : float32 (rows, columns)
        Mean height of these buildings, m; 0 without any.
    source : {"bygninger", "kartverket_wcs"}
        Whether buildings are footprints, or what stands out of the surface model.
    year : int or None
        Of the surface model.
    data_origin : {"live", "simulated"}
    inputs : tuple of mapping
        What was read.
    """

    share: Floats
    height: Floats
    source: str
    year: int | None
    data_origin: DataOrigin
    inputs: tuple[Mapping[str, str | int], ...]


def built_up(
    address: Callable[[str], str],
    bounds: tuple[float, float, float, float],
    cell: float,
    *,
    user_agent: str,
    seconds: float,
) -> BuiltUp:
    """Return the buildings of a window; what is not built-up ground is the caller's to leave out.

    Parameters
    ----------
    address : callable
        From the name of a source to where it is read; footprints count where theirs is a path.
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33: whole cells apart.
    cell : float
        m: a whole number of cells of `CELL_M`.
    user_agent : str
    seconds : float
        For all of it, s.

    Raises
    ------
    SourceError
        Heights or footprints cannot be had.
    """
    deadline, margin = Deadline(seconds), _AROUND * CELL_M
    west, south, east, north = bounds
    box = west - margin, south - margin, east + margin, north + margin
    surface, ground = (
        heights.window(address(heights.NAME), model, *box, CELL_M, user_agent=user_agent, deadline=deadline)
        for model in ("dom", "dtm")
    )
    inner = slice(_AROUND, -_AROUND), slice(_AROUND, -_AROUND)
    around = surface.z - ground.z
    above = around[inner]
    path = path_of(address(bygninger.NAME))  # a service's outlines lack whole counties: only what the operator chose
    stands = bygninger.footprints(path, bounds, CELL_M) if path else standing(around)[inner]
    share, height = per_cell(stands, above, round(cell / CELL_M))
    origin = origin_of(surface.data_origin, ground.data_origin)
    source = bygninger.NAME if path else heights.NAME
    return BuiltUp(share, height, source, surface.year, origin, (surface.input, ground.input))


def standing(above: Floats) -> Flags:
    """Return where buildings stand, of a surface alone: what is high over 3 x 3 cells, and high cells beside that.

    With cells of 2 m single trees are narrower than that, and small houses are not. Crowns that touch count as
    buildings.

    Parameters
    ----------
    above : float32 (rows, columns)
        Height of the surface above the ground, m; NaN where it is not known.
    """
    high = np.pad(above >= LEAST_M, 1)
    core = np.pad(np.logical_and.reduce(_neighbours(high)), 1)
    broad = np.pad(np.logical_or.reduce(_neighbours(core)), 1)
    # corners of buildings that are turned
    return np.asarray(np.logical_or.reduce(_neighbours(broad)) & high[1:-1, 1:-1])


def _neighbours(flags: Flags) -> list[Flags]:
    """Return the 3 x 3 cells around each, of an array with a rim of one cell."""
    rows, columns = flags.shape
    return [flags[i : i + rows - 2, j : j + columns - 2] for i, j in product(range(3), range(3))]


def per_cell(stands: Flags, above: Floats, cells: int) -> tuple[Floats, Floats]:
    """Return the share of coarser cells that buildings cover, 0 to 1, and their mean height, m; 0 without any.

    Parameters
    ----------
    stands : bool (rows, columns)
    above : float32 (rows, columns)
        As `standing` takes it; where it is not known, a building counts without height.
    cells : int
        Along a side of a coarser cell.
    """
    rows, columns = (size // cells for size in stands.shape)

    def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(values.reshape(rows, cells, columns, cells).sum(axis=(1, 3)))

    count = total(stands.astype(np.float64))
    tall = total(np.where(stands, np.maximum(np.nan_to_num(above), 0.0), 0.0).astype(np.float64))
    mean = np.divide(tall, count, out=np.zeros_like(tall), where=count > 0)
    return (count / cells**2).astype(np.float32), mean.astype(np.float32)
