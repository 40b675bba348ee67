"""Files of plants: 10 MB of CSV and JSON, and .xlsx of 100,000 rows and of 10 MB, each read in a process of its own."""

import io
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from multiprocessing import get_context
from pathlib import Path

import orjson
import xlsxwriter

from tests.support.bounded_reading import read_file

MOST_MB = 600
_BYTES = 10 * 2**20
_START, _STEP = datetime(2024, 1, 1), timedelta(minutes=5)


def measure(_: Path) -> None:
    """Print the figures."""
    files: dict[str, tuple[Callable[[], bytes], float]] = {
        "CSV of 10 MB": (csv, 1.0),
        "CSV of 10 MB, all quoted": (lambda: csv('"'), 1.0),
        "JSON of 10 MB": (json, 1.0),
        "XLSX of 100,000 rows x 10": (lambda: xlsx(100_000), 3.0),
        "XLSX of 135,000 rows x 10": (lambda: xlsx(135_000), 4.0),
    }
    for name, (make, bar) in files.items():
        content = make()
        with ProcessPoolExecutor(1, get_context("spawn")) as own:
            own.submit(read_file, b"a;b\n1;2\n", "").result()  # imports
            took = own.submit(read_file, content, "").result()
        print(
            f"{name:27}{len(content) / 1e6:5.1f} MB: {took.seconds:5.2f} s (bar {bar:g}), "
            f"{took.cpu_s:.2f} s of processor, {took.outcome}, "
            f"peak {took.peak_mb:.0f} MB and {took.child_peak_mb:.0f} MB of the Excel process (bar {MOST_MB})",
            flush=True,
        )


def csv(quote: str = "") -> bytes:
    """Return rows of 5 minutes with decimal commas."""
    lines, size = [], 0
    for row in _rows():
        cells = (f"{row[0]:%d.%m.%Y %H:%M}", *(f"{value:.2f}".replace(".", ",") for value in row[1:]), "Normal")
        lines.append(";".join(f"{quote}{cell}{quote}" for cell in cells))
        size += len(lines[-1]) + 2
        if size > _BYTES:
            return "\r\n".join(lines[:-1]).encode()
    return b""


def json() -> bytes:
    """Return records of 5 minutes."""
    records = [
        {"date": f"{at:%Y-%m-%d %H:%M:%S}", "value": value}
        for (at, value, *_), _ in zip(_rows(), range(225_000), strict=False)
    ]
    return orjson.dumps({"energy": {"unit": "Wh", "values": records}})


def xlsx(rows: int) -> bytes:
    """Return rows of 5 minutes, eight numbers and a text each."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"constant_memory": True}) as book:
        sheet, form = book.add_worksheet(), book.add_format({"num_format": "dd.mm.yyyy hh:mm"})
        for number, (at, *values) in zip(range(rows), _rows(), strict=False):
            sheet.write_datetime(number, 0, at, form)
            sheet.write_row(number, 1, [*values, *values, "Normal"])
    return content.getvalue()


def _rows() -> Iterator[tuple[datetime, float, float, float, float]]:
    rng, at = random.Random(1), _START
    while True:
        at += _STEP
        yield at, round(rng.random() * 5000, 1), rng.random() * 9, rng.random() * 9, rng.random() * 900
