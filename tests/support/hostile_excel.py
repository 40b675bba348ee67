"""Excel and zip files that nobody sends by mistake."""

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import xlsxwriter
import xlwt

_MB = 1_000_000
_SHEET = "xl/worksheets/sheet1.xml"
_STRINGS = "xl/sharedStrings.xml"
_HEAD = b'<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
_TAIL = b"</sheetData></worksheet>"

LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a0 "ha">'
    + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 11))
    + b"]><l>&a10;</l>"
)


def book(fill: Callable[[Any, Any], object] | None = None, **options: Any) -> bytes:
    """Return an .xlsx with a day of hours, to which `fill` adds, given workbook and sheet."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"in_memory": True, **options}) as workbook:
        sheet = workbook.add_worksheet("Data")
        form = workbook.add_format({"num_format": "dd.mm.yyyy hh:mm"})
        sheet.write_row(0, 0, ("Tid", "Produksjon (kWh)", "Status"))
        for hour in range(24):
            sheet.write_datetime(hour + 1, 0, datetime(2025, 6, 1, hour), form)
            sheet.write_row(hour + 1, 1, (hour / 4, "OK"))
        if fill:
            fill(workbook, sheet)
    return content.getvalue()


def old_book() -> bytes:
    """Return an .xls with a day of hours."""
    workbook, content = xlwt.Workbook(), io.BytesIO()
    sheet, style = workbook.add_sheet("Data"), xlwt.easyxf(num_format_str="dd.mm.yyyy hh:mm")
    for column, head in enumerate(("Tid", "Produksjon (kWh)", "Status")):
        sheet.write(0, column, head)
    for hour in range(24):
        sheet.write(hour + 1, 0, datetime(2025, 6, 1, hour), style)
        sheet.write(hour + 1, 1, hour / 4)
        sheet.write(hour + 1, 2, "OK")
    workbook.save(content)
    return content.getvalue()


def zip_of(parts: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip file."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return content.getvalue()


def rezipped(parts: Mapping[str, bytes]) -> bytes:
    """Return the small .xlsx with other parts."""
    with zipfile.ZipFile(io.BytesIO(book())) as file:
        return zip_of({**{name: file.read(name) for name in file.namelist()}, **parts})


def _with_raw_part(name: str, head: bytes, piece: bytes, times: int, tail: bytes, declared: int | None = None) -> bytes:
    """Return the small .xlsx with a part whose middle is compressed once and stands there `times` times."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    middle = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = first + middle * times + packer.compress(tail) + packer.flush()
    crc = zlib.crc32(head)
    for _ in range(times):
        crc = zlib.crc32(piece, crc)
    size = len(head) + len(piece) * times + len(tail) if declared is None else declared
    crc = zlib.crc32(tail, crc)
    return _spliced(name, packed, crc, size)


def _spliced(name: str, packed: bytes, crc: int, size: int) -> bytes:
    """Return the small .xlsx with a part of given compressed bytes."""
    with zipfile.ZipFile(io.BytesIO(book())) as file:
        parts = {part: file.read(part) for part in file.namelist() if part != name}
    local, directory = b"", b""
    entries = [(part, zlib.compress(inner)[2:-4], zlib.crc32(inner), len(inner)) for part, inner in parts.items()]
    for part, inner, own_crc, own_size in [*entries, (name, packed, crc, size)]:
        encoded = part.encode()
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, own_crc, len(inner), own_size, len(encoded), 0)
        directory += (
            b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, len(local)) + encoded
        )
        local += b"PK\3\4" + fields + encoded + inner
    number = len(entries) + 1
    return local + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, number, number, len(directory), len(local), 0)


def _overlapping() -> bytes:
    """Return 1900 entries of one piece of compressed data (after D. Fifield)."""
    packed = zlib.compress(bytes(_MB), 9)[2:-4]
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, zlib.crc32(bytes(_MB)), len(packed), 100_000, 15, 0)
    local = b"PK\3\4" + fields + b"xl/workbook.xml" + packed
    entry = b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + b"xl/workbook.xml"
    directory = entry * 1900
    return local + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1900, 1900, len(directory), len(local), 0)


def _quine() -> bytes:
    """Return a zip whose one entry, stored, is the file itself."""
    name = b"xl/workbook.xml"
    size = 30 + len(name) + 46 + len(name) + 22
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, size, size, len(name), 0)
    local = b"PK\3\4" + fields + name
    directory = b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    return local + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), len(local), 0)


def _nested() -> bytes:
    content = bytes(50 * _MB)
    for _ in range(5):
        content = zip_of({f"{number}.zip": content for number in range(4)})
    return content


