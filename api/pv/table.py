"""An answer as one table: a row for each month, one for the year, one for each surface.

It can be read without options; the year's row has, in columns of their own, all that JSON says beside.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

# A spreadsheet takes a text that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write(answer: Mapping[str, Any]) -> bytes:
    """Return the file.

    Parameters
    ----------
    answer : mapping
        As JSON is made of it.
    """
    year = {"scope": "year", **dict(_flat(answer["annual"])), **dict(_flat(answer["side_by_side"]))}
    for part in ("tmy", "optimum", "inputs", "method"):
        year |= _flat(answer.get(part, {}), f"{part}_")
    year["warnings"] = " | ".join(answer["warnings"])
    rows = [
        *({"scope": "month", **month} for month in answer["monthly"]),
        year,
        *({"scope": "array", **array} for array in answer["arrays"]),
    ]
    out = io.StringIO(newline="")
    names = ("scope", "month", "kwp", "angle", "aspect", "e_kwh", "poa_kwh_m2", "snow_loss_pct", "clipped_kwh")
    table = csv.DictWriter(out, list(dict.fromkeys((*names, *year))), restval="")
    table.writeheader()
    table.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue().encode()


def _flat(part: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what a part of an answer holds, by names that lead to it."""
    for name, value in part.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}_")
        else:
            yield f"{prefix}{name}", value


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
