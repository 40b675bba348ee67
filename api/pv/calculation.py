"""From a location's typical year to what a plant gives. It loads the kernels: see `api/core/engines.py`."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.data.snow.series import Series
from api.data.surfaces import Surface, aspect_of
from api.data.tmy_statistics import OfProduct
from api.pv.query import CONFIDENCES, PvQuery, SnowMounting
from kernels.pv.light import Light, light_of
from kernels.pv.mean_days import mean_days
from kernels.pv.optimum import best_plane, optimum
from kernels.pv.plant import System, produced
from kernels.pv.site import Site
from kernels.pv.years import PlantYears, Years, plant_years, years_of
from kernels.snow.months import monthly_loss
from kernels.snow.panel import Panel

Floats = NDArray[np.float64]

HEIGHT_MM = 300.0
LOSS_MODE = "linear"
FIRST_YEAR = 1991
SOILING_PCT = 1.0
"""The defaults of `/api/snowsoiling/calc`, all four."""
LEAN = "lean"
"""The year that is a standard deviation below the median."""


class SnowLoss(NamedTuple):
    """Loss of m surfaces by snow and soiling.

    Parameters
    ----------
    parts : float64 (m, 12)
        Of what each gives in each month, 0..1.
    years : int
        Behind it, in the month that fewest have; 0 where a month has none.
    """

    parts: Floats
    years: int


class Result(NamedTuple):
    """What a plant gives.

    Parameters
    ----------
    surfaces : tuple of Surface
        m of them, with the angles that were found, where they were sought.
    years : PlantYears
        By confidence, and the year `LEAN`; before snow.
    snow : SnowLoss or None
        None where it is not applied.
    """

    surfaces: tuple[Surface, ...]
    years: PlantYears
    snow: SnowLoss | None = None

    def after_snow(self, kwh: Floats) -> Floats:
        """Return what snow leaves of what the surfaces give by month, (m, 12)."""
        return kwh if self.snow is None else kwh * (1 - self.snow.parts)


def years_in(site: Site, known: OfProduct, albedo: Sequence[float]) -> Years:
    """Return the light of a location in every year that answers speak of, by the statistics of the product."""
    median, std = known.annual_ghi["p50"], known.annual_ghi_std
    lean = None if median is None or std is None else median - std
    return years_of(site, {**{name: known.annual_ghi[name] for name in CONFIDENCES}, LEAN: lean}, albedo)


def calculate(years: Years, query: PvQuery, snow: Series | None, lon: float) -> Result:
    """Return what a plant gives in the year that is asked for, which the place knows.

    Parameters
    ----------
    years : Years
    query : PvQuery
    snow : Series or None
        Of the place; None: no loss by snow.
    lon : float
        Degrees east, of the cell's centre; for snow alone.
    """
    site, plant = years.site, System(query.technology, query.placement, query.loss / 100, query.maxpower)
    # of the typical months as they were, as `/api/snowsoiling/calc` has it: not of a scaled year
    loss = None if snow is None else partial(_snow_loss, site, light_of(site), query.snow_mounting, snow, lon)
    surfaces = query.surfaces if query.optimize == "none" else (_optimised(years, query, plant, loss),)
    planes = [(one.angle, one.azimuth, one.kwp) for one in surfaces]
    made = plant_years(years, query.confidence, planes, plant)
    return Result(surfaces, made, None if loss is None else loss(surfaces))


def _snow_loss(
    site: Site, light: Light, mounting: SnowMounting, snow: Series, lon: float, surfaces: Sequence[Surface]
) -> SnowLoss:
    """Return what snow and soiling take of what surfaces give, as `/api/snowsoiling/calc` answers for each."""
    parts, years = np.empty((2, len(surfaces), 12))
    for row, one in enumerate(surfaces):
        on_plane = mean_days(site, light, one.angle, one.azimuth)
        panel = Panel(one.angle, mounting, HEIGHT_MM, loss_mode=LOSS_MODE)
        months = monthly_loss(snow.days, snow.weather, on_plane, panel, lon, FIRST_YEAR, SOILING_PCT)
        parts[row], years[row] = months.incl_soiling / 100, months.n_years
    return SnowLoss(parts, int(years.min()))


def _optimised(
    years: Years, query: PvQuery, plant: System, loss: Callable[[Sequence[Surface]], SnowLoss] | None
) -> Surface:
    """Return the surface with its best angles in whole tenths: with snow, after its loss."""
    site, light, [given] = years.site, years.lights[query.confidence], query.surfaces
    assert light is not None  # noqa: S101 - `PvService.inputs` refuses it before
    azimuth = given.azimuth if query.optimize == "slope" else None
    if loss is None:
        tilt, towards = optimum(site, light, given.kwp, plant, azimuth)
    else:

        def energy(tilt: float, towards: float) -> float:
            # Of the plane that is answered: the loss by snow has steps, and a tenth of a degree can be 0.1 % apart.
            tilt, towards = round(tilt, 1), round(towards, 1)
            out = produced(site, light, [(tilt, towards, given.kwp)], plant).out
            lost = loss([Surface(given.kwp, tilt, aspect_of(towards))]).parts
            return float(np.nansum(out * (1 - lost)))

        tilt, towards = best_plane(energy, azimuth, stepped=True)
    angle = round(float(tilt), 1) + 0.0
    if azimuth is not None:
        return Surface(given.kwp, angle, given.aspect)
    # a level plane faces nowhere
    return Surface(given.kwp, angle, round(aspect_of(float(towards)), 1) + 0.0 if angle else 0.0)
