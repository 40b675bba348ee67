"""Writes a table as CSV or text: delimiters, quotes, line ends, encodings, the `sep=` line."""

import csv
import io
from typing import Any

import numpy as np

from tests.support.exports.draw import pick
from tests.support.exports.export import Column, Table
from tests.support.exports.number_styles import NumberStyle, formatter


def column_texts(column: Column, numbers: NumberStyle) -> list[str]:
    """Return a column's cells as text."""
    if column.is_number:
        return list(map(formatter(numbers, column.decimals or 0), column.values))
    return ["" if value is None else str(value) for value in column.values]


def write_text(
    rng: np.random.Generator,
    table: Table,
    numbers: NumberStyle,
    kind: str,
    odd: bool,
    quotes: bool,
    traits: dict[str, str],
) -> bytes:
    """Return the file's bytes."""
    if kind == "txt":
        delimiter = pick(rng, {"\t": 6, ";": 3, "|": 2})
    elif numbers.decimal == ",":
        delimiter = pick(rng, {";": 80, "\t": 8, ",": 8, "|": 4})
    else:
        delimiter = pick(rng, {",": 58, ";": 30, "\t": 8, "|": 4})
    # A joined cell keeps the delimiter inside only where it is quoted, which the writer does.
    out = io.StringIO()
    end = "\r\n" if rng.random() < 0.5 else "\n"
    if odd and rng.random() < 0.15:
        end = "\r\r\n"
        traits["line_end"] = "crcrlf"
    quoting = csv.QUOTE_ALL if quotes else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    if rng.random() < 0.06:
        out.write(f"sep={delimiter}{end}")
        traits["sep_line"] = "yes"
    for line in table.titles:
        writer.writerow(line)
    for head in table.heads:
        writer.writerow(head)
    trailing = [""] if rng.random() < 0.05 else []
    rows = zip(*(column_texts(column, numbers) for column in table.columns), strict=True)
    between = {line.after: line.cells for line in table.between}
    for number, row in enumerate(rows):
        if number in between:
            writer.writerow(between[number])
        writer.writerow([*row, *trailing] if trailing else row)
    for footer in table.footers:
        writer.writerow(footer_texts(footer, table, numbers))
    encoding = pick(rng, {"utf-8": 55, "utf-8-sig": 25, "cp1252": 20})
    if odd:
        encoding = pick(rng, {"utf-16": 4, "cp1252": 3, "utf-8-sig": 1})
    traits.update(delimiter={"\t": "tab"}.get(delimiter, delimiter), encoding=encoding, numbers=numbers.name)
    text = out.getvalue()
    if odd and encoding != "utf-16" and rng.random() < 0.15:
        text += "\0" * 12
        traits["nul"] = "yes"
    return text.encode(encoding, errors="replace")


def footer_texts(footer: list[Any], table: Table, numbers: NumberStyle) -> list[str]:
    """Return a footer's cells; numbers as in the column above."""
    texts = []
    for column, cell in zip(table.columns, footer, strict=False):
        texts.append(formatter(numbers, column.decimals or 0)(cell) if isinstance(cell, float) else str(cell))
    return texts
