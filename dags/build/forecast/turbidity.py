"""Linke turbidity by month as a product, from the climatology that pvlib ships. It never changes."""

from datetime import UTC, datetime
from functools import partial

import numpy as np

from catalog.publish import Moment, publish
from catalog.versions import Entry
from dags.build.climate import normals as climate
from dags.build.context import BuildContext, ensured
from dags.build.provenance import provenance
from tiles.grid import FORECAST
from tiles.products.turbidity import PRODUCT
from tiles.writer import Draft

CLIMATOLOGY = "climatology"
# Before every cycle that there is.
_ISSUED = datetime(1990, 1, 1, tzinfo=UTC)
_FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)
_SOURCE = {
    "name": "pvlib LinkeTurbidities",
    "licence": "BSD-3-Clause, as shipped with pvlib",
    "attribution": "Linke turbidity: SoDa (Remund et al. 2003), monthly maps as packaged by pvlib",
}


def build(context: BuildContext) -> Entry:
    """Publish the climatology.

    Raises
    ------
    ValueError
        A source, or another partition than `climatology`, is asked for.
    DraftInvalid
        A validator refused it.
    """
    if context.partition not in (None, CLIMATOLOGY) or context.source is not None:
        raise ValueError(f"the only turbidity there is is '{CLIMATOLOGY}', and it has no source")
    lats, lons = np.meshgrid(*FORECAST.axes, indexing="ij")
    months = range(1, 13)
    values = np.stack([climate.linke_turbidity(lats, lons, datetime(2001, m, 15, tzinfo=UTC)) for m in months])
    said = provenance([_SOURCE], missing_variables=[], comment="Bilinear from a grid of 1/12 degree.")
    draft = Draft(context.store, PRODUCT, CLIMATOLOGY, {"month": np.array(months, np.int64)}, said)
    draft.write("linke_turbidity", values)
    moment = Moment(_ISSUED, _ISSUED, _FOR_EVER)
    return publish(draft, moment, now=context.clock.now(), expected=None, report=context.report)


ensure = partial(ensured, PRODUCT.name, build)
"""Returns the version that counts; it is built first where there is none."""
