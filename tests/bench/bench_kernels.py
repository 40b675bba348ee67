"""Speed of the kernels, one thread.

The production engines as a request calls them and over a year; the forecast's on MET Nordic's full grid.
"""

import time
from functools import partial
from pathlib import Path

import numpy as np
import pyproj
from numpy.typing import ArrayLike

from kernels import clearsky, correction, deaccumulate, regrid
from kernels.cloud import ghi_under_cloud
from kernels.production import precise, simplified
from kernels.sun import elevation, sun_table
from tests.bench.timing import best_of

NY, NX = 1796, 2321
CELLS = NY * NX
SPRING_NOON = 1_774_004_400  # 2026-03-20T11:00Z
LAT0, LON0, STEP, N_LAT, N_LON = 57.0, 4.0, 0.03, 501, 934


def row(name: str, seconds: float, note: str = "") -> None:
    print(f"{name:<34}{seconds * 1e3:9.1f} ms{seconds / CELLS * 1e9:9.2f} ns/cell  {note}", flush=True)


def production(name: str, unit: float, hours: int, planes: ArrayLike, times: int) -> None:
    """The engines, from the middle of June on: more hours of day than at any other time of the year."""
    middles = 1_781_308_800 + 3600 * np.arange(hours) + 1800
    sun = sun_table(middles)
    ghi = np.maximum(800 * np.sin(np.radians(elevation(60.0, 10.0, middles))), 0)
    warm, wind, profile, system = np.full(hours, 12.0), np.full(hours, 4.0), np.full(720, 3.0), (0.85, -0.004)
    weather = (ghi, warm, wind)
    for engine, work in {
        "simplified": lambda: simplified(sun, 60.0, 10.0, ghi, warm, planes, *system),
        "precise": lambda: precise(sun, 60.0, 10.0, 100.0, *weather, planes, *system),
        "precise, horizon": lambda: precise(sun, 60.0, 10.0, 100.0, *weather, planes, *system, horizon=profile),
    }.items():
        seconds = best_of(work, 20, times)
        print(f"{engine + ': ' + name:<46}{seconds * unit:9.2f}", flush=True)


def measure(folder: Path) -> None:
    """Print the figures."""
    production("67 hours, 2 planes (us)", 1e6, 67, [(35, 135, 5), (35, 225, 5)], 200)
    production("8760 hours, 1 plane (ms)", 1e3, 8760, [(35, 180, 5)], 1)
    rng = np.random.default_rng(1)
    proj = pyproj.Proj("+proj=lcc +lat_0=63 +lon_0=15 +lat_1=63 +lat_2=63 +R=6371000")
    x, y = (first + 1000 * np.arange(size, dtype=np.float64) for first, size in ((-1_060_000, NX), (-1_330_000, NY)))
    xx, yy = np.meshgrid(x, y)
    lon, lat = proj(xx, yy, inverse=True)
    altitude = 400 + 400 * np.sin(xx / 30_000) * np.cos(yy / 40_000)
    print(f"{NY} x {NX} = {CELLS / 1e6:.2f} M cells, one thread, CPU time, best of 5")

    begin = time.thread_time()
    cells = clearsky.prepare(lat, lon, altitude, 3.0)
    row("clear sky: prepare (once)", time.thread_time() - begin)
    gcs, sine, ghi, out = (np.empty(CELLS, np.float32) for _ in range(4))
    for name, start in (("day", SPRING_NOON), ("night", SPRING_NOON + 43_200)):
        seconds = best_of(partial(clearsky.hour_mean, cells, start, gcs, sine))
        row(f"clear sky: hour mean, {name}", seconds, f"{seconds / CELLS / 4 * 1e9:.1f} ns per sub-sample")
    clearsky.hour_mean(cells, SPRING_NOON, gcs, sine)

    running, second = np.zeros(CELLS, np.float32), rng.uniform(0, 3e6, CELLS).astype(np.float32)
    row("de-accumulate: one step", best_of(lambda: deaccumulate.advance(running, second, 3600.0, ghi)))

    cloud = rng.uniform(0, 1, CELLS).astype(np.float32)
    row("cloud (V1.5)", best_of(lambda: ghi_under_cloud(gcs, cloud, out)))

    factor = rng.uniform(0.8, 1.2, (9, 8, 5)).astype(np.float32)
    edges = (np.linspace(0, 60, 10), np.linspace(0, 1.2, 9), np.linspace(0, 67, 6))
    table = correction.CorrectionTable(factor, *edges)
    np.multiply(gcs, 0.6, out=ghi)
    lead = correction.at_lead(table, 12.5)
    row("correction", best_of(lambda: correction.correct(ghi, gcs, sine, lead, out)))

    target_lon, target_lat = np.meshgrid(LON0 + STEP * np.arange(N_LON), LAT0 + STEP * np.arange(N_LAT))
    target_x, target_y = proj(target_lon, target_lat)
    arguments = (lat, lon, x, y, target_x, target_y, LAT0, LON0, STEP)
    seconds = best_of(lambda: regrid.plan(*arguments), 2)
    plan = regrid.plan(*arguments)
    shares = f"{plan.source.size / 1e6:.2f} M sources, {plan.bilinear.size} bilinear of {plan.n_target} targets"
    row("regrid: plan (once)", seconds, shares)
    target = np.empty(plan.n_target, np.float32)
    gcs_target = np.full(plan.n_target, 500, np.float32)
    begin = time.thread_time()
    used, small = regrid.compact(plan)
    row("regrid: compact plan (once)", time.thread_time() - begin, f"{used.size / 1e6:.2f} M sources used")
    field = np.empty(used.size, np.float32)
    row("regrid: take the used sources", best_of(lambda: np.take(ghi, used, out=field)))
    row("regrid: one field, compact", best_of(lambda: regrid.regrid(small, field, target)))
    row("regrid: one field", best_of(lambda: regrid.regrid(plan, ghi, target)))
    row("regrid: ghi", best_of(lambda: regrid.regrid_ghi(plan, ghi, gcs, gcs_target, target)))
