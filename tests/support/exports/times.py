"""The time columns of a table: one, date and clock, start and end, a range in one cell, the number of the hour."""

from datetime import date, datetime
from typing import Any

import numpy as np

from tests.support.exports import words
from tests.support.exports.clock import Ints
from tests.support.exports.context import START_HEADS, Context
from tests.support.exports.draw import pick
from tests.support.exports.export import Column
from tests.support.exports.stamps import split, write_times

ZONE_WORDS = {
    "UTC": ("UTC", "GMT", "UTC+00:00"),
    "+01:00": ("UTC+01:00", "UTC+1", "GMT+1", "+01:00"),
    "Europe/Oslo": ("Europe/Oslo", "CET/CEST", "lokal tid"),
}


def zone_word(context: Context) -> str:
    """Return a name of the file's zone."""
    names = ZONE_WORDS[context.spec.zone]
    if context.language not in ("no", "da"):
        names = names[:2]
    return str(context.rng.choice(names))


def time_columns(context: Context, starts: Ints) -> list[Column]:
    """Return the time columns of intervals that begin at `starts`, or of a counter's readings."""
    spec = context.spec
    counter = spec.quantity == "teller"
    kind = _kind(context)
    context.traits["time_columns"] = kind
    ends = starts + spec.step
    stamps = starts if counter or spec.stamp == "start" else ends
    if kind == "start_end":
        return [
            Column(_start_head(context), _cells(context, starts), role="time"),
            Column(context.word("til"), _cells(context, ends), role="time"),
        ]
    if kind == "range":
        begin, end = _texts(context, starts), context.local(ends)[0]
        clock = split(context.time_style, context.language)[1]
        return [
            Column(_head(context), [f"{one} - {clock(two)}" for one, two in zip(begin, end, strict=True)], role="time")
        ]
    if kind == "hour_number":
        return _hour_number(context, starts)
    if kind == "date_clock":
        return _date_clock(context, stamps)
    return [Column(_head(context), _cells(context, stamps), role="time")]


def _kind(context: Context) -> str:
    spec = context.spec
    plain = not context.time_style.startswith("epoch") and not spec.offsets
    interval = spec.quantity != "teller"
    grid = context.brand is not None and context.brand.time in START_HEADS
    weights = {"one": 80.0, "date_clock": 9.0 if plain else 0.0, "start_end": 5.0 if interval else 0.0}
    if grid:
        weights = {"one": 20, "start_end": 80} if interval else {"one": 1}
    elif plain and interval and not context.native:
        weights["range"] = 3
    if plain and interval and spec.interval_min == 60 and not grid and not context.shift_s:
        weights["hour_number"] = 7
    if spec.declared and interval and not grid:
        weights = {"one": 0 if spec.has("headless") else 1, "start_end": 1}
    if spec.undecidable:
        weights = {"one": 1}
    return pick(context.rng, weights)


def _head(context: Context) -> str:
    spec = context.spec
    heading = context.brand.time if context.brand else context.word("tid")
    if spec.declared and spec.quantity != "teller":
        heading = context.word("fra" if spec.stamp == "start" else "til")
    return f"{heading}{_zone_suffix(context)}"


def _zone_suffix(context: Context) -> str:
    spec = context.spec
    said = spec.offsets or context.time_style.startswith("epoch")
    if spec.declared and context.traits.get("zone_place") == "heading" and not said:
        return f" ({zone_word(context)})"
    return ""


def _start_head(context: Context) -> str:
    heading = context.brand.time if context.brand and context.brand.time in START_HEADS else context.word("fra")
    return f"{heading}{_zone_suffix(context)}"


def _cells(context: Context, times: Ints) -> list[Any]:
    if context.native:
        return context.local(times)[0]
    texts: list[Any] = _texts(context, times)
    if context.time_style.startswith("epoch") and context.spec.format in ("json", "xlsx", "xls"):
        return [int(text) for text in texts]
    return texts


