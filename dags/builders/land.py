"""The land of Norway on the 3 km grid, from the borders of its counties."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np

from catalog.publish import Moment, publish
from catalog.sources import kartverket
from catalog.sources.kartverket import Borders
from catalog.sources.terms import terms
from catalog.versions import Entry, read_index
from dags.builders.land_raster import SAMPLES, land_share, on_border, projected
from dags.builders.provenance import code_version, user_agent
from tiles.clock import Clock, iso
from tiles.grid import NORWAY3KM
from tiles.products.land import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

# The first land counts at every moment that anybody may ask for, whatever the clock showed when it was built.
_EVER = datetime(1950, 1, 1, tzinfo=UTC)
_FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)
_DEADLINE_S = 120.0


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
    borders = kartverket.counties(url, user_agent=user_agent(), deadline_s=_DEADLINE_S)
    report(f"borders of {len(borders.names)} areas, {len(borders.polygons)} polygons")
    polygons = projected(borders.polygons)
    share = land_share(polygons, NORWAY3KM)
    land = (share > 0) | on_border(polygons, NORWAY3KM)
    report(f"{np.count_nonzero(land)} cells hold land, {share.sum() * (NORWAY3KM.size / 1000) ** 2:.0f} km2 of it")
    version = f"borders-{str(borders.input['sha256'])[:12]}"
    draft = Draft(store, PRODUCT, version, {}, _provenance(borders))
    draft.write("share", share)
    draft.write("land", land.astype(np.float64))
    moment = Moment(_issued(store, version, clock), _EVER, _FOR_EVER)
    return publish(draft, moment, now=clock.now(), expected=None, report=report)


def ensure(*, url: str, store: Store, clock: Clock, report: Callable[[str], None]) -> Entry:
    """Return the version that counts; it is built first where there is none. Parameters are those of `build`."""
    entry = read_index(store, PRODUCT.name).newest(clock.now())
    if entry is None:
        report("no land has been published yet: building it from the borders")
        entry = build(url=url, store=store, clock=clock, report=report)
    return entry


def _issued(store: Store, version: str, clock: Clock) -> datetime:
    """Return since when this version counts: what was built last is the newest."""
    others = [entry for entry in read_index(store, PRODUCT.name).entries if entry.version != version]
    held = read_index(store, PRODUCT.name).get(version)
    latest = max((entry.issued_at for entry in others), default=None)
    if held is not None and (latest is None or held.issued_at > latest):
        return held.issued_at
    return _EVER if latest is None else clock.now()


def _terms(simulated: bool) -> dict[str, str]:
    return terms(kartverket.NAME, kartverket.LICENCE, kartverket.ATTRIBUTION, simulated=simulated)


def _provenance(borders: Borders) -> dict[str, Any]:
    terms = _terms(borders.data_origin == "simulated")
    return {
        "source": kartverket.NAME,
        "data_origin": borders.data_origin,
        "sources": [{"name": kartverket.NAME, **terms, "areas": list(borders.names), "inputs": [dict(borders.input)]}],
        **terms,
        "missing_variables": [],
        "method": f"share of {SAMPLES} x {SAMPLES} points; land where any of them is, or a border runs through",
        "code_version": code_version(),
        "built_at": iso(datetime.now(UTC)),
    }
