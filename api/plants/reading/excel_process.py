"""The process that reads an Excel file: bytes on its standard input, lines of JSON on its standard output.

It is started by `api.plants.reading.excel` as a file, without the packages of the project, and ends after one file.
A line is `{"sheet": name}`, or a list of rows of that sheet, or at last `{"end": reason}`, with an empty reason where
all went well. Times are `["d" | "t" | "e", ms]`: ms since 1970, of the day, or elapsed.
"""

import gc
import io
import resource
import sys
from datetime import date, datetime, time, timedelta
from typing import Any

sys.path.extend(sys.argv[1:2])

import orjson
from python_calamine import CalamineError, PasswordError, SheetTypeEnum, SheetVisibleEnum, load_workbook

MEMORY, SECONDS = 600 * 2**20, 15
_BATCH_CELLS = 20_000
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - Excel has no zones
_MS = timedelta(milliseconds=1)


class _Refused(Exception):
    pass


def main() -> None:
    """Read the file."""
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    gc.disable()  # as in `read`
    max_rows, max_columns, max_cells = map(int, sys.argv[2:])
    try:
        _read(max_rows, max_columns, max_cells)
        reason = ""
    except _Refused as refused:
        reason = str(refused)
    except PasswordError:
        reason = "encrypted"
    except (CalamineError, MemoryError, ValueError, OverflowError, OSError):
        reason = "excel_damaged"
    _print({"end": reason})


def _read(rows_left: int, max_columns: int, cells_left: int) -> None:
    book = load_workbook(io.BytesIO(sys.stdin.buffer.read()))
    for number, sheet in enumerate(book.sheets_metadata):
        if sheet.typ != SheetTypeEnum.WorkSheet or sheet.visible != SheetVisibleEnum.Visible:
            continue
        cells = book.get_sheet_by_index(number)
        if cells.start is None:
            continue
        if cells.start[1] + cells.width > max_columns:
            raise _Refused("many_columns")
        if cells.start[0] > rows_left:
            raise _Refused("many_rows")
        _print({"sheet": sheet.name})
        left = [""] * cells.start[1]
        batch: list[list[Any]] = []
        blank = held = 0
        for row in cells.iter_rows():
            while row and row[-1] == "":
                row.pop()
            if not row:
                blank += 1
                continue
            rows_left -= blank + 1
            cells_left -= len(left) + len(row)
            if rows_left < 0:
                raise _Refused("many_rows")
            if cells_left < 0:
                raise _Refused("many_cells")
            batch.extend([] for _ in range(blank))
            batch.append(left + row)
            held += len(row) + blank + 1
            blank = 0
            if held > _BATCH_CELLS:
                _print(batch)
                batch, held = [], 0
        _print(batch)


def _print(line: Any) -> None:
    sys.stdout.buffer.write(
        orjson.dumps(line, default=_time, option=orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_APPEND_NEWLINE)
    )


def _time(cell: object) -> tuple[str, int]:
    if isinstance(cell, datetime):
        return "d", round((cell - _EPOCH) / _MS)
    if isinstance(cell, date):  # calamine's midnight
        return "d", (cell - _EPOCH.date()).days * 86_400_000
    if isinstance(cell, time):
        return "t", round((datetime.combine(_EPOCH, cell) - _EPOCH) / _MS)
    if isinstance(cell, timedelta):
        return "e", round(cell / _MS)
    raise TypeError


if __name__ == "__main__":
    main()
    sys.stdout.buffer.flush()