def _texts(context: Context, times: Ints) -> list[str]:
    spec = context.spec
    local, offsets = context.local(times)
    style = context.time_style
    ends = (
        spec.stamp == "slutt" and spec.quantity != "teller" and "end24" in context.traits
        and style.split()[0] in ("dmy", "iso", "dmy-", "dmy/") and style.split()[-1] in ("hm", "hms")
    )  # fmt: skip
    return write_times(style, context.language, local, offsets, times.tolist(), ends)


def _date_clock(context: Context, stamps: Ints) -> list[Column]:
    local, _ = context.local(stamps)
    heads = (context.word("dato"), context.word("klokke"))
    heads = (heads[0], f"{heads[1]}{_zone_suffix(context)}")
    if context.native:
        return [
            Column(heads[0], [datetime(time.year, time.month, time.day) for time in local], role="date"),
            Column(heads[1], [time.time() for time in local], role="time"),
        ]
    date_of, clock_of, _joint = split(context.time_style, context.language)
    return [
        Column(heads[0], [date_of(time) for time in local], role="date"),
        Column(heads[1], [clock_of(time) for time in local], role="time"),
    ]


def _hour_number(context: Context, starts: Ints) -> list[Column]:
    """Return date and the number of the hour: 1 to 24, or 0 to 23, of the hour that begins then."""
    context.spec.stamp = "start"
    local, _ = context.local(starts)
    first, padded = int(context.chance(0.6)), context.chance(0.5)
    date_of = split(context.time_style, context.language)[0]
    days: list[Any] = (
        [datetime(t.year, t.month, t.day) for t in local] if context.native else [date_of(t) for t in local]
    )
    context.traits["hour_number"] = f"from {first}"
    numbers: list[Any] = [time.hour + first for time in local]
    if not context.native and context.spec.format != "json":
        numbers = [f"{number:02}" if padded else str(number) for number in numbers]
    return [
        Column(context.word("dato"), days, role="date"),
        Column(words.heads("time_nr", context.language)[0], numbers, role="time"),
    ]


def day_cells(context: Context, days: list[date]) -> list[Any]:
    """Return cells of whole days."""
    moments = [datetime(day.year, day.month, day.day) for day in days]
    if context.native:
        return list(moments)
    style = "iso hm" if context.time_style.startswith("epoch") or context.spec.offsets else context.time_style
    date_of = split(style, context.language)[0]
    return [date_of(moment) for moment in moments]


def slot_heads(context: Context, slots: int, stamp: str) -> tuple[str, list[str]]:
    """Return the kind and the headings of a wide table's columns, `slots` a day."""
    minutes = np.arange(slots) * (1440 // slots)
    length = 1440 // slots

    def text(minute: int) -> str:
        return f"{minute // 60:02}:{minute % 60:02}"

    if stamp == "slutt":
        kind = pick(context.rng, {"end24": 1, "end00": 1})
        heads = [text(int(minute) + length) for minute in minutes]
        return kind, heads if kind == "end24" else [head.replace("24:00", "00:00") for head in heads]
    weights = {"start": 5.0, "range": 3, "decimal": 1}
    if context.spec.declared:
        weights = {"range": 1}
    elif slots == 24:
        weights |= {"1..24": 2, "0..23": 1, "kl.": 1, "hour range": 1, "named": 1}
    kind = pick(context.rng, weights)
    hours = range(slots)
    return kind, {
        "start": lambda: [text(int(minute)) for minute in minutes],
        "range": lambda: [f"{text(int(minute))}-{text((int(minute) + length) % 1440)}" for minute in minutes],
        "decimal": lambda: [f"{minute / 60:g}" if minute % 60 else f"{minute / 60:.1f}" for minute in minutes],
        "1..24": lambda: [str(hour + 1) for hour in hours],
        "0..23": lambda: [str(hour) for hour in hours],
        "kl.": lambda: [f"kl. {hour + 1:02}" for hour in hours],
        "hour range": lambda: [f"{hour:02}-{hour + 1:02}" for hour in hours],
        "named": lambda: [f"{words.heads('time_nr', context.language)[0]} {hour + 1}" for hour in hours],
    }[kind]()
