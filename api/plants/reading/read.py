"""Bytes of a file to a workbook; the kind of file is told by its content."""

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager

from api.plants.reading import excel, json_rows, text
from api.plants.reading.problems import unreadable
from api.plants.reading.workbook import MAX_BYTES, Sheet, Workbook

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_FOREIGN = (
    (b"%PDF", "pdf"),
    (b"\x89PNG", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"II*\0", "image"),
    (b"MM\0*", "image"),
    (b"MZ\x90", "program"),
    (b"\x7fELF", "program"),
    (b"\xcf\xfa\xed\xfe", "program"),
    (b"\xca\xfe\xba\xbe", "program"),
    (b"\x1f\x8b", "archive"),
    (b"7z\xbc\xaf\x27\x1c", "archive"),
    (b"Rar!", "archive"),
    (b"BZh", "archive"),
    (b"\xfd7zXZ", "archive"),
    (b"\x28\xb5\x2f\xfd", "archive"),
    (b"{\\rtf", "word"),
)
_WEB_PAGE = re.compile(r"<(!doctype\s+html|html|head|body|table|meta|style)\b", re.IGNORECASE)
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1f]")
# Not "[inverter]", which heads a section of a text file.
_JSON = re.compile(r'\{\s*["}]|\[\s*(?:[\[\]{"\d-]|null|true|false)')


def read(content: bytes, file_name: str) -> Workbook:
    """Return what a file holds.

    Parameters
    ----------
    content : bytes
    file_name : str
        Not used to tell the kind; it may be anything.

    Raises
    ------
    ApiError
        `UNREADABLE`, with a sentence that says what to send instead.
    """
    del file_name
    if len(content) > MAX_BYTES:
        raise unreadable("large")
    for start, reason in _FOREIGN:
        if content.startswith(start):
            raise unreadable(reason)
    with _no_collection():
        if content.startswith(b"PK"):
            workbook = _zip(content)
        else:
            workbook = _ole(content) if content.startswith(_OLE) else _text(content)
    if not any(cell != "" for sheet in workbook.sheets for row in sheet.rows for cell in row):
        raise unreadable("no_cells")
    return workbook


@contextmanager
def _no_collection() -> Iterator[None]:
    """Look for no garbage meanwhile: among millions of new cells, without cycles, that doubles the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _zip(content: bytes) -> Workbook:
    names = excel.check_zip(content)
    if "xl/workbook.bin" in names:
        raise unreadable("xlsb")
    if not any(name.startswith("xl/") for name in names):
        if "word/document.xml" in names:
            raise unreadable("word")
        raise unreadable("ods" if "content.xml" in names else "archive")
    return Workbook("xlsx", excel.sheets_of(content))


def _ole(content: bytes) -> Workbook:
    if "EncryptedPackage".encode("utf-16-le") in content or excel.is_encrypted(content):
        raise unreadable("encrypted")
    if "WordDocument".encode("utf-16-le") in content:
        raise unreadable("word")
    return Workbook("xls", excel.sheets_of(content))


def _text(content: bytes) -> Workbook:
    decoded, encoding = text.decode(content)
    start = decoded[:4000].lstrip()
    if not start and not decoded.strip():
        raise unreadable("empty")
    if len(_CONTROL.findall(decoded, 0, 20_000)) > 0.02 * min(len(decoded), 20_000):
        raise unreadable("binary")
    if start.startswith(("<", "MIME-Version:")):
        raise unreadable("web_page" if _WEB_PAGE.search(start) or start[0] == "M" else "xml")
    if _JSON.match(start):
        return Workbook("json", json_rows.sheets_of(decoded), encoding)
    rows, delimiter = text.rows_of(decoded)
    return Workbook("csv", (Sheet("", rows, {}),), encoding, delimiter)
