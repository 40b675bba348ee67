"""Published forecasts read back and compared with their manifests."""

from catalog.verify import verify
from catalog.versions import Entry, read_index
from dags.build.context import BuildContext
from tiles.products.forecast import PRODUCT


class Damaged(ValueError):
    """A published forecast is not as it was written; the text says what is wrong."""


def build(context: BuildContext) -> Entry:
    """Verify a published forecast, the newest where no partition is named; return its entry.

    Raises
    ------
    ValueError
        It is not published.
    Damaged
    """
    index = read_index(context.store, PRODUCT.name)
    named = context.partition
    entry = index.newest(context.clock.now()) if named is None else index.get(named)
    if entry is None:
        raise ValueError(f"forecast {named or 'of now'} is not published; there is nothing to verify")
    problems = verify(context.store, PRODUCT.name, entry.version, report=context.report)
    if problems:
        raise Damaged(f"forecast {entry.version}: {'; '.join(problems)}")
    return entry
