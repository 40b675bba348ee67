"""The upstream sources by name."""

from catalog.sources import arome_metcoop, met_nordic
from catalog.sources.cycle import Source

SOURCES: dict[str, Source] = {source.name: source for source in (met_nordic.SOURCE, arome_metcoop.SOURCE)}
