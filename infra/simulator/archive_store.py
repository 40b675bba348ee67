"""The archive files as the server has them: bytes by offset, made by a child process as they are asked for."""

import asyncio
import json
import os
import random
import sys
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from infra.simulator.files import GenerationError

Month = tuple[str, int, int]
"""Kind, year, month."""

_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = (sys.executable, "-m", "infra.simulator.archive_child")
_VERSION = 1  # raise it when the same month would come out differently
_PIECES_AT_ONCE = 16
_LINE_LIMIT = 1 << 20
_PIECES_BYTES, _MONTHS_BYTES = 64 << 20, 16 << 20
_NOISE_BYTES = 1 << 20


class VirtualFile(Protocol):
    """A file of which any part can be had."""

    @property
    def size(self) -> int:
        """Bytes of it."""
        ...

    @property
    def etag(self) -> str:
        """Names this very file."""
        ...

    async def read(self, start: int, stop: int) -> bytes:
        """Return bytes `start` to `stop`."""
        ...


class _Lru:
    """What was used last, up to so many bytes."""

    def __init__(self, limit: int) -> None:
        self._held: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._limit, self._bytes = limit, 0

    def get(self, key: Hashable) -> Any:
        if key in self._held:
            self._held.move_to_end(key)
            return self._held[key][0]
        return None

    def put(self, key: Hashable, value: Any, size: int) -> None:
        if key in self._held:
            return
        self._held[key] = (value, size)
        self._bytes += size
        while self._bytes > self._limit and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1][1]


class ArchiveStore:
    """The months of the archives. One event loop.

    Parameters
    ----------
    spacing_km : float
        Of the grids.
    program : sequence of str
        The child.
    """

    def __init__(self, spacing_km: float, program: Sequence[str] = _PROGRAM) -> None:
        self.spacing_km, self._program = spacing_km, program
        self._turn = asyncio.Lock()
        self._child: asyncio.subprocess.Process | None = None
        self._pieces, self._months = _Lru(_PIECES_BYTES), _Lru(_MONTHS_BYTES)

    async def month(self, month: Month, shift_x: float = 0.0) -> "MonthFile":
        """Return the file of a month; `shift_x` moves its x away from where it belongs.

        Raises
        ------
        GenerationError
            It could not be made.
        """
        key = (month, shift_x)
        file: MonthFile | None = self._months.get(key)
        if file is None:
            question = {"month": [*month, self.spacing_km], "shift_x": shift_x}
            heading, blobs = await self._ask(question)
            file = MonthFile(self, month, shift_x, heading, blobs)
            self._months.put(key, file, sum(map(len, blobs)))
        return file

    async def pieces(self, month: Month, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return pieces of a month by number; those made lately cost nothing."""
        found = {number: self._pieces.get((month, number)) for number in numbers}
        missing = [number for number, held in found.items() if held is None]
        if missing:
            _, blobs = await self._ask({"month": [*month, self.spacing_km], "pieces": missing})
            for number, blob in zip(missing, blobs, strict=True):
                found[number] = blob
                self._pieces.put((month, number), blob, len(blob))
        return found

    async def _ask(self, question: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        # who gives up must not leave half an answer behind for the next
        return await asyncio.shield(asyncio.create_task(self._ask_in_turn(question)))

    async def _ask_in_turn(self, question: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        async with self._turn:
            child = await self._started()
            if child.stdin is None or child.stdout is None:
                raise GenerationError("the child has no pipes")
            try:
                child.stdin.write(json.dumps(question).encode() + b"\n")
                await child.stdin.drain()
                heading = json.loads(await child.stdout.readuntil(b"\n"))
                blobs = [await child.stdout.readexactly(length) for length in heading["lengths"]]
            except (asyncio.IncompleteReadError, ConnectionError) as error:
                raise GenerationError(
                    "the process that makes the archive ended; its words are on standard error"
                ) from error
        if "error" in heading:
            raise GenerationError(f"the archive could not be made: {heading['error']}")
        return heading, blobs

    async def _started(self) -> asyncio.subprocess.Process:
        if self._child is None or self._child.returncode is not None:
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            self._child = await asyncio.create_subprocess_exec(
                *self._program,
                cwd=_ROOT,
                env=environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LINE_LIMIT,
            )
        return self._child

    async def close(self) -> None:
        """End the child."""
        if self._child is not None:
            with suppress(ProcessLookupError):
                self._child.kill()
            await self._child.wait()


class MonthFile:
    """A month's file: what is no field is held, the fields are made piece by piece."""

    def __init__(
        self, store: ArchiveStore, month: Month, shift_x: float, heading: dict[str, Any], blobs: list[bytes]
    ) -> None:
        self._store, self._month = store, month
        self.size: int = heading["size"]
        kind, year, number = month
        self.etag = f'"{kind}-{year:04d}{number:02d}-{_VERSION}-{store.spacing_km:g}-{shift_x:g}"'
        self._parts = list(zip(heading["offsets"], blobs, strict=True))
        self._fields: list[dict[str, int]] = heading["fields"]
        self._pieces: int = heading["pieces"]

    async def read(self, start: int, stop: int) -> bytes:
        """Return bytes `start` to `stop`; of the fields the pieces that lie there are made."""
        data = bytearray(stop - start)
        for offset, part in self._parts:
            _lay(data, start, offset, part)
        within = 0
        for field in self._fields:
            first, size = field["first"], field["size"]
            low = max(0, (start - first) // size)
            high = min(self._pieces, -(-(stop - first) // size))
            for begun in range(low, high, _PIECES_AT_ONCE):
                numbers = range(begun, min(begun + _PIECES_AT_ONCE, high))
                for number, piece in (await self._store.pieces(self._month, numbers)).items():
                    _lay(data, start, first + number * size, piece[within : within + size])
            within += size
        return bytes(data)


def _lay(data: bytearray, start: int, offset: int, part: bytes) -> None:
    """Put a part of the file into a window of it that begins at `start`, as far as it reaches into it."""
    low, high = max(start, offset), min(start + len(data), offset + len(part))
    if low < high:
        data[low - start : high - start] = part[low - offset : high - offset]


@dataclass
class Shortened:
    """A file that ends too early."""

    whole: VirtualFile
    size: int

    @property
    def etag(self) -> str:
        """Its own."""
        return f'{self.whole.etag[:-1]}-{self.size}"'

    async def read(self, start: int, stop: int) -> bytes:
        """Return bytes of what is left."""
        return await self.whole.read(start, stop)


class Noise:
    """A file of noise, or of no bytes."""

    def __init__(self, etag: str, size: int = _NOISE_BYTES) -> None:
        self.size, self.etag = size, f'{etag[:-1]}-noise-{size}"'
        self._data = random.Random(size).randbytes(size)  # noqa: S311 - noise, no secret

    async def read(self, start: int, stop: int) -> bytes:
        """Return bytes of it."""
        return self._data[start:stop]
