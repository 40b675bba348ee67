"""Horizons of 60 x 60 km on a local Dask cluster of one and of two workers."""

import shutil
import socket
import time
from dataclasses import replace
from pathlib import Path

from distributed import Client

from dags.areas import Area
from dags.build.executor import ExecutorSettings
from dags.build.horizon import horizon
from kernels import utm
from tests.bench import horizon_land
from tests.bench.timing import running
from tests.support.context import context_of

COMMAND = ("-m", "infra.cli", "dask")
SIDE_KM = 60.0
BAR = 0.85
_WAIT_S = 60.0


def _load() -> None:
    import kernels.horizon.block  # noqa: F401


def built(store: Path, workers: int) -> tuple[float, float]:
    """Seconds of making the blocks, and of the whole build."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    lat, lon = (float(value) for value in utm.inverse(*horizon_land.MIDDLE))
    context = context_of(store, horizon_land.CLOCK, (Area("middle", lat, lon, SIDE_KM),))
    context = replace(context, executor=ExecutorSettings(dask=address))
    with (
        running(*COMMAND, "scheduler", DASK=address),
        running(*COMMAND, "worker", "--processes", str(workers), DASK=address),
    ):
        with Client(address, timeout=_WAIT_S, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=_WAIT_S)
            client.run(_load)
        begin = time.perf_counter()
        groups = horizon.build.begin(context)
        middle = time.perf_counter()
        jobs = [job for group in groups for job in group]
        horizon.build.make_group(context, jobs)
        making = time.perf_counter() - middle
        entry = horizon.build.publish(context)
        whole = time.perf_counter() - begin
    blocks = sum(len(job["blocks"]) for job in jobs)
    print(f"{workers} workers: {blocks} blocks of {entry.version} in {len(jobs)} jobs: {making:.1f}, all {whole:.1f} s")
    return making, whole


def measure(folder: Path) -> int:
    """Print the efficiency of two workers; return 1 where it is below the bar."""
    file, _ = horizon_land.wide(folder)
    horizon_land.laid_down(str(folder / "land"), file)
    seconds = {}
    for workers in (1, 2):
        store = folder / str(workers)
        shutil.copytree(folder / "land", store)
        seconds[workers] = built(store, workers)
    making, whole = (one / (2 * two) for one, two in zip(seconds[1], seconds[2], strict=True))
    print(f"efficiency of two workers: {making:.2f} making blocks (bar {BAR}), {whole:.2f} with the rest")
    return int(making < BAR)
