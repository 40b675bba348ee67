"""From a cell's hours to what a plant gives in its typical years. It loads the kernels: see `api/engines.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from api.pv.query import CONFIDENCES, Asked, Confidence
from api.pv.snow import Taken, taken_of
from api.pv.surfaces import Surface, aspect_of
from api.snow.series import Series
from api.tmy.cells import factor_to
from kernels.pv.light import Light, light_of
from kernels.pv.optimum import optimum
from kernels.pv.plant import Produced, System, hidden_kwh, produced
from kernels.pv.site import Site, site_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Year:
    """What is known of a cell's typical year.

    Parameters
    ----------
    hours : mapping of str to float64 (8760,)
        What `kernels.pv.site.site_of` takes.
    lat, lon, altitude : float
        Of the cell's centre and of its ground, m.
    targets : mapping of str to (float or None)
        Annual GHI by confidence, kWh/m2; None where it is not known.
    std : float or None
        Of annual GHI between the years, kWh/m2.
    horizon : float64 (720,) or None
        Degrees.
    albedo : sequence of 12 floats
        Of the ground, by month.
    """

    hours: Mapping[str, Floats]
    lat: float
    lon: float
    altitude: float
    targets: Mapping[Confidence, float | None]
    std: float | None
    horizon: Floats | None
    albedo: Sequence[float]


@dataclass(frozen=True, eq=False)
class Cell:
    """A place that is ready for plants.

    Parameters
    ----------
    site : Site
    shaded : bool
        Whether it has a horizon.
    lights : mapping of str to (Light or None)
        By confidence; None where the statistics do not know that year.
    lean : Light or None
        Of the year that is a standard deviation below the median.
    """

    site: Site
    shaded: bool
    lights: Mapping[Confidence, Light | None]
    lean: Light | None

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        lights = (*self.lights.values(), self.lean)
        return self.site.nbytes + sum(light.nbytes for light in lights if light is not None)


@dataclass(frozen=True, eq=False)
class Result:
    """What a plant gives.

    Parameters
    ----------
    surfaces : tuple of Surface
        With the angles that were found, where they were sought.
    shaded, unshaded : Produced
        With the place's horizon, and without one; before snow, as all that follows.
    percentiles : mapping of str to (float64 (m, 12) or None)
        kWh by surface and month in the year scaled to each confidence, as `Produced.out`.
    lean : float64 (m, 12) or None
        The same in the year that is a standard deviation below the median.
    hidden_kwh : float
        What the limit would take at most beyond what it takes of the hours' means.
    snow : Taken or None
        What snow and soiling take; None where they are not applied.
    """

    surfaces: tuple[Surface, ...]
    shaded: Produced
    unshaded: Produced
    percentiles: Mapping[Confidence, Floats | None]
    lean: Floats | None
    hidden_kwh: float
    snow: Taken | None = None

    def left(self, kwh: Floats) -> Floats:
        """Return what snow leaves of what the surfaces give by month, (m, 12)."""
        return kwh if self.snow is None else kwh * (1 - self.snow.parts)


def prepare(year: Year) -> Cell:
    """Make a place ready: its sun, and its light in every year that answers speak of."""
    site = site_of(year.hours, year.lat, year.lon, year.altitude, year.horizon)
    ghi, median = year.hours["ghi"], year.targets["p50"]

    def light(target: float | None) -> Light | None:
        return light_of(site, factor_to(target, ghi), year.albedo) if target is not None and target > 0 else None

    lean = None if median is None or year.std is None else median - year.std
    lights = {name: light(year.targets[name]) for name in CONFIDENCES}
    return Cell(site, year.horizon is not None, lights, light(lean))


def calculate(cell: Cell, asked: Asked, snow: Series | None = None, lon: float = 0.0) -> Result:
    """Return what a plant gives in the year that is asked for, which the place knows.

    Parameters
    ----------
    cell : Cell
    asked : Asked
    snow : Series or None
        Of the place; None: no loss by snow.
    lon : float
        Degrees east, of the cell's centre; for snow alone.

    Raises
    ------
    Unavailable
        The snow's series is too short.
    """
    light = cell.lights[asked.confidence]
    assert light is not None  # noqa: S101 - `api.pv.choice.choose` refuses it before
    system = System(asked.technology, asked.mounting, asked.loss / 100, asked.maxpower)
    surfaces = asked.surfaces
    if asked.optimize != "none":
        [given] = surfaces
        sought = optimum(cell.site, light, given.kwp, system, given.azimuth if asked.optimize == "slope" else None)
        surfaces = (_best(given, *sought, turned=asked.optimize == "both"),)
    planes = np.array([(one.angle, one.azimuth, one.kwp) for one in surfaces])

    def of(light: Light | None) -> Floats | None:
        return None if light is None else produced(cell.site, light, planes, system).out

    shaded = produced(cell.site, light, planes, system)
    unshaded = produced(cell.site, light, planes, system, shaded=False) if cell.shaded else shaded
    percentiles = {name: shaded.out if name == asked.confidence else of(other) for name, other in cell.lights.items()}
    hidden = hidden_kwh(cell.site, light, planes, system)
    taken = None
    if snow is not None and asked.snowmounting is not None:
        taken = taken_of(cell.site, surfaces, asked.snowmounting, snow, lon)
    return Result(surfaces, shaded, unshaded, percentiles, of(cell.lean), hidden, taken)


def _best(given: Surface, tilt: float, azimuth: float, *, turned: bool) -> Surface:
    angle = round(float(tilt), 1) + 0.0
    if not turned:
        return Surface(given.kwp, angle, given.aspect)
    # What lies flat faces nowhere.
    return Surface(given.kwp, angle, round(aspect_of(float(azimuth)), 1) + 0.0 if angle else 0.0)
