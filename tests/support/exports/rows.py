"""Tables with a row per time: one value column or several inverters, columns beside, gaps, order, doubled rows."""

from typing import Any

import numpy as np

from tests.support.exports.beside import companions, draw_roles
from tests.support.exports.clock import Ints
from tests.support.exports.context import Context
from tests.support.exports.export import NOT_PRODUCTION, Column, Table
from tests.support.exports.series import unit_kwh
from tests.support.exports.times import time_columns
from tests.support.exports.weather import Floats


def rows_table(context: Context, readings: Floats, known: np.ndarray, shown: np.ndarray) -> Table:
    """Return a table of the intervals, or of a counter's readings.

    `known` says where there are values; `shown` which rows there are at all, absent ones being those of the night.
    """
    spec, series = context.spec, context.series
    counter = spec.quantity == "teller"
    starts = np.append(series.starts, series.starts[-1] + series.step) if counter else series.starts
    values = readings[None, :] if counter else series.parts / unit_kwh(spec.unit, spec.quantity, series.step)
    keep = shown
    if spec.has("gaps") and not known.all():
        as_token = context.chance(0.45)
        context.traits["gaps"] = "tokens" if as_token else "rows"
        keep = shown & (known | as_token)
    columns = [*time_columns(context, starts), *_ordered(context, values, known)]
    order = _order(context, np.flatnonzero(keep))
    for column in columns:
        column.values = [column.values[place] for place in order.tolist()]
    return Table(columns, heads=[[column.heading for column in columns]])


def _order(context: Context, rows: Ints) -> Ints:
    spec, rng = context.spec, context.rng
    if spec.has("doubled") and len(rows) > 10:
        if context.chance(0.5):
            rows = np.sort(np.concatenate((rows, rng.choice(rows, max(len(rows) // 60, 2), replace=False))))
            context.traits["doubled"] = "rows"
        else:
            begin = int(rng.integers(len(rows) - 8))
            block = rows[begin : begin + int(rng.integers(6, 60))]
            rows = np.concatenate((rows[: begin + len(block)], block, rows[begin + len(block) :]))
            context.traits["doubled"] = "block"
    return rows[::-1] if spec.has("newest_first") else rows


def _ordered(context: Context, values: Floats, known: np.ndarray) -> list[Column]:
    production = _production(context, values, known)
    beside = _beside(context, known) if context.spec.has("beside") else []
    if context.spec.outcome == NOT_PRODUCTION:
        return beside
    if context.spec.two_plants:
        return _two_plants(context, production[0])
    if beside and context.chance(0.35):
        cut = int(context.rng.integers(len(beside) + 1))
        return [*beside[:cut], *production, *beside[cut:]]
    return production + beside


def _numbers(values: Floats, known: np.ndarray) -> list[Any]:
    return np.where(known, values, np.nan).tolist()


def _production(context: Context, values: Floats, known: np.ndarray) -> list[Column]:
    spec, series = context.spec, context.series
    role = "dagteller" if spec.daily_counter else spec.quantity
    if len(values) == 1:
        heading = context.value_head(role)
        return [Column(heading, _numbers(values[0], known), series.decimals, spec.shown_unit, spec.quantity)]
    base = context.value_head(role)
    names = inverter_names(context, len(values))
    style = int(context.rng.integers(3))
    columns = []
    for name, part in zip(names, values, strict=True):
        heading = (f"{name} {base}", f"{base} {name}", f"{name} / {base}")[style]
        columns.append(Column(heading, _numbers(part, known), series.decimals, spec.shown_unit, "inverter"))
    if context.chance(0.45):
        unit = spec.shown_unit if spec.unit_place == "heading" else ""
        total = Column(
            context.with_unit(context.word("sum"), unit),
            _numbers(values.sum(axis=0), known),
            series.decimals,
            spec.shown_unit,
            spec.quantity,
        )
        columns.insert(0 if context.chance(0.3) else len(columns), total)
        context.traits["total_column"] = "yes"
    context.traits["inverters"] = str(len(values))
    return columns


def _two_plants(context: Context, column: Column) -> list[Column]:
    """Return two plants of one size side by side: nothing in the file says which is the registered one."""
    unit = context.spec.shown_unit
    other = np.asarray(column.values) * np.clip(context.rng.normal(1.0, 0.12, len(column.values)), 0.6, 1.25)
    column.heading = context.with_unit("Anlegg A", unit)
    neighbour = Column(context.with_unit("Anlegg B", unit), other.tolist(), column.decimals, unit, "neighbour")
    if context.chance(0.5):
        column.heading, neighbour.heading = neighbour.heading, column.heading
        return [neighbour, column]
    return [column, neighbour]


def inverter_names(context: Context, count: int) -> list[str]:
    """Return names of inverters: planes, serial numbers, numbers."""
    arrays = context.spec.plant.arrays
    kind = int(context.rng.integers(4))
    if kind == 0 and len(arrays) == count:
        return [array.name for array in arrays]
    serial = int(context.rng.integers(10**8, 10**9))
    word = context.word("vekselretter")
    return [
        (f"{word} {n + 1}", f"SN {serial + 7 * n}", f"INV{n + 1}", f"{word} {n + 1} ({serial + 7 * n})")[kind]
        for n in range(count)
    ]


def _beside(context: Context, known: np.ndarray) -> list[Column]:
    spec, rng, series = context.spec, context.rng, context.series
    offered = (
        list(context.brand.beside)
        if context.brand
        else ["forbruk", "innmating", "uttak", "lading", "soc", "dc", "fase", "spenning", "temp", "straaling"]
    )
    roles = draw_roles(rng, offered)
    if spec.outcome == NOT_PRODUCTION:
        roles = _grid_only(context)
    unnamed = spec.outcome == NOT_PRODUCTION and roles == ["forbruk"] and context.chance(0.3)
    columns = []
    intervals = known[: len(series.starts)] if spec.quantity == "teller" else known
    for companion in companions(rng, spec, series, roles):
        heading = context.beside_head(companion.role, companion.unit)
        if companion.role == "fase":
            base = context.beside_head("fase", "")
            heading = context.with_unit(f"{base}{sum(column.role == 'fase' for column in columns) + 1}", companion.unit)
        if unnamed:
            heading = context.with_unit(context.word("verdi"), companion.unit)
        values = _numbers(companion.values, intervals)
        if spec.quantity == "teller":
            values.append(values[-1])
        columns.append(Column(heading, values, companion.decimals, companion.unit, companion.role))
    context.traits["beside"] = "+".join(dict.fromkeys(column.role for column in columns))
    if context.chance(0.35) and "status" in (context.brand.beside if context.brand else {"status": ""}):
        words = context.rng.choice(["OK", "Målt", "Normal", "Running", "A01", "Avlest"])
        count = len(series.starts) + (spec.quantity == "teller")
        columns.append(Column(context.word("status"), [str(words)] * count, role="status"))
    return columns


def _grid_only(context: Context) -> list[str]:
    choices = (["forbruk"], ["innmating"], ["uttak", "innmating"], ["forbruk", "uttak"], ["uttak"])
    return choices[int(context.rng.integers(len(choices)))]
