"""The national annex' table of snow loads (NS-EN 1991-1-3 NA.4.1(901)): it is licensed, an operator may supply it.

The file is CSV in UTF-8 with a header: kommunenummer, kommune_1990, sk0, Hg, dsk, skmax, source, in any order, and
whatever other columns. They are separated by `,`, or by `;`, and then numbers have a decimal comma, as spreadsheets in
Norway write them. A row is a municipality as it was in 1990, under the number of today's that it is a part of.
"""

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

LARGEST_BYTES = 1_000_000
"""The whole of Norway takes 40 kB."""
COLUMNS = ("kommunenummer", "kommune_1990", "sk0", "Hg", "dsk", "skmax", "source")
NUMBERS = (301, 5699)
HIGHEST_SK0, HIGHEST_HG, HIGHEST_DSK, HIGHEST_SK = 20.0, 2500.0, 5.0, 30.0
_LONGEST_TEXT = 200

_NUMBER = re.compile(r"\d{3,4}", re.ASCII)  # spreadsheets drop the 0 of 0301
_DECIMAL = {mark: re.compile(rf"\d{{1,6}}({re.escape(mark)}\d{{1,6}})?", re.ASCII) for mark in ".,"}


class AnnexError(Exception):
    """The file cannot be used; the text is one sentence that names it, the line, and what is expected."""


@dataclass(frozen=True)
class Entry:
    """A row: one municipality of 1990.

    Parameters
    ----------
    kommunenummer : int
        Of today's municipality.
    kommune_1990 : str
    sk0, dsk, skmax : float
        Snow load on the ground up to the height `hg`, for each begun 100 m above it, and at most, kN/m2.
    hg : float
        Above the sea, m.
    source : str
        Where the operator has the row from.
    """

    kommunenummer: int
    kommune_1990: str
    sk0: float
    hg: float
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
    AnnexError
    """
    if path is None:
        return AnnexTable()
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise AnnexError(f"{path}: is larger than {LARGEST_BYTES // 1000} kB: expected the table of municipalities")
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise AnnexError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise AnnexError(f"{path}: is not text in UTF-8: save it as 'CSV UTF-8'") from error
    return AnnexTable(_rows(path, text), hashlib.sha256(content).hexdigest()[:16])


def _rows(path: Path, text: str) -> dict[int, tuple[Entry, ...]]:
    found: dict[int, tuple[Entry, ...]] = {}
    seen: dict[tuple[int, str], int] = {}
    for line, entry in _Lines(path, text).entries():
        pair = entry.kommunenummer, entry.kommune_1990.casefold()
        if pair in seen:
            told = f"{entry.kommunenummer:04d} with '{entry.kommune_1990}'"
            raise AnnexError(f"{path}: line {line}: {told} is on line {seen[pair]} already: expected each pair once")
        seen[pair] = line
        found[entry.kommunenummer] = (*found.get(entry.kommunenummer, ()), entry)
    if not found:
        raise AnnexError(f"{path}: holds no row: expected at least one under the header")
    return found


class _Lines:
    """Reads a file's lines; every refusal names it, and the line."""

    def __init__(self, path: Path, text: str) -> None:
        first = next((line for line in text.splitlines() if line.strip()), "")
        self._path = path
        self._between = ";" if ";" in first else ","
        self._mark = "," if self._between == ";" else "."
        self._reader = csv.reader(io.StringIO(text, newline=""), delimiter=self._between, strict=True)

    def entries(self) -> Iterator[tuple[int, Entry]]:
        """Return the rows, each with the line on which it ends."""
        lines = self._filled()
        header = [name.casefold() for name in next(lines, [])]
        if not header:
            raise AnnexError(f"{self._path}: is empty: expected a header with the columns {', '.join(COLUMNS)}")
        places = {}
        for column in COLUMNS:
            if header.count(column.casefold()) != 1:
                raise self._refuse(f"expected a header with the columns {', '.join(COLUMNS)}, each once: see {column}")
            places[column] = header.index(column.casefold())
        for fields in lines:
            if len(fields) != len(header):
                told = f"has {len(fields)} columns, the header {len(header)}"
                raise self._refuse(f"{told}: expected as many, separated by '{self._between}'")
            yield self._reader.line_num, self._entry({name: fields[place] for name, place in places.items()})

    def _filled(self) -> Iterator[list[str]]:
        """Return the lines that are not blank."""
        try:
            for fields in self._reader:
                stripped = [" ".join(one.split()) for one in fields]
                if any(stripped):
                    yield stripped
        except csv.Error as error:
            raise self._refuse(f"is not CSV: {error}") from error

    def _entry(self, row: Mapping[str, str]) -> Entry:
        number = row["kommunenummer"]
        if not _NUMBER.fullmatch(number) or not NUMBERS[0] <= int(number) <= NUMBERS[1]:
            raise self._wrong("kommunenummer", number, f"a number from {NUMBERS[0]:04d} to {NUMBERS[1]}")
        sk0 = self._number(row, "sk0", 0.0, HIGHEST_SK0)
        if sk0 == 0:
            raise self._wrong("sk0", row["sk0"], "a number of kN/m2 above 0")
        return Entry(
            kommunenummer=int(number),
            kommune_1990=self._text(row, "kommune_1990"),
            sk0=sk0,
            hg=self._number(row, "Hg", 0.0, HIGHEST_HG),
            dsk=self._number(row, "dsk", 0.0, HIGHEST_DSK),
            skmax=self._number(row, "skmax", sk0, HIGHEST_SK),
            source=self._text(row, "source"),
        )

    def _number(self, row: Mapping[str, str], column: str, low: float, high: float) -> float:
        given = row[column]
        expected = f"a number from {low:g} to {high:g}, with a decimal {'comma' if self._mark == ',' else 'point'}"
        if column == "skmax":
            expected += " (sk0 is the least)"
        value = float(given.replace(",", ".")) if _DECIMAL[self._mark].fullmatch(given) else -1.0
        if not low <= value <= high:
            raise self._wrong(column, given, expected)
        return value

    def _text(self, row: Mapping[str, str], column: str) -> str:
        given = row[column]
        if not given or len(given) > _LONGEST_TEXT or not given.isprintable():
            raise self._wrong(column, given, f"1 to {_LONGEST_TEXT} characters of text")
        return given

    def _wrong(self, column: str, given: str, expected: str) -> AnnexError:
        shown = "".join(one if one.isprintable() else "?" for one in given[:30])
        return self._refuse(f"{column} is '{shown}': expected {expected}")

    def _refuse(self, what: str) -> AnnexError:
        return AnnexError(f"{self._path}: line {self._reader.line_num}: {what}")
