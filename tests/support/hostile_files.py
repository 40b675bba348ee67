"""Uploads that nobody sends by mistake, and some that people do send; those of Excel are made in `hostile_excel`."""

import gzip
import io
import random
import zipfile
from collections.abc import Callable, Iterator
from functools import cache

import orjson

from tests.support import hostile_excel
from tests.support.hostile_excel import book, old_book, zip_of

_MB = 1_000_000
_CSV = "Tid;Produksjon (kWh);Status\n" + "".join(
    f"{day:02}.06.2025 {hour:02}:00;{hour},{day};OK\n" for day in range(1, 4) for hour in range(24)
)
_ROWS = [{"date": f"2025-06-01 {hour:02}:00:00", "value": hour / 2} for hour in range(24)]
_HTML = (
    b"<html><body><table><tr><td>Tid</td><td>kWh</td></tr><tr><td>2025-06-01</td><td>1</td></tr></table></body></html>"
)

FILES: dict[str, Callable[[], bytes]] = {
    # text
    "empty": lambda: b"",
    "bom_only": lambda: b"\xef\xbb\xbf",
    "utf16_bom_only": lambda: b"\xff\xfe",
    "only_nul": lambda: bytes(_MB),
    "only_blanks": lambda: b" " * 10 * _MB,
    "only_newlines": lambda: b"\n" * 10 * _MB,
    "only_carriage_returns": lambda: b"\r" * 10 * _MB,
    "only_delimiters": lambda: b";;;;;;\n" * _MB,
    "only_quotes": lambda: b'"' * 10 * _MB,
    "one_enormous_line": lambda: b"x" * 10 * _MB,
    "one_line_of_delimiters": lambda: b"1;" * 5 * _MB,
    "unbalanced_quotes": lambda: b'a;b\n"' + b"1;2\n" * 2_400_000,
    "many_unbalanced_quotes": lambda: b'1;2;"x\n' * _MB,
    "too_large": lambda: b"1;2\n" * 3 * _MB,
    "csv_100k_columns": lambda: (b"1;" * 100_000 + b"\n") * 3,
    "csv_1m_rows": lambda: b"1;2\n" * 1_100_000,
    "csv_10m_cells": lambda: b";;;;;;;;;1\n" * 900_000,
    "csv_ragged_to_9999_columns": lambda: b"\n".join(b";" * (number % 9999) + b"1" for number in range(2000)),
    "utf7": lambda: "Tid;Måned;å\n1;2;3\n".encode("utf-7") * 1000,
    "lone_surrogates_utf8": lambda: b"Tid;\xed\xa0\x80\n1;\xed\xbf\xbf\n" * 100,
    "lone_surrogates_utf16": lambda: "Tid;x\n1;2\n".encode("utf-16") + b"\x00\xd8;\x00\x00\xdc" * 20,
    "utf16_odd_length": lambda: "Tid;x\n1;2\n".encode("utf-16") + b"x",
    "nul_between": lambda: b"\0".join(bytes([char]) for char in b"Tid,x\n1,2\n" * 100) + b"\0\0\0",
    "formulas": lambda: b'Tid;x\n=cmd|\' /C calc\'!A0;+1+1\n@SUM(A1);-2+3\n=HYPERLINK("http://a");="123"\n',
    "huge_numbers": lambda: b"Tid;x\n1;1e308\n2;-1e309\n3;NaN\n4;Infinity\n5;" + b"9" * 100_000 + b"\n",
    "dates_9999": lambda: b"Tid;x\n9999-12-31 23:59;1\n10000-01-01;2\n0000-00-00;3\n31.02.2025;4\n-1;5\n",
    "paths_in_cells": lambda: b"../../etc/passwd;file:///etc/passwd;\\\\host\\share\n1;2;3\n4;5;6\n",
    "sep_of_nothing": lambda: b"sep=\n" * 1000,
    "random_bytes": lambda: random.Random(1).randbytes(_MB),
    "random_letters": lambda: bytes(random.Random(2).choices(b'a1;,\t|"\n\r =.-', k=_MB)),
    # JSON
    "json_lists_without_end": lambda: b"[" * 10 * _MB,
    "json_objects_without_end": lambda: b'{"a":' * 2 * _MB,
    "json_500_levels": lambda: b"[" * 500 + b"1,2" + b"]" * 500,
    "json_500_objects": lambda: b'{"a":' * 500 + b"[1,2]" + b"}" * 500,
    "json_records_of_500_levels": lambda: b"[" + b'{"a":' * 500 + b"1" + b"}" * 500 + b"]",
    "json_levels_of_tables": lambda: b'{"a":[{"v":1},{"v":2}],"x":1,"b":' * 20 + b"[[1,2],[3,4]]" + b"}" * 20,
    "json_nan": lambda: b'[{"t":"2025-06-01","v":NaN},{"t":"2025-06-02","v":-Infinity},{"t":"2025-06-03","v":1}]',
    "json_huge_numbers": lambda: b'[{"t":1,"v":1e308},{"t":2,"v":-1e308},{"t":3,"v":99999999999999999999}]',
    "json_larger_than_float": lambda: b'[{"t":1,"v":1e400},{"t":2,"v":' + b"9" * 400 + b"}]",
    "json_number_of_9_mb": lambda: b"[" + b"9" * 9 * _MB + b",1]",
    "json_million_keys": lambda: b'{"a":[1,2]' + b"".join(b',"%d":1' % number for number in range(900_000)) + b"}",
    "json_million_stamps": lambda: b'{"1":1' + b"".join(b',"%d":1' % number for number in range(2, 900_000)) + b"}",
    "json_own_column_each": lambda: b"[" + b",".join(b'{"k%d":1}' % number for number in range(400_000)) + b"]",
    "json_tiny_tables": lambda: b"[" + b",".join([b'[{"a":1}]'] * 900_000) + b"]",
    "json_tiny_named_tables": lambda: b"{" + b",".join(b'"k%d":[{"a":1}]' % n for n in range(500_000)) + b"}",
    "json_other_columns_each": lambda: b"[" + b",".join(b'[{"a%d":1}]' % n for n in range(500_000)) + b"]",
    "json_large_context": lambda: (
        b"{"
        + b"".join(b'"s%d":1,' % n for n in range(200_000))
        + b",".join(b'"t%d":[{"a":1}]' % n for n in range(200_000))
        + b"}"
    ),
    "json_empty_objects": lambda: b"[" + b",".join([b"{}"] * 3 * _MB) + b"]",
    "json_empty_lists": lambda: b"[" + b",".join([b"[]"] * 3 * _MB) + b"]",
    "json_long_text": lambda: b'[{"t":"' + b"x" * 9 * _MB + b'","v":1},{"t":2,"v":2}]',
    "json_lone_surrogate": lambda: b'[{"t":"\\ud800","v":1},{"t":"2","v":2}]',
    "json_cut_off": lambda: b'{"energy":{"values":[{"date":"2025-06-01","value":1},{"da',
    "json_no_table": lambda: b'{"error":{"code":401,"message":"token"}}',
    "json_lines_of_numbers": lambda: b"[1]\n" * 2 * _MB,
    # what is no table at all
    "pdf": lambda: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n",
    "png": lambda: b"\x89PNG\r\n\x1a\n" + bytes(100),
    "jpeg": lambda: b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(100),
    "html_as_xls": lambda: _HTML,
    "html_with_mark": lambda: b"\xef\xbb\xbf\r\n  <!DOCTYPE html>" + _HTML,
    "html_of_sharepoint": lambda: b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n" + _HTML,
    "spreadsheet_xml": lambda: b'<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
    "billion_laughs_xml": lambda: hostile_excel.LAUGHS,
    "gzip": lambda: gzip.compress(_CSV.encode()),
    "gzip_bomb": lambda: gzip.compress(bytes(100 * _MB), 1),
    "program": lambda: b"MZ\x90\0" + bytes(1000),
    "elf": lambda: b"\x7fELF\2\1\1" + bytes(1000),
    "sqlite": lambda: b"SQLite format 3\0\x10\0\1\1\0@  " + bytes(4000),
    "rtf": lambda: b"{\\rtf1\\ansi Tid;kWh}",
    **hostile_excel.FILES,
}
"""Makers of the files, by name: some are 10 MB."""

