"""What is published now, followed as it changes: a look at the index every second.

A request never waits for any of this. It takes what is open; the next look swaps it, in one assignment.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from api.core.executors import background
from api.data.hydration import HydrationFailed, Hydrator
from catalog.versions import Entry, Index, index_key, read_index
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.errors import TileCorrupt, TileError
from tiles.hydrated import HydratedTile
from tiles.product import Product
from tiles.products.registry import PRODUCTS
from tiles.store import Store

log = logging.getLogger("solflis.api")

_KEPT_VERSIONS = 2


Tile = HydratedTile | ChunkedTile
Opener = Callable[[Entry, Any], Any]


@dataclass(frozen=True)
class Serving:
    """A version that requests are answered from.

    Parameters
    ----------
    entry : Entry
    tile : HydratedTile or ChunkedTile
    prepared : object
        What the product's endpoints made of one variable of it.
    expires : datetime or None
        From then on it is too old to be served.
    """

    entry: Entry
    tile: Tile
    prepared: Any
    expires: datetime | None


@dataclass
class Followed:
    """One product, as this worker sees it.

    Parameters
    ----------
    product : Product
    prepare : dict of str to callable
        Per variable that endpoints serve: makes of (entry, tile) what they need, in a thread. See `Published.follow`.
    index, etag : Index, str or None
        As read last.
    serving : dict of str to Serving
        By variable, what is open.
    opening : str or None
        The version that is being opened.
    trouble : str or None
        Why the index could not be read last.
    building : bool
        Whether the first version was in the making when `api.data.drafts` looked last.
    """

    product: Product
    prepare: dict[str, Opener] = field(default_factory=dict)
    index: Index = field(default=Index(()))
    etag: str | None = None
    serving: dict[str, Serving] = field(default_factory=dict)
    opening: str | None = None
    trouble: str | None = None
    building: bool = False

    def current(self, variable: str, now: datetime) -> Serving | None:
        """Return what answers for a variable at a moment: None where nothing young enough is open."""
        serving = self.serving.get(variable)
        if serving is None or (serving.expires is not None and now > serving.expires):
            return None
        return serving

    def candidates(self, variable: str, now: datetime) -> list[Entry]:
        """Return the versions that may answer for a variable at a moment, the newest first."""
        limit = self.product.expires_after
        return [
            entry
            for entry in reversed(self.index.entries)
            if entry.issued_at <= now
            and variable in entry.variables
            and (limit is None or now - entry.issued_at <= limit)
        ]


class Published:
    """Follows the published versions of every product.

    Parameters
    ----------
    store : Store
    clock : Clock
    hydrator : Hydrator
    poll_s : float
        Pause between two looks, s.
    first_look_s : float
        A worker is not ready before it has looked once; but a store that hangs does not keep it from answering, s.
    altered : callable
        Called with a product's name when a hydrated file of it turned out to be altered.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        hydrator: Hydrator,
        poll_s: float,
        first_look_s: float,
        altered: Callable[[str], None],
    ) -> None:
        self.store, self.clock = store, clock
        self.followed = {name: Followed(product) for name, product in PRODUCTS.items()}
        self.hydrator, self._poll_s, self._first_look_s, self._altered = hydrator, poll_s, first_look_s, altered
        self._looked = asyncio.Event()

    def follow(self, product: str, variable: str, opener: Opener = lambda _, tile: tile) -> Followed:
        """Serve a variable of a product: each version is opened as it is published.

        Parameters
        ----------
        product, variable : str
        opener : callable
            Makes of (entry, tile) what readers need, in a thread; by default the tile.
        """
        followed = self.followed[product]
        followed.prepare[variable] = opener
        return followed

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Follow as long as the application runs; ready after the first look."""
        async with background(self._follow(), "follow the catalogue"):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._looked.wait(), self._first_look_s)
            yield
        for followed in self.followed.values():
            _close_all(followed.serving, but={})
            followed.serving = {}

    async def _follow(self) -> None:
        while True:
            for followed in self.followed.values():
                try:
                    await self._look(followed)
                    followed.trouble = None
                except Exception as error:
                    # The store may be away for a while; what is open goes on being served.
                    text = f"the catalogue of {followed.product.name} cannot be followed: {error!r}"
                    if text != followed.trouble:
                        log.exception("%s", text)
                    followed.trouble = text
            self._looked.set()
            await asyncio.sleep(self._poll_s)

    async def _look(self, followed: Followed) -> None:
        name = followed.product.name
        await self._recheck(followed)
        etag = await asyncio.to_thread(self.store.etag, index_key(name))
        if etag is None and followed.etag is not None:
            raise TileError(f"{index_key(name)} was there, and is gone")  # what it listed goes on being served
        if etag != followed.etag:
            followed.index = await asyncio.to_thread(read_index, self.store, name)
            followed.etag = etag
        now = self.clock.now()
        chosen: dict[str, Serving] = {}
        try:
            for variable in followed.prepare:
                if serving := await self._choose(followed, variable, now, chosen):
                    chosen[variable] = serving
        except BaseException:
            _close_all(chosen, but=followed.serving)
            raise
        if chosen != followed.serving:
            await self._swap(followed, {**followed.serving, **chosen})

    async def _recheck(self, followed: Followed) -> None:
        """Check a row of each hydrated tile that is open again: all of a national one in eight minutes."""
        for tile in {s.tile for s in followed.serving.values()}:
            if isinstance(tile, HydratedTile) and not tile.altered:
                with suppress(TileCorrupt):  # `_choose` sees it
                    await asyncio.to_thread(tile.recheck)

    async def _choose(
        self, followed: Followed, variable: str, now: datetime, chosen: Mapping[str, Serving]
    ) -> Serving | None:
        """Return the newest version that can be opened: one that is open, or a new one."""
        is_open = {s.entry.path: s.tile for s in (*followed.serving.values(), *chosen.values())}
        for entry in followed.candidates(variable, now):
            served = followed.serving.get(variable)
            tile = is_open.get(entry.path)
            if served is not None and served.tile is tile and not tile.altered:
                return served
            if tile is None or tile.altered:
                if self.hydrator.waits(entry):
                    continue
                if tile is not None and not self.hydrator.failed(entry):
                    log.error("%s is made anew: %s", entry.path, tile.altered)
                    self._altered(entry.product)
                followed.opening = entry.version
                try:
                    tile = await self._open(followed.product, entry, check=tile is not None)
                except HydrationFailed as error:
                    log.error("%s", error)
                    continue
                finally:
                    followed.opening = None
            try:
                prepared = await asyncio.to_thread(followed.prepare[variable], entry, tile)
            except BaseException:
                if is_open.get(entry.path) is not tile:
                    tile.close()
                raise
            limit = followed.product.expires_after
            return Serving(entry, tile, prepared, None if limit is None else entry.issued_at + limit)
        return None

    async def _open(self, product: Product, entry: Entry, *, check: bool) -> Tile:
        """Open a version the way that its product is read."""
        if product.read == "hydrated":
            return await self.hydrator.open(entry, check=check)
        opening = asyncio.to_thread(ChunkedTile, self.store, product, entry.manifest)
        return await self.hydrator.tried(entry, opening)

    async def _swap(self, followed: Followed, serving: dict[str, Serving]) -> None:
        before = followed.serving
        followed.serving = serving
        _close_all(before, but=serving)  # handlers read without a pause between choosing a tile and reading it
        was_open = {id(s.tile) for s in before.values()}
        for new in {s.entry.path: s.entry for s in serving.values() if id(s.tile) not in was_open}.values():
            log.info("serving %s %s (%s)", new.product, new.version, new.attempt)
        entries, now = followed.index.entries, self.clock.now()
        past = [e for e in entries if e.issued_at <= now]
        keep = [*past[-_KEPT_VERSIONS:], *entries[len(past) :], *(s.entry for s in serving.values())]
        await asyncio.to_thread(self.hydrator.prune, followed.product.name, keep)


def _close_all(opened: Mapping[str, Serving], but: Mapping[str, Serving]) -> None:
    """Close the tiles of `opened`, each once, except those that `but` goes on using."""
    in_use = {id(s.tile) for s in but.values()}
    for tile in {id(s.tile): s.tile for s in opened.values() if id(s.tile) not in in_use}.values():
        tile.close()
