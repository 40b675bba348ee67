"""Whether a file's own figures decide what it does not say, by the clear sky of the plant: unit, zone, stamp.

An ordinary file must be readable without a question. Where sun and level do not decide, the file says it instead;
only files drawn as undecidable may leave it open, and then the truth says what has to be asked.
"""

import numpy as np

from tests.support.exports import clock
from tests.support.exports.clock import DAY, HOUR
from tests.support.exports.context import Context
from tests.support.exports.draw import Spec
from tests.support.exports.export import HOURS
from tests.support.exports.series import Series
from tests.support.exports.weather import Floats

BEST_DAYS = 8


def _hourly(series: Series, known: np.ndarray) -> tuple[Floats, Floats]:
    """Return measured and clear-sky energy as (days, 24), UTC."""
    first = int(series.starts[0] // DAY)
    days = int(series.starts[-1] // DAY) - first + 1
    place = (series.starts // HOUR - first * 24).astype(np.int64)
    intervals = known[: len(series.starts)]
    measured = np.bincount(place, series.energy.clip(0) * intervals, minlength=days * 24)
    clear = np.bincount(place, series.clear * intervals, minlength=days * 24)
    return measured.reshape(days, 24), clear.reshape(days, 24)


def sun_may_decide(spec: Spec, series: Series) -> bool:
    """Return whether the sun tells an hour's shift where nothing is missing."""
    return sun_decides(spec, series, np.ones(len(series.starts), dtype=bool))


def sun_decides(spec: Spec, series: Series, known: np.ndarray) -> bool:
    """Return whether the sun tells an hour's shift, in summer time and outside it as far as both matter."""
    measured, clear = _hourly(series, known)
    noons = (series.starts[0] // DAY + np.arange(len(measured))) * DAY + DAY // 2
    summer = clock.offset_seconds(noons, "Europe/Oslo") > HOUR
    total = measured.sum()
    parts = [part for part in (summer, ~summer) if measured[part].sum() > 0.015 * total]
    return total > 0 and all(_part_decides(measured[part], clear[part]) for part in parts)


def _part_decides(measured: Floats, clear: Floats) -> bool:
    day, best = measured.sum(axis=1), clear.sum(axis=1)
    ratio = np.where(best > 0.02 * best.max(), day / np.maximum(best, 1e-9), 0)
    chosen = np.argsort(ratio)[::-1][:BEST_DAYS]
    chosen = chosen[ratio[chosen] > 0.5 * ratio.max()]

    def error(lag: int) -> float:
        model = np.roll(clear.ravel(), lag).reshape(clear.shape)[chosen]
        scale = day[chosen] / np.maximum(model.sum(axis=1), 1e-9)
        return float(np.abs(measured[chosen] - model * scale[:, None]).sum() / day[chosen].sum())

    here = error(0)
    return here < 0.25 and min(error(-1), error(1)) > 1.5 * here + 0.03


def level(series: Series, known: np.ndarray) -> float:
    """Return the energy of the better days over that of a clear sky."""
    measured, clear = _hourly(series, known)
    day, best = measured.sum(axis=1), clear.sum(axis=1)
    ratio = np.sort((day / np.maximum(best, 1e-9))[best > 0.2 * best.max()])
    return float(ratio[-2:].min()) if len(ratio) else 0.0


def level_decides(spec: Spec, series: Series, known: np.ndarray) -> bool:
    """Return whether the level tells energy of the interval from mean power."""
    times = 60 / spec.interval_min
    if spec.quantity == "teller" or times == 1:
        return True
    ratio = level(series, known)
    if spec.quantity == "effekt":
        return ratio * times > 1.5
    return ratio > 0.6 and ratio / times < 0.33


def settle(context: Context, known: np.ndarray) -> frozenset[str]:
    """Take back what would make an ordinary file undecidable, and return what has to be asked of another."""
    spec, series = context.spec, context.series
    if spec.outcome != HOURS:
        spec.difficulties -= {"wrong_unit", "shift"}
        return frozenset()
    sun, right_level = sun_decides(spec, series, known), level_decides(spec, series, known)
    midnight = spec.interval_min <= 15 or not spec.difficulties & {"mid_day", "daylight_only", "gaps"}
    if spec.undecidable:
        return _questions(spec, sun, right_level, midnight)
    _wrong_unit(context, known)
    if not right_level and spec.unit_place == "absent":
        spec.unit_place = "file_name" if spec.has("headless") else "heading"
        spec.difficulties.discard("no_unit")
    doubtful = not sun or (spec.interval_min == 30 and not midnight)
    if doubtful and not spec.declared:
        spec.declared = True
        context.traits["zone_place"] = "title" if spec.has("headless") or context.chance(0.3) else "heading"
    elif spec.declared:
        context.traits["zone_place"] = "title" if spec.has("headless") or context.chance(0.4) else "heading"
    if spec.format == "json" and spec.declared:
        context.traits["zone_place"] = "heading"
    if spec.layout in ("wide", "transposed") and spec.declared:
        context.traits["zone_place"] = "title"
    if spec.has("shift"):
        if spec.declared or spec.offsets or context.time_style.startswith("epoch"):
            spec.difficulties.discard("shift")
        else:
            context.shift_s = int(context.rng.choice([-HOUR, HOUR]))
            context.traits["shift"] = f"{context.shift_s // HOUR:+d} h"
    return frozenset()


def _questions(spec: Spec, sun: bool, right_level: bool, midnight: bool) -> frozenset[str]:
    asked = set()
    if spec.two_plants:
        return frozenset({"kolonne"})
    if not right_level:
        asked.add("enhet")
    if not sun:
        asked.add("tidssone")
        if not midnight:
            asked.add("stempel")
    return frozenset(asked)


def _wrong_unit(context: Context, known: np.ndarray) -> None:
    """Put a wrong unit on the figures where the level betrays it."""
    spec = context.spec
    if not spec.has("wrong_unit"):
        return
    times = 60 / spec.interval_min
    wrong = {"W": "kW", "Wh": "kWh"}.get(spec.unit, "")
    if spec.unit == "kW" and level(context.series, known) * times > 1.6:
        wrong = "kWh"
    if not wrong or spec.unit_place == "absent":
        spec.difficulties.discard("wrong_unit")
        return
    spec.shown_unit = wrong
    spec.difficulties.discard("beside")
    context.traits["wrong_unit"] = f"{wrong} means {spec.unit}"
