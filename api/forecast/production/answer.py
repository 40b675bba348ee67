"""What an answer says of production: `pv_system`, `pv_timeseries` and `snow`.

It imports kernels: see `power.py`.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from api import texts
from api.errors import ServerError
from api.forecast.body import Series
from api.forecast.production.models import ForecastRequest
from api.forecast.production.plant import Plant, plant_of, total_kwp
from api.forecast.production.power import Power, power_of
from api.forecast.production.weather import weather_of
from api.forecast.rows import Layout, key
from kernels.printed import append_fields, whole_tenths

# Until there are snow tiles.
NO_SNOW = {"snow_applied": False, "reason": "snow_blob_unavailable"}
SNOW_NOT_ASKED = {"snow_applied": False, "reason": "not_requested"}


class Printed:
    """A plant's production as it is printed: whole tenths of a watt, so that every printed sum is exact.

    Parameters
    ----------
    plant : Plant
    power : Power

    Raises
    ------
    ServerError
        A number is none: the weather or the engine is wrong.
    """

    def __init__(self, plant: Plant, power: Power) -> None:
        self._plant, self._power = plant, power
        try:
            self._tenths, self._sum, self._peak = whole_tenths(power.watts)
        except ValueError as error:
            raise ServerError(texts.INTERNAL) from error

    def sums(self) -> dict[str, float]:
        """Return the plant over the whole series."""
        return {
            "total_kwp": total_kwp(self._plant.arrays),
            "peak_power_w": self._peak / 10,
            "total_production_kwh": self._sum / 10_000,
        }

    def system(self) -> dict[str, Any]:
        """Return `pv_system`."""
        sums = self.sums()
        return {
            "total_kwp": sums.pop("total_kwp"),
            "arrays": [array.__dict__ for array in self._plant.arrays],
            "performance_ratio": self._plant.performance_ratio,
            **sums,
            "engine": self._power.engine,
            "horizon_applied": self._power.horizon_applied,
        }

    def series(self, irradiance: bytes, layout: Layout) -> orjson.Fragment:
        """Return `pv_timeseries`: the irradiance, and each array's power and the sum in W and in kWh.

        Parameters
        ----------
        irradiance : bytes
            As `Table.render` gives it.
        layout : {"rows", "columns"}
            Of the same.
        """
        keys, fields = _fields(tuple(array.name for array in self._plant.arrays))
        if layout == "rows":
            return orjson.Fragment(append_fields(irradiance, keys, fields, self._tenths))
        numbers = (self._tenths[row] / 10**decimals for row, decimals in fields.tolist())
        arrays = (orjson.dumps(of, option=orjson.OPT_SERIALIZE_NUMPY) for of in numbers)
        columns = (b"".join(pair) for pair in zip(keys.split(b"\0"), arrays, strict=False))
        return orjson.Fragment(b"%b%b}" % (irradiance[:-1], b"".join(columns)))


@lru_cache(maxsize=256)
def _fields(names: tuple[str, ...]) -> tuple[bytes, NDArray[np.int64]]:
    """Return what `append_fields` takes: the keys of all fields, and where their numbers are, with their decimals."""
    keys = [*(f"{name}_W" for name in names), "total_W", "total_kWh"]
    m = len(names)
    # The sum's tenths of a watt are ten-thousandths of a kilowatt hour.
    return b"".join(b",%b\0" % key(name) for name in keys), np.array([*((row, 1) for row in range(m + 1)), (m, 4)])


def production(irradiance: bytes, plant: Plant, power: Power, *, layout: Layout, snow: bool) -> dict[str, Any]:
    """Return the fields that production adds to an answer.

    Parameters
    ----------
    irradiance : bytes
        The rows or columns of irradiance, as `Table.render` gives them.
    plant, power : Plant, Power
    layout : {"rows", "columns"}
    snow : bool
        Whether snow was asked for.

    Raises
    ------
    ServerError
        As `Printed`.
    """
    printed = Printed(plant, power)
    fields = {"pv_system": printed.system(), "pv_timeseries": printed.series(irradiance, layout)}
    return {**fields, "snow": NO_SNOW} if snow else fields


def forecast_production(
    asked: ForecastRequest,
    series: Series,
    packed: bytes,
    first: int,
    irradiance: bytes,
    horizon: NDArray[np.float64] | None,
) -> dict[str, Any]:
    """Return the fields that production adds to the forecast of a point.

    Parameters
    ----------
    asked : ForecastRequest
        With at least one array.
    series : Series
    packed : bytes
        From its `packed_weather`.
    first : int
        The row of it that the answer begins with.
    irradiance : bytes
        The answer's, as `Table.render` gives it.
    horizon : float64 (720,) or None
        See `power_of`.

    Raises
    ------
    Unavailable
        The weather lacks what the engine needs.
    ServerError
        As `Printed`.
    """
    plant = plant_of(asked)
    power = power_of(plant, weather_of(series, packed, first), horizon)
    return production(irradiance, plant, power, layout=asked.layout, snow=asked.snow)
