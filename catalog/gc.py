"""Removing what nobody reads any more: versions past their keep, and drafts that were never published."""

from datetime import UTC, datetime, timedelta

from catalog import stac
from catalog.versions import Entry, Index, index_key, read_index
from tiles.building import under_way
from tiles.product import Product
from tiles.products.registry import PRODUCTS
from tiles.store import Store

# A builder may be at work on a young draft, and readers may still hold an attempt that was just replaced.
GRACE = timedelta(hours=6)
# What is built block by block may take days, and be gone on with after a crash.
UNFINISHED = timedelta(days=30)


def gc(store: Store, now: datetime, *, dry_run: bool = False) -> list[str]:
    """Remove old versions and abandoned drafts of every product.

    Pinned versions, and a product's newest one, stay. Attempts that no index names stay until the youngest attempt at
    their version is older than `GRACE`: somebody may be writing, or still reading what was just replaced.

    Parameters
    ----------
    store : Store
    now : datetime
        By the clock.
    dry_run : bool
        Only say what would go.

    Returns
    -------
    list of str
        Keys of what is (or would be) removed.
    """
    removed: list[str] = []
    for product in PRODUCTS.values():
        index = read_index(store, product.name)
        old = _expired(product, index, now)
        if old and not dry_run:
            index = _drop(store, product, old)
        removed += [entry.path for entry in old]
        drafts = _drafts(store, product, datetime.now(UTC))
        # only now: what was published while we looked around is in it
        kept = {entry.path for entry in read_index(store, product.name).entries}
        removed += [path for path in drafts if path not in kept and path not in removed]
    if not dry_run:
        for path in removed:
            # the group last: a run that is killed here finds it, and what belongs to it, again
            for end in (".item.json", ".manifest.json", ".blocks", ".zarr"):
                store.delete(path.removesuffix(".zarr") + end)
    return removed


def _expired(product: Product, index: Index, now: datetime) -> list[Entry]:
    if product.keep is None:
        return []
    newest = index.newest(now)
    return [e for e in index.entries if e.issued_at < now - product.keep and not e.pinned and e is not newest]


def _drop(store: Store, product: Product, old: list[Entry]) -> Index:
    versions = {entry.version for entry in old}
    store.update(index_key(product.name), lambda present: Index.from_bytes(present).without(versions).to_bytes())
    stac.write_collection(store, product)
    return read_index(store, product.name)


def _drafts(store: Store, product: Product, real_now: datetime) -> list[str]:
    """Return attempts, published ones too, at versions that nobody has begun or published for a while."""
    found = []
    for version in store.folders(product.name):
        attempts = [path for path in store.folders(version) if path.endswith(".zarr")]
        building = under_way(store, product.name, version.rsplit("/", 1)[-1])
        under_work = building is not None and building.moment > real_now - UNFINISHED
        last = max((_last(store, path) for path in attempts), default=real_now)
        if last < real_now - GRACE:
            spared = f"{version}/{building.attempt}.zarr" if building is not None and under_work else ""
            found += [path for path in attempts if path != spared]
    return found


def _last(store: Store, path: str) -> datetime:
    """Return when an attempt was begun, or published: built by blocks, it may have taken days in between."""
    begun = _begun(path.rsplit("/", 1)[-1].removesuffix(".zarr"))
    published = store.modified(path.removesuffix(".zarr") + ".manifest.json")
    return max(begun, published) if published else begun


def _begun(attempt: str) -> datetime:
    return datetime.strptime(attempt[:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
