"""Load by `wrk`: requests a second, response times and processor time, in alternating rounds."""

import re
import statistics
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bench.serving import Server, apart
from tests.bench.timing import cpu_s

POINTS = Path(__file__).with_name("random_points.lua")
ROUNDS = 5
_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass
class Load:
    """What wrk measured."""

    per_second: float
    p50_ms: float
    p99_ms: float
    failed: int
    requests: int
    cpu_us: float = 0.0


@dataclass
class Target:
    """What is loaded; the script is given the arguments."""

    server: Server
    path: str
    script: Path | None = POINTS
    connections: int = 32
    header: str = ""
    arguments: tuple[str, ...] = ()
    bar: str = ""

    def command(self, seconds: float) -> list[str]:
        """Return the command line of wrk."""
        command = ["wrk", "-t1", f"-c{self.connections}", f"-d{seconds:.0f}s", "--latency"]
        script = ["-s", str(self.script)] if self.script else []
        header = ["-H", self.header] if self.header else []
        return [*command, *script, *header, self.server.url + self.path, "--", *self.arguments]

    def load(self, seconds: float) -> Load:
        """Load it; count the processor time of a request too, which other load does not disturb much."""
        before = cpu_s(self.server.pids[0])
        said = subprocess.run(self.command(seconds), capture_output=True, text=True, check=True).stdout
        measured = read(said)
        measured.cpu_us = (cpu_s(self.server.pids[0]) - before) / max(1, measured.requests) * 1e6
        return measured


def read(said: str) -> Load:
    """Return the figures that wrk printed."""

    def found(pattern: str) -> list[str]:
        return re.findall(pattern, said)

    p50, p99 = (
        float(value) * _MS[unit]
        for share in ("50", "99")
        for value, unit in re.findall(rf"\n +{share}%\s+([\d.]+)(us|ms|s)", said)[:1]
    )
    errors = found(r"Non-2xx or 3xx responses: (\d+)") + re.findall(r"\d+", " ".join(found("Socket errors: (.*)")))
    per_second, requests = found(r"Requests/sec:\s+([\d.]+)")[0], found(r"(\d+) requests in")[0]
    return Load(float(per_second), p50, p99, sum(map(int, errors)), int(requests))


def in_rounds(title: str, targets: Mapping[str, Target], seconds: float) -> dict[str, list[Load]]:
    """Load each in turn, again and again; print a table and return the loads of each round."""
    results: dict[str, list[Load]] = {name: [] for name in targets}
    with apart(*(target.server for target in targets.values())):
        for target in targets.values():  # warms up
            target.load(1)
        for _ in range(ROUNDS):
            for name, target in targets.items():
                results[name].append(target.load(seconds))
    # On a machine that others use too, the best round says what this one can do by itself.
    print(f"{title:28}{'req/s':>9}{'best':>9}{'p50 ms':>9}{'p99 ms':>9}{'cpu us':>9}{'failed':>8}")
    for name, loads in results.items():
        rate, p50, p99, cpu = (
            statistics.median(getattr(one, key) for one in loads)
            for key in ("per_second", "p50_ms", "p99_ms", "cpu_us")
        )
        best, failed = max(one.per_second for one in loads), sum(one.failed for one in loads)
        print(f"{name:28}{rate:9.0f}{best:9.0f}{p50:9.2f}{p99:9.2f}{cpu:9.1f}{failed:8}  {targets[name].bar}")
    return results


def ratio(one: Iterable[Load], other: Iterable[Load], figure: str = "per_second") -> float:
    """Return the median over rounds of the ratio of a figure."""
    ratios: list[float] = [getattr(a, figure) / getattr(b, figure) for a, b in zip(one, other, strict=True)]
    return statistics.median(ratios)
