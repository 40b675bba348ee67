"""Heights around a roof: the national models in cells of 1 m, finer ones where the operator has them."""

import logging
from typing import Any, NamedTuple

import numpy as np
import shapely
from scipy import ndimage
from shapely import Polygon

from api.core.settings import Settings
from api.data.heights.mosaic import mosaic, within
from api.data.heights.squares import held_or_fetched, squares_of
from api.roof.frame import Frame
from catalog.sources import roof_heights
from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import SourceError
from kernels.horizon.levels import MISSING, Level
from kernels.roof.field import Field
from kernels.roof.shade import REACH

AROUND_M = 6.0
"""Beyond an outline, for the analysis: `kernels.roof.analysis.AROUND_M` and the outline's own shift."""

_STALE_STEP_M, _STALE_SHARE, _SEGMENT_M = 0.5, 0.52, 2.0
_INSIDE_M, _OUTSIDE_M = 1.5, 2.5

log = logging.getLogger("solflis.roof")


class Heights(NamedTuple):
    """Surface and terrain in UTM 33, cells of 1 m on the same grid."""

    dom: Level
    dtm: Level
    year: int | None
    data_origin: DataOrigin


def heights_around(settings: Settings, x: float, y: float, reach: float, seconds: float) -> Heights:
    """Return the heights within reach of a place in UTM 33, m.

    Raises
    ------
    SourceError
        They cannot be had.
    """
    wanted = [*within("dom", x, y, reach), *within("dtm", x, y, reach)]
    blocks = held_or_fetched(squares_of(settings), wanted, seconds)
    years = [block.year for square, block in blocks.items() if square.model == "dom" and block.known and block.year]
    dom, dtm = mosaic(blocks, "dom", x, y, reach), mosaic(blocks, "dtm", x, y, reach)
    return Heights(dom, dtm, min(years, default=None), origin_of(*(block.data_origin for block in blocks.values())))


def field_of(frame: Frame, heights: Heights, outline: Polygon) -> Field:
    """Return the heights of an outline (in the frame) and around it."""
    west, south, east, north = _map_bounds(frame, outline)
    dom, dtm = heights.dom, heights.dtm
    column, row = (max(0, int(low - first)) for low, first in ((west, dom.x0), (south, dom.y0)))
    part = np.s_[row : int(north - dom.y0) + 2, column : int(east - dom.x0) + 2]
    z, ground = (np.where(level.z[part] == MISSING, np.nan, level.z[part]).astype(np.float64) for level in (dom, dtm))
    return Field(z, ground, frame.raster(dom.x0 + column, dom.y0 + row, dom.cell))


def best_field(frame: Frame, settings: Settings, heights: Heights, outline: Polygon) -> tuple[Field, str, str | None]:
    """Return the finest heights of an outline, what they are, and the key of a warning: they are the national ones."""
    key = "grov"
    try:
        if (fine := _fine_heights(settings, _map_bounds(frame, outline))) is not None:
            text = f"egne høyder, {fine.cell:g} m, {fine.year or 'ukjent år'}"
            return _fine_field(frame, heights, fine), text, None
    except SourceError as error:
        log.warning("%s", error)
        key = "egne_hoyder_borte"
    year = heights.year or "ukjent år"
    return field_of(frame, heights, outline), f"Kartverket, Nasjonal høydemodell (DOM og DTM, 1 m, {year})", key


def _fine_heights(settings: Settings, bounds: tuple[float, float, float, float]) -> roof_heights.FineHeights | None:
    west, south, east, north = bounds
    if not settings.roof_heights or max(east - west, north - south) > roof_heights.MOST_M:
        return None
    return roof_heights.window(settings.roof_heights, bounds)


def _fine_field(frame: Frame, heights: Heights, fine: roof_heights.FineHeights) -> Field:
    """Return the operator's heights, on the national ground where they have none."""
    x0, y0 = fine.west + fine.cell / 2, fine.south + fine.cell / 2
    ground = fine.ground
    if ground is None:
        rows, columns = (np.arange(n) * fine.cell for n in fine.z.shape)
        dtm = heights.dtm
        at = np.meshgrid(rows + y0 - dtm.y0, columns + x0 - dtm.x0, indexing="ij")
        ground = ndimage.map_coordinates(dtm.z.astype(np.float64), at, order=1, mode="nearest")
        ground[ground < -1000] = np.nan  # mixed with `MISSING`
    axes = frame.raster(x0, y0, fine.cell)
    return Field(np.asarray(fine.z, np.float64), np.asarray(ground, np.float64), axes)


def level_of(frame: Frame, heights: Heights, outline: Polygon, field: Field) -> Level:
    """Return the surface around an outline on a grid of the frame, for shade: the field's heights where it has any."""
    west, south, east, north = outline.buffer(REACH).bounds
    x, y = np.arange(west, east + 1), np.arange(south, north + 1)
    at = frame.utm(np.stack(np.meshgrid(x, y), axis=-1))
    dom = heights.dom
    places = [at[..., 1] - dom.y0, at[..., 0] - dom.x0]
    z = ndimage.map_coordinates(dom.z, places, order=1, mode="constant", cval=float(MISSING))
    if field.cell < 0.9 * dom.cell:  # else they are the same
        own = _sampled(field, field.z, np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)).reshape(z.shape)
        z = np.where(np.isnan(own), z, own)
    return Level(np.ascontiguousarray(z, np.float32), float(west), float(south), 1.0)


def holes(field: Field, outline: Polygon) -> float:
    """Return the share of an outline's cells without a height."""
    inside = shapely.contains_xy(outline, *field.positions())
    return float(np.isnan(field.z[inside]).mean()) if inside.any() else 1.0


def is_stale(field: Field, outline: Polygon, others: list[Polygon]) -> bool:
    """Return whether the surface does not show the building: no step across most of its outline.

    Parameters
    ----------
    field : Field
    outline : Polygon
    others : list of Polygon
        Buildings around; walls that they touch say nothing.
    """
    ring = shapely.orient_polygons(outline).exterior
    places = np.arange(_SEGMENT_M / 2, ring.length, _SEGMENT_M)
    at = shapely.get_coordinates(shapely.line_interpolate_point(ring, places))
    ahead = shapely.get_coordinates(shapely.line_interpolate_point(ring, np.minimum(places + 0.1, ring.length)))
    inward = np.column_stack([-(ahead - at)[:, 1], (ahead - at)[:, 0]])
    inward /= np.maximum(np.hypot(*inward.T), 1e-9)[:, None]
    outside = at - _OUTSIDE_M * inward
    free = ~shapely.contains_xy(shapely.union_all([outline, *others]), *outside.T)
    above = field.z - field.ground
    step = _sampled(field, above, at + _INSIDE_M * inward) - _sampled(field, above, outside)
    step = step[free & np.isfinite(step)]
    return bool(step.size and (step < _STALE_STEP_M).mean() > _STALE_SHARE)


def _sampled(field: Field, values: Any, places: Any) -> Any:
    """Return the values of the cells that hold places (n, 2) of the frame; NaN beyond the raster."""
    row, column = field.cells(places)
    there = (row >= 0) & (column >= 0) & (row < values.shape[0]) & (column < values.shape[1])
    return np.where(there, values[np.where(there, row, 0), np.where(there, column, 0)], np.nan)


def _map_bounds(frame: Frame, outline: Polygon) -> tuple[float, float, float, float]:
    at = frame.utm(shapely.get_coordinates(outline.buffer(AROUND_M)))
    (west, south), (east, north) = at.min(axis=0), at.max(axis=0)
    return float(west), float(south), float(east), float(north)
