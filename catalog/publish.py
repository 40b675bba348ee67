"""Publishing a draft: validate, manifest, STAC item, and last the swap of one small index object.

A crash anywhere before the swap leaves what was served before; the draft that stays behind is removed by `gc`.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from catalog import stac
from catalog.versions import Entry, Index, index_key
from tiles.errors import DraftInvalid
from tiles.product import Context
from tiles.shardwise import validators_of
from tiles.writer import Draft

log = logging.getLogger("solflis.publish")
Report = Callable[[str], None]


@dataclass(frozen=True)
class Moment:
    """When a version stands for: the moment it is issued at, and the time that it covers."""

    issued_at: datetime
    valid_from: datetime
    valid_to: datetime


@dataclass(frozen=True)
class Prepared:
    """A draft that is validated, written whole, and not yet in the index."""

    draft: Draft
    entry: Entry


def publish(
    draft: Draft, moment: Moment, *, now: datetime, expected: NDArray[np.bool_] | None, report: Report
) -> Entry:
    """Validate a draft and make it the product's version of that name.

    Parameters
    ----------
    draft : Draft
        With `source` and `data_origin` in its provenance.
    moment : Moment
    now : datetime
        By the clock.
    expected : bool array over the grid, or None
        The cells that the source covers.
    report : callable
        Takes one line of progress before each stage: validate, manifest, stac, index, published.

    Raises
    ------
    DraftInvalid
        A validator refused it; the text says which and why.
    TileCorrupt
        The store does not give back what was written.
    """
    return release(prepare(draft, moment, now=now, expected=expected, report=report), report)


def prepare(
    draft: Draft, moment: Moment, *, now: datetime, expected: NDArray[np.bool_] | None, report: Report
) -> Prepared:
    """Do everything of `publish` but what readers see; parameters and errors are the same."""
    product, store = draft.product, draft.store
    report(f"validate {draft.path}")
    _validate(draft, moment, now, expected)
    manifest, unread = draft.seal()
    report(f"manifest {len(manifest.objects)} objects")
    for name in unread:
        manifest.fetch(store, name)
    key = draft.path.removesuffix(".zarr") + ".manifest.json"
    store.put(key, manifest.to_bytes())
    # the index must never name what a power cut could take away
    store.settle([key, *(f"{draft.path}/{name}" for name in unread)])
    entry = Entry(
        product=product.name,
        version=draft.version,
        attempt=draft.attempt,
        issued_at=moment.issued_at,
        valid_from=moment.valid_from,
        valid_to=moment.valid_to,
        schema=product.schema,
        path=draft.path,
        manifest=key,
        source=str(draft.provenance["source"]),
        data_origin=str(draft.provenance["data_origin"]),
        variables=tuple(manifest.variables),
        published_at=now,
        bbox=stac.bbox(product, manifest),
    )
    report("stac item")
    stac.write_item(store, product, entry, manifest)
    return Prepared(draft, entry)


def release(prepared: Prepared, report: Report) -> Entry:
    """Swap the index: from now on readers see the version."""
    product, store, entry = prepared.draft.product, prepared.draft.store, prepared.entry
    report("index swap")
    store.update(index_key(product.name), lambda present: Index.from_bytes(present).with_entry(entry).to_bytes())
    report("stac collection")
    stac.write_collection(store, product)
    report(f"published {product.name} {entry.version}")
    return entry


def _validate(draft: Draft, moment: Moment, now: datetime, expected: NDArray[np.bool_] | None) -> None:
    context = Context(partition=draft.version, issued_at=_second(moment.issued_at), now=_second(now), expected=expected)
    for validator in validators_of(draft.product):
        wrong = validator.check(draft, draft.product, context)
        if wrong:
            raise DraftInvalid(f"{draft.product.name} {draft.version} is not published: {wrong}")


def _second(moment: datetime) -> np.datetime64:
    return np.datetime64(int(moment.timestamp()), "s")
