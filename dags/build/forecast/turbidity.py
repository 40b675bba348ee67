"""Linke turbidity by month as a product, from the climatology that pvlib ships. It never changes."""

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np

from catalog.publish import Moment, publish
from catalog.versions import Entry, read_index
from dags.build.climate import normals as climate
from dags.build.provenance import code_version
from tiles.clock import Clock, iso
from tiles.grid import FORECAST
from tiles.products.turbidity import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

CLIMATOLOGY = "climatology"
# Before every cycle that there is.
_ISSUED = datetime(1990, 1, 1, tzinfo=UTC)
_FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)
_TERMS = {
    "licence": "BSD-3-Clause, as shipped with pvlib",
    "attribution": "Linke turbidity: SoDa (Remund et al. 2003), monthly maps as packaged by pvlib",
}


def build(*, store: Store, clock: Clock, report: Callable[[str], None]) -> Entry:
    """Publish the climatology.

    Parameters
    ----------
    store : Store
    clock : Clock
    report : callable
        Takes one line of progress.

    Raises
    ------
    DraftInvalid
        A validator refused it.
    """
    lats, lons = np.meshgrid(*FORECAST.axes, indexing="ij")
    months = range(1, 13)
    values = np.stack([climate.linke_turbidity(lats, lons, datetime(2001, m, 15, tzinfo=UTC)) for m in months])
    provenance = {
        "source": "pvlib LinkeTurbidities",
        "data_origin": "live",
        "sources": [{"name": "pvlib LinkeTurbidities", **_TERMS}],
        **_TERMS,
        "missing_variables": [],
        "comment": "Bilinear from a grid of 1/12 degree.",
        "code_version": code_version(),
        "built_at": iso(datetime.now(UTC)),
    }
    draft = Draft(store, PRODUCT, CLIMATOLOGY, {"month": np.array(months, np.int64)}, provenance)
    draft.write("linke_turbidity", values)
    return publish(draft, Moment(_ISSUED, _ISSUED, _FOR_EVER), now=clock.now(), expected=None, report=report)


def ensure(store: Store, clock: Clock, report: Callable[[str], None]) -> Entry:
    """Return the version that counts; it is published first where there is none."""
    entry = read_index(store, PRODUCT.name).newest(clock.now())
    if entry is None:
        report("no turbidity has been published yet: publishing the climatology")
        entry = build(store=store, clock=clock, report=report)
    return entry
