"""Writes a table as XLSX or XLS: real dates or text, an empty first sheet, serial numbers that are a hair off."""

import io
import math
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import xlsxwriter
import xlwt

from tests.support.exports.context import EPOCH
from tests.support.exports.export import Column, Table
from tests.support.exports.number_styles import NumberStyle
from tests.support.exports.text import column_texts, footer_texts

FORMATS = ("dd.mm.yyyy hh:mm", "yyyy-mm-dd hh:mm:ss", "d/m/yy h:mm", "m/d/yyyy h:mm", "dd/mm/yyyy hh:mm:ss")


def _cells(column: Column, numbers: NumberStyle, as_text: bool) -> list[Any]:
    if not column.is_number:
        return column.values
    if as_text:
        return column_texts(column, numbers)
    decimals = column.decimals or 0
    return [numbers.missing or None if math.isnan(value) else round(value, decimals) for value in column.values]


def _lines(table: Table, numbers: NumberStyle, as_text: bool) -> list[list[Any]]:
    rows = [list(row) for row in zip(*(_cells(column, numbers, as_text) for column in table.columns), strict=True)]
    footers = [footer_texts(footer, table, numbers) if as_text else footer for footer in table.footers]
    return [*table.titles, *table.heads, *rows, *footers]


def write_sheet(
    rng: np.random.Generator,
    table: Table,
    numbers: NumberStyle,
    kind: str,
    as_text: bool,
    empty_sheet: bool,
    serials: bool,
) -> bytes:
    """Return the workbook's bytes."""
    lines = _lines(table, numbers, as_text)
    shape = str(rng.choice(FORMATS))
    name = str(rng.choice(["Ark1", "Sheet1", "Data", "Produksjon", "Export"]))
    if kind == "xls":
        return _xls(lines, shape, name, empty_sheet)
    return _xlsx(lines, shape, name, empty_sheet, serials)


def _xlsx(lines: list[list[Any]], shape: str, name: str, empty_sheet: bool, serials: bool) -> bytes:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"constant_memory": True, "in_memory": True, "strings_to_numbers": False}) as book:
        book.set_properties({"created": EPOCH + timedelta(days=20000)})
        moment = book.add_format({"num_format": shape})
        day, clock = book.add_format({"num_format": shape.split()[0]}), book.add_format({"num_format": "hh:mm"})
        if empty_sheet:
            info = book.add_worksheet("Info")
            if len(lines) % 2:
                info.write_row(0, 0, ["Export", "Solveien 12"])
        sheet = book.add_worksheet(name)
        for row, line in enumerate(lines):
            for place, cell in enumerate(line):
                if cell is None or cell == "":
                    continue
                if isinstance(cell, datetime):
                    whole = cell.hour == cell.minute == 0 and shape.split()[0] == "d/m/yy"
                    if serials:
                        sheet.write_number(row, place, round(_serial(cell), 6), moment)
                    else:
                        sheet.write_datetime(row, place, cell, day if whole else moment)
                elif isinstance(cell, date | time):
                    sheet.write_datetime(row, place, cell, clock)
                elif isinstance(cell, str):
                    sheet.write_string(row, place, cell)
                else:
                    sheet.write_number(row, place, cell)
    return out.getvalue()


def _serial(moment: datetime) -> float:
    return (moment - EPOCH).total_seconds() / 86400 + 25569


def _xls(lines: list[list[Any]], shape: str, name: str, empty_sheet: bool) -> bytes:
    book = xlwt.Workbook()
    moment, clock = xlwt.easyxf(num_format_str=shape), xlwt.easyxf(num_format_str="hh:mm")
    if empty_sheet:
        book.add_sheet("Info")
    sheet = book.add_sheet(name)
    for row, line in enumerate(lines):
        for place, cell in enumerate(line):
            if cell is None or cell == "":
                continue
            if isinstance(cell, datetime):
                sheet.write(row, place, cell, moment)
            elif isinstance(cell, time):
                sheet.write(row, place, cell, clock)
            else:
                sheet.write(row, place, cell)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
