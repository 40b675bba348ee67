"""Field data step by step: one thread reads ahead in order, two inflate, the caller consumes."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.sources.axes import Orientation
from catalog.sources.chunks import Layout, Stored
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.units import Packing

_AHEAD = 3
_DECODERS = 2

Field = NDArray[np.float32]


@dataclass(frozen=True)
class Variable:
    """One variable of one file as (time, y, x) in our units; the cycle begins at step `first`."""

    name: str
    file: NetcdfFile
    layout: Layout
    packing: Packing
    order: Orientation
    first: int = 0

    def block_at(self, step: int) -> int:
        """Return the block that holds a step of the cycle."""
        return (step + self.first) // self.layout.block

    def row(self, step: int) -> int:
        """Return the row of a step of the cycle within its block."""
        return (step + self.first) % self.layout.block

    def decode(self, block: int, fetched: list[memoryview] | Stored) -> Field:
        """Return the (steps, y, x) values of a fetched block; runs in any thread."""
        return self.order.apply(self.packing.unpack(self.file.decode(self.layout, block, fetched)))

    def read(self, step: int) -> Field:
        """Return one step (y, x), without reading ahead."""
        block = self.block_at(step)
        [fetched] = self.file.fetch([(self.name, self.layout, block)])
        return np.asarray(self.decode(block, fetched)[self.row(step)])


def read_steps(variables: Sequence[Variable], n_steps: int) -> Iterator[dict[str, Field]]:
    """Yield each step's fields (y, x) by variable name, in order.

    At most `_AHEAD` steps beyond the caller's are in memory (or the time length of the file's own chunks,
    where that is longer).
    """
    files = list(dict.fromkeys(variable.file for variable in variables))

    def fetch(step: int) -> dict[str, Future[Field]]:
        started: dict[str, Future[Field]] = {}
        for file in files:
            new = [v for v in variables if v.file is file and (step == 0 or v.block_at(step) != v.block_at(step - 1))]
            answers = file.fetch([(v.name, v.layout, v.block_at(step)) for v in new])
            for v, fetched in zip(new, answers, strict=True):
                started[v.name] = decoders.submit(v.decode, v.block_at(step), fetched)
        return started

    with ThreadPoolExecutor(_DECODERS, "inflate") as decoders, ThreadPoolExecutor(1, "fetch") as fetcher:
        pending = deque(fetcher.submit(fetch, step) for step in range(min(_AHEAD, n_steps)))
        blocks: dict[str, Future[Field]] = {}
        try:
            for step in range(n_steps):
                blocks.update(pending.popleft().result())
                if step + _AHEAD < n_steps:
                    pending.append(fetcher.submit(fetch, step + _AHEAD))
                yield {v.name: blocks[v.name].result()[v.row(step)] for v in variables}
        finally:
            for future in pending:
                future.cancel()
