"""Field data step by step: one thread reads ahead in order, two inflate, the caller consumes."""

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.sources.grid import Grid
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.storage import Box, Storage, Stored
from catalog.sources.units import Packing

_AHEAD = 3
_DECODERS = 2

Field = NDArray[np.float32]


@dataclass(frozen=True)
class Variable:
    """One variable of one file as (time, y, x) in our units; the cycle begins at step `first`."""

    name: str
    file: NetcdfFile
    storage: Storage
    packing: Packing
    grid: Grid
    first: int = 0

    def at(self, step: int) -> tuple[int, int]:
        """Return the block that holds a step of the cycle, and the step's place in it."""
        return divmod(step + self.first, self.storage.block)

    def box(self, step: int) -> Box:
        """Return the block that holds a step, as part of the variable."""
        begin = self.at(step)[0] * self.storage.block
        return self.storage.plane(begin, begin + self.storage.block)

    def field(self, unpack: Callable[[], Stored]) -> Field:
        """Return the (steps, y, x) values of a fetched block; runs in any thread."""
        return self.grid.ascending(self.packing.unpack(unpack()))

    def read(self, step: int) -> Field:
        """Return one step (y, x), without reading ahead."""
        [unpack] = self.file.fetch([(self.storage, self.box(step))])
        return np.asarray(self.field(unpack)[self.at(step)[1]])


def read_steps(variables: Sequence[Variable], n_steps: int) -> Generator[dict[str, Field], None, None]:
    """Yield each step's fields (y, x) by variable name, in order.

    At most `_AHEAD` steps beyond the caller's are in memory (or the time length of the file's own chunks,
    where that is longer).
    """
    files = list(dict.fromkeys(variable.file for variable in variables))

    def fetch(step: int) -> dict[str, Future[Field]]:
        started: dict[str, Future[Field]] = {}
        for file in files:
            new = [v for v in variables if v.file is file and (step == 0 or v.at(step)[0] != v.at(step - 1)[0])]
            for v, unpack in zip(new, file.fetch([(v.storage, v.box(step)) for v in new]), strict=True):
                started[v.name] = decoders.submit(v.field, unpack)
        return started

    with ThreadPoolExecutor(_DECODERS, "inflate") as decoders, ThreadPoolExecutor(1, "fetch") as fetcher:
        pending = deque(fetcher.submit(fetch, step) for step in range(min(_AHEAD, n_steps)))
        blocks: dict[str, Future[Field]] = {}
        try:
            for step in range(n_steps):
                blocks.update(pending.popleft().result())
                if step + _AHEAD < n_steps:
                    pending.append(fetcher.submit(fetch, step + _AHEAD))
                yield {v.name: blocks[v.name].result()[v.at(step)[1]] for v in variables}
        finally:
            for future in pending:
                future.cancel()
