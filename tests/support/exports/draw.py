"""Draws what a file is to be like: contents, layout and one to three difficulties, each independent of the others."""

from dataclasses import dataclass, field

import numpy as np

from tests.support.exports import clock
from tests.support.exports.clock import DAY, HOUR
from tests.support.exports.export import DAILY, HOURS, NOT_PRODUCTION
from tests.support.exports.plant import Plant, draw_plant

DIFFICULTIES = {
    "inverters": 5, "beside": 12, "titles": 7, "units_row": 4, "footer": 5, "between": 2, "blank_lines": 2,
    "newest_first": 4, "daylight_only": 5, "gaps": 8, "numbers": 8, "no_unit": 6, "wrong_unit": 9, "night_noise": 3,
    "standby": 4, "shift": 2, "doubled": 3, "clip": 4, "soiling": 3, "dead_week": 2, "times": 12, "headless": 2,
    "declared": 4, "unit_title": 2, "unit_file_name": 1, "unit_column": 2, "coarse": 2, "odd_encoding": 6,
    "empty_sheet": 2, "two_heads": 2, "mid_day": 3, "reset": 2, "quotes": 3, "text_cells": 3, "serials": 3,
}  # fmt: skip


@dataclass
class Spec:
    """What one file is to be like; later steps may still take something back that does not fit."""

    outcome: str
    town: str
    plant: Plant
    quantity: str
    unit: str
    interval_min: int
    zone: str
    stamp: str
    first: int
    last: int
    mood: str
    layout: str
    format: str
    language: str
    undecidable: bool
    two_plants: bool
    daily_counter: bool
    large: bool
    difficulties: set[str] = field(default_factory=set)
    # Where the file says its unit, and its zone and stamp.
    unit_place: str = "heading"
    declared: bool = False
    shown_unit: str = ""
    offsets: bool = False

    @property
    def step(self) -> int:
        """Return the length of an interval, seconds."""
        return self.interval_min * 60

    def has(self, difficulty: str) -> bool:
        """Return whether the file has this difficulty."""
        return difficulty in self.difficulties


def pick(rng: np.random.Generator, weights: dict[str, float]) -> str:
    """Return one of the names, drawn by weight."""
    names = list(weights)
    shares = np.array([weights[name] for name in names], dtype=float)
    return names[int(rng.choice(len(names), p=shares / shares.sum()))]


def draw(rng: np.random.Generator) -> Spec:
    """Return what a file is to be like."""
    town, plant = draw_plant(rng)
    outcome = pick(rng, {HOURS: 89.5, DAILY: 6, NOT_PRODUCTION: 4.5})
    undecidable = bool(outcome == HOURS and rng.random() < 0.045)
    layout = pick(rng, {"rows": 77, "wide": 11, "transposed": 2, "long": 6, "moves": 4})
    quantity = pick(rng, {"energi": 52, "effekt": 28, "teller": 20})
    interval = int(pick(rng, {"1": 3, "5": 20, "10": 6, "15": 27, "30": 8, "60": 36}))
    form = pick(rng, {"csv": 58, "txt": 8, "xlsx": 17, "xls": 4, "json": 13})
    if layout in ("wide", "transposed"):
        quantity = "effekt" if quantity == "effekt" else "energi"
        interval = int(pick(rng, {"15": 25, "30": 12, "60": 63}))
        form = "csv" if form == "json" else form
    if layout == "moves":
        quantity, interval = "teller", int(pick(rng, {"1": 1, "5": 5, "10": 1}))
        form = form if form in ("csv", "json") else "csv"
    two_plants = undecidable and bool(rng.random() < 0.2)
    if undecidable:
        layout, quantity, interval = (
            "rows",
            pick(rng, {"energi": 1, "effekt": 1}),
            int(pick(rng, {"5": 1, "15": 2, "30": 1})),
        )
    spec = Spec(
        outcome, town, plant, quantity, _unit(rng, quantity, plant.kwp), interval,
        zone=pick(rng, {"Europe/Oslo": 74, "UTC": 13, "+01:00": 13}), stamp=pick(rng, {"start": 62, "slutt": 38}),
        first=0, last=0, mood="dull" if undecidable and not two_plants else "any", layout=layout, format=form,
        language=pick(rng, {"no": 34, "en": 30, "sv": 9, "da": 7, "de": 11, "nl": 5, "fr": 4}),
        undecidable=undecidable, two_plants=two_plants, daily_counter=bool(quantity == "teller" and rng.random() < 0.4),
        large=bool(rng.random() < 0.03 and not undecidable),
    )  # fmt: skip
    _difficulties(rng, spec)
    _span(rng, spec)
    return spec


def _unit(rng: np.random.Generator, quantity: str, kwp: float) -> str:
    if quantity == "effekt":
        return pick(rng, {"kW": 50, "W": 50})
    if quantity == "energi":
        return pick(rng, {"kWh": 68, "Wh": 28, "MWh": 12 if kwp > 40 else 0})
    return pick(rng, {"kWh": 68, "Wh": 24, "MWh": 8})


