"""From what is followed of a product to its state of health."""

from datetime import datetime

from api.health.models import ProductHealth, State
from api.published import Followed, Published, Serving
from catalog.versions import Entry
from tiles.clock import iso


def product_health(followed: Followed, published: Published, now: datetime) -> ProductHealth:
    """Return the health of a product.

    Parameters
    ----------
    followed : Followed
    published : Published
    now : datetime
    """
    newest = followed.index.newest(now)
    serving = _serving(followed, now)
    shown = serving.entry if serving else newest
    if shown is None:
        return ProductHealth(
            state=_of_none(followed, now),
            version=None,
            served=False,
            issued_at=None,
            age_s=None,
            stale=False,
            data_origin=None,
            newest_version=None,
            catalog_readable=followed.trouble is None,
            damaged_shards=0,
        )
    limit = followed.product.stale_after
    due = _is_due(followed, now)
    stale = due and limit is not None and now - shown.issued_at > limit
    damaged = len(serving.tile.damaged) if serving else 0
    return ProductHealth(
        state=_state(followed, published, newest, serving, stale, damaged, due),
        version=shown.version,
        served=serving is not None,
        issued_at=iso(shown.issued_at),
        age_s=int((now - shown.issued_at).total_seconds()),
        stale=stale,
        data_origin="live" if shown.data_origin == "live" else "simulated",
        newest_version=newest.version if newest else None,
        catalog_readable=followed.trouble is None,
        damaged_shards=damaged,
    )


def _serving(followed: Followed, now: datetime) -> Serving | None:
    """Return the newest version that answers come from."""
    current = (followed.current(variable, now) for variable in followed.prepare)
    return max((s for s in current if s), key=lambda s: s.entry.issued_at, default=None)


def _state(
    followed: Followed,
    published: Published,
    newest: Entry | None,
    serving: Serving | None,
    stale: bool,
    damaged: int,
    due: bool,
) -> State:
    if damaged or (newest is not None and published.failed(newest)):
        return "corrupt"
    if stale:
        return "stale"
    if followed.prepare and serving is None:
        return "building" if due else "idle"
    return "ready"


def _of_none(followed: Followed, now: datetime) -> State:
    if followed.building:
        return "building"
    # what no answer needs, or nobody asked for, is no trouble while it is not there
    needed = followed.prepare and not followed.product.on_request
    return "missing" if needed and _is_due(followed, now) else "idle"


def _is_due(followed: Followed, now: datetime) -> bool:
    """Return whether a version should be there that is no older than the product allows.

    Asked of the moment that such a version stands for: in the morning the first one is waited for as long as any other.
    """
    product = followed.product
    return product.due is None or product.stale_after is None or product.due(now - product.stale_after)
