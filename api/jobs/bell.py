"""Wake-up between processes: of workers when a job is queued, of requests when theirs has ended.

A ring may be lost, so that whoever waits looks for himself once a second.
"""

import asyncio
import errno
import os
import secrets
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncConnection

from api.core.executors import background

QUEUED = "queued"
"""Rung when a job is queued; when one has ended, its id is."""
LOOK_S = 1.0
"""Pause between two looks for a lost ring, s."""

_CHANNEL = "solflis_job"
_PIPE_BYTES = 65_536  # all that a pipe holds: no name is cut


class Bell(ABC):
    """Wakes whoever waits for a name, in all processes."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @asynccontextmanager
    @abstractmethod
    def lifespan(self) -> AsyncIterator[None]:
        """Hear what others ring, as long as the application runs."""

    async def notify(self, connection: AsyncConnection, name: str) -> None:  # noqa: B027 - files have `ring`
        """Wake whoever waits for a name when a transaction is committed; call it inside."""

    async def ring(self, name: str) -> None:  # noqa: B027 - PostgreSQL has `notify`
        """Wake whoever waits for a name; call it after the transaction that they should see."""

    @contextmanager
    def listening(self, name: str) -> Iterator[asyncio.Event]:
        """Yield an event that is set whenever the name is rung."""
        event = asyncio.Event()
        self._waiting[name].add(event)
        try:
            yield event
        finally:
            self._waiting[name].discard(event)
            if not self._waiting[name]:
                del self._waiting[name]

    def _rung(self, name: str) -> None:
        for event in self._waiting.get(name, ()):
            event.set()


class FileBell(Bell):
    """Bell of one machine: each process hears at a FIFO of its own in a folder that all share.

    A FIFO, not a socket, whose path may be at most 107 bytes long.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hear at a FIFO, which is removed at the end."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{os.getpid()}-{secrets.token_hex(4)}"
        made, path = self._folder / f".{name}", self._folder / name
        os.mkfifo(made, 0o600)
        # for writing too: without a writer it would be at its end, and readable all the time
        fifo = os.open(made, os.O_RDWR | os.O_NONBLOCK)
        made.rename(path)  # only now: others remove a FIFO that nobody reads
        loop = asyncio.get_running_loop()
        loop.add_reader(fifo, self._hear, fifo)
        try:
            yield
        finally:
            loop.remove_reader(fifo)
            os.close(fifo)
            path.unlink(missing_ok=True)

    async def ring(self, name: str) -> None:
        """Write a line to every FIFO; one that cannot be written to costs its process a second."""
        files = os.listdir(self._folder) if self._folder.exists() else ()  # noqa: PTH208 - a tenth of the time
        for path in (f"{self._folder}/{file}" for file in files if not file.startswith(".")):
            try:
                fifo = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nobody reads it: a killed process left it
                    Path(path).unlink(missing_ok=True)
                continue
            try:
                with suppress(OSError):  # full, or its reader ends just now
                    os.write(fifo, f"{name}\n".encode())
            finally:
                os.close(fifo)

    def _hear(self, fifo: int) -> None:
        for name in set(os.read(fifo, _PIPE_BYTES).decode().split()):
            self._rung(name)


class PostgresBell(Bell):
    """Bell of all machines that share a PostgreSQL: LISTEN and NOTIFY.

    Parameters
    ----------
    url : URL
    """

    def __init__(self, url: URL) -> None:
        super().__init__()
        self._address = url.set(drivername="postgresql").render_as_string(hide_password=False)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hear on a connection of its own; a pooler in transaction mode lets nothing through."""
        async with background(self._listen(), "listen for jobs"):
            yield

    async def notify(self, connection: AsyncConnection, name: str) -> None:
        """Notify all who listen, when the transaction is committed."""
        await connection.execute(sa.select(sa.func.pg_notify(_CHANNEL, name)))

    async def _listen(self) -> None:
        import psycopg  # a fifth of a second that SQLite does without

        while True:
            with suppress(psycopg.Error, OSError):
                connection = await psycopg.AsyncConnection.connect(
                    self._address, autocommit=True, connect_timeout=5, keepalives_idle=30
                )
                async with connection:
                    await connection.execute(f"LISTEN {_CHANNEL}")
                    async for notification in connection.notifies():
                        self._rung(notification.payload)
            await asyncio.sleep(LOOK_S)


def make_bell(url: URL, state: Path) -> Bell:
    """Return the bell of a database."""
    return FileBell(state / "bells") if url.get_backend_name() == "sqlite" else PostgresBell(url)
