"""What stands around a table: title rows, a row of units, totals below, comments between, headings in two rows."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np

from tests.support.exports.clock import DAY
from tests.support.exports.context import EPOCH, Context
from tests.support.exports.export import DAILY, Column, Line, Table
from tests.support.exports.times import zone_word
from tests.support.exports.words import heads, label


def trim(context: Context, table: Table) -> None:
    """Put around the table what the file's difficulties ask for."""
    spec = context.spec
    if spec.unit_place == "heading" and spec.layout in ("wide", "transposed") and spec.outcome != DAILY:
        spec.unit_place = "title"
    if spec.unit_place == "units_row":
        table.heads.append([_unit_cell(context, column) for column in table.columns])
    if spec.unit_place == "column":
        _unit_column(context, table)
    if spec.has("two_heads"):
        _two_heads(context, table)
    if spec.has("headless"):
        table.heads.clear()
    if spec.format != "json":
        table.titles = _titles(context)
        if spec.has("footer"):
            table.footers = _footers(context, table)
        _between(context, table)
    if spec.unit_place == "file_name":
        context.file_stem += f"_{spec.shown_unit}"
    context.traits["unit_place"] = spec.unit_place
    if spec.declared or spec.offsets:
        context.traits["declared"] = "offsets" if spec.offsets else context.traits.get("zone_place", "heading")


def _unit_cell(context: Context, column: Column) -> str:
    if not column.unit:
        return ""
    return (
        f"[{column.unit}]"
        if context.traits.setdefault("units_row", str(context.rng.choice(["plain", "brackets"]))) == "brackets"
        else column.unit
    )


def _unit_column(context: Context, table: Table) -> None:
    """Add a column that repeats the unit, or write it behind each figure."""
    spec = context.spec
    place = next((n for n, column in enumerate(table.columns) if column.role == spec.quantity), None)
    if place is None:
        return
    if context.chance(0.3) and spec.format in ("csv", "txt"):
        context.numbers = context.numbers._replace(suffix=f" {spec.shown_unit}")
        context.traits["unit_column"] = "in cells"
        return
    column = Column(context.word("enhet"), [spec.shown_unit] * table.count, role="unit")
    table.columns.insert(place + 1, column)
    for number, head in enumerate(table.heads):
        head.insert(place + 1, column.heading if number == 0 else "")


def _two_heads(context: Context, table: Table) -> None:
    """Put a row of devices above the headings, as merged cells look: the name once, then blanks."""
    if not table.heads:
        return
    serial = f"SN: {int(context.rng.integers(10**8, 10**9))}"
    times = sum(column.role in ("time", "date") for column in table.columns)
    rest = len(table.columns) - times
    repeat = context.chance(0.4)
    table.heads.insert(0, [""] * times + [serial] * (rest if repeat else 1) + [""] * (0 if repeat else rest - 1))


def _titles(context: Context) -> list[list[str]]:
    """Return lines above the table."""
    spec, rng, language = context.spec, context.rng, context.language
    lines: list[list[str]] = []
    if spec.has("titles"):
        first, last = (EPOCH + timedelta(seconds=second) for second in (spec.first, spec.last))
        kwp = f"{spec.plant.kwp:.1f}".replace(".", ",")
        lines = [
            [label("rapport", language)],
            [f"{label('anlegg', language)}: Solveien 12, {spec.town}"],
            [label("serie", language), str(int(rng.integers(10**9, 10**10)))],
            [f"{label('periode', language)}: {first:%d.%m.%Y} - {last:%d.%m.%Y}"],
            [label("installert", language), f"{kwp} kWp"],
            [f"{label('laget', language)} {last + timedelta(days=2):%d.%m.%Y %H:%M}"],
        ]
        keep = np.sort(rng.choice(len(lines), int(rng.integers(1, 6)), replace=False))
        lines = [lines[number] for number in keep.tolist()]
        if context.chance(0.4):
            lines.append([])
    if spec.unit_place == "title":
        unit = spec.shown_unit
        word = heads("effekt" if spec.quantity == "effekt" else "energi", language)[0]
        texts = (
            [f"{label('enhet', language)}: {unit}"],
            [label("enhet", language), unit],
            [f"{word} [{unit}]"],
            [f"{word} ({unit})"],
        )
        lines.append(texts[int(rng.integers(len(texts)))])
    said = spec.offsets or context.time_style.startswith("epoch")
    if spec.declared and not said and context.traits.get("zone_place") == "title":
        lines.append([f"{label('tidssone', language)}: {zone_word(context)}"])
    if spec.has("blank_lines") and context.chance(0.5):
        lines = [[], *lines, []]
    return lines


def _footers(context: Context, table: Table) -> list[list[Any]]:
    """Return rows of totals below the table."""
    kinds = [("sum", np.nansum)]
    if context.chance(0.3):
        kinds += [("snitt", np.nanmean), ("maks", np.nanmax)]
    rows = []
    for word, figure in kinds:
        row: list[Any] = [heads(word, context.language)[0]]
        row += [_figure(figure, column) for column in table.columns[1:]]
        rows.append(row)
    return [[""], *rows] if context.chance(0.3) else rows


def _figure(figure: Callable[[Any], Any], column: Column) -> float | str:
    return float(figure(column.values)) if column.is_number and not np.isnan(column.values).all() else ""


def _between(context: Context, table: Table) -> None:
    """Put comments or blank lines between the rows."""
    spec, rng = context.spec, context.rng
    if spec.has("between"):
        text = label("omstart", context.language)
        for after in rng.integers(1, max(table.count, 2), int(rng.integers(1, 5))).tolist():
            day = EPOCH + timedelta(seconds=spec.first // DAY * DAY)
            line = [[f"# {text}"], [text], [f"{day:%d.%m.%Y %H:%M}", text], [f"--- {text} ---"]][int(rng.integers(4))]
            table.between.append(Line(int(after), line))
    if spec.has("blank_lines") and spec.format in ("csv", "txt"):
        every = max(86400 // spec.step, 2) if context.chance(0.5) else max(table.count // 3, 1)
        table.between += [Line(after, []) for after in range(every, table.count, every)]
