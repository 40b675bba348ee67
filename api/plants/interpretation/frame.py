"""The data of a sheet: rows with a moment, headings, and which columns hold moments, numbers and labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation import numbers as of_numbers
from api.plants.interpretation.headings import Heading, plain, read_heading
from api.plants.interpretation.stamp_text import undated
from api.plants.interpretation.times import Stamps

_MOST_LABELS, _LONGEST_LABEL, _ROWS_EACH = 60, 100, 3


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

    def labels(self, column: int) -> NDArray[np.str_]:
        """Return the cells of a column as text, (n,)."""
        return np.array(list(map(str, self.cells(column))))

    def followed_by(self, others: Sequence["Frame"]) -> "Frame":
        """Return this frame with the rows of others of the same form behind its own."""
        every = (self, *others)
        moments = {column: Stamps.joined([one.moments[column] for one in every]) for column in self.moments}
        rows = [row for one in every for row in one.rows]
        notes = " ".join(one.notes for one in every)
        return Frame(self.sheet, rows, self.headings, notes, moments, self.numeric, self.mark)

    def labelled(self, label: str) -> "Frame":
        """Return this frame with a last column that holds a label, such as the name of its sheet."""
        rows, headings = [[*row, label] for row in self.rows], [*self.headings, read_heading("")]
        return Frame(self.sheet, rows, headings, self.notes, self.moments, self.numeric, self.mark)

    @property
    def fingerprint(self) -> str:
        """Return the headings as one text, without dates: files of one format have the same."""
        return "|".join(undated(plain(one.text)) for one in self.headings)

    def label_columns(self) -> Iterator[tuple[int, list[str]]]:
        """Yield columns of a few labels, such as inverters or registers, with their labels."""
        for column in range(len(self.headings)):
            if column in self.moments or len(set(map(str, self.cells(column)[:2000]))) > _MOST_LABELS:
                continue
            found = sorted(set(map(str, self.cells(column))))
            if max(map(len, found), default=0) > _LONGEST_LABEL:
                continue
            if 1 < len(found) <= _MOST_LABELS and len(self.rows) > _ROWS_EACH * len(found):
                yield column, found
