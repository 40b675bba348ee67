"""Jobs in processes and on a Dask cluster: nothing is lost with a worker, and none outlives who asked for it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from catalog.versions import read_index
from dags.build import executor
from dags.build.executor import ExecutorSettings, WorkersLost, run
from dags.build.horizon import horizon
from tests.dags.test_build_horizon import CLOCK, SOUTH, WEST, area, hills
from tests.support.context import context_of
from tests.support.terrain import publish_terrain
from tiles.manifest import Manifest
from tiles.products.horizon import PRODUCT
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


AREAS = tuple(area(f"{row} {column}", row, column) for row in (0, 2) for column in (0, 1))


@pytest.mark.slow
def test_a_cluster_makes_the_same_bytes_as_processes(cluster: str, tmp_path: Path) -> None:
    by_processes, by_dask = tmp_path / "processes", tmp_path / "dask"
    for folder in (by_processes, by_dask):
        publish_terrain(open_store(str(folder)), hills(), WEST, SOUTH)
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


@pytest.fixture(params=["processes", pytest.param("dask", marks=pytest.mark.slow)])
def settings(request: pytest.FixtureRequest) -> ExecutorSettings:
    """Two workers."""
    if request.param == "dask":
        return ExecutorSettings(dask=request.getfixturevalue("cluster"))
    return ExecutorSettings(processes=2)


@pytest.mark.slow
def test_the_work_of_a_killed_worker_is_done_again(settings: ExecutorSettings, tmp_path: Path) -> None:
    jobs = [str(tmp_path / f"job{number}") for number in range(4)]
    code = (
        "from tests.dags.test_executor import ExecutorSettings, _slowly, run\n"
        f"if __name__ == '__main__': run(_slowly, {jobs!r}, print, {settings!r})"
    )
    log = tmp_path / "log"
    with log.open("wb") as output:
        build = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=output)
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


def test_the_first_failure_ends_a_build_and_is_not_repeated(settings: ExecutorSettings, tmp_path: Path) -> None:
    jobs = [str(tmp_path / name) for name in ("bad", "slow1", "slow2", "slow3")]
    before = psutil.Process().children()
    with ThreadPoolExecutor(1) as thread:
        build = thread.submit(run, _fails_among_slow_ones, jobs, print, settings)
        try:
            with pytest.raises(ValueError, match="this block is bad"):
                build.result(WAIT_S)
            _, alive = psutil.wait_procs(set(workers_of(psutil.Process())) - set(before), timeout=10)
            assert alive == []
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
    for safe in ("tcp://127.0.0.1:8786", "tcp://localhost:1", "tls://cluster.example:8786"):
        assert ExecutorSettings.from_environment({"SOLFLIS_DASK": safe}).dask == safe
    assert ExecutorSettings().security() is None
    assert ExecutorSettings(dask=safe, ca="ca.pem").security().tls_ca_file == "ca.pem"


# Each job is long, and says when it has begun.
LONG = """
import pathlib, signal, sys
from dags.build.executor import ExecutorSettings, run
JOB = "import pathlib, time; pathlib.Path({!r}).touch(); time.sleep(60)"
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    run(exec, [JOB.format(f"{sys.argv[1]}/{n}") for n in range(3)], print, ExecutorSettings(processes=2))
"""


def workers_of(process: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in process.children():
        with suppress(psutil.NoSuchProcess):  # a zombie is one as well
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found


def test_it_says_how_much_is_done_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([0.0, 100.0, 140.0, 210.0])
    monkeypatch.setattr(executor, "monotonic", lambda: next(moments))
    said: list[str] = []
    run(str.upper, ["a", "b", "c"], said.append, ExecutorSettings(processes=1))
    assert said == ["1/3: A; about 3 min left", "2/3: B; about 1 min left", "3/3: C"]


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGINT, signal.SIGKILL]
)
def test_workers_end_with_whoever_started_them(tmp_path: Path, number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LONG, str(tmp_path)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as parent:
        until(lambda: len(list(tmp_path.iterdir())) == 2)
        workers = workers_of(psutil.Process(parent.pid))
        assert len(workers) == 2
        parent.send_signal(number)
        assert parent.wait(10) != 0
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert alive == []
    assert len(list(tmp_path.iterdir())) == 2, "the third job has not begun"
