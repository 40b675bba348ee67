"""The correction table of the v2.3b forecast: published as a product, and read back for a build."""

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np

from catalog.publish import Moment, publish
from catalog.versions import Entry, read_index
from dags.builders.provenance import code_version
from kernels.correction import CorrectionTable, identity_table
from tiles.chunked import ChunkedTile
from tiles.clock import Clock, iso
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


def build_identity(*, store: Store, clock: Clock, report: Callable[[str], None]) -> Entry:
    """Publish the table of ones, which leaves a source as it is.

    Parameters
    ----------
    store : Store
    clock : Clock
    report : callable
        Takes one line of progress.
    """
    table = identity_table(ELEVATION_EDGES, KC_EDGES, LEAD_EDGES)
    edges = {"elevation": ELEVATION_EDGES, "kc": KC_EDGES, "lead": LEAD_EDGES}
    provenance = {
        "source": "none",
        "data_origin": "live",
        "sources": [],
        "missing_variables": [],
        "comment": "All ones: nothing has been learned yet.",
        "edges": {name: list(e) for name, e in edges.items()},
        "code_version": code_version(),
        "built_at": iso(datetime.now(UTC)),
    }
    axes = {name: (np.array(e[:-1]) + np.array(e[1:])) / 2 for name, e in edges.items()}
    draft = Draft(store, PRODUCT, IDENTITY, axes, provenance)
    draft.write("factor", table.factor)
    moment = Moment(IDENTITY_ISSUED, IDENTITY_ISSUED, _FOR_EVER)
    return publish(draft, moment, now=clock.now(), expected=None, report=report)


def current(store: Store, clock: Clock, report: Callable[[str], None]) -> tuple[CorrectionTable, Entry]:
    """Return the table that counts now, and its version; the identity is published first where there is none.

    Raises
    ------
    TileCorrupt
        The published table is damaged.
    """
    entry = read_index(store, PRODUCT.name).newest(clock.now())
    if entry is None:
        report("no correction table has been published yet: publishing the identity")
        entry = build_identity(store=store, clock=clock, report=report)
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    edges = tile.manifest.provenance["edges"]
    factor = PRODUCT.variable("factor").unpack(tile.table("factor"))
    return CorrectionTable(factor.astype(np.float32), *(np.array(edges[name]) for name in PRODUCT.dims)), entry
