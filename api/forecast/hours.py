"""The hours of a series with all that a request asks for, as columns and as one table.

It imports kernels: see `production.py`.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from api.core.pipeline import Selection, at_hand
from api.core.tables import Table
from api.forecast.calibrated import table_columns
from api.forecast.production import Floats, Weather, planes_of, power_columns, power_of, system_of
from api.forecast.registered import Registered
from api.forecast.requests import ForecastRequest
from api.forecast.snow.applied import OnPlant
from api.forecast.surroundings import AppliedHorizon
from kernels.irradiance import irradiance

# What depends on the moment, or is a list.
_OF_JSON = ("days", "cycle_age_hours", "timeseries")
# Of the weather: attribute, column and decimals.
_MEASURED = {"temp_air": ("temperature_c", 1), "wind_speed": ("wind_speed_ms", 1), "cloud": ("cloud_fraction", 3)}


class Hours(NamedTuple):
    """The hours of a series, and what an answer is made of them with.

    Parameters
    ----------
    plant : ForecastRequest
    times : int64 (n,)
        Starts of the hours, unix seconds.
    weather : Weather
    head : mapping
        What is said of the whole.
    horizon : AppliedHorizon
    snow : OnPlant or None
        Where it is asked for.
    columns : dict of str to array (n,)
        What is said of each hour beside its irradiance, whatever is asked for.
    registered : Registered or None
    """

    plant: ForecastRequest
    times: NDArray[np.int64]
    weather: Weather
    head: Mapping[str, Any]
    horizon: AppliedHorizon
    snow: OnPlant | None = None
    columns: Mapping[str, NDArray[Any]] = {}
    registered: Registered | None = None

    def power(self) -> Floats:
        """Return what the plant produces without calibration: mean W over each hour, of each array, (m, n)."""
        return power_of(self.plant, self.weather, self.horizon.profile, self.snow)

    def variables(self) -> tuple[dict[str, Floats], list[str]]:
        """Return the columns of the variables asked for, rounded, and the names of those that are missing."""
        plant, weather = self.plant, self.weather
        wanted = [name for name in plant.variables if name not in ("ghi", "poa") or (name == "poa" and plant.arrays)]
        columns: dict[str, Floats] = {}
        if {"dni", "dhi", "poa"} & set(wanted):
            altitude = plant.altitude_m if plant.precise else None
            place, planes = (plant.latitude, plant.longitude), planes_of(plant)
            light = irradiance(
                weather.sun, *place, weather.ghi, planes, altitude=altitude, horizon=self.horizon.profile
            )
            dni, dhi, *poa = light.round(1)
            columns |= {f"{name}_wm2": values for name, values in (("dni", dni), ("dhi", dhi)) if name in wanted}
            if "poa" in wanted:
                columns |= {f"{array.name}_poa_wm2": of for array, of in zip(plant.arrays, poa, strict=True)}
        measured = {name: getattr(weather, name) for name in wanted if name in _MEASURED}
        for name, values in measured.items():
            if values is not None:
                column, decimals = _MEASURED[name]
                columns[column] = values.round(decimals) + 0.0  # no -0.0
        return columns, [name for name, values in measured.items() if values is None]

    def table(self) -> Table:
        """Return one table: time, irradiance, the variables that are asked for, power."""
        variables, missing = self.variables()
        columns = {"timestamp": self.times.astype("datetime64[s]"), "ghi_wm2": self.weather.ghi}
        columns |= {**self.columns, **variables}
        said = {name: value for name, value in self.head.items() if name not in _OF_JSON}
        if self.plant.variables:
            said["missing_variables"] = missing
        if self.plant.arrays:
            if self.snow is not None:
                said["snow"] = self.snow.fields
            more: dict[str, Any] = {}
            if self.registered is None:
                power, sums = power_columns(self.plant, self.power())
            else:
                power, sums, more = table_columns(self.registered, self.plant, self.power(), self.times, self.snow)
            columns |= power
            said |= system_of(self.plant, self.horizon, sums) | more
        return Table(columns, said)

    def file(self, kind: str, *versions: object) -> Selection:
        """Return the selection of the table: its name says what, where, of which cycle, and of which request.

        Parameters
        ----------
        kind : str
        *versions
            Names of what is read beside horizon and snow.
        """
        head, asked = self.head, (self.head["site"], self.plant)
        place = head["latitude"], head["longitude"]
        own = None if self.registered is None else (self.registered.plant.name, self.registered.plant.calibrated_at)
        cycle = head["cycle_time"][:13].replace("-", "")
        return Selection(
            versions=(*versions, self.horizon.version, self.horizon.fields, self.snow, own),
            data_origin=head["data_origin"],
            read=partial(at_hand, self.table),
            asked=asked,
            file_name=f"{kind}_{place[0]}_{place[1]}_{cycle}Z_{crc32(repr(asked).encode()):08x}",
            points=(place,),
            kept=self.registered is None,  # nothing of a plant outlives its deletion
        )
