"""The national annex' table of snow loads (NS-EN 1991-1-3 NA.4.1(901)): it is licensed, an operator may supply it.

The file is CSV in UTF-8 with a header: kommunenummer, kommune_1990, sk0, Hg, dsk, skmax, source, in any order, and
whatever other columns. They are separated by `,`, or by `;`, and then numbers have a decimal comma, as spreadsheets in
Norway write them. A row is a municipality as it was in 1990, under the number of today's that it is a part of.
"""

import csv
import hashlib
import io
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from api.core.settings import SettingsError

LARGEST_BYTES = 1_000_000
"""The whole of Norway takes 40 kB."""
COLUMNS = ("kommunenummer", "kommune_1990", "sk0", "Hg", "dsk", "skmax", "source")
NUMBERS = (301, 5699)
LIMITS = {"sk0": (0.01, 20.0), "Hg": (0.0, 2500.0), "dsk": (0.0, 5.0), "skmax": (0.01, 30.0)}
_LONGEST_TEXT = 200
_HEADER = f"expected a header with the columns {', '.join(COLUMNS)}"


class Entry(NamedTuple):
    """A row: one municipality of 1990.

    Parameters
    ----------
    kommunenummer : int
        Of today's municipality.
    kommune_1990 : str
    sk0, dsk, skmax : float
        Snow load on the ground up to the height `Hg`, for each begun 100 m above it, and at most, kN/m2.
    Hg : float
        Above the sea, m.
    source : str
        Where the operator has the row from.
    """

    kommunenummer: int
    kommune_1990: str
    sk0: float
    Hg: float
    dsk: float
    skmax: float
    source: str


@dataclass(frozen=True)
class AnnexTable:
    """The table.

    Parameters
    ----------
    entries : mapping of int to tuple of Entry
        By kommunenummer, in the file's order.
    version : str
        Checksum of the file; empty where there is none.
    """

    entries: Mapping[int, tuple[Entry, ...]] = field(default_factory=dict)
    version: str = ""


def read_annex(path: Path | None) -> AnnexTable:
    """Read the table; without a file there are no rows.

    Raises
    ------
    SettingsError
    """
    if path is None:
        return AnnexTable()
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise SettingsError(f"is larger than {LARGEST_BYTES // 1000} kB: expected the table of municipalities")
        return AnnexTable(_rows(content.decode("utf-8-sig")), hashlib.sha256(content).hexdigest()[:16])
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is not text in UTF-8: save it as 'CSV UTF-8'") from error
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def _rows(text: str) -> dict[int, tuple[Entry, ...]]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator, decimal = (";", ",") if ";" in first else (",", ".")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    lines = filter(any, ([" ".join(value.split()) for value in fields] for fields in reader))
    header: list[str] = []
    found: dict[int, dict[str, Entry]] = defaultdict(dict)
    try:
        for values in lines:
            if not header:
                header = _header(values)
                continue
            if len(values) != len(header):
                columns = f"has {len(values)} columns, the header {len(header)}"
                raise SettingsError(f"{columns}: expected as many, separated by '{separator}'")
            entry = _entry(dict(zip(header, values, strict=True)), decimal)
            if found[entry.kommunenummer].setdefault(entry.kommune_1990.casefold(), entry) is not entry:
                pair = f"{entry.kommunenummer:04d} with '{entry.kommune_1990}'"
                raise SettingsError(f"{pair} is on an earlier line: expected each pair once")
    except (csv.Error, SettingsError) as error:
        said = f"is not CSV: {error}" if isinstance(error, csv.Error) else error
        raise SettingsError(f"line {reader.line_num}: {said}") from error
    if not header:
        raise SettingsError(f"is empty: {_HEADER}")
    if not found:
        raise SettingsError("holds no row: expected at least one under the header")
    return {number: tuple(entries.values()) for number, entries in found.items()}


def _header(names: Sequence[str]) -> list[str]:
    """Return the columns' names, ours as we write them."""
    ours = {column.casefold(): column for column in COLUMNS}
    header = [ours.get(name.casefold(), name) for name in names]
    if wrong := [column for column in COLUMNS if header.count(column) != 1]:
        raise SettingsError(f"{_HEADER}, each once: see {wrong[0]}")
    return header


def _entry(row: Mapping[str, str], decimal: str) -> Entry:
    number = row["kommunenummer"]  # spreadsheets drop the 0 of 0301
    if not re.fullmatch(r"\d{3,4}", number, re.ASCII) or not NUMBERS[0] <= int(number) <= NUMBERS[1]:
        raise _wrong("kommunenummer", number, f"a number from {NUMBERS[0]:04d} to {NUMBERS[1]}")
    for column in ("kommune_1990", "source"):
        if not 0 < len(row[column]) <= _LONGEST_TEXT or not row[column].isprintable():
            raise _wrong(column, row[column], f"1 to {_LONGEST_TEXT} characters of text")
    sk0, hg, dsk, skmax = (_number(row[column], column, decimal) for column in LIMITS)
    if skmax < sk0:
        raise _wrong("skmax", row["skmax"], f"no less than sk0, which is {sk0:g}")
    return Entry(int(number), row["kommune_1990"], sk0, hg, dsk, skmax, row["source"])


def _number(text: str, column: str, decimal: str) -> float:
    low, high = LIMITS[column]
    is_number = re.fullmatch(rf"\d{{1,6}}({re.escape(decimal)}\d{{1,6}})?", text, re.ASCII)
    value = float(text.replace(decimal, ".")) if is_number else math.nan
    if not low <= value <= high:
        mark = "comma" if decimal == "," else "point"
        raise _wrong(column, text, f"a number from {low:g} to {high:g}, with a decimal {mark}")
    return value


def _wrong(column: str, text: str, expected: str) -> SettingsError:
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:30])
    return SettingsError(f"{column} is '{shown}': expected {expected}")