FILE_NAMES = (
    "",
    "../../etc/passwd",
    "..\\..\\windows\\system32\\a.csv",
    "/dev/null",
    "a\0.csv",
    "a" * 10_000 + ".xlsx",
    "con.csv",
    "\u202egnp.csv",
    "a.csv\r\nX-Header: 1",
    "\ud800.csv",
    "$(reboot).xls",
)
"""Names under which files come."""


def hostile_files() -> dict[str, bytes]:
    """Return all of them, some 300 MB."""
    return {name: make() for name, make in FILES.items()}


@cache
def _seeds() -> dict[str, bytes]:
    return {
        "semicolon.csv": _CSV.encode(),
        "cp1252.csv": ("Måned\tØre\n" + _CSV).replace(";", "\t").encode("cp1252"),
        "utf16.csv": _CSV.encode("utf-16"),
        "quoted.csv": "\r\n".join('"' + line.replace(";", '","') + '"' for line in _CSV.split("\n")).encode(),
        "sep.csv": ("sep=;\n" + _CSV.replace(";OK", ';="007"')).encode(),
        "records.json": orjson.dumps({"energy": {"unit": "Wh", "values": _ROWS}}),
        "meters.json": orjson.dumps({"meters": [{"type": kind, "values": _ROWS} for kind in ("Production", "FeedIn")]}),
        "stamps.json": orjson.dumps({row["date"]: row["value"] for row in _ROWS}),
        "parallel.json": orjson.dumps({key: [row[key] for row in _ROWS] for key in ("date", "value")}),
        "lines.json": b"\n".join(map(orjson.dumps, _ROWS)),
    }


