"""How well hours of energy fit the plant: when they come, and how much they are, against its clear-sky production."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.plants.interpretation.apply import Hours
from api.plants.interpretation.zones import is_summer_time
from api.plants.model import PlantModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
DAY_S, HOUR_S = 86_400, 3600
NIGHT_DEG = -3.0
_BRIGHT, _HIGH_SUN, _ENOUGH_DAYS = 0.25, 0.45, 10
_NO_DAYS = 2.0
_CLEAR = 0.12  # of a day's energy that its hours differ from the clear sky's shape: passing clouds make 0.2 and more
_USUAL = 0.95
_ABOVE, _BELOW, _BELOW_TOP, _BELOW_DULL = 0.2, 0.25, 0.5, 1.6
"""Standard deviations of a level's logarithm: above what is usual; below it on clear days, in weeks, in few days."""


class Timing(NamedTuple):
    """When energy comes, against the clear sky.

    Parameters
    ----------
    shift : (float, float)
        Hours by which the energy is late, in winter time and in summer time; NaN without bright days. Half of it is the
        middle of the energy against the clear sky's, half the sun's elevation in the first and the last hour with
        energy: a wrong azimuth moves the first, and hardly the second.
    tilted : float
        Hours by which the two differ.
    days : (int, int)
        Days that count.
    spread : float
        Standard deviation of the days' shifts, hours.
    night : float
        Part of the energy that comes with the sun more than 3 degrees below the horizon.
    middle : float
        Hours by which the middle of the energy alone is late; NaN without bright days.
    """

    shift: tuple[float, float]
    tilted: float
    days: tuple[int, int]
    spread: float
    night: float
    middle: float = float("nan")

    @property
    def overall(self) -> float:
        """Return the shift of all days, hours; NaN where none counts."""
        total = sum(self.days)
        return sum(s * n for s, n in zip(self.shift, self.days, strict=True) if n) / total if total else float("nan")

    @property
    def error(self) -> float:
        """Return the standard error of the shift, hours."""
        total = sum(self.days)
        return max(self.spread, 0.25) / np.sqrt(total) if total else float("inf")


class _Days(NamedTuple):
    """Solar days of hours: their numbers, the day of each hour (n,), and sums by day (days,)."""

    number: Ints
    place: Ints
    solar: Ints
    energy: Floats
    ideal: Floats


