"""A planted bias, and what the correction learns of it: `python -m tests.bench.bench_correction`.

Forecasts at the simulator's stations only, every six hours for 60 days; observations over HTTP from the simulator
itself. The bars are of days that the table has not learned from.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from catalog.sources.frost import Station
from dags.build.correction import correction, skill
from dags.build.correction import training as correction_training
from infra.simulator.bias import Bias
from infra.simulator.frost import PLACES, number_of
from infra.simulator.netcdf import forecast_ghi
from infra.simulator.weather import Weather
from kernels.correction import at_lead, correct
from tests.support.context import context_of
from tests.support.stations import HOURS, clear_sky, hour_starts, publish_cycle
from tiles.clock import Clock
from tiles.manifest import Manifest
from tiles.store import open_store

BIAS = Bias(0.75, 0.9, -0.001)
NOW = datetime(2026, 6, 21, tzinfo=UTC)
DAYS, EVERY_H = 60, 6
BAR = 0.20
STATIONS = tuple(Station(number_of(i), *place) for i, place in enumerate(PLACES))
ELEVATIONS = (0, 10, 25, 90)
LEADS = (0, 12, 36, 67)

Field = NDArray[np.float32]


def main() -> int:
    """Print the figures; return the exit code."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, simulator(folder) as url:
        store, clock = open_store(f"{folder}/tiles"), Clock.parse(f"{NOW.isoformat()}!")
        held = {cycle: publish(store, cycle) for cycle in cycles()}
        made = time.monotonic()
        print(f"{len(held)} cycles at {len(STATIONS)} stations published in {made - begin:.0f} s")
        context = context_of(store, clock, addresses={"frost": f"{url}/frost"}, report=print)
        entry = correction_training.build(context)
        print(f"learned in {time.monotonic() - made:.1f} s")
        table = correction.read_table(store, entry)
        days = Manifest.read(store, entry.manifest).provenance["days_judged_on"]
        judged = np.array(days, "datetime64[D]").astype(np.int64)
        worst = compare(held, table, judged)
        skill.build(replace(context, report=lambda _: None))
    print(f"all in {time.monotonic() - begin:.0f} s; furthest from what was planted: {worst:.0%} (bar {BAR:.0%})")
    return 0 if worst <= BAR else 1


def cycles() -> list[datetime]:
    """Cycles of the last two months, the oldest first."""
    return [NOW - timedelta(days=DAYS) + timedelta(hours=h) for h in range(0, DAYS * 24 - EVERY_H, EVERY_H)]


def publish(store, cycle: datetime) -> dict[str, Field]:  # type: ignore[no-untyped-def]
    """Publish a biased cycle; return it with what it would be without the bias, (hours, stations) each."""
    reference, starts = int(cycle.timestamp()), hour_starts(cycle)
    right = forecast_ghi(_WEATHER, "met_nordic", reference, starts.astype(np.float64))
    height = _WEATHER.sine_of_height(starts + 1800.0)
    factors = [BIAS.factor(height[hour], hour + 0.5) for hour in range(HOURS)]
    raw = (right * np.stack(factors)).astype(np.float32)
    sky = clear_sky(STATIONS, starts)
    publish_cycle(store, cycle, raw, stations=STATIONS, sky=sky)
    return {"raw": raw, "right": right, "gcs": sky[0], "sine": sky[1]}


def compare(held, table, judged: NDArray[np.int64]) -> float:  # type: ignore[no-untyped-def]
    """Print what was planted and what was found by elevation and lead; return the furthest miss, relative."""
    size = (len(ELEVATIONS) - 1, len(LEADS) - 1)
    raw_sum, right_sum, corrected_sum = (np.zeros(size) for _ in range(3))
    for cycle, of in held.items():
        for hour in range(HOURS):
            if (int(cycle.timestamp()) // 3600 + hour) // 24 not in judged:
                continue
            out = np.empty_like(of["raw"][hour])
            correct(of["raw"][hour], of["gcs"][hour], of["sine"][hour], at_lead(table, hour + 0.5), out)
            day = of["gcs"][hour] >= 5
            row = np.searchsorted(np.sin(np.radians(ELEVATIONS)), of["sine"][hour][day], side="right") - 1
            column = int(np.searchsorted(LEADS, hour + 0.5, side="right")) - 1
            for total, values in ((raw_sum, of["raw"][hour]), (right_sum, of["right"][hour]), (corrected_sum, out)):
                np.add.at(total, (row, column), values[day])
    planted, found = right_sum / raw_sum - 1, corrected_sum / raw_sum - 1
    print("factor that undoes the bias - 1, planted / found on days not seen")
    print("  elevation  " + "".join(f"{f'{a}-{b} h':>18}" for a, b in pairwise(LEADS)))
    for i in range(size[0]):
        cells = "".join(f"{planted[i, j]:>10.3f} /{found[i, j]:6.3f}" for j in range(size[1]))
        print(f"  {f'{ELEVATIONS[i]}-{ELEVATIONS[i + 1]} deg':<11}{cells}")
    total = abs((corrected_sum.sum() - right_sum.sum()) / (right_sum.sum() - raw_sum.sum()))
    print(f"  over all: {total:.1%} from what was planted (bar {BAR:.0%})")
    return float(max(total, np.abs(found / planted - 1).max()))


@contextmanager
def simulator(folder: str) -> Iterator[str]:
    """Run the simulator of this moment; yields its address."""
    code = (
        "import sys; from pathlib import Path; from infra.simulator.server import main; from tiles.clock import Clock; "
        f"main('127.0.0.1', 0, Clock.parse('{NOW.isoformat()}!'), Path(sys.argv[1]), 200.0)"
    )
    with subprocess.Popen([sys.executable, "-c", code, folder], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[1].rstrip("/")
        finally:
            process.terminate()


_WEATHER = Weather(np.array([s.lat for s in STATIONS]), np.array([s.lon for s in STATIONS]))

if __name__ == "__main__":
    sys.exit(main())
