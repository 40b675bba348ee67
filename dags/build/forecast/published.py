"""The published version of a cycle, of which another product is made."""

from catalog.versions import Entry, read_index
from dags.build.context import BuildContext
from tiles.clock import format_partition, parse_partition


def published(context: BuildContext, product: str) -> Entry:
    """Return the entry of the partition's cycle; without a partition the newest by the clock.

    Raises
    ------
    ValueError
        The partition is none, or that cycle is not published.
    """
    index = read_index(context.store, product)
    if context.partition is None:
        entry, wanted = index.newest(context.clock.now()), "of now"
    else:
        wanted = format_partition(parse_partition(context.partition))
        entry = index.get(wanted)
    if entry is None:
        raise ValueError(f"{product} {wanted} is not published: build it with 'solflis build {product}'")
    return entry
