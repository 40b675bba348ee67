"""Getting a published version's hydrated tile: made by a process of its own, opened in a thread."""

import asyncio
import logging
import shutil
import sys
from collections.abc import Awaitable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from catalog.versions import Entry
from tiles.errors import TileCorrupt, TileError
from tiles.hydrated import HEADER, HydratedTile, hydrated_dir

log = logging.getLogger("solflis.api")

T = TypeVar("T")

_FIRST_WAIT_S = 2.0
_LONGEST_WAIT_S = 120.0
# A second's work, or ten from a slow bucket: what takes longer hangs, and nothing else is followed meanwhile.
_MADE_WITHIN_S = 180.0


class HydrationFailed(Exception):
    """A version cannot be opened now; the text says why."""


class Hydrator:
    """Opens hydrated tiles of one store in one state folder; after a failure it waits longer each time.

    Parameters
    ----------
    store_url : str
    state : Path
    first_wait_s : float
        After the first failure, s; then twice as long each time.
    made_within_s : float
        Longest that a tile may take to be decoded, s.
    """

    def __init__(
        self, store_url: str, state: Path, first_wait_s: float = _FIRST_WAIT_S, made_within_s: float = _MADE_WITHIN_S
    ) -> None:
        self._store_url, self._state = store_url, state
        self._first_wait_s, self._made_within_s = first_wait_s, made_within_s
        self._failures: dict[str, tuple[int, float]] = {}

    def waits(self, entry: Entry) -> bool:
        """Return whether a version failed so recently that it is not tried again yet."""
        _, not_before = self._failures.get(entry.path, (0, 0.0))
        return asyncio.get_running_loop().time() < not_before

    def failed(self, entry: Entry) -> bool:
        """Return whether the last attempt at a version failed."""
        return entry.path in self._failures

    async def open(self, entry: Entry, *, check: bool = False) -> HydratedTile:
        """Open a version's tile; decode it first where no worker has done so yet.

        Parameters
        ----------
        entry : Entry
        check : bool
            Whether the file that is there has to be checked, and made anew where it was altered.

        Raises
        ------
        HydrationFailed
        """
        return await self.tried(entry, self._open_or_make(entry, hydrated_dir(self._state, entry.path), check))

    async def tried(self, entry: Entry, opening: Awaitable[T]) -> T:
        """Return what opens a version; note whether it failed.

        Raises
        ------
        HydrationFailed
        """
        try:
            tile = await opening
        except (HydrationFailed, TileError, OSError) as error:
            times = self._failures.get(entry.path, (0, 0.0))[0]
            wait = min(_LONGEST_WAIT_S, self._first_wait_s * 2**times)
            self._failures[entry.path] = (times + 1, asyncio.get_running_loop().time() + wait)
            text = f"{entry.path} cannot be opened: {error}; next attempt in {wait:.0f} s"
            raise HydrationFailed(text) from error
        self._failures.pop(entry.path, None)
        return tile

    async def _open_or_make(self, entry: Entry, folder: Path, check: bool) -> HydratedTile:
        if not check and (folder / HEADER).exists():
            try:
                return await asyncio.to_thread(HydratedTile.open, folder)
            except TileCorrupt as error:
                log.warning("hydrated again: %s", error)
        await self._make(entry, folder)
        # written, or found made and checked, a moment ago by the process that has just ended well
        return await asyncio.to_thread(HydratedTile.open, folder)

    async def _make(self, entry: Entry, folder: Path) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tiles.hydrate",
            "--store",
            self._store_url,
            "--product",
            entry.product,
            "--manifest",
            entry.manifest,
            "--out",
            str(folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            async with asyncio.timeout(self._made_within_s):
                output, _ = await process.communicate()
        except (TimeoutError, asyncio.CancelledError) as error:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            if isinstance(error, TimeoutError):
                raise HydrationFailed(f"tiles.hydrate did not end within {self._made_within_s:g} s") from error
            raise
        said = output.decode(errors="replace").strip()
        if process.returncode != 0:
            ended = f"tiles.hydrate ended with {process.returncode}"
            raise HydrationFailed(said.splitlines()[-1] if said else ended)
        if said:
            log.warning("%s: %s", entry.path, said)

    def prune(self, product: str, keep: Collection[Entry]) -> None:
        """Remove a product's hydrated tiles but for some; who has an unlinked one open reads on.

        What is newer than all that is kept stays too: another worker may know of it already. (The names of
        versions and attempts sort by time.)
        """
        root = self._state / "hydrated" / product
        if not keep or not root.is_dir():
            return
        kept = {hydrated_dir(self._state, entry.path) for entry in keep}
        newest: dict[Path, str] = {}
        for folder in sorted(kept):
            newest[folder.parent] = folder.name
        for version in root.iterdir():
            if version not in newest:
                if version < max(newest):
                    shutil.rmtree(version, ignore_errors=True)
                continue
            for attempt in version.iterdir():
                outdated = attempt not in kept and attempt.name < newest[version]
                if outdated and attempt.is_dir() and not attempt.name.startswith("."):
                    shutil.rmtree(attempt, ignore_errors=True)
