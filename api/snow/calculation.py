"""From a typical year and days of snow to what lies on a plane. It loads the kernels: see `api/engines.py`."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from api.snow.losses import losses, weather_of
from api.snow.query import OutlookQuery, PlaneQuery, SoilingQuery
from api.snow.series import Series
from kernels.pv.light import Light, light_of
from kernels.pv.mean_days import mean_days
from kernels.pv.site import Site, site_of
from kernels.snow.cover import Cover, cover
from kernels.snow.months import Months
from kernels.snow.panel import Panel

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ground:
    """What is known of a cell's typical year.

    Parameters
    ----------
    hours : mapping of str to float64 (8760,)
        What `kernels.pv.site.site_of` takes.
    lat, lon, altitude : float
        Of the cell's centre and of its ground, m.
    horizon : float64 (720,) or None
        Degrees.
    """

    hours: Mapping[str, Floats]
    lat: float
    lon: float
    altitude: float
    horizon: Floats | None


@dataclass(frozen=True, eq=False)
class Sunlit:
    """A place that is ready for planes.

    Parameters
    ----------
    site : Site
    light : Light
        Of the typical months as they were.
    """

    site: Site
    light: Light

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.site.nbytes + self.light.nbytes


def prepare(ground: Ground) -> Sunlit:
    """Make a place ready: its sun, its light and its horizon."""
    site = site_of(ground.hours, ground.lat, ground.lon, ground.altitude, ground.horizon)
    return Sunlit(site, light_of(site))


def soiling(place: Sunlit, series: Series, asked: SoilingQuery, lon: float) -> Months:
    """Return what snow and soiling cost a plane by month."""
    panel = _panel(asked)._replace(strings=asked.strings)
    return losses(_light(place, asked), series, panel, lon, asked.start, asked.soiling)


def season(place: Sunlit, series: Series, asked: OutlookQuery, lon: float) -> Cover:
    """Return what lies on a plane on each day of a season."""
    panel = _panel(asked)._replace(burial_mm=asked.burial_mm)
    return cover(series.days, weather_of(series), _light(place, asked), panel, lon)


def _light(place: Sunlit, asked: PlaneQuery) -> Floats:
    return mean_days(place.site, place.light, asked.angle, asked.azimuth)


def _panel(asked: PlaneQuery) -> Panel:
    return Panel(asked.angle, asked.mounting, asked.height_mm, loss_mode=asked.lossmode)
