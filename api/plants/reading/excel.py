"""Excel files, read in a process of their own: parsers can hang, and directories of zip files can lie."""

import io
import struct
import subprocess
import sys
import sysconfig
import threading
import zipfile
from collections.abc import Generator
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any, cast

import orjson

from api.plants.reading.problems import unreadable
from api.plants.reading.workbook import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, Cell, Sheet

_SECONDS = 20.0
_UNPACKED = 300_000_000
_ENTRIES = 2000
_OUTPUT = 200_000_000
"""Of the process: 5 million numbers are half of it."""
_BEGIN_OF_FILE, _FILEPASS = b"\x09\x08\x10\0\0\x06\x05\0", 0x2F
_NAME_CHARS = 200
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - Excel has no zones
_CHILD = Path(__file__).with_name("excel_process.py")


def check_zip(content: bytes) -> frozenset[str]:
    """Return the names in a zip file's directory, in small letters.

    Raises
    ------
    ApiError
        `UNREADABLE`: damaged, entries that overlap, or too much when unpacked.
    """
    if content.count(b"PK\1\2") > _ENTRIES:  # cheaper than the directory
        raise unreadable("excel_unpacked")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            entries = sorted(file.infolist(), key=lambda entry: entry.header_offset)
    except Exception:  # noqa: BLE001 - of a damaged directory many kinds come
        raise unreadable("excel_damaged") from None
    if sum(entry.file_size for entry in entries) > _UNPACKED:
        raise unreadable("excel_unpacked")
    ends = [entry.header_offset + entry.compress_size for entry in entries]
    if any(end > entry.header_offset for end, entry in zip(ends, entries[1:], strict=False)):
        raise unreadable("excel_damaged")
    return frozenset(entry.filename.replace("\\", "/").lower() for entry in entries)


def is_encrypted(content: bytes) -> bool:
    """Return whether an .xls file begins with a FILEPASS record (MS-XLS 2.4.117): calamine does not tell."""
    at = content.find(_BEGIN_OF_FILE)
    for _ in range(5):
        if at < 0 or at + 4 > len(content):
            return False
        kind, length = struct.unpack_from("<HH", content, at)
        if kind == _FILEPASS:
            return True
        at += 4 + length
    return False


def sheets_of(content: bytes) -> tuple[Sheet, ...]:
    """Return the visible sheets with cells of an .xlsx or .xls file.

    Raises
    ------
    ApiError
        `UNREADABLE`.
    """
    sheets: list[Sheet] = []
    with closing(_lines(content)) as lines:
        for line in lines:
            if isinstance(line, list):
                sheets[-1].rows.extend([cell if type(cell) is float else _cell(cell) for cell in row] for row in line)
            elif "sheet" in line:
                sheets.append(Sheet(str(_cell(line["sheet"]))[:_NAME_CHARS], [], {}))
            elif line["end"]:
                raise unreadable(line["end"])
            else:
                return tuple(sheet for sheet in sheets if sheet.rows)
    raise unreadable("excel_damaged")  # the process died


def _lines(content: bytes) -> Generator[Any, None, None]:
    """Yield what the process prints, until it ends or its time is over."""
    command = [
        sys.executable,
        "-I",
        "-S",
        "-B",
        str(_CHILD),
        sysconfig.get_path("platlib"),
        *map(str, (MAX_ROWS, MAX_COLUMNS, MAX_CELLS)),
    ]
    late, size = threading.Event(), 0
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/", env={}
    ) as process:
        stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        watch = threading.Timer(_SECONDS, _end, (process, late))
        watch.start()
        try:
            with suppress(BrokenPipeError), stdin as pipe:  # it reads all before it writes
                pipe.write(content)
            while line := stdout.readline(_OUTPUT):
                size += len(line)
                if size > _OUTPUT:
                    raise unreadable("many_cells")
                with suppress(orjson.JSONDecodeError):  # cut where it died
                    yield orjson.loads(line)
        finally:
            watch.cancel()
            watch.join()
            process.kill()
    if late.is_set():
        raise unreadable("excel_slow")


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _cell(value: Any) -> Cell:
    if isinstance(value, str):
        return value.replace("\0", "").strip()
    if isinstance(value, list):
        return _time(*value)
    if value is None:  # NaN
        return ""
    return str(value).lower() if isinstance(value, bool) else float(value)


def _time(kind: str, ms: int) -> Cell:
    # Sums of fractions of a day: 12:04:59.999.
    if (off := (ms + 1) % 1000) <= 2:
        ms -= off - 1
    if kind == "e":
        return timedelta(milliseconds=ms)
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment if kind == "d" else moment.time()
