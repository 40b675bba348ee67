"""Where the data of a sheet begin, what stands above them, and which columns hold moments and numbers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation import numbers as of_numbers
from api.plants.interpretation.headings import Heading, plain, read_heading, unit_in, words
from api.plants.interpretation.times import Stamps, stamps_of, style_of
from api.plants.reading.workbook import Sheet

_SAMPLED, _HEAD_ROWS, _MOST_COLUMNS = 80, 12, 400
_LABEL = re.compile(r"[^\W\d_]")


@dataclass
class Frame:
    """The data of a sheet.

    Parameters
    ----------
    sheet : int
        Its number in the workbook.
    rows : list of list
        With data, in the file's order; all as long as the longest.
    headings : list of Heading
        Of each column.
    notes : str
        Titles above the headings, the sheet's name, and what JSON says around its list.
    moments : dict of int to Stamps
        Columns that hold moments; those with dates first.
    numeric : list of int
        Columns that hold numbers.
    mark : str
        Decimal mark of text cells.
    """

    sheet: int
    rows: list[list[Any]]
    headings: list[Heading]
    notes: str
    moments: dict[int, Stamps]
    numeric: list[int]
    mark: str
    _numbers: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    def cells(self, column: int) -> list[Any]:
        """Return the cells of a column."""
        return [row[column] for row in self.rows]

    def numbers(self, column: int) -> NDArray[np.float64]:
        """Return a column as float64 (n,), NaN where a cell holds no number."""
        if column not in self._numbers:
            self._numbers[column] = of_numbers.numbers(self.cells(column), self.mark)
        return self._numbers[column]

    def followed_by(self, others: "Sequence[Frame]") -> "Frame":
        """Return this frame with the rows of others of the same form behind its own."""
        moments = {
            column: one._replace(
                valid=np.concatenate([one.valid, *(other.moments[column].valid for other in others)]),
                date=np.concatenate([one.date, *(other.moments[column].date for other in others)]),
                second=np.concatenate([one.second, *(other.moments[column].second for other in others)]),
                offset=np.concatenate([one.offset, *(other.moments[column].offset for other in others)]),
            )
            for column, one in self.moments.items()
        }
        rows = [row for one in (self, *others) for row in one.rows]
        notes = " ".join(one.notes for one in (self, *others))
        return Frame(self.sheet, rows, self.headings, notes, moments, self.numeric, self.mark)

    @property
    def fingerprint(self) -> str:
        """Return the headings as one text: files of one format have the same."""
        return "|".join(plain(one.text) for one in self.headings)


def frame_of(sheet: Sheet, number: int, delimiter: str = "") -> Frame | None:
    """Return the data of a sheet, None where no column holds moments.

    Parameters
    ----------
    sheet : Sheet
    number : int
        Of the sheet.
    delimiter : str
        Of a text file.
    """
    rows = sheet.rows
    sampled = _sample(rows)
    if not sampled:
        return None
    width = min(max(map(len, sampled)), _MOST_COLUMNS)
    columns = [[row[column] if column < len(row) else "" for row in sampled] for column in range(width)]
    styles = {column: style for column, cells in enumerate(columns) if (style := style_of(cells))}
    dated = [column for column, style in styles.items() if style != "clock"]
    if not dated:
        return None
    first, kept = _data_rows(rows, dated[0], styles[dated[0]], width)
    if first is None or not kept:
        return None
    headings, notes = _headings(rows[:first], width, sheet)
    frame = Frame(number, kept, headings, notes, {}, [], "")
    _add_moments(frame, styles, dated)
    frame.numeric = [
        column for column in range(width) if column not in frame.moments and _is_numeric(columns[column])
    ]
    step = max(1, len(kept) // 2000)
    texts = (row[column] for row in kept[::step] for column in frame.numeric if isinstance(row[column], str))
    frame.mark = of_numbers.decimal_mark(texts, delimiter)
    _add_units(frame)
    return frame


def _sample(rows: Sequence[list[Any]]) -> list[list[Any]]:
    """Return rows from all over a sheet, of those that are as long as most."""
    step = max(1, len(rows) // 400)
    some = [row for row in rows[:: step] if any(cell != "" for cell in row)]
    if not some:
        return []
    lengths = Counter(len(row) for row in some)
    usual = max(lengths, key=lambda length: (lengths[length] * (length > 1), length))
    alike = [row for row in some if len(row) >= usual - 1 or len(row) == usual]
    return alike[len(alike) // 10 :: max(1, len(alike) // _SAMPLED)] or alike


def _data_rows(rows: list[list[Any]], column: int, style: str, width: int) -> tuple[int | None, list[list[Any]]]:
    """Return the first row with data, and all that have a moment in a column, filled up where merged cells are empty."""
    cells = [row[column] if column < len(row) else "" for row in rows]
    valid = stamps_of(cells, style).valid
    if not valid.any():
        return None, []
    first = int(np.argmax(valid))
    empty = np.array([cell == "" for cell in cells])
    empty[: first + 1] = False
    if empty.sum() > 2 * valid.sum():  # one date above its hours
        last: Any = ""
        for index in range(first, len(rows)):
            if valid[index]:
                last = cells[index]
            elif empty[index] and any(cell != "" for cell in rows[index]):
                rows[index] = [*rows[index][:column], last, *rows[index][column + 1 :]]
                valid[index] = True
    return first, [
        row[:width] if len(row) >= width else [*row, *[""] * (width - len(row))]
        for row, kept in zip(rows, valid.tolist(), strict=True)
        if kept
    ]


def _headings(above: list[list[Any]], width: int, sheet: Sheet) -> tuple[list[Heading], str]:
    """Return the headings of columns, and the titles above them."""
    texts = [[str(cell).strip() for cell in row] for row in above[-_HEAD_ROWS:]]
    heads = _head_rows(texts, width)
    names = [""] * width
    for index in heads:
        row = _spread(texts[index]) if index != heads[-1] and texts[index][:1] == [""] else texts[index]
        for column in range(min(width, len(row))):
            if row[column] and row[column] not in names[column]:
                names[column] = f"{names[column]} {row[column]}".strip()
    titles = [" ".join(cell for cell in row if cell) for index, row in enumerate(texts) if index not in heads]
    context = [f"{name} {value}" for name, value in sheet.context.items()]
    return [read_heading(name) for name in names], " ".join([sheet.name, *titles, *context])


def _head_rows(texts: list[list[str]], width: int) -> list[int]:
    """Return which rows above the data are headings: the last one, and those above it that are as wide."""
    heads: list[int] = []
    for index in range(len(texts) - 1, -1, -1):
        row = texts[index]
        count = sum(map(bool, row))
        if not count:
            continue
        if not heads:
            if count >= min(2, width) and len(row) <= 2 * width + 2:
                heads.append(index)
            else:
                return []
        elif (count >= 0.6 * width and width >= 4 and len(row) <= width + 1) or (count >= 2 and row[0] == "" and width >= 4) or _is_units(texts[heads[0]]):
            heads.insert(0, index)
        else:
            break
    return heads


def _is_units(row: list[str]) -> bool:
    """Return whether a row holds units, such as `[kWh]`, under the headings."""
    cells = [cell for cell in row[1:] if cell]
    return bool(cells) and all(len(cell) <= 8 and unit_in(cell) for cell in cells)


def _spread(row: list[str]) -> list[str]:
    """Return a row of merged headings with each one over all of its columns."""
    last, out = "", []
    for cell in row:
        last = cell if cell.strip() else last
        out.append(last)
    return out


def _add_moments(frame: Frame, styles: dict[int, str], dated: list[int]) -> None:
    for column in [*dated, *(one for one in styles if one not in dated)]:
        found = stamps_of(frame.cells(column), styles[column])
        if found.valid.mean() > 0.5:
            frame.moments[column] = found
    if not any(one.has_time for one in frame.moments.values()):
        _find_hours(frame)


def _find_hours(frame: Frame) -> None:
    """Take a column of whole hours, 0 to 23 or 1 to 24, for times of day: beside dates without one."""
    pattern = words()["time"]["hour"]
    for column, heading in enumerate(frame.headings):
        if column in frame.moments or not pattern.search(plain(heading.text)):
            continue
        found = stamps_of(frame.cells(column), "hour")
        hours = found.second[found.valid] // 3600
        if found.valid.mean() > 0.95 and np.unique(hours).size >= 6:
            frame.moments[column] = found
            return


def _is_numeric(cells: Sequence[Any]) -> bool:
    given = [cell for cell in cells if cell != "" and not of_numbers.is_missing(cell)]
    return bool(given) and sum(map(of_numbers.is_number, given)) >= 0.8 * len(given)


def _add_units(frame: Frame) -> None:
    """Add the units that stand behind numbers, or in a column of their own."""
    columns = [column for column in range(len(frame.headings)) if column not in frame.moments and column not in frame.numeric]
    alone = {unit for column in columns if (unit := _only_unit(frame.cells(column)[:500]))}
    for column in frame.numeric:
        heading = frame.headings[column]
        unit = unit_in(of_numbers.unit_of_cells(frame.cells(column)[:200])) or (alone.copy().pop() if len(alone) == 1 else "")
        if not heading.unit and unit and heading.role not in ("other", "inverter_id"):
            frame.headings[column] = read_heading(heading.text, unit)


def _only_unit(cells: Sequence[Any]) -> str:
    """Return the unit that all cells of a column name, empty where they name none or several."""
    texts = {cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()}
    return unit_in(texts.pop()) if len(texts) == 1 and len(next(iter(texts))) <= 5 else ""


def labels(frame: Frame) -> Iterator[tuple[int, list[str]]]:
    """Yield columns of a few labels, such as inverters or registers, with their labels."""
    for column in range(len(frame.headings)):
        if column in frame.moments:
            continue
        some = [str(row[column]) for row in frame.rows[:: max(1, len(frame.rows) // 5000)]]
        found = sorted(set(some))
        if 1 < len(found) <= 60 and len(some) > 3 * len(found):
            yield column, found
