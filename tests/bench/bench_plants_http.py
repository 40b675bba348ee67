"""Files of plants over HTTP: 10 MB of CSV at 5 minutes and .xlsx of 100,000 rows, and /health meanwhile.

Prints the time from the request to the upload, the peak memory of the worker's processes, and how long /health takes.
Who uploads is a process of its own: sending 10 MB would hold up who asks /health.
"""

import io
import multiprocessing
import re
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx
import numpy as np
import psutil
import xlsxwriter

from api.plants.model import PlantModel
from tests.bench.serving import process, settings_of
from tests.support.worker import job_worker, until

_BYTES = 9_990_000
_PLANT = {
    "latitude": 59.91,
    "longitude": 10.75,
    "flater": [{"name": "tak", "kwp": 10, "tilt_deg": 30, "azimuth_deg": 180}],
    "samtykke": True,
}
_START = int(np.datetime64("2022-01-01", "s").astype(np.int64))
_TIMES, _WARM = 3, 1


def measure(folder: Path) -> None:
    """Serve, upload, and print the figures."""
    (folder / "tiles").mkdir(parents=True, exist_ok=True)
    settings = settings_of(folder, ACCESS="open")
    own = {name.removeprefix("SOLFLIS_"): value for name, value in settings.items()}
    sender = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    with process(settings) as api, job_worker(**own) as worker, sender:
        until(api.url, "/api/anlegg", 200)
        plant = httpx.post(f"{api.url}/api/anlegg", json=_PLANT).raise_for_status().json()["id"]
        send = partial(uploaded, f"{api.url}/api/anlegg/{plant}/produksjon")
        for name, content, bar in (("CSV of 10 MB at 5 minutes", csv(), 3.0), ("XLSX of 100,000 rows", xlsx(), 6.0)):
            with Watch(worker.pid, api.url) as watch:
                took = [sender.submit(send, content).result() for _ in range(_WARM + _TIMES)][_WARM:]
            print(f"{name} ({len(content) / 1e6:.1f} MB): {', '.join(f'{one:.2f}' for one in took)} s (bar {bar:g})")
            p50, p99 = np.percentile(watch.health_ms, [50, 99])
            print(f"  /health meanwhile: p50 {p50:.1f} ms, p99 {p99:.1f} ms (bar 20) of {len(watch.health_ms)}")
            print(f"  peak of the worker's processes: {', '.join(f'{one:.0f}' for one in watch.peaks_mb)} MB (bar 600)")


class Watch:
    """Asks /health and looks at the memory of a process' descendants, until it ends."""

    def __init__(self, pid: int, url: str) -> None:
        self._process, self._url, self._ended = psutil.Process(pid), url, threading.Event()
        self.health_ms: list[float] = []
        self._peaks: dict[int, float] = {}

    @property
    def peaks_mb(self) -> list[float]:
        """Return the highest resident memory of each process, MB, the largest first."""
        return sorted(self._peaks.values(), reverse=True)[:4]

    def __enter__(self) -> "Watch":
        self._threads = [threading.Thread(target=one) for one in (self._ask, self._look)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        with httpx.Client(base_url=self._url, timeout=10) as client:
            while not self._ended.wait(0.01):
                begun = time.perf_counter()
                client.get("/health")
                self.health_ms.append(1000 * (time.perf_counter() - begun))

    def _look(self) -> None:
        while not self._ended.wait(0.25):
            for one in (self._process, *self._process.children(recursive=True)):
                with suppress(OSError):  # it has ended
                    self._peaks[one.pid] = highest_mb(one.pid)


def highest_mb(pid: int) -> float:
    """Return the most memory that a process ever had, MB, as Linux remembers it."""
    kib = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(kib[1]) * 1.024e-3 if kib else 0.0


def uploaded(url: str, content: bytes) -> float:
    """Return how long a file takes until it is an upload, s."""
    begun = time.perf_counter()
    httpx.post(url, content=content, timeout=120).raise_for_status()
    return time.perf_counter() - begun


def power(rows: int) -> tuple[list[str], list[float]]:
    """Return stamps (UTC) and mean kW of 5 minutes: every third day clear, the others dull."""
    starts = _START + 300 * np.arange(rows)
    hours, place = np.unique(starts // 3600, return_inverse=True)
    model = PlantModel(59.91, 10.75, [(30.0, 180.0, 10.0)], 0.85)
    kw = model.clear(hours * 3600)[place] / 1000 * np.where(starts // 86_400 % 3 == 0, 0.95, 0.4)
    return np.datetime_as_string(starts.astype("datetime64[s]")).tolist(), kw.round(3).tolist()


def csv() -> bytes:
    """Return a file with decimal commas."""
    lines = ["Tidspunkt (UTC);Produksjon (kW);Status"]
    size = len(lines[0])
    for stamp, kw in zip(*power(400_000), strict=True):
        line = f"{stamp[8:10]}.{stamp[5:7]}.{stamp[:4]} {stamp[11:16]};{kw:.3f};Normal".replace(".", ",", 0)
        lines.append(line[:17] + line[17:].replace(".", ","))
        size += len(line) + 1
        if size > _BYTES:
            break
    return "\n".join(lines[:-1]).encode()


def xlsx() -> bytes:
    """Return a workbook with dates as Excel keeps them."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"constant_memory": True}) as book:
        sheet, form = book.add_worksheet(), book.add_format({"num_format": "dd.mm.yyyy hh:mm"})
        sheet.write_row(0, 0, ["Tidspunkt (UTC)", "Produksjon (kW)", "Temperatur (°C)"])
        for number, (stamp, kw) in enumerate(zip(*power(100_000), strict=True), 1):
            sheet.write_datetime(number, 0, np.datetime64(stamp).astype(object), form)
            sheet.write_row(number, 1, [kw, 20.5])
    return content.getvalue()
