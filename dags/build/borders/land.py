"""The land of Norway on the 3 km grid, from the borders of its counties."""

from functools import partial

import numpy as np

from catalog.sources.kartverket.borders import counties
from catalog.versions import Entry
from dags.build.borders.publishing import draft_of, publish_borders, read_borders
from dags.build.borders.raster import SAMPLES, land_share, on_border, projected
from dags.build.context import BuildContext, ensured
from tiles.grid import NORWAY3KM
from tiles.products.land import PRODUCT

_METHOD = f"share of {SAMPLES} x {SAMPLES} points; land where any of them is, or a border runs through"


def build(context: BuildContext) -> Entry:
    """Publish the land; borders that were published before give the same version again.

    Raises
    ------
    ValueError
        A partition, or another source than Kartverket, is asked for.
    SourceError
        The borders cannot be had or are malformed.
    DraftInvalid
        A validator refused the draft: these are not the borders of Norway.
    """
    borders = read_borders(context, counties)
    areas = projected(borders.areas.geometry)
    share = land_share(areas, NORWAY3KM)
    land = (share > 0) | on_border(areas, NORWAY3KM)
    context.report(
        f"{np.count_nonzero(land)} cells hold land, {share.sum() * (NORWAY3KM.size / 1000) ** 2:.0f} km2 of it"
    )
    draft = draft_of(context, PRODUCT, borders, method=_METHOD)
    draft.write("share", share)
    draft.write("land", land.astype(np.float64))
    return publish_borders(context, draft)


ensure = partial(ensured, PRODUCT.name, build)
"""Returns the version that counts; it is built first where there is none."""
