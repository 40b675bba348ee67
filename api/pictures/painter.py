"""The parent's end of the process that draws: asking it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from api.child.outside import Child
from api.pictures.child import ANSWER, DRAWN, FAILED, REQUEST

_LARGEST_BYTES = 4_000_000
_PNG = b"\x89PNG\r\n\x1a\n"


class PainterFailed(Exception):
    """It died, or answered what is no answer; the text says which. It is of no more use."""


class PainterIdled(Exception):
    """It had ended for want of work before it read the request; another one will draw."""


class DrawingFailed(Exception):
    """The drawing raised; the text says where. The process goes on."""


class Painter:
    """A running process that draws."""

    def __init__(self, child: Child) -> None:
        self._child = child

    @classmethod
    async def start(cls, command: Sequence[str], folder: Path) -> Self:
        """Start one.

        Parameters
        ----------
        command : sequence of str
        folder : Path
            Where matplotlib keeps its list of fonts.

        Raises
        ------
        OSError
        """
        return cls(await Child.start(command, "the process that draws", {"MPLCONFIGDIR": str(folder)}))

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    async def ask(self, request: bytes) -> bytes:
        """Return the picture. Who is cancelled here leaves a process that is of no more use.

        Raises
        ------
        PainterFailed, PainterIdled, DrawingFailed
        """
        child = self._child
        if child.ended:
            raise PainterIdled("it had ended")
        begun = b""
        try:
            child.requests.write(REQUEST.pack(len(request)) + request)
            with suppress(ConnectionError):  # what it answered before it ended, if anything, says more
                await child.requests.drain()
            begun = await child.answers.readexactly(ANSWER.size)
            status, length = ANSWER.unpack(begun)
            if status not in (DRAWN, FAILED) or length > _LARGEST_BYTES:
                raise PainterFailed("it does not answer in frames")
            body = await child.answers.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            code = await child.wait()
            if code == 0 and not begun and not getattr(error, "partial", b""):
                raise PainterIdled("it ended before it read the request") from error
            raise PainterFailed(f"it ended with {code}") from error
        if status == FAILED:
            raise DrawingFailed(body.decode(errors="replace"))
        if not body.startswith(_PNG):
            raise PainterFailed("what it drew is no PNG")
        return body

    async def end(self) -> None:
        """Kill it, and return when it is gone."""
        await self._child.end()
