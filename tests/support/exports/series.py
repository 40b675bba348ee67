"""Power over time becomes what a logger writes: intervals, faults, rounding, gaps; and the truth that is left in it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.support.exports.clock import DAY, HOUR, Ints
from tests.support.exports.draw import Spec
from tests.support.exports.plant import Output, output
from tests.support.exports.weather import Floats, sky

FACTOR = {"W": 1e-3, "kW": 1.0, "MW": 1e3, "Wh": 1e-3, "kWh": 1.0, "MWh": 1e3}


def unit_kwh(unit: str, quantity: str, step: int) -> float:
    """Return the kWh of one unit, of mean power over `step` seconds where the quantity is power."""
    return FACTOR[unit] * (step / HOUR if quantity == "effekt" else 1.0)


@dataclass
class Series:
    """A plant's energy by interval, kWh, and where the file has it."""

    starts: Ints
    step: int
    parts: Floats  # (inverters, intervals) as written, kWh; below zero at stand-by
    clear: Floats  # what a clear sky would give, kWh
    known: NDArray[np.bool_]
    poa: Floats
    air_c: Floats
    elevation: Floats
    decimals: int = 3
    resolution_kwh: float = 0.0

    @property
    def energy(self) -> Floats:
        """Return the energy of all inverters, kWh."""
        return self.parts.sum(axis=0)


def make_series(rng: np.random.Generator, spec: Spec, mood: str) -> Series:
    """Return the plant's energy over the spec's span with its faults."""
    base = 60 if spec.interval_min == 1 else 300
    times = np.arange(spec.first, spec.last, base, dtype=np.int64)
    weather = sky(rng, times, base, spec.plant.lat, mood)
    made = output(rng, spec.plant, times, base, weather)
    power = _faults(rng, spec, made, times)
    series = _aggregate(spec, made, _inverters(rng, spec, power), times, base)
    _round(rng, spec, series)
    return series


def _faults(rng: np.random.Generator, spec: Spec, made: Output, times: Ints) -> Floats:
    power = made.ac.copy()
    if spec.has("soiling"):
        power *= rng.uniform(0.75, 0.88)
    if spec.has("clip"):
        limits = np.array([array.kwp for array in spec.plant.arrays])[:, None] * rng.uniform(0.55, 0.75)
        power = np.minimum(power, limits)
    if spec.has("dead_week"):
        begin = times[0] + int(rng.uniform(0.2, 0.6) * (times[-1] - times[0]))
        power[:, (times >= begin) & (times < begin + 7 * DAY)] = 0
    night = made.elevation <= -3
    if spec.has("night_noise"):
        power[0, night] += np.where(rng.random(night.sum()) < 0.5, 0.0, rng.uniform(0.0005, 0.002, night.sum()))
    if spec.has("standby"):
        power[0, night & (power[0] == 0)] = -rng.choice([0.002, 0.005, 0.012])
    return power


def _inverters(rng: np.random.Generator, spec: Spec, power: Floats) -> Floats:
    """Return the power by inverter: one for all, one for each plane, or several alike."""
    if not spec.has("inverters") and spec.layout != "long":
        return power.sum(axis=0, keepdims=True)
    if len(power) == 1:
        shares = rng.dirichlet(np.full(int(rng.integers(2, 6)), 25.0))
        return power * shares[:, None]
    return power


def _aggregate(spec: Spec, made: Output, power: Floats, times: Ints, base: int) -> Series:
    per = spec.step // base
    count = len(times) // per

    def mean(values: Floats) -> Floats:
        cut = values[..., : count * per]
        return cut.reshape(*cut.shape[:-1], count, per).mean(axis=-1)

    hours = spec.step / HOUR
    return Series(
        times[: count * per : per].copy(), spec.step, mean(power) * hours, mean(made.clear) * hours,
        np.ones(count, dtype=bool), mean(made.poa), mean(made.air_c), mean(made.elevation),
    )  # fmt: skip


def decimals_of(rng: np.random.Generator, spec: Spec, series: Series) -> int:
    """Return how many decimals the file writes, so that a bright interval has three to four digits."""
    per_unit = unit_kwh(spec.unit, spec.quantity, series.step)
    peak = max(float(series.energy.max()), 1e-3 * spec.plant.kwp) / per_unit
    digits = int(np.ceil(-np.log10(peak * (0.01 if spec.has("coarse") else 0.0015))))
    if spec.quantity == "teller":
        whole = spec.unit == "kWh" and spec.plant.kwp > 8 and (spec.has("coarse") or rng.random() < 0.2)
        return 0 if whole or spec.unit == "Wh" else max({"kWh": 2, "MWh": 5}[spec.unit], min(digits, 4))
    return min(max(digits + int(rng.integers(0, 2)), 0), 7)


def _round(rng: np.random.Generator, spec: Spec, series: Series) -> None:
    """Round to what the file writes; the truth is what is then left, except of counters."""
    series.decimals = decimals_of(rng, spec, series)
    scale = unit_kwh(spec.unit, spec.quantity, series.step)
    series.resolution_kwh = 10.0**-series.decimals * scale
    if spec.quantity != "teller":
        series.parts = np.round(series.parts / scale, series.decimals) * scale
    else:
        series.parts = series.parts.clip(0)
