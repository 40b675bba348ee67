"""Which versions answer now: of the land, of the statistics, and of each typical year."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api import texts
from api.errors import Unavailable
from api.published import Followed
from api.tmy.choice import PRODUCTS, ProductName
from api.tmy.place import Land
from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.errors import TileError

log = logging.getLogger("solflis.api")

LAND, STATS = "land", "tmy_stats"
_OPENED_BY: dict[str, str] = {LAND: "land", STATS: "annual_ghi_tmy", **dict.fromkeys(PRODUCTS, "ghi")}
# What is missing is built by hand: asking again sooner brings nothing.
RETRY_S = 3600
_TRIED_AGAIN_S = 60
# A build is published product by product, one soon after the other.
_PUBLISHED_WITHIN_S = 5


@dataclass(frozen=True)
class Version:
    """A published version that can be read by cell.

    Parameters
    ----------
    entry : Entry
    tile : ChunkedTile
    sources : sequence of mapping
        `name`, `licence` and `attribution` of each.
    method, generator : str
    build : str
        The same in all that one build made; empty in a version that does not say it.
    """

    entry: Entry
    tile: ChunkedTile
    sources: Sequence[Mapping[str, str]]
    method: str
    generator: str
    build: str

    @property
    def name(self) -> str:
        """What tells it from all other versions."""
        return self.entry.path

    @contextmanager
    def reading(self) -> Iterator[ChunkedTile]:
        """Read the tile; what cannot be read becomes an answer.

        Raises
        ------
        Unavailable
        """
        try:
            yield self.tile
        except (TileError, OSError) as error:
            log.error("damaged %s: %r", self.entry.path, error)
            raise Unavailable(texts.TMY_DAMAGED, _TRIED_AGAIN_S) from error


def _open_land(entry: Entry, tile: ChunkedTile) -> Land:
    return Land(tile.table("land") == 1, entry.path)


def _open(entry: Entry, tile: ChunkedTile) -> Version:
    told = tile.manifest.provenance
    missing = [name for name in ("sources", "method", "generator") if not told.get(name)]
    if missing:
        raise ValueError(f"the provenance of {entry.path} lacks {', '.join(missing)}: build it anew")
    texts_of = {name: str(told[name]) for name in ("method", "generator")}
    return Version(entry, tile, told["sources"], **texts_of, build=str(told.get("build") or ""))


PREPARE: dict[str, Any] = {
    name: {variable: _open_land if name == LAND else _open} for name, variable in _OPENED_BY.items()
}
"""What is made of each product when a version is opened."""


class Climate:
    """Chooses among what is published.

    Parameters
    ----------
    followed : mapping of str to Followed
        `land`, `tmy_stats` and the four products among them.
    """

    def __init__(self, followed: Mapping[str, Followed]) -> None:
        self._followed = followed

    def land(self, now: datetime) -> Land:
        """Return the cells that hold land; refusals as in `version`."""
        land: Land = self._current(LAND, now)
        return land

    def stats(self, now: datetime) -> Version:
        """Return the statistics; refusals as in `version`."""
        version: Version = self._current(STATS, now)
        return version

    def version(self, product: ProductName, now: datetime) -> Version:
        """Return a product's version that answers at a moment.

        Raises
        ------
        Unavailable
            None is published, or none can be opened.
        """
        version: Version = self._current(product, now)
        return version

    def beside(self, stats: Version, product: ProductName, now: datetime) -> Version:
        """Return a product's version as `version` does, if it is of the build that the statistics are of.

        Raises
        ------
        Unavailable
            Another build's, or none can be opened.
        """
        version = self.version(product, now)
        if stats.build and version.build and stats.build != version.build:
            raise Unavailable(texts.TMY_BEING_PUBLISHED.format(product=product), _PUBLISHED_WITHIN_S)
        return version

    def _current(self, product: str, now: datetime) -> Any:
        serving = self._followed[product].current(_OPENED_BY[product], now)
        if serving is None:
            raise Unavailable(texts.TMY_NOT_PUBLISHED.format(product=product), _TRIED_AGAIN_S)
        return serving.prepared
