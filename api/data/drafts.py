"""Which products that nobody has published are being built: young drafts of them lie in the store.

To list a store can be slow, and costs money where it is a bucket: it is done seldom, and neither a request nor a look
at the indexes waits for it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from obstore.exceptions import BaseError

from api.core.executors import background
from api.data.published import Published
from tiles.store import Store

# A draft older than this is a builder that died, not one that builds.
_BUILDING_FOR = timedelta(hours=2)
_POLLS_PER_LISTING = 10


@asynccontextmanager
async def drafts(published: Published, poll_s: float) -> AsyncIterator[None]:
    """Note of every product whether its first version is in the making, as long as the application runs.

    Parameters
    ----------
    published : Published
        Its products are marked.
    poll_s : float
        Pause between two looks at the indexes, s; ten times as long between two listings.
    """

    async def mark() -> None:
        while True:
            for name, followed in published.followed.items():
                unpublished = followed.index.newest(published.clock.now()) is None
                followed.building = unpublished and await asyncio.to_thread(is_building, published.store, name)
            await asyncio.sleep(_POLLS_PER_LISTING * poll_s)

    async with background(mark(), "look for drafts"):
        yield


def is_building(store: Store, product: str) -> bool:
    """Return whether a young draft of a product lies in a store, as far as the store says."""
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
