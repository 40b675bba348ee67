"""How fast snow on modules is followed.

The kernels alone, one thread, CPU time: what `/api/snowsoiling/calc` and the outlook do between reading and answering,
and what `snow_factors` does for a municipality.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from kernels.pv.light import light_of
from kernels.pv.mean_days import mean_days
from kernels.pv.site import site_of
from kernels.snow.cloudless import cloudless_days
from kernels.snow.cover import cover
from kernels.snow.days import SnowWeather
from kernels.snow.months import monthly
from kernels.snow.panel import Panel
from tests.bench.timing import best_of
from tests.kernels.pv.years import HILLS, PLACES, made_up
from tests.kernels.snow.winters import mountain

PLACE = PLACES["mountain"]
TILTS, AZIMUTHS = (10, 20, 30, 45, 60, 90), (0, 90, 180, 270)
SEASON = 90
BAR_MS = 1.0
"""Of 36 years: a tenth of what the whole answer may take."""
TIMES = 50


def measure(folder: Path) -> int:
    """Print the figures; return 1 where the bar is missed."""
    days, weather = mountain()
    season = SnowWeather(*(values[:SEASON] for values in weather))
    hours, roof, lon = made_up("mountain"), Panel(30), PLACE.lon
    site = site_of(hours, *PLACE[:3], HILLS)
    light, turbidity = light_of(site), np.full(12, 2.5)
    sun = mean_days(site, light, 30, 180)
    snow = cover(days, weather, sun, roof, lon)
    planes = [(tilt, azimuth) for tilt in TILTS for azimuth in AZIMUTHS]

    def municipality() -> None:
        for (tilt, _), plane in zip(planes, cloudless_days(*PLACE[:3], turbidity, planes, 0.5), strict=True):
            cover(days[:SEASON], season, plane, Panel(tilt), lon)

    works: dict[str, Callable[[], object]] = {
        "the mean days of a plane, with horizon": lambda: mean_days(site, light, 30, 180),
        f"snow of {days.size} days": lambda: cover(days, weather, sun, roof, lon),
        "their months": lambda: monthly(days, snow, sun, 1991, 1.0),
        f"snow of {SEASON} days": lambda: cover(days[:SEASON], season, sun, roof, lon),
        "cloudless days of 24 planes": lambda: cloudless_days(*PLACE[:3], turbidity, planes, 0.5),
        f"a municipality: {SEASON} days on 24 planes": municipality,
    }
    took = {name: best_of(work, times=TIMES) * 1e3 for name, work in works.items()}
    for name, milliseconds in took.items():
        print(f"{name:<46}{milliseconds:9.3f} ms")
    whole = sum(list(took.values())[:3])
    print(f"plane, {days.size} days and months: {whole:.2f} ms (bar {BAR_MS})")
    return int(whole > BAR_MS)
