"""The land of Norway on the 3 km grid, from the borders of its counties."""

import numpy as np

from catalog.publish import publish
from catalog.sources import kartverket
from catalog.versions import Entry
from dags.build.borders.publishing import DEADLINE_S, moment, of_borders, provenance, version_of
from dags.build.borders.raster import SAMPLES, land_share, on_border, projected
from dags.build.context import BuildContext, ensured
from dags.build.provenance import user_agent
from tiles.grid import NORWAY3KM
from tiles.products.land import PRODUCT
from tiles.writer import Draft

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
    url = of_borders(context)
    store, clock, report = context.store, context.clock, context.report
    borders = kartverket.counties(url, user_agent=user_agent(), deadline_s=DEADLINE_S)
    report(f"borders of {len(borders.names)} areas")
    areas = projected(borders.polygons)
    share = land_share(areas, NORWAY3KM)
    land = (share > 0) | on_border(areas, NORWAY3KM)
    report(f"{np.count_nonzero(land)} cells hold land, {share.sum() * (NORWAY3KM.size / 1000) ** 2:.0f} km2 of it")
    version = version_of(borders.input)
    said = provenance([borders.input], borders.data_origin, {"areas": list(borders.names)}, _METHOD)
    draft = Draft(store, PRODUCT, version, {}, said)
    draft.write("share", share)
    draft.write("land", land.astype(np.float64))
    return publish(draft, moment(store, PRODUCT.name, version, clock), now=clock.now(), expected=None, report=report)


def ensure(context: BuildContext) -> Entry:
    """Return the version that counts; it is built first where there is none."""
    return ensured(PRODUCT.name, build, context)
