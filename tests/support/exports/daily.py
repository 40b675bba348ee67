"""Files that hold one value a day, a week or a month: nobody can place them in hours."""

from datetime import date, timedelta
from typing import Any

import numpy as np

from tests.support.exports.clock import DAY, local_seconds
from tests.support.exports.context import EPOCH, Context
from tests.support.exports.draw import pick
from tests.support.exports.export import Column, Table
from tests.support.exports.times import day_cells
from tests.support.exports.words import MONTHS


def daily_table(context: Context) -> Table:
    """Return a table of sums by day, by week or by month, or of a counter read once a day."""
    spec, series = context.spec, context.series
    spec.quantity = "teller" if context.chance(0.2) else "energi"
    spec.unit = spec.shown_unit = pick(context.rng, {"kWh": 8, "Wh": 2})
    local = local_seconds(series.starts, spec.zone)
    day = local // DAY - local[0] // DAY
    begin = (EPOCH + timedelta(days=int(local[0] // DAY))).date()
    sums = np.bincount(day, series.energy.clip(0)) * (1000 if spec.unit == "Wh" else 1)
    days = [begin + timedelta(days=number) for number in range(len(sums))]
    series.decimals = 0 if spec.unit == "Wh" else 2
    kind = pick(
        context.rng, {"rows": 60, "midnight": 15, "month across": 12, "weeks": 6, "months": 7 if len(days) > 62 else 0}
    )
    if spec.format == "json" and kind == "month across":
        kind = "rows"
    context.traits["daily"] = f"{kind} {spec.quantity}"
    if spec.quantity == "teller" and kind != "month across":
        sums = np.cumsum(sums) + 4000.0
    role = spec.quantity
    if kind == "month across":
        return _month_across(context, days, sums)
    if kind in ("weeks", "months"):
        groups = [(d.isocalendar().week if kind == "weeks" else d.month, d.year) for d in days]
        firsts = [n for n, group in enumerate(groups) if n == 0 or group != groups[n - 1]]
        parts = np.split(sums, firsts[1:])
        values = [float(part[-1] if role == "teller" else part.sum()) for part in parts]
        cells: list[Any] = day_cells(context, [days[n] for n in firsts])
        if kind == "months" and not context.native:
            names = MONTHS[context.language].split()
            cells = [f"{names[days[n].month - 1]} {days[n].year}" for n in firsts]
        return _table(context, cells, values, role)
    cells = day_cells(context, days)
    if kind == "midnight" and not context.native:
        cells = [f"{cell} 00:00" for cell in cells]
    return _table(context, cells, sums.tolist(), role)


def _table(context: Context, cells: list[Any], values: list[float], role: str) -> Table:
    spec, series, rng = context.spec, context.series, context.rng
    columns = [
        Column(context.word("dato"), cells, role="date"),
        Column(context.value_head(role), values, series.decimals, spec.unit, role),
    ]
    if spec.has("beside") or context.chance(0.25):
        use = (np.abs(rng.normal(22, 6, len(values))) * (1000 if spec.unit == "Wh" else 1)).tolist()
        columns.append(Column(context.beside_head("forbruk", spec.unit), use, series.decimals, spec.unit, "forbruk"))
    return Table(columns, heads=[[column.heading for column in columns]])


def _month_across(context: Context, days: list[date], sums: np.ndarray) -> Table:
    """Return a table with a month a row and its days across."""
    months = sorted({(day.year, day.month) for day in days})
    grid = np.full((len(months), 31), np.nan)
    for day, value in zip(days, sums.tolist(), strict=True):
        grid[months.index((day.year, day.month)), day.day - 1] = value
    columns = [Column(context.word("dato"), [f"{month:02}.{year}" for year, month in months], role="date")]
    columns += [
        Column(str(number + 1), values.tolist(), context.series.decimals, context.spec.unit, "energi")
        for number, values in enumerate(grid.T)
    ]
    return Table(columns, heads=[[column.heading for column in columns]])
