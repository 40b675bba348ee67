"""What the builders of land and of municipalities share: all are made of Kartverket's borders, and count for ever."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from catalog.publish import Moment
from catalog.sources import kartverket
from catalog.sources.registry import SOURCES
from catalog.versions import read_index
from dags.build.context import BuildContext
from dags.build.provenance import code_version
from tiles.clock import Clock, iso
from tiles.store import Store

DEADLINE_S = 120.0
# The first version counts at every moment that anybody may ask for, whatever the clock showed when it was built.
_EVER = datetime(1950, 1, 1, tzinfo=UTC)
_FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)


Input = Mapping[str, str | int]
"""What was read: address, bytes and SHA-256."""


def version_of(*inputs: Input) -> str:
    """Return the version that borders make: the SHA-256 of the file, or of those of the files, begins with it."""
    each = [str(read["sha256"]) for read in inputs]
    digest = each[0] if len(each) == 1 else hashlib.sha256("".join(each).encode()).hexdigest()
    return f"borders-{digest[:12]}"


def moment(store: Store, product: str, version: str, clock: Clock) -> Moment:
    """Return the times that a version counts for: what was built last is the newest."""
    index = read_index(store, product)
    held = index.get(version)
    latest = max((entry.issued_at for entry in index.entries if entry.version != version), default=None)
    issued = _EVER if latest is None else clock.now()
    if held is not None and (latest is None or held.issued_at > latest):
        issued = held.issued_at
    return Moment(issued, _EVER, _FOR_EVER)


def of_borders(context: BuildContext) -> str:
    """Return where the borders are.

    Raises
    ------
    ValueError
        A partition, or another source than Kartverket, is asked for.
    """
    source = context.require_source(kartverket.NAME)
    context.refuse_partition(f"it is made of the borders of {source} as they are now")
    return context.address(source)


def provenance(inputs: Sequence[Input], data_origin: str, more: Mapping[str, Any], method: str) -> dict[str, Any]:
    """Return where a version comes from.

    Parameters
    ----------
    inputs : sequence of mapping
        What was read.
    data_origin : {"live", "simulated"}
    more : mapping
        What else is said of the source.
    method : str
    """
    said = SOURCES[kartverket.NAME].terms(simulated=data_origin == "simulated")
    return {
        "source": kartverket.NAME,
        "data_origin": data_origin,
        "sources": [{"name": kartverket.NAME, **said, **more, "inputs": [dict(read) for read in inputs]}],
        **said,
        "missing_variables": [],
        "method": method,
        "code_version": code_version(),
        "built_at": iso(datetime.now(UTC)),
    }
