"""The simulated files on disk: made when first asked for, by one child process at a time, and kept bounded.

A cycle's file depends on nothing but its name and the spacing, so one that was dropped and made again is
the same file with the same ETag. pvlib and the NetCDF library are loaded by the child alone: the server
starts fast and stays small, and stopping it in the middle is killing the child.
"""

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from tiles.clock import format_partition

_LOG = logging.getLogger(__name__)
_ROOT = Path(__file__).resolve().parents[2]
_WEATHER_VERSION = 1  # raise it when the same cycle would come out differently
_ABANDONED_S = 600.0
PROGRAM = (sys.executable, "-m", "infra.simulator.netcdf")


class GenerationError(Exception):
    """The child that makes a file ended badly; the text is its last words."""


class CycleFiles:
    """The files of simulated cycles in one folder. One event loop, one server to a folder.

    Parameters
    ----------
    state_dir : Path
        Where they lie; created.
    spacing : float
        Of the grid: km, or whatever the program takes.
    keep : int
        How many files stay on disk, those asked for last.
    program : sequence of str
        What makes a file; it is given path, source, cycle and spacing.
    named : callable
        From a cycle to its text.
    """

    def __init__(
        self,
        state_dir: Path,
        spacing: float,
        keep: int = 12,
        program: Sequence[str] = PROGRAM,
        named: Callable[[datetime], str] = format_partition,
    ):
        self.folder = state_dir.resolve() / f"weather-{_WEATHER_VERSION}" / f"{spacing:g}"
        self._spacing, self._named = spacing, named
        self._keep = keep
        self._program = program
        self._turn = asyncio.Lock()
        self._making: dict[Path, asyncio.Task[None]] = {}
        self._child: asyncio.subprocess.Process | None = None
        self.folder.mkdir(parents=True, exist_ok=True)
        for left_over in self.folder.glob(".*"):
            with suppress(FileNotFoundError):
                if time.time() - left_over.stat().st_ctime > _ABANDONED_S:
                    left_over.unlink()

    async def get(self, source: str, cycle: datetime) -> Path:
        """Return the file of a cycle, made first where it is not there; this takes as long as it takes.

        Raises
        ------
        GenerationError
            It could not be made.
        """
        path = self.folder / f"{source}_{self._named(cycle)}.nc"
        if not path.exists():
            task = self._making.get(path)
            if task is None:
                task = asyncio.create_task(self._make(path, source, cycle))
                self._making[path] = task
                task.add_done_callback(lambda _: self._making.pop(path, None))
            await asyncio.shield(task)  # others may wait for the same file
        status = path.stat()
        os.utime(path, (time.time(), status.st_mtime))  # the files read last are kept
        return path

    async def _make(self, path: Path, source: str, cycle: datetime) -> None:
        async with self._turn:
            self._drop_oldest()
            started = time.monotonic()
            # one core: the other is for whoever waits for the file
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
            self._child = await asyncio.create_subprocess_exec(
                *self._program,
                *(str(path), source, self._named(cycle), str(self._spacing)),
                cwd=_ROOT,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            _, errors = await self._child.communicate()
            code, self._child = self._child.returncode, None
        if code != 0:
            last_words = (errors.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
            raise GenerationError(f"{path.name} could not be made (exit {code}): {last_words}")
        _LOG.info("made %s in %.1f s", path.name, time.monotonic() - started)

    def _drop_oldest(self) -> None:
        files = sorted(self.folder.glob("*.nc"), key=lambda file: file.stat().st_atime)
        for file in files[: max(0, len(files) - self._keep + 1)]:
            file.unlink()

    async def close(self) -> None:
        """Stop making files; nothing half-made is left under a file's name."""
        for task in list(self._making.values()):
            task.cancel()
        if self._child is not None:
            with suppress(ProcessLookupError):
                self._child.kill()
            await self._child.wait()
        for left_over in self.folder.glob(".*"):
            left_over.unlink(missing_ok=True)
