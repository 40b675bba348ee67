"""The answer of months as one table: a row for each month, and one for the year with all that JSON says beside."""

import csv
import io
from collections.abc import Mapping
from typing import Any

from api.spreadsheet import cell, flat


def write(answer: Mapping[str, Any]) -> bytes:
    """Return the file.

    Parameters
    ----------
    answer : mapping
        As JSON is made of it.
    """
    months = [{"scope": "month", **month} for month in answer["monthly"]]
    year = {"scope": "year", **answer["annual"]}
    for part in ("inputs", "method"):
        year |= flat(answer[part], f"{part}_")
    year["warnings"] = " | ".join(answer["warnings"])
    out = io.StringIO(newline="")
    table = csv.DictWriter(out, list(dict.fromkeys((*months[0], *year))), restval="")
    table.writeheader()
    table.writerows({name: cell(value) for name, value in row.items()} for row in (*months, year))
    return out.getvalue().encode()
