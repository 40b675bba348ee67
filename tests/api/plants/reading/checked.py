"""What holds of every workbook."""

import math
from datetime import datetime, time, timedelta

import pytest

from api.core.errors import ApiError
from api.plants.reading.read import read
from api.plants.reading.workbook import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, Cell, Workbook


def rows_of(content: bytes, name: str = "a.csv") -> list[list[Cell]]:
    """Return the rows of a file with one sheet."""
    (sheet,) = read(content, name).sheets
    return sheet.rows


def refusal(content: bytes, name: str = "a.csv") -> str:
    """Return the sentence with which a file is refused."""
    with pytest.raises(ApiError) as caught:
        read(content, name)
    assert (caught.value.status, caught.value.problem.code) == (422, "UNREADABLE")
    assert "{" not in caught.value.text("nb") + caught.value.text("en")
    return str(caught.value)


def check(workbook: Workbook) -> None:
    """Check limits and cells."""
    assert workbook.sheets
    assert sum(len(sheet.rows) for sheet in workbook.sheets) <= MAX_ROWS + len(workbook.sheets)  # heads of JSON
    assert sum(len(row) for sheet in workbook.sheets for row in sheet.rows) <= MAX_CELLS * 1.1
    for sheet in workbook.sheets:
        assert all(isinstance(text, str) for item in sheet.context.items() for text in item)
        for row in sheet.rows:
            assert len(row) <= MAX_COLUMNS
            for cell in row:
                assert type(cell) in (str, float, datetime, time, timedelta)
                if isinstance(cell, str):
                    assert cell == cell.strip()
                    assert "\0" not in cell
                elif isinstance(cell, float):
                    assert math.isfinite(cell)
