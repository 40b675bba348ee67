"""Writes a table as JSON: a list of objects, one level down or with the unit above, a dictionary of lists."""

import json
import math
import re
from typing import Any

import numpy as np

from tests.support.exports.context import Context
from tests.support.exports.draw import pick
from tests.support.exports.export import Column, Table
from tests.support.exports.text import column_texts

UNITS = {1: "MINUTE", 5: "FIVE_MINUTES", 10: "TEN_MINUTES", 15: "QUARTER_OF_AN_HOUR", 30: "HALF_AN_HOUR", 60: "HOUR"}


def write_json(context: Context, table: Table) -> bytes:
    """Return the file's bytes."""
    rng, spec = context.rng, context.spec
    keys = [_key(rng, column.heading) for column in table.columns]
    if len(set(keys)) < len(keys):
        keys = [f"{key}_{number}" for number, key in enumerate(keys)]
    text = rng.random() < 0.1
    cells = [_values(context, column, text) for column in table.columns]
    weights = {"list": 40.0, "nested": 25, "columns": 12, "objects": 8}
    if len(table.columns) == 2 and spec.unit_place == "heading" and spec.outcome == "hours":
        weights["solaredge"] = 20
    shape = pick(rng, weights)
    context.traits["json"] = shape + ("+text" if text else "")
    content: Any
    if shape == "columns":
        content = dict(zip(keys, cells, strict=True))
    elif shape == "solaredge":
        values = [{"date": time, "value": value} for time, value in zip(*cells, strict=True)]
        name = "power" if spec.quantity == "effekt" else "energy"
        content = {
            name: {
                "timeUnit": UNITS[spec.interval_min],
                "unit": spec.shown_unit,
                "measuredBy": "INVERTER",
                "values": values,
            }
        }
    else:
        if shape == "objects":
            cells = [_objects(context, column, values) for column, values in zip(table.columns, cells, strict=True)]
        content = [dict(zip(keys, row, strict=True)) for row in zip(*cells, strict=True)]
        if shape == "nested":
            content = _nest(context, content)
    indent = 2 if rng.random() < 0.4 else None
    return json.dumps(content, ensure_ascii=bool(rng.random() < 0.3), indent=indent).encode()


def _objects(context: Context, column: Column, values: list[Any]) -> list[Any]:
    """Return figures as objects of their own: {"value": 1.2, "unit": "kWh"}."""
    if not column.is_number:
        return values
    unit = {"unit": column.unit} if column.unit and context.spec.unit_place != "absent" else {}
    return [{"value": value, **unit} for value in values]


def _nest(context: Context, rows: list[dict[str, Any]]) -> dict[str, Any]:
    rng = context.rng
    inner = str(rng.choice(["items", "values", "rows", "data", "nodes", "records"]))
    outer = str(rng.choice(["data", "result", "response", "production"]))
    around: dict[str, Any] = {"plant": "Solveien 12", "count": len(rows), inner: rows}
    if context.chance(0.5):
        return around
    return {"code": 200, "success": True, outer: around}


def _key(rng: np.random.Generator, heading: str) -> str:
    if rng.random() < 0.5:
        return heading
    return re.sub(r"[^0-9a-zæøåäöüéA-ZÆØÅÄÖÜÉ]+", "_", heading).strip("_") or heading


def _values(context: Context, column: Column, text: bool) -> list[Any]:
    if not column.is_number:
        return column.values
    if text:
        return column_texts(column, context.numbers._replace(thousands=""))
    decimals = column.decimals or 0
    values = [None if math.isnan(value) else round(value, decimals) for value in column.values]
    return values if decimals else [None if value is None else int(value) for value in values]
