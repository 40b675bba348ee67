"""What is published now, followed as it changes: a look at the index every second.

A request never waits for any of this. It takes what is open; the next look swaps it, in one assignment.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from aiohttp import web

from api.hydration import HydrationFailed, Hydrator
from catalog.versions import Entry, Index, index_key, read_index
from tiles.chunked import ChunkedTile
from tiles.clock import Clock
from tiles.hydrated import HydratedTile
from tiles.product import Product
from tiles.store import Store

log = logging.getLogger("solflis.api")

# A worker is not ready before it has looked once; but a store that hangs does not keep it from answering.
_FIRST_LOOK_S = 10.0
_KEPT_VERSIONS = 2


Tile = HydratedTile | ChunkedTile


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
    prepare : mapping of str to callable
        Per variable that endpoints serve: makes of (entry, tile) what they need. It runs in a thread.
    index, etag : Index, str or None
        As read last.
    serving : dict of str to Serving
        By variable, what is open.
    opening : str or None
        The version that is being opened.
    trouble : str or None
        Why the index could not be read last.
    building : bool
        Whether the first version was in the making when `api.drafts` looked last.
    """

    product: Product
    prepare: Mapping[str, Callable[[Entry, Any], Any]] = field(default_factory=dict)
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
    followed : mapping of str to Followed
        By product name.
    poll_s : float
        Pause between two looks, s.
    """

    def __init__(
        self, store: Store, clock: Clock, hydrator: Hydrator, followed: Mapping[str, Followed], poll_s: float
    ) -> None:
        self.store = store
        self.followed = followed
        self._clock, self._hydrator, self._poll_s = clock, hydrator, poll_s
        self._looked = asyncio.Event()

    async def lifespan(self, _: web.Application) -> AsyncIterator[None]:
        """Follow as long as the application runs; ready after the first look."""
        task = asyncio.create_task(self._follow(), name="follow the catalogue")
        with suppress(TimeoutError):
            await asyncio.wait_for(self._looked.wait(), _FIRST_LOOK_S)
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
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
        etag = await asyncio.to_thread(self.store.etag, index_key(name))
        if etag != followed.etag:
            followed.index = await asyncio.to_thread(read_index, self.store, name)
            followed.etag = etag
        now = self._clock.now()
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

    async def _choose(
        self, followed: Followed, variable: str, now: datetime, chosen: Mapping[str, Serving]
    ) -> Serving | None:
        """Return the newest version that can be opened: one that is open, or a new one."""
        is_open = {s.entry.path: s.tile for s in (*followed.serving.values(), *chosen.values())}
        for entry in followed.candidates(variable, now):
            served = followed.serving.get(variable)
            if served is not None and served.entry.path == entry.path:
                return served
            tile = is_open.get(entry.path)
            if tile is None:
                if self._hydrator.waits(entry):
                    continue
                followed.opening = entry.version
                try:
                    tile = await self._open(followed.product, entry)
                except HydrationFailed as error:
                    log.error("%s", error)
                    continue
                finally:
                    followed.opening = None
            try:
                prepared = await asyncio.to_thread(followed.prepare[variable], entry, tile)
            except BaseException:
                if entry.path not in is_open:
                    tile.close()
                raise
            limit = followed.product.expires_after
            return Serving(entry, tile, prepared, None if limit is None else entry.issued_at + limit)
        return None

    async def _open(self, product: Product, entry: Entry) -> Tile:
        """Open a version the way that its product is read."""
        if product.read == "hydrated":
            return await self._hydrator.open(entry)
        opening = asyncio.to_thread(ChunkedTile, self.store, product, entry.manifest)
        return await self._hydrator.tried(entry, opening)

    async def _swap(self, followed: Followed, serving: dict[str, Serving]) -> None:
        before = followed.serving
        followed.serving = serving
        _close_all(before, but=serving)  # handlers read without a pause between choosing a tile and reading it
        was_open = {id(s.tile) for s in before.values()}
        for new in {s.entry.path: s.entry for s in serving.values() if id(s.tile) not in was_open}.values():
            log.info("serving %s %s (%s)", new.product, new.version, new.attempt)
        entries, now = followed.index.entries, self._clock.now()
        past = [e for e in entries if e.issued_at <= now]
        keep = [*past[-_KEPT_VERSIONS:], *entries[len(past) :], *(s.entry for s in serving.values())]
        await asyncio.to_thread(self._hydrator.prune, followed.product.name, keep)

    def failed(self, entry: Entry) -> bool:
        """Return whether the last attempt to open a version failed."""
        return self._hydrator.failed(entry)


def _close_all(opened: Mapping[str, Serving], but: Mapping[str, Serving]) -> None:
    """Close the tiles of `opened`, each once, except those that `but` goes on using."""
    in_use = {id(s.tile) for s in but.values()}
    for tile in {id(s.tile): s.tile for s in opened.values() if id(s.tile) not in in_use}.values():
        tile.close()
