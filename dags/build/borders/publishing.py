"""What the builders of land and of municipalities share: all are made of Kartverket's borders, and count for ever."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from catalog.publish import Moment, publish
from catalog.sources.data_origin import origin_of
from catalog.sources.kartverket.borders import NAME, Borders
from catalog.sources.registry import SOURCES
from catalog.versions import Entry, read_index
from dags.build.context import BuildContext
from dags.build.provenance import provenance, user_agent
from tiles.product import Product
from tiles.writer import Draft

_DEADLINE_S = 120.0
# The first version counts at every moment that anybody may ask for, whatever the clock showed when it was built.
_EVER = datetime(1950, 1, 1, tzinfo=UTC)
_FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)


def read_borders(context: BuildContext, read: Callable[..., Borders]) -> Borders:
    """Return `counties` or `municipalities` as they are now.

    Raises
    ------
    ValueError
        A partition, or another source than Kartverket, is asked for.
    SourceError
        They cannot be had or are malformed.
    """
    source = context.require_source(NAME)
    context.refuse_partition(f"it is made of the borders of {source} as they are now")
    borders = read(context.address(source), user_agent=user_agent(), deadline_s=_DEADLINE_S)
    context.report(f"borders of {len(borders.areas)} {read.__name__}")
    return borders


def draft_of(
    context: BuildContext, product: Product, *borders: Borders, axes: Mapping[str, Any] | None = None, **said: Any
) -> Draft:
    """Return a draft of the version that borders make: the SHA-256 of what was read begins with it."""
    source: dict[str, Any] = {**SOURCES[NAME].named(origin_of(*(each.data_origin for each in borders)))}
    source["inputs"] = [dict(each.input) for each in borders]
    about = provenance([source], missing_variables=[], **said)
    each = [str(one.input["sha256"]) for one in borders]
    digest = each[0] if len(each) == 1 else hashlib.sha256("".join(each).encode()).hexdigest()
    return Draft(context.store, product, f"borders-{digest[:12]}", axes or {}, about)


def publish_borders(context: BuildContext, draft: Draft) -> Entry:
    """Publish a draft; what was built last is the newest."""
    index = read_index(context.store, draft.product.name)
    held = index.get(draft.version)
    latest = max((entry.issued_at for entry in index.entries if entry.version != draft.version), default=None)
    issued = _EVER if latest is None else context.clock.now()
    if held is not None and (latest is None or held.issued_at > latest):
        issued = held.issued_at
    moment = Moment(issued, _EVER, _FOR_EVER)
    return publish(draft, moment, now=context.clock.now(), expected=None, report=context.report)
