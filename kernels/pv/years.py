"""A plant in years of one place that differ in their irradiance: the typical year, brighter or darker as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from numpy.typing import ArrayLike

from kernels.production import ALBEDO
from kernels.pv.light import Light, light_of
from kernels.pv.plant import Floats, Produced, System, hidden_kwh, produced
from kernels.pv.site import Site

STAGES = ("horizon", "aoi", "spectral", "temperature_irradiance", "system", "clipping", "snow")
"""Between what would reach the planes without land and what is delivered."""


@dataclass(frozen=True, eq=False)
class Years:
    """The light of a place in some years.

    Attributes
    ----------
    site : Site
    lights : mapping of str to (Light or None)
        By the name of the year; None where it is not known.
    """

    site: Site
    lights: Mapping[str, Light | None]

    @property
    def nbytes(self) -> int:
        """Bytes of the lights' arrays, without the site's."""
        return sum(light.nbytes for light in self.lights.values() if light is not None)


class PlantYears(NamedTuple):
    """Yield of m planes in one of the years, and in all.

    Parameters
    ----------
    shaded, unshaded : Produced
        In the one year: with the site's horizon, and without it.
    out : mapping of str to (float64 (m, 12) or None)
        `Produced.out` of every year, with the horizon, kWh.
    hidden_kwh : float
        In the one year; see `kernels.pv.plant.hidden_kwh`.
    """

    shaded: Produced
    unshaded: Produced
    out: Mapping[str, Floats | None]
    hidden_kwh: float


def years_of(site: Site, ghi_kwh_m2: Mapping[str, float | None], albedo: ArrayLike = ALBEDO) -> Years:
    """Scale a place's year to sums of GHI.

    Parameters
    ----------
    site : Site
    ghi_kwh_m2 : mapping of str to (float or None)
        Sum of each year; what is none, or not above 0, gives no light.
    albedo : float or (12,)
        Of the ground, in each month.
    """

    def light(target: float | None) -> Light | None:
        return light_of(site, target / site.ghi_kwh_m2, albedo) if target is not None and target > 0 else None

    return Years(site, {name: light(target) for name, target in ghi_kwh_m2.items()})


def plant_years(years: Years, name: str, planes: ArrayLike, system: System) -> PlantYears:
    """Return what a plant gives.

    Parameters
    ----------
    years : Years
    name : str
        The one year, which has light.
    planes, system
        As `kernels.pv.plant.produced` takes them.
    """
    site, light = years.site, years.lights[name]
    if light is None:
        raise ValueError(f"the year {name} is not known")
    shaded = produced(site, light, planes, system)
    unshaded = produced(site, light, planes, system, shaded=False) if site.has_horizon else shaded
    out = {
        other: shaded.out if other == name else None if of is None else produced(site, of, planes, system).out
        for other, of in years.lights.items()
    }
    return PlantYears(shaded, unshaded, out, hidden_kwh(site, light, planes, system))


def stage_losses(kwp: Floats, plant: PlantYears, delivered: Floats) -> dict[str, float]:
    """Return what each stage takes of what the one before leaves, %; 0 where nothing is left.

    Parameters
    ----------
    kwp : float64 (m,)
        The weights of irradiation.
    plant : PlantYears
    delivered : float64 (m, 12)
        What snow leaves of `Produced.out`, kWh.
    """
    shaded = plant.shaded
    left = [
        float(kwp @ values.sum(axis=1)) for values in (plant.unshaded.poa, shaded.poa, shaded.effective, shaded.usable)
    ]
    left += [float(values.sum()) for values in (shaded.dc, shaded.ac, shaded.out, delivered)]
    steps = zip(STAGES, pairwise(left), strict=True)
    return {stage: 100 * (1 - after / before) if before > 0 else 0.0 for stage, (before, after) in steps}
