"""Time merely reading a national cycle over HTTP: python -m tests.bench.bench_source FILE.

FILE is one of make_national_cycle's, under its own name. A second process serves it; this one reads it.
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from catalog.sources import met_nordic
from tests.bench.make_national_cycle import CYCLE


def main() -> None:
    """Print seconds, MB/s and peak memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--url", help="where the file is being served already")
    options = parser.parse_args()
    path: Path = options.file.resolve()
    if options.url:
        read(options.url, path.stat().st_size)
        return
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / Path(met_nordic.file_urls("", CYCLE)[1]).name
        link.symlink_to(path)
        command = [sys.executable, "-m", "tests.support.http_files", folder]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            try:
                read(server.stdout.readline().strip(), path.stat().st_size)
            finally:
                server.stdin.close()
        shutil.rmtree(folder, ignore_errors=True)


def read(url: str, size: int) -> None:
    """Read the cycle and print the figures."""
    start = time.perf_counter()
    with met_nordic.open_cycle(url, CYCLE, user_agent="solflis-bench", deadline_s=600) as cycle:
        opened = time.perf_counter() - start
        steps = 0
        for fields in cycle.instants():
            steps += 1
            assert set(fields) == {"ghi_acc", "cloud", "temp_air", "wind_speed"}
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    processor = time.process_time()
    print(
        f"read {steps} steps, {size / 1e6:.0f} MB in {seconds:.1f} s ({size / 1e6 / seconds:.0f} MB/s;"
        f" opening {opened:.1f} s; {processor:.1f} s of processor), peak memory {peak:.0f} MiB"
    )


if __name__ == "__main__":
    main()
