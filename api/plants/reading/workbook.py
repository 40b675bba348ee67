"""What is read from a file: sheets of cells, as the file has them."""

from datetime import date, datetime, time, timedelta
from typing import Literal, NamedTuple

Cell = str | float | datetime | date | time | timedelta
Kind = Literal["csv", "xlsx", "xls", "json"]

MAX_BYTES = 10 * 2**20
MAX_ROWS = 1_000_000
MAX_COLUMNS = 10_000
MAX_CELLS = 5_000_000
"""Of all sheets together, as are the rows."""


class Sheet(NamedTuple):
    """One table.

    Parameters
    ----------
    name : str
        Of the Excel sheet, or the path to a list in JSON; empty for text.
    rows : list of list of Cell
        As long as they are in the file; blank rows between others are there. Text has neither blanks nor NUL around it;
        an empty cell is "". Numbers are float in Excel and JSON, and text in text files.
    context : dict of str to str
        What JSON says above its list, such as `{"unit": "Wh"}`.
    """

    name: str
    rows: list[list[Cell]]
    context: dict[str, str]


class Workbook(NamedTuple):
    """A file.

    Parameters
    ----------
    kind : {"csv", "xlsx", "xls", "json"}
        By its content; "csv" is any text.
    sheets : tuple of Sheet
        Those with cells, at least one.
    encoding : str
        Of text and JSON, such as "utf-8"; empty for Excel.
    delimiter : str
        Of text; empty where each row is one cell, and for the other kinds.
    """

    kind: Kind
    sheets: tuple[Sheet, ...]
    encoding: str = ""
    delimiter: str = ""