@cache
def _excel_seeds() -> dict[str, bytes]:
    return {"book.xlsx": book(), "book.xls": old_book()}


_TOKENS = (
    *(
        b"\0",
        b'"',
        b"'",
        b";",
        b",",
        b"\t",
        b"|",
        b"\n",
        b"\r\r\n",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"=",
    ),
    *(b"[", b"{", b"}]", b"[[[[", b'{"a":', b"null", b"NaN", b"1e999", b"-", b"9" * 40, b"\\u0000", b"\\ud800"),
    *(
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\x7f\xff\xff\xff",
        b"XFD1048576",
        b"A0",
        b"A99999999999",
        b'"s">',
        b"<c ",
        b"&x;",
    ),
)


def fuzzed(n: int, seed: int, excel_share: float = 0.1) -> Iterator[tuple[str, bytes]]:
    """Yield mutations of small valid files.

    Parameters
    ----------
    n, seed : int
    excel_share : float
        Excel costs a process each.
    """
    rng = random.Random(seed)
    for number in range(n):
        seeds = _excel_seeds() if rng.random() < excel_share else _seeds()
        name = rng.choice(sorted(seeds))
        content = seeds[name]
        if name.endswith("xlsx") and rng.random() < 0.7:  # behind the zip's checksums
            with zipfile.ZipFile(io.BytesIO(content)) as file:
                parts = {part: file.read(part) for part in file.namelist()}
            part = rng.choice(sorted(parts))
            parts[part] = _mutated(parts[part], rng, seeds)
            content = zip_of(parts)
        else:
            content = _mutated(content, rng, seeds)
        yield f"{seed}-{number}-{name}", content


def _mutated(content: bytes, rng: random.Random, seeds: dict[str, bytes]) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, length = rng.randrange(len(content) + 1), rng.choice((1, 2, 8, 64, 512))
        match rng.randrange(7):
            case 0:  # another byte
                content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
            case 1:  # a bit
                if at < len(content):
                    content = content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
            case 2:
                content = content[:at] + content[at + length :]
            case 3:
                content = content[:at] + content[at : at + length] * rng.choice((2, 3, 50)) + content[at + length :]
            case 4:
                content = content[:at] + rng.choice(_TOKENS) + content[at:]
            case 5:
                content = content[:at]
            case 6:
                other = rng.choice(sorted(seeds.items()))[1]
                content = content[:at] + other[rng.randrange(len(other)) :]
    return content
