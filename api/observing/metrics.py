"""Counts for Prometheus, summed over the workers of a machine.

Each worker adds to files of its own in one folder, which stay when it dies, however it dies; whoever is asked sums
them all. The files, their sum and the text are prometheus-client's. What adds to them is ours: the library's own values
take a lock and ask for the process id at each step, which is 7 us for an answer instead of 2 us, and they choose by a
variable of the environment, when the library is imported, whether they are shared.
"""

import os
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Literal

from prometheus_client import Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.utils import floatToGoString

from tiles.products.registry import PRODUCTS

Reason = Literal["requests", "plants", "rate"]
REASONS: tuple[Reason, ...] = ("requests", "plants", "rate")

_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SECONDS = ("solflis_request_seconds", "From a request's head to its answer's last byte, s.")


class Metrics:
    """What is counted; for the event loop's thread alone.

    Parameters
    ----------
    folder : Path or None
        What the workers share; None counts this process alone.
    """

    def __init__(self, folder: Path | None) -> None:
        self._temporary = TemporaryDirectory(prefix="solflis-metrics-") if folder is None else None
        self._folder = folder or Path(self._temporary.name if self._temporary else "")
        self._folder.mkdir(parents=True, exist_ok=True)
        own = f"{os.getpid()}-{time.time_ns()}"
        # The library reads the kind of a metric from the file's name.
        self._counters = _File(self._folder / f"counter_{own}.db")
        self._histograms = _File(self._folder / f"histogram_{own}.db")
        # Two counts of the same would write over each other.
        self._counter, self._histogram = cache(self._new_counter), cache(self._new_histogram)
        self._rejections = partial(self._counter, "solflis_quota_rejections", "Refused beyond a quota or a rate.")
        self._altered = partial(self._counter, "solflis_hydrated_damage", "Hydrated files that were altered.")
        for reason in REASONS:
            self._rejections(reason=reason)
        for name, product in PRODUCTS.items():
            if product.read == "hydrated":
                self._altered(product=name)

    def answers(self, route: str, method: str, status: int, code: str | None = None) -> Callable[[float], None]:
        """Return what counts an answer of this kind, given its duration in s; to be asked for once, and kept."""
        count = self._counter("solflis_requests", "Answers.", route=route, method=method, status=str(status))
        observe = self._histogram(*_SECONDS, route=route)
        refusals = self._counter("solflis_refusals", "Answers that are errors.", code=code) if code else None

        def answered(seconds: float) -> None:
            count.add(1.0)
            observe(seconds)
            if refusals is not None:
                refusals.add(1.0)

        return answered

    def rejected(self, reason: Reason) -> None:
        """Count a request that was refused because of a quota or a rate."""
        self._rejections(reason=reason).add(1.0)

    def job_ran(self, kind: str, outcome: str, seconds: float | None = None) -> None:
        """Count a run of a job, by how it ended; how long it took is not known where its worker was lost."""
        self._counter("solflis_job_runs", "Runs of jobs.", kind=kind, outcome=outcome).add(1.0)
        if seconds is not None:
            self._histogram("solflis_job_seconds", "Of a job's run, s.", kind=kind)(seconds)

    def altered(self, product: str) -> None:
        """Count a hydrated file that was found altered, and is made anew."""
        self._altered(product=product).add(1.0)

    def text(
        self,
        ages_s: Mapping[str, float],
        database_up: bool,
        queued: Mapping[str, tuple[int, float]] = MappingProxyType({}),
        jobs: Path | None = None,
    ) -> bytes:
        """Return everything in Prometheus' text format; it reads files.

        Parameters
        ----------
        ages_s : mapping of str to float
            Product -> age of what is served, s.
        database_up : bool
            Whether this worker can count.
        queued : mapping of str to (int, float)
            Kind of job -> how many are queued, and how long the first has waited for a first run, s.
        jobs : Path, optional
            Folder of the metrics of job workers.
        """
        ages = GaugeMetricFamily(
            "solflis_tile_age_seconds", "Age of what is served of a product, s.", labels=["product"]
        )
        for product, age_s in ages_s.items():
            ages.add_metric([product], age_s)
        up = GaugeMetricFamily(
            "solflis_database_up", "Whether the worker that was asked can count.", float(database_up)
        )
        length = GaugeMetricFamily("solflis_jobs_queued", "Jobs that wait.", labels=["kind"])
        said = "How long the first job has waited for a first run, s."
        oldest = GaugeMetricFamily("solflis_job_age_seconds", said, labels=["kind"])
        for kind, (number, age_s) in queued.items():
            length.add_metric([kind], number)
            oldest.add_metric([kind], age_s)
        # One that is empty has just been made, or its maker died at that.
        folders = [self._folder] if jobs is None else [self._folder, jobs]
        files = [str(path) for folder in folders for path in sorted(folder.glob("*.db")) if path.stat().st_size]
        counts: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]
        return generate_latest(_Collected([*counts, ages, up, length, oldest]))

    def close(self) -> None:
        """Let go of the files; those of this process alone are removed. Adding does no harm any more."""
        self._counters.close()
        self._histograms.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _new_counter(self, name: str, text: str, **labels: str) -> "_Value":
        return _Value(self._counters, name, f"{name}_total", text, labels)

    def _new_histogram(self, name: str, text: str, **labels: str) -> Callable[[float], None]:
        total = _Value(self._histograms, name, f"{name}_sum", text, labels)
        buckets = [
            _Value(self._histograms, name, f"{name}_bucket", text, {**labels, "le": floatToGoString(limit)})  # type: ignore[no-untyped-call]
            for limit in (*_BUCKETS_S, float("inf"))
        ]

        def observe(value: float) -> None:
            total.add(value)
            buckets[bisect_left(_BUCKETS_S, value)].add(1.0)

        return observe


def remove_ended(folder: Path) -> None:
    """Remove the files of processes that have ended: their counts begin anew, as after a restart of all."""
    for path in folder.glob("*.db"):
        if not Path("/proc", path.stem.partition("_")[2].partition("-")[0]).exists():
            path.unlink(missing_ok=True)


class _File:
    """Numbers in a file; after its end, writing does nothing."""

    def __init__(self, path: Path) -> None:
        self._numbers = MmapedDict(str(path))  # type: ignore[no-untyped-call]
        self.write: Callable[[str, float, float], None] = self._numbers.write_value

    def read(self, key: str) -> float:
        if self.write is _nothing:
            return 0.0
        value: float = self._numbers.read_value(key)[0]  # type: ignore[no-untyped-call]
        return value

    def close(self) -> None:
        self.write = _nothing
        self._numbers.close()  # type: ignore[no-untyped-call]


def _nothing(*_: object) -> None:
    pass


class _Value:
    """One number in a file; adding to it writes it there at once."""

    __slots__ = ("_file", "_key", "_value")

    def __init__(self, file: _File, metric: str, name: str, text: str, labels: Mapping[str, str]) -> None:
        self._file = file
        self._key = mmap_key(metric, name, list(labels), list(labels.values()), text)
        self._value = file.read(self._key)

    def add(self, amount: float) -> None:
        self._value += amount
        self._file.write(self._key, self._value, 0.0)


@dataclass(frozen=True)
class _Collected:
    """Takes the place of a registry where the metrics are there already."""

    metrics: list[Metric]

    def collect(self) -> list[Metric]:
        return self.metrics
