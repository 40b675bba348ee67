"""The answer as one table: a row for each cell, for each that failed, and at the bottom the totals with all else."""

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
    rows: list[dict[str, Any]] = [{"scope": "cell", **one} for one in answer["cells"]]
    rows += [{"scope": "error", **one} for one in answer["cell_errors"]]
    rows.append({"scope": "total", **_totals(answer)})
    out = io.StringIO(newline="")
    table = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), restval="")
    table.writeheader()
    table.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue().encode()


def _totals(answer: Mapping[str, Any]) -> dict[str, Any]:
    aggregate = dict(answer["aggregate"])
    low, high = aggregate.pop("altitude_range_m") or (None, None)
    compared = dict(answer["eurocode_comparison"])
    entries = compared.pop("table_entries")
    return {
        **aggregate,
        "altitude_low_m": low,
        "altitude_high_m": high,
        **dict(flat(answer["inputs"], "inputs_")),
        **dict(flat(compared, "eurocode_")),
        "eurocode_entries": " | ".join(f"{one['kommune_1990']}: {one['sk_at_site']}" for one in entries),
        **dict(flat(answer["method"], "method_")),
        "warnings": " | ".join(answer["warnings"]),
    }