def _rows(rows: int) -> bytes:
    return rezipped({_SHEET: _HEAD + b"<sheetData>" + b'<row><c t="n"><v>1</v></c></row>' * rows + _TAIL})


def _sheet(cells: bytes, head: bytes = b"") -> bytes:
    return rezipped({_SHEET: _HEAD + head + b"<sheetData><row>" + cells + b"</row>" + _TAIL})


def _shared_text(length: int, times: int) -> bytes:
    strings = (
        b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>'
        + b"x" * length
        + b"</t></si></sst>"
    )
    rows = b'<row><c t="s"><v>0</v></c></row>' * times
    return rezipped({_STRINGS: strings, _SHEET: _HEAD + b"<sheetData>" + rows + _TAIL})


def _formulas(_: Any, sheet: Any) -> None:
    sheet.write_formula(0, 5, "=cmd|'/C calc'!A0", None, "cached")
    sheet.write_formula(1, 5, '=WEBSERVICE("http://127.0.0.1:1/")', None, 1)
    sheet.write_formula(2, 5, "='[http://127.0.0.1:1/a.xlsx]S'!A1", None, 2)
    sheet.write_formula(3, 5, "=1/0", None, "#DIV/0!")
    sheet.write_string(4, 5, "=1+1")
    sheet.write_url(5, 5, "http://127.0.0.1:1/")


def _dates(workbook: Any, sheet: Any) -> None:
    form = workbook.add_format({"num_format": "dd.mm.yyyy hh:mm"})
    for row, serial in enumerate((2958465.999, 2958466, 1e10, 1e308, -1, 0, 60, 1e-300)):
        sheet.write_number(row, 7, serial, form)


def _chained_to_itself(content: bytes) -> bytes:
    """Return an OLE file whose first stream never ends: each sector is followed by itself."""
    table = 512 + 512 * struct.unpack_from("<I", content, 76)[0]
    chain = b"".join(struct.pack("<I", sector) for sector in range(128))
    return content[:table] + chain + content[table + 512 :]


def _encrypted_package() -> bytes:
    name = "Workbook".encode("utf-16-le").ljust(64, b"\0") + struct.pack("<H", 18)
    other = "EncryptedPackage".encode("utf-16-le").ljust(64, b"\0") + struct.pack("<H", 34)
    return old_book().replace(name, other)


def _encrypted_xls() -> bytes:
    """Return an .xls with a FILEPASS record in place of the one after its BOF."""
    content = old_book()
    return content[:532] + b"\x2f\0" + content[534:]


def _many_sheets(workbook: Any, _: Any) -> None:
    for number in range(1000):
        workbook.add_worksheet(f"S{number}").write(0, 0, 1)


