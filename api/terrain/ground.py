"""Heights of the ground around a site, in cells of 10 m: from the tiles, else fetched."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from api.core.settings import Settings
from api.data.heights.mosaic import mosaic, within
from api.data.heights.squares import held_or_fetched, squares_of
from api.terrain.cover import Note
from api.terrain.sources import Source, entry, upstream
from catalog.sources.data_origin import origin_of
from catalog.sources.kartverket import heights
from catalog.sources.land_cover import SEA, UNKNOWN
from kernels.horizon.levels import MISSING, Level
from kernels.terrain.polar import Site
from kernels.terrain.profiles import REACH_M, height_at
from kernels.terrain.roughness import Cover
from tiles.terrain import TerrainLevels

CELL, COARSE = 10, 50
_MARGIN_M = 100.0
_REACH = 1.006 * REACH_M + _MARGIN_M
_NEAR_M = 2000.0
# The service has the sea as 0 within some mm (or as no height), and squares are kept in steps of a centimetre.
_SEA_LEVEL_M = 0.05


class Ground(NamedTuple):
    """Heights around a site, their sources, and warnings about them."""

    level: Level
    sources: list[Source]
    notes: list[Note]


def ground_around(site: Site, tiles: TerrainLevels | None, settings: Settings, seconds: float) -> Ground:
    """Return the ground around a site; it needs `with_sea`.

    Parameters
    ----------
    site : Site
    tiles : TerrainLevels or None
        Where terrain is published.
    settings : Settings
    seconds : float
        For heights that have to be fetched.

    Raises
    ------
    SourceError
        They cannot be had.
    TileCorrupt
    """
    if tiles is not None and {CELL, COARSE} <= set(tiles.cells):
        bounds = site.x - _REACH, site.y - _REACH, site.x + _REACH, site.y + _REACH
        fine, coarse = (tiles.surface(cell, *bounds) for cell in (CELL, COARSE))
        if not fine.missing_within(site.x, site.y, _NEAR_M):
            notes: list[Note] = [("grovt_terreng", {})] if fine.missing_within(site.x, site.y, REACH_M) else []
            _fill(fine, coarse)
            origin, used = tiles.provenance["data_origin"], tiles.provenance["sources"]
            return Ground(fine, [_of_tiles(one, origin) for one in used], notes)
    blocks = held_or_fetched(squares_of(settings), within("dtm", site.x, site.y, _REACH, CELL), seconds)
    level = mosaic(blocks, "dtm", site.x, site.y, _REACH, CELL)
    years = [block.year for block in blocks.values() if block.year]
    origin = origin_of(*(block.data_origin for block in blocks.values()))
    return Ground(level, [upstream(heights.NAME, "terreng", origin, str(min(years)) if years else None)], [])


def _fill(fine: Level, coarse: Level) -> None:
    """Fill cells of 10 m that are missing from cells of 50 m."""
    missing = fine.z == MISSING
    rows, columns = np.nonzero(missing)
    z = height_at(coarse, fine.x0 + CELL * columns, fine.y0 + CELL * rows)
    fine.z[missing] = np.where(np.isnan(z), MISSING, z)


def _of_tiles(one: Mapping[str, Any], origin: str) -> Source:
    years = ", ".join(map(str, one.get("years", [])))
    return entry(one, "terreng", one.get("data_origin", origin), years or None)


def with_sea(ground: Ground, cover: Cover, site: Site) -> Ground:
    """Return the ground with 0 where no height is known and the land cover is sea; it warns of what is missing."""
    level = ground.level
    rows, columns = level.z.shape
    row, column = round((level.y0 - cover.y0) / CELL), round((level.x0 - cover.x0) / CELL)
    sea = cover.code[row : row + rows, column : column + columns] == SEA
    level.z[sea & (level.z == MISSING)] = 0
    lost = 100 * level.missing_within(site.x, site.y, REACH_M)
    # a hole of 1 % may hold the hill that decides
    if lost >= 1 or level.missing_within(site.x, site.y, _NEAR_M) > 0:
        return ground._replace(notes=[*ground.notes, ("terreng_mangler", {"prosent": f"{math.ceil(lost)}"})])
    return ground


def is_land(site: Site, level: Level, cover: Cover) -> bool:
    """Return whether a site has a height, and is not at sea."""
    here = level.height_at(site.x, site.y)
    row, column = round((site.y - cover.y0) / cover.cell), round((site.x - cover.x0) / cover.cell)
    at_sea = here is not None and abs(here) < _SEA_LEVEL_M and cover.code[row, column] in (UNKNOWN, SEA)
    return here is not None and not at_sea
