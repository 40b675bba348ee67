"""How fast files of production are read and interpreted, and how much memory it takes, each in a process of its own."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import xlsxwriter  # type: ignore[import-untyped]

from api.plants.interpretation.interpret import interpret
from api.plants.reading.read import read
from tests.bench.timing import measured
from tests.support.portals.series import plant, series

MEGABYTES = 10
"""Of a text file: the most that may be uploaded."""
ROWS = 100_000
"""Of an Excel file."""
BARS_S = {"csv": 3.0, "xlsx": 6.0}
BAR_GIB = 600 / 1024


def _lines() -> Iterator[tuple[str, float]]:
    one = series(5, "2021-01-01", 4 * 365)
    for time, watts in zip(one.local(), one.watts.tolist(), strict=True):
        yield f"{time:%Y-%m-%d %H:%M:%S}", watts


def _write(kind: str, file: Path) -> None:
    if kind == "csv":
        text = "Time,Power (W)\n" + "\n".join(f"{time},{watts:.1f}" for time, watts in _lines())
        file.write_bytes(text.encode()[: MEGABYTES * 2**20].rpartition(b"\n")[0])
        return
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Tid", "Effekt (W)", "Status"])
        for row, (time, watts) in zip(range(1, ROWS + 1), _lines(), strict=False):
            sheet.write_row(row, 0, [time, watts, "Normal"])
    file.write_bytes(out.getvalue())


def measure(folder: Path) -> int:
    """Print the figures; return 1 where a bar is missed."""
    missed = False
    for kind, bar in BARS_S.items():
        file = folder / f"bench.{kind}"
        _write(kind, file)
        imports, _, idle = measured("-m", __name__, "")
        seconds, peak, spent = measured("-m", __name__, str(file))
        seconds, spent, size = seconds - imports, spent - idle, file.stat().st_size / 2**20
        missed |= spent > bar or peak > BAR_GIB
        print(
            f"{kind:5}{size:5.1f} MiB {seconds:5.2f} s, {spent:.2f} s of processor (bar {bar:g}), {peak * 1024:.0f} MiB"
        )
    return int(missed)


if __name__ == "__main__":
    if sys.argv[1]:
        path = Path(sys.argv[1])
        print(interpret(read(path.read_bytes(), path.name), plant(), file_name=path.name).description)
