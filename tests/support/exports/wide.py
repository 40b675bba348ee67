"""Tables with a day a row and its intervals across, or turned; inverters as rows; rows where a counter moves."""

from datetime import date, timedelta
from typing import Any

import numpy as np

from tests.support.exports.clock import DAY, local_seconds
from tests.support.exports.context import EPOCH, Context
from tests.support.exports.draw import pick
from tests.support.exports.export import Column, Table
from tests.support.exports.rows import inverter_names
from tests.support.exports.series import unit_kwh
from tests.support.exports.times import day_cells, slot_heads, time_columns
from tests.support.exports.weather import Floats
from tests.support.exports.words import heads


def wide_table(context: Context, known: np.ndarray) -> Table:
    """Return a table with a day a row, or with the days across."""
    spec, rng = context.spec, context.rng
    days, grid = _grid(context, known)
    if spec.stamp == "slutt" and (spec.declared or context.chance(0.6)):
        # Most wide tables name the interval by its start, whatever else the portal does.
        spec.stamp = "start"
    kind, slots = slot_heads(context, grid.shape[1], spec.stamp)
    context.traits["slots"] = kind
    role = "effekt" if spec.quantity == "effekt" else "energi"
    if spec.layout == "transposed":
        columns = [Column(context.word("klokke"), list(slots), role="time")]
        for text, row in zip(day_cells(context, days), grid, strict=True):
            heading = f"{text:%d.%m.%Y}" if context.native else str(text)
            columns.append(Column(heading, row.tolist(), context.series.decimals, spec.shown_unit, spec.quantity))
        return Table(columns, heads=[[column.heading for column in columns]])
    columns = [Column(context.word("dato"), day_cells(context, days), role="date")]
    if context.chance(0.2):
        columns.insert(
            0, Column("Målepunkt", [f'="7070575000{int(rng.integers(10**7, 10**8))}"'] * len(days), role="text")
        )
    if context.chance(0.15):
        columns.append(Column(context.word("register"), [heads(role, context.language)[0]] * len(days), role="text"))
    if spec.unit_place == "column":
        columns.append(Column(context.word("enhet"), [spec.shown_unit] * len(days), role="unit"))
        spec.unit_place = "wide column"
    for heading, values in zip(slots, grid.T, strict=True):
        columns.append(Column(heading, values.tolist(), context.series.decimals, spec.shown_unit, spec.quantity))
    if context.chance(0.3) and role == "energi":
        totals = np.nansum(grid, axis=1).tolist()
        place = len(columns) if context.chance(0.7) else 1
        columns.insert(place, Column(context.word("sum"), totals, context.series.decimals, spec.shown_unit, "sum"))
        context.traits["total_column"] = "yes"
    return Table(columns, heads=[[column.heading for column in columns]])


def _grid(context: Context, known: np.ndarray) -> tuple[list[date], Floats]:
    """Return the days and values by day and slot on the file's clock; the hour that comes twice is added up or lost."""
    spec, series = context.spec, context.series
    local = local_seconds(series.starts, spec.zone) + context.shift_s
    first = int(local[0] // DAY)
    row, slot = local // DAY - first, local % DAY // spec.step
    grid = np.full((int(row.max()) + 1, DAY // spec.step), np.nan)
    values = np.where(known, series.energy / unit_kwh(spec.unit, spec.quantity, series.step), np.nan)
    grid[row, slot] = values
    spring = np.isnan(grid) & ~np.isin(np.arange(grid.size).reshape(grid.shape), row * grid.shape[1] + slot)
    if context.chance(0.5):
        grid[spring] = 0.0
    begin = (EPOCH + timedelta(days=first)).date()
    return [begin + timedelta(days=number) for number in range(len(grid))], grid


def long_table(context: Context, known: np.ndarray) -> Table:
    """Return a table with a row per time and inverter, or per time and register of a meter."""
    spec, series, rng = context.spec, context.series, context.rng
    values = series.parts / unit_kwh(spec.unit, spec.quantity, series.step)
    count = len(values)
    names = inverter_names(context, count)
    by_device = context.chance(0.3)
    context.traits["long"] = "by device" if by_device else "by time"
    context.traits["inverters"] = str(count)
    times = time_columns(context, series.starts)
    place = np.flatnonzero(known)
    rows = (
        [(n, k) for k in range(count) for n in place.tolist()]
        if by_device
        else [(n, k) for n in place.tolist() for k in range(count)]
    )
    columns = [Column(column.heading, [column.values[n] for n, _ in rows], role=column.role) for column in times]
    columns.append(Column(context.word("vekselretter"), [names[k] for _, k in rows], role="device"))
    if context.chance(0.3):
        columns.append(Column("SN", [f"{110592017 + 31 * k}" for _, k in rows], role="text"))
    role = "effekt" if spec.quantity == "effekt" else "energi"
    figures: list[Any] = [float(values[k, n]) for n, k in rows]
    columns.append(Column(context.value_head(role), figures, series.decimals, spec.shown_unit, spec.quantity))
    if context.chance(0.3):
        air = series.air_c + rng.normal(15, 2)
        columns.append(
            Column(context.with_unit(context.word("temp"), "°C"), [float(air[n]) for n, _ in rows], 1, "°C", "temp")
        )
    return Table(columns, heads=[[column.heading for column in columns]])


def moves_table(context: Context, readings: Floats, known: np.ndarray) -> Table:
    """Return a counter's history with a row where its figure moves, as home automation records it."""
    spec, series = context.spec, context.series
    moved = known & np.insert(np.diff(readings) != 0, 0, True)
    if not known.all() and context.chance(0.5):
        moved |= ~known
        readings = np.where(known, readings, np.nan)
        context.numbers = context.numbers._replace(missing=str(context.rng.choice(["unavailable", "unknown"])))
        context.traits["gaps"] = "states"
    rows = np.flatnonzero(moved)
    instants = np.append(series.starts, series.starts[-1] + series.step)[rows]
    figures: list[Any] = readings[rows].tolist()
    times = time_columns(context, instants)
    entity = context.value_head("dagteller" if spec.daily_counter else "teller")
    value = Column("state", figures, series.decimals, spec.shown_unit, "teller")
    if pick(context.rng, {"history": 3, "plain": 1}) == "history":
        columns = [Column("entity_id", [entity] * len(rows), role="text"), value, *times]
    else:
        value.heading = entity
        columns = [*times, value]
    return Table(columns, heads=[[column.heading for column in columns]])
