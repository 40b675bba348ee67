"""The parent's end of such a process: starting it, noting what it says, ending it."""

import asyncio
import logging
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import Context
from typing import Self

log = logging.getLogger("solflis.api")

_LAST_WORDS_S = 1.0
# All that it is given of our environment: no setting, and with that no secret, is among them.
_HANDED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
# One thread is enough; a line of numpy's would take memory for each core.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Child:
    """A running process.

    Parameters
    ----------
    process : Process
    name : str
        For the log: `the process that draws`.
    """

    def __init__(self, process: Process, name: str) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("a process that nobody can ask")
        self._process, self.requests, self.answers = process, process.stdin, process.stdout
        # in a context of its own: the request that happened to start it has no part in what comes later
        self._noting = asyncio.create_task(_note(process.stderr, name), name=f"note {name}", context=Context())

    @classmethod
    async def start(cls, command: Sequence[str], name: str, more: Mapping[str, str]) -> Self:
        """Start one.

        Parameters
        ----------
        command : sequence of str
        name : str
        more : mapping
            Of its environment.

        Raises
        ------
        OSError
        """
        environment = {one: os.environ[one] for one in _HANDED_ON if one in os.environ} | _ONE_THREAD | dict(more)
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment)
        return cls(process, name)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether it is known to have ended."""
        return self._process.returncode is not None or self.requests.is_closing()

    async def wait(self) -> int:
        """Return its exit code, when it has one."""
        return await self._process.wait()

    async def end(self) -> None:
        """Kill it, and return when it is gone."""
        with suppress(ProcessLookupError):
            self._process.kill()
        with suppress(ConnectionError):
            await self.answers.read()  # of a pipe that nobody reads to its end, asyncio stays the owner
        await self._process.wait()
        self.requests.close()
        await asyncio.wait([self._noting], timeout=_LAST_WORDS_S)
        self._noting.cancel()  # a process that it started itself may have it open


async def _note(words: asyncio.StreamReader, name: str) -> None:
    with suppress(ConnectionError):
        while said := await words.read(4096):
            log.warning("%s says: %s", name, said.decode(errors="replace").strip())
