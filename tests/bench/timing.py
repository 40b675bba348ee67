"""How long work, commands and services take on this machine."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

import psutil

_PORT = 9391
SIMULATOR = ("-m", "infra.cli", "simulator", "--port", str(_PORT), "--spacing-km", "60")
SIMULATED = f"http://127.0.0.1:{_PORT}"


def best_of(work: Callable[[], object], repeats: int = 5, times: int = 1) -> float:
    """Return the CPU seconds of a call in the fastest run of `times` calls; one run before, which compiles, is free."""
    took = []
    for _ in range(repeats + 1):
        begin = time.thread_time()
        for _ in range(times):
            work()
        took.append((time.thread_time() - begin) / times)
    return min(took[1:])


def cpu_s(pid: int) -> float:
    """Return the processor time of a process, s."""
    spent = psutil.Process(pid).cpu_times()
    return float(spent.user + spent.system)


def private_mb(pid: int) -> float:
    """Return the private memory of a process, MiB."""
    return float(psutil.Process(pid).memory_full_info().uss) / 2**20


def environment_of(**settings: str) -> dict[str, str]:
    """Return this process's environment with no `SOLFLIS_` settings but these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SOLFLIS_")}
    return {**kept, **{f"SOLFLIS_{name}": value for name, value in settings.items()}}


def measured(*argv: str, **settings: str) -> tuple[float, float, float]:
    """Run a command of this Python; return seconds, peak memory of its processes in GiB, and seconds of processor."""
    peak = 0
    before = psutil.Process().cpu_times()
    begin = time.perf_counter()
    with psutil.Popen([sys.executable, *argv], env=environment_of(**settings)) as process:
        stop = threading.Event()

        def watch() -> None:
            nonlocal peak
            while not stop.wait(0.05):
                with contextlib.suppress(psutil.NoSuchProcess):
                    family = [process, *process.children(recursive=True)]
                    peak = max(peak, sum(one.memory_info().rss for one in family))

        watcher = threading.Thread(target=watch)
        watcher.start()
        code = process.wait()
        stop.set()
        watcher.join()
    seconds = time.perf_counter() - begin
    after = psutil.Process().cpu_times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    if code != 0:
        raise SystemExit(f"{' '.join(argv)} ended with {code}")
    return seconds, peak / 2**30, spent


@contextmanager
def running(*argv: str, **settings: str) -> Iterator[IO[str]]:
    """Run a command of this Python until the end; yield its output."""
    with subprocess.Popen(
        [sys.executable, *argv],
        env=environment_of(**settings),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.terminate()


@contextmanager
def service(*argv: str, **settings: str) -> Iterator[str]:
    """Run a server of this Python; yield the first line that it prints, which names its address."""
    with running(*argv, **settings) as output:
        yield output.readline().strip()