def _days_of(hours: Hours, model: PlantModel, wh: Floats, clear: Floats) -> _Days:
    solar = hours.starts + round(model.lon * 240)
    days, place = np.unique(solar // DAY_S, return_inverse=True)
    energy, ideal = (np.bincount(place, values).astype(np.float64) for values in (wh, clear))
    return _Days(days, place, solar, energy, ideal)


def timing(hours: Hours, model: PlantModel) -> Timing:
    """Return when the energy of hours comes."""
    wh, clear = np.maximum(np.nan_to_num(hours.wh), 0), model.clear(hours.starts)
    total = float(wh.sum())
    if total <= 0:
        return Timing((float("nan"), float("nan")), 0.0, (0, 0), 0.0, 0.0)
    night = float(wh[model.elevation(hours.starts) < NIGHT_DEG].sum()) / total
    days, place, solar, energy, ideal = _days_of(hours, model, wh, clear)
    clock = solar % DAY_S / HOUR_S + 0.5
    present = np.bincount(place, (clear > 0) & ~np.isnan(hours.wh)) / np.maximum(_hours_of_sun(model, days), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = np.bincount(place, wh * clock) / energy - np.bincount(place, clear * clock) / ideal
        brightness = energy / ideal
    rated = brightness[(energy > 0) & (present > 0.8) & np.isfinite(brightness)]
    usual = np.percentile(rated, 90) if rated.size else 0.0
    counted = (energy > 0) & (present > 0.8) & (brightness > _BRIGHT * usual) & np.isfinite(shift)
    weight = np.where(counted, np.minimum(brightness / max(usual, 1e-9), 1) ** 2 * np.sqrt(ideal), 0)
    summer = is_summer_time(days * DAY_S + DAY_S // 2)
    edge = _edges(wh, hours, model, place, len(days))
    shifts, counts = [], []
    for season in (~summer, summer):
        chosen = counted & season
        middle_shift = _weighted_median(shift[chosen], weight[chosen])
        edge_shift = _weighted_median(edge[chosen & np.isfinite(edge)], weight[chosen & np.isfinite(edge)])
        shifts.append(middle_shift if np.isnan(edge_shift) else (middle_shift + edge_shift) / 2)
        counts.append(int(chosen.sum()))
    spread = float(np.std(shift[counted])) if counted.sum() > 1 else 0.5
    both = counted & np.isfinite(edge)
    tilted = _weighted_median((shift - edge)[both], weight[both]) if both.any() else 0.0
    middle = _weighted_median(shift[counted], weight[counted])
    return Timing((shifts[0], shifts[1]), abs(tilted), (counts[0], counts[1]), spread, night, middle)


def _edges(wh: Floats, hours: Hours, model: PlantModel, place: Ints, n: int) -> Floats:
    """Return by how many hours the first and last hours with energy of each day are late, (n,); NaN where unknown.

    The sun stands as high in the first of them as in the last. Where it does not, the clock is off by the difference of
    its elevations over the sum of the rates at which it rises and sets.
    """
    most = np.zeros(n)
    np.maximum.at(most, place, wh)
    index = np.flatnonzero(wh > 0.01 * most[place])
    ends = np.full((2, n), -1)
    ends[1, place[index]] = index
    ends[0, place[index[::-1]]] = index[::-1]
    starts = hours.starts[ends]
    elevation, later, before = (model.elevation(starts.ravel() + hour * HOUR_S).reshape(2, n) for hour in (0, 1, -1))
    rate = (later - before)[0] - (later - before)[1]
    rate = rate / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        edge: Floats = (elevation[0] - elevation[1]) / rate
    edge[(ends[0] < 0) | (rate < 3.0) | (ends[1] - ends[0] < 3)] = np.nan
    return edge


def _hours_of_sun(model: PlantModel, days: Ints) -> Floats:
    starts = (days[:, None] * DAY_S - round(model.lon * 240) // HOUR_S * HOUR_S + np.arange(24) * HOUR_S).ravel()
    lit: Floats = (model.clear(starts) > 0).reshape(-1, 24).sum(axis=1).astype(np.float64)
    return lit


def _weighted_median(values: Floats, weights: Floats) -> float:
    if not values.size or weights.sum() <= 0:
        return float("nan")
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(below, below[-1] / 2)])


def timing_cost(found: Timing) -> float:
    """Return how unlikely a timing is: the shift of each season against what a wrong azimuth or a hill explains."""
    cost = min(10.0, 200 * max(found.night - 0.003, 0)) + (0.0 if any(found.days) else _NO_DAYS)
    for shift, days in zip(found.shift, found.days, strict=True):
        if days:
            slack = 0.2 + 0.25 * max(found.tilted - 0.2, 0.0)
            error = np.hypot(slack, min(max(found.spread, 0.25), 0.7) / np.sqrt(days))
            cost += float(min(20.0, (shift / error) ** 2 / 2))
    return cost


class Level(NamedTuple):
    """How much energy there is, against the clear sky.

    Parameters
    ----------
    top : float
        95th percentile of the hours' ratio to the clear sky, of hours with much sun.
    clear : float
        80th percentile of the days' ratio, of days with the clear sky's shape; NaN without such days.
    best : float
        Ratio of the best day but one.
    share : float
        Energy in all, against the clear sky's.
    correlation : float
        Of energy with the clear sky, hour by hour.
    is_telling : bool
        Whether there are enough days with a high sun for one of them to have been clear.
    """

    top: float
    clear: float
    best: float
    share: float
    correlation: float
    is_telling: bool

    @property
    def is_anchored(self) -> bool:
        """Return whether there are clear days, or days enough."""
        return self.is_telling or not np.isnan(self.clear)


NO_LEVEL = Level(0.0, float("nan"), 0.0, 0.0, 0.0, False)


def level(hours: Hours, model: PlantModel) -> Level:
    """Return how much the energy of hours is."""
    wh, clear = np.nan_to_num(hours.wh), model.clear(hours.starts)
    if not wh.size or wh.max() <= 0 or clear.max() <= 0:
        return NO_LEVEL
    bright = clear > 0.3 * clear.max()
    whole = bright & (hours.covered > 0.9)
    whole = whole if whole.sum() >= 3 else bright
    days, place, _, energy, ideal = _days_of(hours, model, np.maximum(wh, 0), clear)
    counted = (energy > 0) & (ideal > 0.1 * ideal.max())
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = energy / ideal
        unlike = np.bincount(place, np.abs(np.maximum(wh, 0) - ratio[place] * clear)) / energy
    shaped = ratio[counted & (unlike < _CLEAR)]
    best = np.sort(ratio[counted])[-2:]
    varies = wh.size > 3 and np.ptp(wh) > 0 and np.ptp(clear) > 0
    return Level(
        float(np.percentile(wh[whole] / clear[whole], 95)) if whole.any() else 0.0,
        float(np.percentile(shaped, 80)) if shaped.size else float("nan"),
        float(best[0]) if best.size else 0.0,
        float(wh.sum() / clear.sum()),
        float(np.corrcoef(wh, clear)[0, 1]) if varies else 0.0,
        bool(clear.max() > _HIGH_SUN * 1000 * model.kwp and days.size >= _ENOUGH_DAYS),
    )


def level_cost(found: Level) -> float:
    """Return how unlikely a level is, 0 where it is usual: of clear days, else of the brightest hours.

    In a few days without a clear one, or under a low sun with snow, there may be much less than the clear sky gives.
    """
    measured, below = max(found.clear, found.best), _BELOW
    if np.isnan(found.clear):
        measured, below = found.top, _BELOW_TOP if found.is_telling else _BELOW_DULL
    if measured <= 0:
        return 50.0
    deviation = np.log(measured / _USUAL)
    return float(min(50.0, (deviation / (_ABOVE if deviation > 0 else below)) ** 2 / 2))
