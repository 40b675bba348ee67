"""Fitting a plant's calibration to its measured hours."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.plants.clear_days import alike
from kernels.plants.clipping import AT_LIMIT, clip_watts
from kernels.plants.correction import Calibration, Method, apply, months_of
from kernels.plants.day_grid import DayGrid, day_grid
from kernels.plants.first_step import FirstStep, first_step
from kernels.plants.output import sun_angles
from kernels.plants.position_factors import beam_weight
from kernels.plants.position_fit import Rows, lattice
from kernels.plants.second_step import Evidence, SecondStep, second_step, weather_factor
from kernels.plants.snow_months import WINTER, covered_days, dead_hours

__all__ = ["Calibration", "apply", "fit"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LONGEST_DAYS = 730
"""Older hours are left out: trees grow, and inverters are replaced."""
FEWEST_DAYS = 60
"""Days with measurements that the second step needs."""
_METHODS: dict[str, Method] = {"clear_days": "klarvaer", "weather": "solposisjon"}
_MOST = 0.6  # of the hours with sun must have modelled weather, or clear days are all that is used
_FEWEST_ROWS = 60
_LOWEST_MODEL = 0.01  # of rated power: below it no ratio is worth anything


def fit(
    measured: ArrayLike,
    clear: ArrayLike,
    modelled: ArrayLike | None,
    hour_starts: NDArray[np.int64],
    lat: float,
    lon: float,
    kwp: float,
    beamed: ArrayLike | None = None,
) -> Calibration:
    """Return the calibration of a plant.

    Parameters
    ----------
    measured : (n,)
        Mean W over hours; NaN is missing.
    clear : (n,)
        Clear-sky production of the plant as declared, W, from `output.clear_sky_watts`.
    modelled : (n,) or None
        Production with archived forecasts or reanalysis, W; NaN where there is none.
    hour_starts : int64 (n,)
        Unix seconds, whole hours, ascending, each once; with any gaps.
    lat, lon : float
        Degrees.
    kwp : float
        Rated power of all arrays.
    beamed : (n,), optional
        Clear-sky production with the clear sky's own beam, W, from `clear_plane.clear_plane_watts`: in place of `clear`
        where more days follow it.
    """
    starts = np.asarray(hour_starts, np.int64)
    recent = starts > (starts[-1] - LONGEST_DAYS * 86_400 if starts.size else 0)
    starts = starts[recent]
    watts, sky = (np.asarray(values, np.float64)[recent] for values in (measured, clear))
    weather = np.full(starts.size, np.nan) if modelled is None else np.asarray(modelled, np.float64)[recent]
    if not np.isfinite(watts).any():
        return Calibration()
    grid = day_grid(lon, starts)
    clip = clip_watts(grid.spread(watts), grid.spread(sky))
    limited = np.zeros(starts.size, bool) if clip is None else watts >= AT_LIMIT * clip
    angles = sun_angles(lat, lon, starts)
    skies = [sky] if beamed is None else [sky, np.asarray(beamed, np.float64)[recent]]
    table, elevation, at_limit = grid.spread(watts), grid.spread(angles[0]), grid.mark(limited)
    steps = [first_step(table, grid.spread(one), elevation, at_limit) for one in skies]
    best = int(np.argmax([step.figures["clear_days"] for step in steps]))
    first, hours = steps[best], _Hours(watts, skies[best], weather, starts, *angles, limited)
    days = np.unique(grid.row[np.isfinite(watts) & (sky > 0)]).size
    first.figures["days"] = float(days)
    second = None
    if days >= FEWEST_DAYS:
        evidence = _evidence(hours, grid, first.factor, kwp)
        if np.count_nonzero(~evidence.covered) >= _FEWEST_ROWS:
            if first.reason == "few_clear_days" and (factor := weather_factor(evidence)) != 1:
                first = FirstStep(factor, "weather", {"factor": factor, "days": float(days)}, first.figures)
            second = second_step(evidence, lattice(lat, lon), first.factor, np.inf if clip is None else clip)
    return _calibration(first, second, clip)


class _Hours(NamedTuple):
    measured: Floats
    clear: Floats
    modelled: Floats
    starts: NDArray[np.int64]
    elevation: Floats
    azimuth: Floats
    limited: Flags


def _evidence(hours: _Hours, grid: DayGrid, base: float, kwp: float) -> Evidence:
    """Return the hours that the second step learns from: of clear days, and with modelled weather where there is."""
    measured, clear, modelled, starts, elevation, azimuth, limited = hours
    lowest, months = _LOWEST_MODEL * 1000 * kwp, months_of(starts)
    known = np.isfinite(measured) & (clear > lowest)
    whole = np.count_nonzero(known & np.isfinite(modelled)) >= _MOST * np.count_nonzero(known)
    day_watts, day_sky = grid.spread(measured), grid.spread(clear)
    bright = alike(day_watts, day_sky, grid.spread(elevation), grid.mark(limited))[grid.row]
    best = np.where(np.isfinite(modelled), modelled, clear)
    covered = covered_days(day_watts, day_sky, grid.spread(base * best))[grid.row]
    dead = dead_hours(measured, clear, kwp)
    model = np.where(bright, clear, modelled if whole else np.nan)
    use = known & (model > lowest) & np.where(WINTER[months], ~dead | covered, ~dead & ~covered)
    beam = np.where(bright, 1.0, beam_weight(model, clear))
    rows = Rows(measured, model, beam, elevation, azimuth, starts, bright, limited)
    return Evidence(rows.where(use), grid.row[use], months[use], covered[use])


def _calibration(first: FirstStep, second: SecondStep | None, clip: float | None) -> Calibration:
    """Return the first step's calibration, or the second's where that is used."""
    figures = first.figures | (second.figures if second is not None else {})
    if second is None or (second.table is None and second.snow is None):
        method: Method = _METHODS.get(first.reason, "ingen")
        return Calibration(
            method=method,
            factor=first.factor,
            preliminary=method == "klarvaer",
            clip_w=clip,
            reason=first.reason,
            values=first.values,
            figures=figures,
        )
    table, snow = second.table, second.snow
    return Calibration(
        method="solposisjon",
        factor=first.factor,
        clip_w=clip,
        sun=None if table is None else tuple(map(tuple, np.round(table.sun, 4).tolist())),
        month=None if table is None else tuple(np.round(table.month, 4).tolist()),
        snow=None if snow is None else tuple(np.round(snow, 4).tolist()),
        reason="snow" if table is None else "sun_position" if snow is None else "sun_position_and_snow",
        values={name: figures[name] for name in ("mae_before", "mae_after", "days")},
        figures=figures,
    )
