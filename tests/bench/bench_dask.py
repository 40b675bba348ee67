"""Horizons of 60 x 60 km on a local Dask cluster of one and of two workers: `python -m tests.bench.bench_dask`."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from dags.areas import Area
from dags.build.executor import ExecutorSettings
from dags.build.horizon import horizon
from kernels import utm
from tests.bench import horizon_land
from tests.support.context import context_of

SIDE_KM = 60.0
BAR = 0.85
_WAIT_S = 60.0


def command(*arguments: str, address: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "SOLFLIS_DASK": address}
    quiet = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-m", "infra.cli", "dask", *arguments], env=environment, stderr=quiet)


def ended(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(_WAIT_S)


def built(store: Path, workers: int) -> tuple[float, float]:
    """Seconds of making the blocks, and of the whole build."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    lat, lon = (float(value) for value in utm.inverse(*horizon_land.MIDDLE))
    context = context_of(store, horizon_land.CLOCK, (Area("middle", lat, lon, SIDE_KM),))
    context = replace(context, executor=ExecutorSettings(dask=address))
    with ExitStack() as stack:
        for arguments in (("scheduler",), ("worker", "--processes", str(workers))):
            stack.callback(ended, command(*arguments, address=address))
        _await(address, workers)
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


def _await(address: str, workers: int) -> None:
    """Wait until all workers are there, and their kernels loaded."""
    from distributed import Client

    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            with Client(address, timeout=1, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=_WAIT_S)
                client.run(_load)
            return
        except OSError:
            if time.monotonic() > deadline:
                raise


def _load() -> None:
    import kernels.horizon.block  # noqa: F401


def main() -> int:
    """Print the efficiency of two workers; return 1 where it is below the bar."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file, _ = horizon_land.wide(folder)
        horizon_land.laid_down(str(folder / "land"), file)
        seconds = {}
        for workers in (1, 2):
            store = folder / str(workers)
            shutil.copytree(folder / "land", store)
            seconds[workers] = built(store, workers)
    efficiency = [one / (2 * two) for one, two in zip(seconds[1], seconds[2], strict=True)]
    print(
        f"efficiency of two workers: {efficiency[0]:.2f} making blocks (bar {BAR}), {efficiency[1]:.2f} with the rest"
    )
    return int(efficiency[0] < BAR)


if __name__ == "__main__":
    sys.exit(main())
