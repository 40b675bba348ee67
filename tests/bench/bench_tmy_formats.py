"""The writers of `GET /api/tmy` alone, and pandas' `to_csv` of the EPW's rows.

One thread. Every round writes a year that nothing has been derived of yet.
"""

import io
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from api.tmy.formats.common.declaration import FileFormat
from api.tmy.formats.registry import FORMATS
from tests.support.typical_year import typical_year

ROUNDS, SLOW_ROUNDS = 30, 5
HEADER_LINES = 8


def milliseconds(work: Callable[[], object], before: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The median and the best of some rounds; the first, which makes the stamps, does not count."""
    times = []
    for _ in range(rounds + 1):
        before()
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:]) * 1e3, min(times[1:]) * 1e3


def measure(folder: Path) -> None:
    """Print the figures."""
    year = [typical_year()]

    def renew() -> None:
        year[0] = typical_year()

    def write(declared: FileFormat) -> None:
        declared.write(year[0])

    print(f"{'format':14}{'bytes':>10}{'ms':>8}{'best':>8}")
    medians = {}
    for value, declared in FORMATS.items():
        size = len(declared.write(year[0]))
        median, best = milliseconds(partial(write, declared), renew, ROUNDS)
        medians[value] = median
        print(f"{value:14}{size:10}{median:8.2f}{best:8.2f}")
    text = FORMATS["epw"].write(year[0]).decode()
    frame = pd.read_csv(io.StringIO(text), skiprows=HEADER_LINES, header=None)
    pandas_ms, best = milliseconds(lambda: frame.to_csv(header=False, index=False), lambda: None, SLOW_ROUNDS)
    print(f"{'pandas to_csv':14}{'':10}{pandas_ms:8.2f}{best:8.2f}   the same rows of the EPW")
    print(f"epw is {pandas_ms / medians['epw']:.0f} times as fast as to_csv (bar 12)")
