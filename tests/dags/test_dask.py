"""Blocks on a Dask cluster: the same bytes as by processes, and nothing is lost with a worker."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from catalog.versions import read_index
from dags.areas import Area
from dags.build.blocks import Job, make_job
from dags.build.executor import ExecutorSettings, WorkersLost, require_safe, run
from dags.build.horizon import horizon
from tests.dags.test_build_horizon import CLOCK, COLUMN, ROW, SOUTH, WEST, hills
from tests.support.context import context_of
from tests.support.terrain import publish_terrain
from tiles.grid import HORIZON
from tiles.manifest import Manifest
from tiles.products.horizon import BLOCK, PRODUCT
from tiles.store import open_store

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 60.0


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def started(*arguments: str, address: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "SOLFLIS_DASK": address, "SOLFLIS_STATE": str(folder)}
    with (folder / f"{arguments[0]}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "infra.cli", "dask", *arguments], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        family = [process, *psutil.Process(process.pid).children(recursive=True)]
        process.terminate()
        process.wait(WAIT_S)
        psutil.wait_procs([one for one in family if isinstance(one, psutil.Process)], timeout=WAIT_S)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder, address = tmp_path_factory.mktemp("dask"), f"tcp://127.0.0.1:{port}"
    with started("scheduler", address=address, folder=folder):
        until(lambda: listens(port))
        with started("worker", "--processes", "2", address=address, folder=folder):
            yield address


def stored(folder: Path) -> dict[str, str]:
    store = open_store(str(folder))
    (entry,) = read_index(store, PRODUCT.name).entries
    objects = Manifest.read(store, entry.manifest).objects
    return {name: printed["sha256"] for name, printed in objects.items() if name != "zarr.json"}


def land(folder: Path) -> Path:
    publish_terrain(open_store(str(folder)), hills(), WEST, SOUTH)
    return folder


AREAS = tuple(
    Area(f"{row} {column}", *HORIZON.centre((ROW + row * BLOCK + 32, COLUMN + column * BLOCK + 32)), side_km=0.2)
    for row in (0, 2)
    for column in (0, 1)
)


@pytest.mark.slow
def test_a_cluster_makes_the_same_bytes_as_processes(cluster: str, tmp_path: Path) -> None:
    by_processes, by_dask = (land(tmp_path / name) for name in ("processes", "dask"))
    horizon.Horizons(3000.0)(context_of(by_processes, CLOCK, AREAS, processes=2))
    on_dask = replace(context_of(by_dask, CLOCK, AREAS), executor=ExecutorSettings(dask=cluster))
    horizon.Horizons(3000.0)(on_dask)
    assert stored(by_dask) == stored(by_processes)


def _slowly(path: str) -> str:
    """Leave the process's number; wait for the file `go` beside it."""
    file = Path(path)
    with file.open("a") as begun:
        begun.write(f"{os.getpid()}\n")
    while not (file.parent / "go").exists():
        time.sleep(0.02)
    return file.name


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["processes", "dask"])
def test_the_work_of_a_killed_worker_is_done_again(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    settings = ExecutorSettings(processes=2)
    if kind == "dask":
        settings = ExecutorSettings(dask=request.getfixturevalue("cluster"))
    jobs = [str(tmp_path / f"job{number}") for number in range(4)]
    code = (
        "import sys; from tests.dags.test_dask import _slowly; from dags.build.executor import ExecutorSettings, run\n"
        f"if __name__ == '__main__': run(_slowly, {jobs!r}, print, {settings!r})"
    )
    script = tmp_path / "build.py"
    script.write_text(code)
    log = tmp_path / "log"
    with log.open("wb") as output:
        build = subprocess.Popen(
            [sys.executable, str(script)], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=output
        )
    until(lambda: sum(Path(job).exists() for job in jobs) == 2)
    begun = [int(Path(job).read_text().split()[0]) for job in jobs if Path(job).exists()]
    os.kill(begun[0], signal.SIGKILL)
    (tmp_path / "go").touch()
    assert build.wait(WAIT_S) == 0, log.read_text()
    said = log.read_text()
    assert all(f"job{number}" in said for number in range(4)), said


def _fails_among_slow_ones(path: str) -> str:
    if not path.endswith("bad"):
        return _slowly(path)
    with Path(path).open("a") as begun:
        begun.write("begun\n")
    raise ValueError("this block is bad")


@pytest.mark.slow
def test_the_first_failure_ends_a_build_on_dask_and_is_not_repeated(cluster: str, tmp_path: Path) -> None:
    jobs = [str(tmp_path / name) for name in ("bad", "slow1", "slow2", "slow3")]
    with ThreadPoolExecutor(1) as thread:
        build = thread.submit(run, _fails_among_slow_ones, jobs, print, ExecutorSettings(dask=cluster))
        try:
            with pytest.raises(ValueError, match="this block is bad"):
                build.result(WAIT_S)
        finally:
            (tmp_path / "go").touch()
    assert (tmp_path / "bad").read_text() == "begun\n"


def test_a_job_that_kills_every_worker_ends_the_build() -> None:
    with pytest.raises(WorkersLost, match="3 times"):
        run(os._exit, [1, 1], lambda _: None, ExecutorSettings(processes=2))


@pytest.mark.parametrize("address", ["tcp://10.0.0.5:8786", "tcp://cluster.example:8786", "http://127.0.0.1:1", "x"])
def test_a_scheduler_that_anybody_reaches_is_refused_without_tls(address: str) -> None:
    with pytest.raises(ValueError, match="runs code of anybody"):
        ExecutorSettings.from_environment({"SOLFLIS_DASK": address})


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://localhost:1", "tls://cluster.example:8786"])
def test_loopback_and_tls_are_taken(address: str) -> None:
    require_safe(address)


def test_what_travels_to_a_worker_holds_no_array(tmp_path: Path) -> None:
    import pickle

    context = context_of(land(tmp_path), CLOCK, AREAS, addresses={"frost": "https://frost.met.no"})
    groups = horizon.build.begin(context)
    jobs = [Job(horizon.build, context, "v", tuple(j["products"]), tuple(j["blocks"])) for g in groups for j in g]
    assert make_job.__module__ == "dags.build.blocks"
    assert all(len(pickle.dumps(job)) < 10_000 for job in jobs)
