"""The simulated files on disk: made when first asked for, one at a time by a child process, and kept bounded.

A file depends on nothing but its name and the options, so one that was dropped and made again is the same file with
the same ETag.
"""

import asyncio
import importlib
import logging
import os
import pickle
import sys
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from tiles.clock import format_moment

_LOG = logging.getLogger(__name__)
_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = (sys.executable, "-m", "infra.simulator.files")


class GenerationError(Exception):
    """A file could not be made; the text says why."""


class Maker:
    """The child process that makes files (see `main`): started with the first one, and again when it died."""

    def __init__(self) -> None:
        self._child: asyncio.subprocess.Process | None = None
        self.turn = asyncio.Lock()
        """Held by who lets the child work."""

    async def make(self, function: str, path: Path, *arguments: Any, **options: Any) -> None:
        """Let the child call a function, `module:name`, that writes a file.

        Raises
        ------
        GenerationError
            It failed, or the child ended.
        """
        started = time.monotonic()
        if self._child is None or self._child.returncode is not None:
            # one core: the other is for whoever waits for the file
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            self._child = await asyncio.create_subprocess_exec(
                *_PROGRAM, cwd=_ROOT, env=environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
        assert self._child.stdin is not None  # noqa: S101 - for the type checker
        assert self._child.stdout is not None  # noqa: S101
        try:
            self._child.stdin.write(pickle.dumps((*function.split(":"), (path, *arguments), options)))
            said = (await self._child.stdout.readuntil(b"\n")).strip()
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            code = await self._child.wait()
            raise GenerationError(f"{path.name} could not be made: its process ended (exit {code})") from error
        if said:
            raise GenerationError(f"{path.name} could not be made: {said.decode(errors='replace')}")
        _LOG.info("made %s in %.1f s", path.name, time.monotonic() - started)

    async def close(self) -> None:
        """End the child, whatever it is doing."""
        if self._child is not None:
            with suppress(ProcessLookupError):
                self._child.kill()
            await self._child.wait()


class Files:
    """The files of one function in one folder. One event loop, one server to a folder.

    Parameters
    ----------
    root, name : Path, str
        They lie in `root / name`; created. Files under the root count as kept, whatever they are called there.
    maker : Maker
    function : str
        `module:name`; it is given path, source, moment and the options.
    keep : int
        How many files stay on disk, those asked for last.
    options
        Of the function.
    """

    def __init__(self, root: Path, name: str, maker: Maker, function: str, keep: int = 12, **options: Any) -> None:
        self._root, self.folder = root.resolve(), root.resolve() / name
        self._maker, self._function, self._keep, self._options = maker, function, keep, options
        self.folder.mkdir(parents=True, exist_ok=True)
        self.drop_half_made()

    async def get(self, source: str, moment: datetime) -> Path:
        """Return the file of a moment, made first where it is not there; this takes as long as it takes.

        Raises
        ------
        GenerationError
            It could not be made.
        """
        path = self.folder / f"{source}_{format_moment(moment)}.nc"
        if not path.exists():
            async with self._maker.turn:
                if not path.exists():  # others may have waited for the same file
                    files = sorted(self._root.rglob("*.nc"), key=lambda file: file.stat().st_atime)
                    for file in files[: max(0, len(files) - self._keep + 1)]:
                        file.unlink()
                    await self._maker.make(self._function, path, source, moment, **self._options)
        os.utime(path, (time.time(), path.stat().st_mtime))  # the files read last are kept
        return path

    def drop_half_made(self) -> None:
        """Remove what an earlier child left when it was ended."""
        for left_over in self.folder.glob(".*"):
            left_over.unlink()


def main(calls: IO[bytes], answers: IO[bytes]) -> None:
    """Make file after file, in the child; one that fails is answered with its error.

    A call is pickled: module, function, positional and named arguments; the answer is a line, empty where all went
    well. pvlib and HDF5 are loaded here and not by the server, which starts fast, stays small and always answers.
    """
    while calls.peek(1):  # type: ignore[attr-defined]
        module, function, arguments, options = pickle.load(calls)  # noqa: S301 - from our own parent
        try:
            getattr(importlib.import_module(module), function)(*arguments, **options)
            said = ""
        except Exception as error:  # noqa: BLE001 - told to who asked; the next call may be better
            said = " ".join(f"{type(error).__name__}: {error}".split())
        answers.write(said.encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
