"""A national cycle, read over HTTP, to a published tile: `python -m tests.bench.bench_national FILE`.

FILE is one of make_national_cycle's, under its own name. One process serves it, another merely reads it, a third
builds and publishes; each is measured from outside as a whole process.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from catalog.sources import met_nordic
from tests.bench.make_national_cycle import CYCLE
from tiles.clock import format_partition, iso

BAR_S, BAR_GIB = 60, 4


@contextmanager
def served(file: Path) -> Iterator[str]:
    """Serve the file with byte ranges from a process of its own; yield the base address."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / Path(met_nordic.file_urls("", CYCLE)[1]).name).symlink_to(file)
        command = [sys.executable, "-m", "tests.support.http_files", folder]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            try:
                yield server.stdout.readline().strip()
            finally:
                server.stdin.close()


def measured(argv: list[str], environment: dict[str, str]) -> tuple[float, float, float]:
    """Run a command; return seconds, peak memory in GiB of it and its children, and its seconds of processor."""
    peak = 0
    begin = time.perf_counter()
    with psutil.Popen(argv, env=environment) as process:
        stop = threading.Event()

        def watch() -> None:
            nonlocal peak
            while not stop.wait(0.05):
                try:
                    family = [process, *process.children(recursive=True)]
                    peak = max(peak, sum(one.memory_info().rss for one in family))
                except psutil.NoSuchProcess:
                    return

        watcher = threading.Thread(target=watch)
        watcher.start()
        before = psutil.Process().cpu_times()
        code = process.wait()
        stop.set()
        watcher.join()
        after = psutil.Process().cpu_times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    if code != 0:
        raise SystemExit(f"{' '.join(argv)} ended with {code}")
    return time.perf_counter() - begin, peak / 2**30, spent


def main() -> None:
    """Print the figures."""
    import os

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    file: Path = parser.parse_args().file.resolve()
    python = sys.executable
    with served(file) as url, tempfile.TemporaryDirectory() as state:
        read = measured([python, "-m", "tests.bench.bench_source", "--url", url, str(file)], dict(os.environ))
        environment = {
            **os.environ,
            "SOLFLIS_MET_NORDIC_URL": url,
            "SOLFLIS_STATE": state,
            "SOLFLIS_CLOCK": f"{iso(CYCLE)}!",
        }
        environment.pop("SOLFLIS_STORE", None)
        argv = [python, "-m", "infra.cli", "build", "forecast", "--partition", format_partition(CYCLE)]
        seconds, gib, processor = measured(argv, environment)
    print(f"national cycle, {file.stat().st_size / 1e9:.2f} GB over HTTP")
    print(f"  merely read:          {read[0]:6.1f} s, {read[2]:.1f} s of processor, peak {read[1]:.2f} GiB")
    print(f"  read to published:    {seconds:6.1f} s (bar {BAR_S}), {processor:.1f} s of processor, "
          f"peak {gib:.2f} GiB (bar {BAR_GIB})")  # fmt: skip


if __name__ == "__main__":
    main()
