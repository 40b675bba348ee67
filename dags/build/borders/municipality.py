"""The municipality of each cell of land on the 3 km grid, from the borders of the municipalities."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.publish import publish
from catalog.sources import kartverket
from catalog.versions import Entry
from dags.build.borders import land
from dags.build.borders.publishing import DEADLINE_S, moment, of_borders, provenance, version_of
from dags.build.borders.raster import nearest_area, projected
from dags.build.cells import Mask
from dags.build.cells import land as land_of
from dags.build.context import BuildContext, ensured
from dags.build.provenance import user_agent
from tiles.chunked import ChunkedTile
from tiles.grid import NORWAY3KM
from tiles.product import FILL
from tiles.products.municipality import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

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
    url = of_borders(context)
    store, clock, report = context.store, context.clock, context.report
    land.ensure(context)
    mask = land_of(store, clock)
    borders = kartverket.municipalities(url, user_agent=user_agent(), deadline_s=DEADLINE_S)
    report(f"borders of {len(borders.numbers)} municipalities")
    area = nearest_area(projected(borders.polygons), NORWAY3KM)
    area = filled(np.where(mask, area, -1), mask)
    if lacking := int(np.count_nonzero(mask & (area < 0))):
        report(f"{lacking} cells of land lie more than {REACH_KM:g} km from every municipality: they are in none")
    number = np.where(area < 0, np.nan, np.array(borders.numbers, np.float64)[area])
    named = {"municipalities": [[n, name] for n, name in sorted(zip(borders.numbers, borders.names, strict=True))]}
    said = provenance([borders.input], borders.data_origin, {}, _METHOD) | named
    version = version_of(borders.input)
    draft = Draft(store, PRODUCT, version, {}, said)
    draft.write("number", number)
    return publish(draft, moment(store, PRODUCT.name, version, clock), now=clock.now(), expected=None, report=report)


def ensure(context: BuildContext) -> Entry:
    """Return the version that counts; it is built first where there is none."""
    return ensured(PRODUCT.name, build, context)


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
