"""The municipality of each cell of land on the 3 km grid, from the borders of the municipalities."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from catalog.sources.kartverket.borders import municipalities
from catalog.versions import Entry
from dags.build.borders import land
from dags.build.borders.publishing import draft_of, publish_borders, read_borders
from dags.build.borders.raster import nearest_area, projected
from dags.build.cells import Mask
from dags.build.cells import land as land_of
from dags.build.context import BuildContext, ensured
from tiles.chunked import ChunkedTile
from tiles.grid import NORWAY3KM
from tiles.product import FILL
from tiles.products.municipality import PRODUCT
from tiles.store import Store

REACH_KM = 6.0
"""So far from the nearest municipality a cell of land may lie."""
_METHOD = (
    "the municipality at the cell's centre, else what of the cell is nearest to it (points 200 m apart), else "
    f"that of the nearest cell within {REACH_KM:g} km"
)


@dataclass(frozen=True)
class ByCell:
    """What is published.

    Parameters
    ----------
    number : int64 (rows, columns)
        Kommunenummer; 0 where there is none.
    names : dict of int to str
        By number.
    data_origin : str
    """

    number: NDArray[np.int64]
    names: dict[int, str]
    data_origin: str


def build(context: BuildContext) -> Entry:
    """Publish the municipalities; borders that were published before give the same version again.

    Raises
    ------
    ValueError
        A partition, or another source than Kartverket, is asked for.
    SourceError
        The borders cannot be had or are malformed.
    DraftInvalid
        A validator refused the draft: these are not the municipalities of Norway.
    """
    borders = read_borders(context, municipalities)
    land.ensure(context)
    mask = land_of(context.store, context.clock)
    area = nearest_area(projected(borders.areas.geometry), NORWAY3KM)
    area = filled(np.where(mask, area, -1), mask)
    if lacking := int(np.count_nonzero(mask & (area < 0))):
        context.report(
            f"{lacking} cells of land lie more than {REACH_KM:g} km from all municipalities: they are in none"
        )
    numbers = borders.areas["number"].to_numpy(np.float64)
    named = sorted(zip(numbers.astype(int).tolist(), borders.areas["name"], strict=True))
    draft = draft_of(context, PRODUCT, borders, method=_METHOD, municipalities=named)
    draft.write("number", np.where(area < 0, np.nan, numbers[area]))
    return publish_borders(context, draft)


ensure = partial(ensured, PRODUCT.name, build)
"""Returns the version that counts; it is built first where there is none."""


def read(store: Store, entry: Entry) -> ByCell:
    """Return what is published as a version.

    Raises
    ------
    TileCorrupt
        It is damaged.
    """
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    packed = tile.table("number").astype(np.int64)
    names = {int(number): str(name) for number, name in tile.manifest.provenance["municipalities"]}
    return ByCell(np.where(packed == FILL, 0, packed), names, entry.data_origin)


def filled(area: NDArray[np.int64], mask: Mask) -> NDArray[np.int64]:
    """Give cells of land that no area touches that of the nearest cell, where one is near enough.

    Parameters
    ----------
    area : int64 (rows, columns)
        -1 where there is none.
    mask : bool (rows, columns)
        Land.
    """
    found = area.copy()
    there = np.argwhere(area >= 0)
    for row, column in np.argwhere(mask & (area < 0)):
        away = np.hypot(there[:, 0] - row, there[:, 1] - column)
        nearest = int(np.argmin(away)) if away.size else -1
        if nearest >= 0 and away[nearest] * NORWAY3KM.size / 1000 <= REACH_KM:
            found[row, column] = area[there[nearest, 0], there[nearest, 1]]
    return found
