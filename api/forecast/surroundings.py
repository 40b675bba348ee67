"""The horizon and the snow of a plant, and what of a request is ignored."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from api.core.errors import ApiError
from api.core.pipeline import Machinery
from api.core.routing import warn
from api.data.horizons import Horizons, why_none
from api.data.plants.current import PlantReader
from api.data.published import Published
from api.forecast import problems
from api.forecast.current import Forecasts
from api.forecast.place import Sites
from api.forecast.requests import ForecastRequest
from api.forecast.snow.applied import OnPlant, on_plant
from api.forecast.snow.current import SnowFactors

_OF_PLANTS = ("precise", "snow", "performance_ratio", "temp_coeff_pmax", "altitude_m")


class AppliedHorizon(NamedTuple):
    """The horizon that a plant's answer is calculated with, if any.

    Parameters
    ----------
    fields : mapping
        What `pv_system` says of it.
    profile : float64 (720,) or None
        Elevation by azimuth, degrees.
    origin : str
        `live` or `simulated`; `live` where there is none.
    version : str or None
    """

    fields: Mapping[str, Any] = {"horizon_applied": False}
    profile: NDArray[np.float64] | None = None
    origin: str = "live"
    version: str | None = None


NO_HORIZON = AppliedHorizon()
_UNPUBLISHED = AppliedHorizon({"horizon_applied": False, "no_horizon": why_none(None)})


class Sources(NamedTuple):
    """Data sources of the services of this group."""

    machinery: Machinery
    published: Published
    forecasts: Forecasts
    sites: Sites
    horizons: Horizons
    snow_factors: SnowFactors
    plants: PlantReader

    async def horizon(self, plant: ForecastRequest) -> AppliedHorizon:
        """Return the horizon of a plant.

        Raises
        ------
        ApiError
            It is published, and cannot be read.
        """
        if not plant.precise or not plant.arrays:
            return NO_HORIZON
        if not self.horizons.are_published:
            return _UNPUBLISHED
        try:
            found = await self.horizons.at(plant.latitude, plant.longitude)
        except ApiError as error:
            raise problems.NO_HORIZON() from error
        if found is None:
            return AppliedHorizon({"horizon_applied": False, "no_horizon": why_none(self.horizons.current())})
        fields = {"horizon_applied": True, "horizon": found.applied}
        return AppliedHorizon(fields, found.elevation, found.data_origin, found.entry.path)

    def snow(self, plant: ForecastRequest, times: NDArray[np.int64], now: datetime) -> OnPlant | None:
        """Return what snow does to a plant in hours, (n,) unix seconds; None where it is not asked for."""
        if not plant.snow or not plant.arrays:
            return None
        return on_plant(self.snow_factors.current(now), plant, times, now)


def warn_of_ignored(request: web.BaseRequest, plant: ForecastRequest) -> None:
    """Warn of fields that do not go together."""
    given = plant.model_fields_set
    if not plant.arrays:
        ignored = [name for name in _OF_PLANTS if name in given and getattr(plant, name)]
        if "poa" in plant.variables:
            ignored.append("variables=poa")
        if ignored:
            warn(request, "Without arrays these were ignored", ignored)
    if plant.anlegg_id is None and "kalibrering" in given:
        warn(request, "kalibrering was ignored: it is used only with anlegg_id")
    if plant.arrays and "altitude_m" in given and not plant.precise:
        warn(request, "altitude_m was ignored: it is used only with precise")
    if plant.format != "json" and (ignored := sorted({"layout", "timezone"} & given)):
        warn(request, f"Ignored with format={plant.format}", ignored)
