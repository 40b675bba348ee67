"""Whether a product is being built: a young draft of it lies in the store."""

from datetime import UTC, datetime, timedelta

from obstore.exceptions import BaseError

from tiles.store import Store

# A draft older than this is a builder that died, not one that builds.
_BUILDING_FOR = timedelta(hours=2)


def is_building(store: Store, product: str) -> bool:
    """Return whether a young draft of a product lies in a store, as far as the store says; it asks the store."""
    try:
        return any(_is_young(draft) for version in store.folders(product) for draft in store.folders(version))
    except (OSError, BaseError):
        return False  # it is away, or lists nothing for us


def _is_young(draft: str) -> bool:
    stamp = draft.rsplit("/", 1)[-1].split("-", 1)[0]
    try:
        begun = datetime.strptime(stamp, "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return False
    return abs(datetime.now(UTC) - begun) < _BUILDING_FOR  # named by real time, whatever the clock says