FILES: dict[str, Callable[[], bytes]] = {
    "zip_bomb": lambda: _with_raw_part(
        _SHEET, _HEAD + b"<sheetData>", b'<row><c t="n"><v>1</v></c></row>' * 30_000, 1000, _TAIL
    ),
    "zip_bomb_under_300_mb": lambda: _with_raw_part(
        _SHEET, _HEAD + b"<sheetData>", b'<row><c t="n"><v>1</v></c></row>' * 30_000, 250, _TAIL
    ),
    "zip_bomb_that_lies": lambda: _with_raw_part(
        _SHEET, _HEAD + b"<sheetData>", b'<row><c t="n"><v>1</v></c></row>' * 30_000, 3000, _TAIL, 5000
    ),
    "zip_bomb_of_blanks": lambda: _with_raw_part(_SHEET, _HEAD, b" " * _MB, 4000, b"<sheetData>" + _TAIL, 5000),
    "zip_bomb_of_text": lambda: _with_raw_part(_STRINGS, b"<sst><si><t>", b"x" * _MB, 4000, b"</t></si></sst>", 5000),
    "zip_bomb_of_strings": lambda: _with_raw_part(
        _STRINGS, b"<sst>", b"<si><t>x</t></si>" * 50_000, 1000, b"</sst>", 5000
    ),
    "zip_nested": _nested,
    "zip_overlapping": _overlapping,
    "zip_of_itself": _quine,
    "zip_100k_entries": lambda: zip_of({f"{number}": b"" for number in range(80_000)}, zipfile.ZIP_STORED),
    "zip_names_with_paths": lambda: rezipped(
        {"../../etc/passwd": b"x", "/etc/passwd": b"x", "a" * 10_000: b"x", "C:\\a": b"x"}
    ),
    "zip_name_with_nul": lambda: rezipped({"xl/aaa.xml": b"x"}).replace(b"xl/aaa.xml", b"xl/a\0a.xml"),
    "zip_without_directory": lambda: book()[:-300],
    "zip_cut_in_half": lambda: book()[: len(book()) // 2],
    "zip_garbled": lambda: b"PK\3\4" + random.Random(3).randbytes(_MB),
    "zip_of_csv": lambda: zip_of({"export.csv": b"a;b\n1;2\n"}),
    "xlsx_billion_laughs": lambda: rezipped({_SHEET: LAUGHS, _STRINGS: LAUGHS}),
    "xlsx_laughs_in_cells": lambda: rezipped(
        {_STRINGS: LAUGHS.partition(b"<l>")[0] + b'<sst count="1"><si><t>&a10;</t></si></sst>'}
    ),
    "xlsx_external_entity": lambda: rezipped(
        {_STRINGS: b'<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><sst><si><t>&x;</t></si></sst>'}
    ),
    "xlsx_far_corner": lambda: _sheet(b'<c r="A1"><v>1</v></c><c r="XFD1048576"><v>1</v></c>'),
    "xlsx_only_far_corner": lambda: _sheet(b'<c r="XFD1048576"><v>1</v></c>'),
    "xlsx_last_column": lambda: _sheet(b'<c r="A1"><v>1</v></c><c r="XFD2"><v>1</v></c>'),
    "xlsx_1m_columns": lambda: _sheet(b'<c t="n"><v>1</v></c>' * _MB),
    "xlsx_column_of_letters": lambda: _sheet(b'<c r="ZZZZZZZ1"><v>1</v></c><c r="A99999999999"><v>1</v></c>'),
    "xlsx_1m_rows": partial(_rows, 1_048_576),
    "xlsx_dimension_lies": lambda: _sheet(b'<c r="A1"><v>1</v></c>', b'<dimension ref="A1:XFD1048576"/>'),
    "xlsx_text_300k_times": partial(_shared_text, 32_000, 300_000),
    "xlsx_text_of_5_mb": partial(_shared_text, 5 * _MB, 500),
    "xlsx_index_outside": lambda: _sheet(b'<c t="s"><v>99999999</v></c><c t="s"><v>-1</v></c><c s="9999"><v>1</v></c>'),
    "xlsx_numbers": lambda: _sheet(
        b"".join(b"<c><v>%s</v></c>" % v for v in (b"1e308", b"1e309", b"NaN", b"inf", b"", b"9" * 999))
    ),
    "xlsx_merged_1m": lambda: rezipped(
        {
            _SHEET: _HEAD
            + b"<sheetData/><mergeCells>"
            + b'<mergeCell ref="A1:XFD1048576"/>' * 500_000
            + b"</mergeCells></worksheet>"
        }
    ),
    "xlsx_macro": lambda: rezipped({"xl/vbaProject.bin": random.Random(4).randbytes(10_000)}),
    "xlsx_date_that_panics": lambda: book(
        lambda workbook, sheet: sheet.write(0, 9, -1e308, workbook.add_format({"num_format": "yyyy"}))
    ),
    "xlsx_external_links": lambda: rezipped(
        {
            "xl/externalLinks/externalLink1.xml": b'<externalLink><externalBook r:id="rId1"/></externalLink>',
            "xl/externalLinks/_rels/externalLink1.xml.rels": b'<Relationships><Relationship Id="rId1" '
            b'Target="http://127.0.0.1:1/a.xlsx" TargetMode="External"/></Relationships>',
        }
    ),
    "xlsx_formulas": lambda: book(_formulas),
    "xlsx_dates_9999": lambda: book(_dates),
    "xlsx_1000_sheets": lambda: book(_many_sheets),
    "xlsx_empty": lambda: _sheet(b""),
    "xlsx_sheet_is_no_xml": lambda: rezipped({_SHEET: bytes(1000)}),
    "xlsx_sheet_leads_outside": lambda: rezipped(
        {
            "xl/_rels/workbook.xml.rels": b'<Relationships><Relationship Id="rId1" Target="../../../etc/passwd" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>'
        }
    ),
    "xlsx_a_million_elements": lambda: rezipped({_SHEET: _HEAD + b"<a>" * 1_500_000}),
    "xlsb": lambda: zip_of({"xl/workbook.bin": b"x", "[Content_Types].xml": b"x"}),
    "ods": lambda: zip_of({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": b"<a/>"}),
    "docx": lambda: zip_of({"word/document.xml": b"<a/>"}),
    "xls_cut_in_half": lambda: old_book()[: len(old_book()) // 2],
    "xls_head_only": lambda: old_book()[:512],
    "xls_chained_to_itself": lambda: _chained_to_itself(old_book()),
    "xls_garbled": lambda: old_book()[:1000] + random.Random(5).randbytes(9 * _MB),
    "xls_zeros": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(_MB),
    "xls_encrypted": _encrypted_xls,
    "encrypted_package": _encrypted_package,
}
