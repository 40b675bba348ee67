"""The parent's end of the process that draws: starting it, asking it, ending it."""

import asyncio
import logging
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from contextvars import Context
from pathlib import Path
from typing import Self

from api.pictures.child import ANSWER, DRAWN, FAILED, REQUEST

log = logging.getLogger("solflis.api")

_LAST_WORDS_S = 1.0
_LARGEST_BYTES = 4_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
# All that it is given of our environment: no setting, and with that no secret, is among them.
_HANDED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")


class PainterFailed(Exception):
    """It died, or answered what is no answer; the text says which. It is of no more use."""


class PainterIdled(Exception):
    """It had ended for want of work before it read the request; another one will draw."""


class DrawingFailed(Exception):
    """The drawing raised; the text says where. The process goes on."""


class Painter:
    """A running process that draws."""

    def __init__(self, process: Process) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("a process that nobody can ask")
        self._process, self._requests, self._answers = process, process.stdin, process.stdout
        # in a context of its own: the request that happened to start it has no part in what comes later
        self._noting = asyncio.create_task(_note(process.stderr), name="note the painter's words", context=Context())

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
        return cls(
            await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=_environment(folder)
            )
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it is known to have ended."""
        return self._process.returncode is not None or self._requests.is_closing()

    async def ask(self, request: bytes) -> bytes:
        """Return the picture. Who is cancelled here leaves a process that is of no more use.

        Raises
        ------
        PainterFailed, PainterIdled, DrawingFailed
        """
        if self.ended:
            raise PainterIdled("it had ended")
        begun = b""
        try:
            self._requests.write(REQUEST.pack(len(request)) + request)
            with suppress(ConnectionError):  # what it answered before it ended, if anything, says more
                await self._requests.drain()
            begun = await self._answers.readexactly(ANSWER.size)
            status, length = ANSWER.unpack(begun)
            if status not in (DRAWN, FAILED) or length > _LARGEST_BYTES:
                raise PainterFailed("it does not answer in frames")
            body = await self._answers.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            code = await self._process.wait()
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
        with suppress(ProcessLookupError):
            self._process.kill()
        with suppress(ConnectionError):
            await self._answers.read()  # of a pipe that nobody reads to its end, asyncio stays the owner
        await self._process.wait()
        self._requests.close()
        await asyncio.wait([self._noting], timeout=_LAST_WORDS_S)
        self._noting.cancel()  # a process that it started itself may have it open


def _environment(folder: Path) -> dict[str, str]:
    # one thread is enough for a picture; a line of numpy's would take memory for each core
    ours = {"MPLCONFIGDIR": str(folder), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return {name: os.environ[name] for name in _HANDED_ON if name in os.environ} | ours


async def _note(words: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        while said := await words.read(4096):
            log.warning("the process that draws says: %s", said.decode(errors="replace").strip())
