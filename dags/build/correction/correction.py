"""The correction table of the v2.3b forecast: published as a product, and read back for a build."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from catalog.publish import Moment, publish
from catalog.versions import Entry, read_index
from dags.build.context import BuildContext
from dags.build.provenance import built_by
from kernels.correction import CorrectionTable, identity_table
from tiles.chunked import ChunkedTile
from tiles.products.correction import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

IDENTITY = "identity"
# Before every cycle that there is: nothing was learned from anything.
IDENTITY_ISSUED = datetime(1990, 1, 1, tzinfo=UTC)
_FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)

ELEVATION_EDGES = (-1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60)
KC_EDGES = tuple(round(0.1 * step, 1) for step in range(14))
LEAD_EDGES = (0, 3, 6, 12, 18, 24, 36, 48, 67)


def build_identity(context: BuildContext) -> Entry:
    """Publish the table of ones, which leaves a source as it is."""
    table = identity_table(ELEVATION_EDGES, KC_EDGES, LEAD_EDGES)
    provenance = {
        "source": "none",
        "data_origin": "live",
        "sources": [],
        "comment": "All ones: nothing has been learned yet.",
    }
    return publish_table(context, table, IDENTITY, Moment(IDENTITY_ISSUED, IDENTITY_ISSUED, _FOR_EVER), provenance)


def publish_table(
    context: BuildContext, table: CorrectionTable, version: str, moment: Moment, provenance: dict[str, Any]
) -> Entry:
    """Publish a table; what is said of it is completed by its edges and by who made it.

    Parameters
    ----------
    context : BuildContext
    table : CorrectionTable
    version : str
    moment : Moment
        When it was learned.
    provenance : dict
        With `source` (the forecasts' that it is for, or `none`), `data_origin` and `sources`.
    """
    edges = {"elevation": table.elevation_edges, "kc": table.kc_edges, "lead": table.lead_edges}
    said = {
        **provenance,
        "missing_variables": [],
        "edges": {name: e.tolist() for name, e in edges.items()},
        **built_by(),
    }
    axes = {name: (e[:-1] + e[1:]) / 2 for name, e in edges.items()}
    draft = Draft(context.store, PRODUCT, version, axes, said)
    draft.write("factor", table.factor)
    return publish(draft, moment, now=context.clock.now(), expected=None, report=context.report)


def current(context: BuildContext, source: str, data_origin: str) -> tuple[CorrectionTable, Entry]:
    """Return the table that counts now for a source's forecasts, and its version.

    It is the newest that was learned from forecasts of that source, real ones or simulated ones as these are: a table
    learned from invented weather never touches a real forecast. Where there is none it is the identity, which
    is published first if need be.

    Parameters
    ----------
    context : BuildContext
    source : str
        Whose forecasts.
    data_origin : str
        `live` or `simulated`.

    Raises
    ------
    TileCorrupt
        The published table is damaged.
    """
    now, index = context.clock.now(), read_index(context.store, PRODUCT.name)
    fitting = [e for e in index.entries if e.issued_at <= now and (e.source, e.data_origin) == (source, data_origin)]
    entry = fitting[-1] if fitting else index.get(IDENTITY)
    if entry is None:
        context.report("no correction table has been published yet: publishing the identity")
        entry = build_identity(context)
    return read_table(context.store, entry), entry


def read_table(store: Store, entry: Entry) -> CorrectionTable:
    """Read a published table.

    Raises
    ------
    TileCorrupt
        It is damaged.
    """
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    edges = tile.manifest.provenance["edges"]
    factor = PRODUCT.variable("factor").unpack(tile.table("factor"))
    return CorrectionTable(factor.astype(np.float32), *(np.array(edges[name]) for name in PRODUCT.dims))
