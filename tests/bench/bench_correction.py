"""A planted bias, and what the correction learns of it.

Forecasts at the simulator's stations only, every six hours for 60 days; observations over HTTP from the simulator
itself. The bars are of days that the table has not learned from.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catalog.sources.frost import Station
from dags.build.correction import correction, skill
from dags.build.correction import training as correction_training
from infra.simulator.bias import Bias
from infra.simulator.frost import PLACES, number_of
from infra.simulator.netcdf import forecast_ghi
from infra.simulator.weather import Weather
from kernels.correction import CorrectionTable, at_lead, correct
from tests.bench.timing import SIMULATED, SIMULATOR, service
from tests.support.context import context_of
from tests.support.stations import HOURS, clear_sky, publish_cycle
from tests.support.tiles import hour_starts
from tiles.clock import Clock, iso
from tiles.manifest import Manifest
from tiles.store import Store, open_store

BIAS = Bias(0.75, 0.9, -0.001)
NOW = datetime(2026, 6, 21, tzinfo=UTC)
DAYS, EVERY_H = 60, 6
BAR = 0.20
STATIONS = tuple(Station(number_of(i), *place) for i, place in enumerate(PLACES))
ELEVATIONS = (0, 10, 25, 90)
LEADS = (0, 12, 36, 67)

Field = NDArray[np.float32]


def measure(folder: Path) -> int:
    """Print the figures; return the exit code."""
    begin = time.monotonic()
    with service(*SIMULATOR, CLOCK=f"{iso(NOW)}!", STATE=str(folder)):
        store, clock = open_store(f"{folder}/tiles"), Clock.parse(f"{NOW.isoformat()}!")
        cycles = [NOW - timedelta(hours=h) for h in range(DAYS * 24, EVERY_H, -EVERY_H)]
        held = {cycle: publish(store, cycle) for cycle in cycles}
        made = time.monotonic()
        print(f"{len(held)} cycles at {len(STATIONS)} stations published in {made - begin:.0f} s")
        context = context_of(store, clock, addresses={"frost": f"{SIMULATED}/frost"}, report=print)
        entry = correction_training.build(context)
        print(f"learned in {time.monotonic() - made:.1f} s")
        table = correction.read_table(store, entry)
        days = Manifest.read(store, entry.manifest).provenance["days_judged_on"]
        judged = np.array(days, "datetime64[D]").astype(np.int64)
        worst = compare(held, table, judged)
        skill.build(replace(context, report=lambda _: None))
    print(f"all in {time.monotonic() - begin:.0f} s; furthest from what was planted: {worst:.0%} (bar {BAR:.0%})")
    return 0 if worst <= BAR else 1


def publish(store: Store, cycle: datetime) -> dict[str, Field]:
    """Publish a biased cycle; return it with what it would be without the bias, (hours, stations) each."""
    reference, starts = int(cycle.timestamp()), hour_starts(cycle)
    right = forecast_ghi(_WEATHER, "met_nordic", reference, starts.astype(np.float64))
    height = _WEATHER.sine_of_height(starts.astype(np.float64) + 1800)
    factors = [BIAS.factor(height[hour], hour + 0.5) for hour in range(HOURS)]
    raw = (right * np.stack(factors)).astype(np.float32)
    sky = clear_sky(STATIONS, starts)
    publish_cycle(store, cycle, raw, stations=STATIONS, sky=sky)
    return {"raw": raw, "right": right, "gcs": sky[0], "sine": sky[1]}


def compare(held: Mapping[datetime, Mapping[str, Field]], table: CorrectionTable, judged: NDArray[np.int64]) -> float:
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


_WEATHER = Weather(np.array([s.lat for s in STATIONS]), np.array([s.lon for s in STATIONS]))