def _difficulties(rng: np.random.Generator, spec: Spec) -> None:
    for _ in range(int(rng.choice(4, p=(0.06, 0.34, 0.34, 0.26)))):
        spec.difficulties.add(pick(rng, DIFFICULTIES))
    has = spec.difficulties
    text, sheet = spec.format in ("csv", "txt"), spec.format in ("xlsx", "xls")
    if spec.undecidable:
        has -= {
            "wrong_unit",
            "units_row",
            "unit_title",
            "unit_file_name",
            "unit_column",
            "two_heads",
            "headless",
            "shift",
            "declared",
        }
        has -= {
            "inverters",
            "gaps",
            "daylight_only",
            "soiling",
            "dead_week",
            "reset",
            "clip",
            "doubled",
            "night_noise",
            "standby",
        }
        has -= {"beside"}
        if spec.two_plants:
            has.discard("no_unit")
        else:
            has.add("no_unit")
    if spec.layout != "rows":
        has -= {
            "beside",
            "daylight_only",
            "doubled",
            "units_row",
            "headless",
            "inverters",
            "two_heads",
            "unit_column",
            "mid_day",
            "reset",
        }
    if spec.layout in ("wide", "transposed", "moves"):
        has -= {"newest_first", "between", "times"}
    if spec.outcome == NOT_PRODUCTION:
        has -= {
            "no_unit",
            "wrong_unit",
            "headless",
            "inverters",
            "clip",
            "soiling",
            "dead_week",
            "shift",
            "standby",
            "night_noise",
        }
        has.add("beside")
        spec.layout, spec.quantity, spec.unit = "rows", "energi", "kWh"
    if spec.outcome == DAILY:
        has -= {
            "daylight_only",
            "headless",
            "shift",
            "mid_day",
            "times",
            "doubled",
            "unit_column",
            "night_noise",
            "standby",
            "reset",
        }
        spec.layout = "rows"
    if spec.format == "json":
        has -= {"titles", "units_row", "footer", "between", "blank_lines", "headless", "unit_title", "two_heads"}
    if not text:
        has -= {"odd_encoding", "quotes", "between"}
    if not sheet:
        has -= {"empty_sheet", "text_cells", "serials"}
    if spec.quantity == "teller":
        has -= {"standby", "night_noise", "wrong_unit", "inverters", "doubled"}
    else:
        has -= {"reset"}
    if spec.quantity == "teller":
        spec.stamp = "start"
    if spec.layout == "long":
        spec.quantity = "energi" if spec.quantity == "teller" else spec.quantity
        spec.unit = spec.unit if spec.unit != "MWh" else "kWh"
    if spec.daily_counter:
        has.discard("reset")
    if spec.interval_min == 30:
        has.discard("shift")
    if "headless" in has:
        has.discard("beside")
    spec.unit_place = "heading"
    for difficulty, place in (
        ("no_unit", "absent"), ("headless", "absent"), ("units_row", "units_row"), ("unit_title", "title"),
        ("unit_file_name", "file_name"), ("unit_column", "column"),
    ):  # fmt: skip
        if difficulty in has:
            spec.unit_place = place
    if spec.layout in ("wide", "transposed") and spec.unit_place == "heading":
        column = 25 * (spec.layout == "wide")
        spec.unit_place = pick(rng, {"title": 55, "column": column, "file_name": 10, "absent": 10})
    if "numbers" in has and spec.quantity != "teller" and spec.unit in ("kW", "kWh") and rng.random() < 0.6:
        spec.unit = spec.unit[1:]
    spec.offsets = bool(
        spec.layout in ("rows", "long", "moves") and rng.random() < (0.3 if spec.format == "json" else 0.07)
    )
    spec.offsets = (spec.offsets or spec.layout == "moves") and not spec.undecidable and "shift" not in has
    spec.declared = "declared" in has
    spec.shown_unit = spec.unit


def _span(rng: np.random.Generator, spec: Spec) -> None:
    """Draw first and last instant: 3 days to 14 months, most in the light half, many over a change-over night."""
    longest = {1: 6, 5: 30, 10: 60, 15: 120, 30: 420, 60: 425}[spec.interval_min]
    if spec.format in ("xlsx", "xls"):
        longest = min(longest, 9000 * spec.interval_min // 1440 + 3)
    if spec.outcome == DAILY:
        longest = 425
    days = round(float(np.exp(rng.uniform(np.log(3), np.log(longest)))))
    if spec.layout in ("wide", "transposed") or spec.outcome == DAILY:
        days = max(days, 8)
    if spec.layout == "transposed":
        days = min(days, 62)
    if spec.large and spec.format in ("csv", "txt", "json") and spec.interval_min >= 5 and spec.layout == "rows":
        days = {5: 150, 10: 300, 15: 400, 30: 425, 60: 425}[spec.interval_min]
    if "dead_week" in spec.difficulties:
        days = max(days, min(21, longest))
    year = int(rng.integers(2020, 2026))
    month = int(rng.choice(12, p=np.array([3, 4, 9, 11, 13, 13, 12, 11, 10, 7, 4, 3]) / 100)) + 1
    if spec.undecidable and not spec.two_plants:
        days, month = int(rng.integers(3, 5)), int(rng.choice([1, 11, 12]))
    begin = clock.unix(year, month, int(rng.integers(1, 28)))
    if rng.random() < 0.18 and not spec.undecidable:
        change = clock.summer_time(year)[int(rng.integers(2))]
        begin = (change // DAY - int(rng.integers(1, days))) * DAY
    elif rng.random() < 0.3:
        begin = clock.unix(year, month, 1)
    spec.first = _midnight(begin, spec.zone)
    spec.last = _midnight(begin + days * DAY, spec.zone)
    if "mid_day" in spec.difficulties:
        spec.first += int(rng.integers(5, 20)) * HOUR
        spec.last += int(rng.integers(5, 20)) * HOUR


def _midnight(naive: int, zone: str) -> int:
    return naive - int(clock.offset_seconds(np.array([naive - HOUR]), zone)[0])
