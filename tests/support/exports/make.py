"""Makes an export from its seed."""

import numpy as np

from tests.support.exports import clock
from tests.support.exports.context import Context, make_context
from tests.support.exports.daily import daily_table
from tests.support.exports.draw import draw
from tests.support.exports.evidence import settle, sun_may_decide
from tests.support.exports.export import DAILY, Export, Table, Truth
from tests.support.exports.json_files import write_json
from tests.support.exports.rows import rows_table
from tests.support.exports.series import make_series
from tests.support.exports.sheets import write_sheet
from tests.support.exports.text import write_text
from tests.support.exports.trimmings import trim
from tests.support.exports.truth import counter_readings, daylight, make_gaps, truth_of
from tests.support.exports.wide import long_table, moves_table, wide_table


def make(seed: int) -> Export:
    """Return the export of a seed: always the same."""
    rng = np.random.default_rng([20240621, seed])
    spec = draw(rng)
    series = make_series(rng, spec, spec.mood)
    if spec.mood == "any" and not sun_may_decide(spec, series):
        # Most people send a file with some sun in it.
        series = make_series(rng, spec, "bright")
    context = make_context(rng, spec, series)
    if spec.outcome == DAILY:
        table = daily_table(context)
        truth = Truth(DAILY, {}, spec.unit, spec.quantity, 1440, "start", spec.zone)
    else:
        table, truth = _hours(context)
    trim(context, table)
    context.traits["columns"] = "+".join(map(str, _value_columns(table, spec.quantity)))
    content = write(context, table)
    context.traits.update(difficulties="+".join(sorted(spec.difficulties)) or "none", stamp=spec.stamp)
    return Export(seed, content, _file_name(context), spec.plant, truth, context.traits)


def _hours(context: Context) -> tuple[Table, Truth]:
    """Return the table of a file of hours or shorter intervals, and its truth."""
    rng, spec, series = context.rng, context.spec, context.series
    known = make_gaps(rng, spec, series)
    readings = counter_readings(rng, spec, series) if spec.quantity == "teller" else np.zeros(0)
    shown = np.ones(len(known), dtype=bool)
    if spec.has("daylight_only"):
        shown = daylight(spec, series, shown)
    must_ask = settle(context, known & shown)
    shown &= ~_lost_hour(context, len(known))
    if spec.layout in ("wide", "transposed"):
        table = wide_table(context, known)
    elif spec.layout == "long":
        table = long_table(context, known)
    elif spec.layout == "moves":
        table = moves_table(context, readings, known)
        # A row that is not there may be one lost or one that did not move.
        shown = np.insert(np.diff(readings) != 0, 0, True)
        shown[-1] = True
    else:
        table = rows_table(context, readings, known, shown)
    truth = truth_of(spec, series, readings, known & shown, must_ask)
    if must_ask:
        context.traits["must_ask"] = "+".join(sorted(must_ask))
    return table, truth


def _lost_hour(context: Context, count: int) -> np.ndarray:
    """Return the values of the second 02:00 of the autumn night, where the file loses them; else none."""
    spec, series = context.spec, context.series
    lost = np.zeros(count, dtype=bool)
    if (
        spec.zone != "Europe/Oslo"
        or spec.offsets
        or spec.layout not in ("rows", "long")
        or context.time_style.startswith("epoch")
    ):
        return lost
    nights = [clock.summer_time(year)[1] for year in range(2020, 2028)]
    nights = [night for night in nights if spec.first < night < spec.last]
    if nights:
        context.traits["autumn"] = "kept"
        if context.chance(0.4):
            context.traits["autumn"] = "lost"
            for night in nights:
                places = np.flatnonzero((series.starts >= night) & (series.starts < night + clock.HOUR))
                lost[places] = True
    return lost


def _value_columns(table: Table, quantity: str) -> list[int]:
    """Return the numbers of the columns that hold the production, or of the inverters that add up to it."""
    roles = [column.role for column in table.columns]
    for role in (quantity, "inverter"):
        if role in roles:
            return [number for number, found in enumerate(roles) if found == role]
    return []


def _file_name(context: Context) -> str:
    ending = context.spec.format
    if ending == "csv" and context.traits.get("delimiter") == "tab" and context.chance(0.3):
        ending = "xls" if context.chance(0.3) else "tsv"
    context.traits["ending"] = ending
    return f"{context.file_stem}.{ending}"


def write(context: Context, table: Table) -> bytes:
    """Return the table's bytes in the file's format."""
    rng, spec, numbers = context.rng, context.spec, context.numbers
    if spec.format in ("csv", "txt"):
        return write_text(
            rng, table, numbers, spec.format, spec.has("odd_encoding"), spec.has("quotes"), context.traits
        )
    if spec.format == "json":
        return write_json(context, table)
    return write_sheet(
        rng, table, numbers, spec.format, spec.has("text_cells"), spec.has("empty_sheet"), spec.has("serials")
    )
