"""Makes an export from its seed."""

import numpy as np

from tests.support.exports.context import Context, make_context
from tests.support.exports.draw import Spec, draw
from tests.support.exports.export import Export, Table
from tests.support.exports.json_files import write_json
from tests.support.exports.rows import rows_table
from tests.support.exports.series import make_series
from tests.support.exports.sheets import write_sheet
from tests.support.exports.text import write_text
from tests.support.exports.truth import counter_readings, daylight, make_gaps, truth_of


def make(seed: int) -> Export:
    """Return the export of a seed: always the same."""
    rng = np.random.default_rng([20240621, seed])
    spec = draw(rng)
    series = make_series(rng, spec)
    context = make_context(rng, spec, series)
    known = make_gaps(rng, spec, series)
    readings = counter_readings(rng, spec, series) if spec.quantity == "teller" else np.zeros(0)
    shown = np.ones(len(known), dtype=bool)
    if spec.has("daylight_only"):
        shown = daylight(spec, series, shown)
    table = rows_table(context, readings, known, shown)
    truth = truth_of(spec, series, readings, known & shown)
    content = write(context, table)
    return Export(seed, content, f"{context.file_stem}.{spec.format}", spec.plant, truth, context.traits)


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


def describe(spec: Spec) -> str:
    """Return one line on what a file is like."""
    return f"{spec.format} {spec.layout} {spec.quantity} {spec.unit} {spec.interval_min} min {spec.zone} {spec.stamp}: {sorted(spec.difficulties)}"
