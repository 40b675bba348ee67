"""The land of Norway on the 3 km grid, from the borders of its counties."""

from collections.abc import Callable

import numpy as np

from catalog.publish import publish
from catalog.sources import kartverket
from catalog.versions import Entry
from dags.build.borders.publishing import DEADLINE_S, ensured, moment, provenance, version_of
from dags.build.borders.raster import SAMPLES, land_share, on_border, projected
from dags.build.provenance import user_agent
from tiles.clock import Clock
from tiles.grid import NORWAY3KM
from tiles.products.land import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

_METHOD = f"share of {SAMPLES} x {SAMPLES} points; land where any of them is, or a border runs through"


def build(*, url: str, store: Store, clock: Clock, report: Callable[[str], None]) -> Entry:
    """Publish the land; borders that were published before give the same version again.

    Parameters
    ----------
    url : str
        Where the borders are: see `kartverket.counties`.
    store : Store
    clock : Clock
    report : callable
        Takes one line of progress.

    Raises
    ------
    SourceError
        The borders cannot be had or are malformed.
    DraftInvalid
        A validator refused the draft: these are not the borders of Norway.
    """
    borders = kartverket.counties(url, user_agent=user_agent(), deadline_s=DEADLINE_S)
    report(f"borders of {len(borders.names)} areas, {len(borders.polygons)} polygons")
    polygons = projected(borders.polygons)
    share = land_share(polygons, NORWAY3KM)
    land = (share > 0) | on_border(polygons, NORWAY3KM)
    report(f"{np.count_nonzero(land)} cells hold land, {share.sum() * (NORWAY3KM.size / 1000) ** 2:.0f} km2 of it")
    version = version_of(borders.input)
    said = provenance([borders.input], borders.data_origin, {"areas": list(borders.names)}, _METHOD)
    draft = Draft(store, PRODUCT, version, {}, said)
    draft.write("share", share)
    draft.write("land", land.astype(np.float64))
    return publish(draft, moment(store, PRODUCT.name, version, clock), now=clock.now(), expected=None, report=report)


def ensure(*, url: str, store: Store, clock: Clock, report: Callable[[str], None]) -> Entry:
    """Return the version that counts; it is built first where there is none. Parameters are those of `build`."""
    return ensured(PRODUCT.name, build, url=url, store=store, clock=clock, report=report)
