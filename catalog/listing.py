"""What is published, as lines to read."""

from datetime import datetime

from catalog.versions import Entry, read_index
from tiles.clock import iso
from tiles.products.registry import PRODUCTS
from tiles.products.registry import product as declared
from tiles.store import Store

_HEADINGS = ("product", "version", "issued", "source", "origin", "variables")


def listing(store: Store, now: datetime, product: str | None = None) -> list[str]:
    """Return a table of the published versions, newest first; `*` marks the one that is served at `now`.

    Raises
    ------
    KeyError
        No such product.
    """
    rows = []
    for name in [declared(product).name] if product else PRODUCTS:
        index = read_index(store, name)
        current = index.newest(now)
        rows += [_row(entry, entry is current) for entry in reversed(index.entries)]
    if not rows:
        return ["nothing is published yet; 'solflis up' or 'solflis build PRODUCT' does"]
    widths = [max(len(row[i]) for row in [_HEADINGS, *rows]) for i in range(len(_HEADINGS))]
    return [
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in [_HEADINGS, *rows]
    ]


def _row(entry: Entry, current: bool) -> tuple[str, ...]:
    return (
        entry.product,
        entry.version + (" *" if current else ""),
        iso(entry.issued_at),
        entry.source,
        entry.data_origin,
        " ".join(entry.variables),
    )
