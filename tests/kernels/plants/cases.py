"""A made-up plant's 12 weeks, its calibration, and what that brings in a following period whose weather is known."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.plants.calibration import Calibration, apply, fit
from kernels.plants.output import clear_sky_watts
from kernels.production import simplified
from kernels.sun import sun_table
from tests.support.made_plants import CLIP, PLACES, SNOW_LEFT, TURBIDITY, MadePlant, made_plant, made_sky

DAYS, FOLLOWING = 84, 28
SPRING_TO_AUTUMN = ("2026-03-01", "2026-04-01", "2026-05-15", "2026-07-10")
ALL_YEAR = ("2026-01-20", "2026-03-01", "2026-04-10", "2026-06-01", "2026-08-01", "2026-09-10")
_SNOW_CHANCE = np.array([0.8, 0.75, 0.3, 0.05, 0, 0, 0, 0, 0, 0.05, 0.3, 0.7])  # of a week, by month
_NAMES = list(PLACES)


class Outcome(NamedTuple):
    """Mean absolute errors of the following period, in parts of its mean production without a fault.

    `oracle` is the same model with the fault known hour by hour; `chance`, for snow, the best that knowing each month's
    chance of snow can give.
    """

    calibration: Calibration
    raw: float
    calibrated: float
    oracle: float
    chance: float


def modelled(plant: MadePlant, ghi: NDArray[np.float64]) -> NDArray[np.float64]:
    """Production of the plant as declared, by our engine."""
    sky = plant.sky
    sun = sun_table(sky.hour_starts + 1800)
    return simplified(sun, *sky.place[:2], ghi, sky.temp_air, np.array([plant.plane]), 0.85, -0.004)[0]


def clear_sky(plant: MadePlant) -> NDArray[np.float64]:
    sky = plant.sky
    return clear_sky_watts(*sky.place, TURBIDITY, [plant.plane], 0.85, sky.hour_starts)[0]


def outcome(
    fault: str, number: int, weather: bool, seasons: tuple[str, ...] = SPRING_TO_AUTUMN, beam: str = "erbs"
) -> Outcome:
    """Fit a plant, made from its number, and try it on what follows: with snow, on the next winter."""
    place, season = _NAMES[number % len(_NAMES)], seasons[number // len(_NAMES) % len(seasons)]
    days = DAYS + FOLLOWING if fault != "snow" else 365 + DAYS
    sky = made_sky(place, season, days, number, beam)
    plant = made_plant(sky, fault, number, _fault_days(fault, sky.hour_starts, number))
    clear, known = clear_sky(plant), modelled(plant, sky.ghi)
    learn = sky.day_of_hour < DAYS
    test = sky.day_of_hour >= (DAYS if fault != "snow" else 365)
    archived = modelled(plant, sky.forecast_ghi)[learn] if weather else None
    calibration = fit(
        plant.measured[learn], clear[learn], archived, sky.hour_starts[learn], *sky.place[:2], plant.plane[2]
    )
    got = apply(calibration, known[None, test], sky.hour_starts[test], *sky.place[:2], clear=clear[test])[0]
    left = np.divide(plant.truth, plant.healthy, out=np.ones_like(known), where=plant.healthy > 0)
    oracle = np.minimum(known, CLIP * 1000 * plant.plane[2]) if fault == "clip" else known * left
    truth, scale = plant.truth[test], max(float(plant.healthy[test].mean()), 1.0)
    months = sky.hour_starts[test].astype("datetime64[s]").astype("datetime64[M]").astype(int) % 12
    expected = known[test] * np.where(_SNOW_CHANCE[months] > 0.5, SNOW_LEFT, 1.0)
    errors = (float(np.abs(values - truth).mean() / scale) for values in (known[test], got, oracle[test]))
    return Outcome(calibration, *errors, float(np.abs(expected - truth).mean() / scale))


def _fault_days(fault: str, hour_starts: NDArray[np.int64], number: int) -> NDArray[np.int64] | None:
    rng = np.random.default_rng(number + 7)
    if fault == "dead":
        return np.arange(7) + rng.integers(5, DAYS - 10)
    if fault == "snow":
        chance = _SNOW_CHANCE[hour_starts[::24].astype("datetime64[s]").astype("datetime64[M]").astype(int) % 12]
        weeks = rng.random(chance.size // 7 + 1) < chance[::7][: chance.size // 7 + 1]
        return np.flatnonzero(np.repeat(weeks, 7)[: chance.size])
    return None
