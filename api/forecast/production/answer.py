"""What an answer says of production: `pv_system`, `pv_timeseries` and `snow`.

It imports kernels: see `power.py`.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from api.forecast.body import Irradiance, Series, Sums
from api.forecast.production.models import ForecastRequest
from api.forecast.production.plant import Plant, plant_of, total_kwp
from api.forecast.production.power import engine_of, power_of, printed_power
from api.forecast.production.weather import weather_of
from api.forecast.rows import Layout, Table, key
from api.forecast.snow.applied import OnPlant
from api.horizons import Horizon
from kernels.printed import Fields, Rows, append_fields, whole_tenths


class Printed(NamedTuple):
    """A plant's production as it is printed: whole tenths of a watt, so that every printed sum is exact.

    Parameters
    ----------
    series : bytes
        JSON of `pv_timeseries`: the irradiance, each array's power, and the sum in W and in kWh.
    total, peak : int
        Sum and largest of the sum over all arrays, tenths of a watt.
    """

    series: bytes
    total: int
    peak: int

    def sums(self, plant: Plant) -> dict[str, float]:
        """Return the plant over the whole series."""
        return {
            "total_kwp": total_kwp(plant.arrays),
            "peak_power_w": self.peak / 10,
            "total_production_kwh": self.total / 10_000,
        }


def print_power(plant: Plant, watts: NDArray[np.float64], irradiance: bytes, layout: Layout) -> Printed:
    """Print what a plant produces.

    Parameters
    ----------
    plant : Plant
    watts : float64 (m, n)
        From `power_of`.
    irradiance : bytes
        What it is appended to, as `Table.render` gives it.
    layout : {"rows", "columns"}
        Of the same.

    Raises
    ------
    ValueError
        A number is none: the weather or the engine is wrong. No request can bring it about; it is logged as a fault.
    """
    fields = _fields(_names(plant))
    tenths, total, peak = whole_tenths(watts)
    if layout == "rows":
        return Printed(append_fields(Rows.of(irradiance), Fields.of(fields), tenths), total, peak)
    columns = (
        key + orjson.dumps(tenths[row] / 10**decimals, option=orjson.OPT_SERIALIZE_NUMPY)
        for key, row, decimals in fields
    )
    return Printed(b"%b%b}" % (irradiance[:-1], b"".join(columns)), total, peak)


def print_forecast(
    plant: Plant,
    series: Series,
    packed: bytes,
    first: int,
    layout: Layout,
    horizon: NDArray[np.float64] | None = None,
    snow: OnPlant | None = None,
) -> tuple[Irradiance, Printed]:
    """Print what a plant produces in the weather of a tile, and its irradiance.

    Parameters
    ----------
    plant : Plant
    series : Series
    packed : bytes
        From its `packed_weather`.
    first : int
        The row of it to begin with.
    layout : {"rows", "columns"}
    horizon : float64 (720,), optional
        As `power_of` takes it.
    snow : OnPlant, optional
        What it does to the power.

    Raises
    ------
    Unavailable
        The weather lacks what the engine needs.
    ValueError
        As `print_power`.
    """
    factors = None if snow is None else snow.factors
    if layout == "columns" or factors is not None:
        irradiance = series.irradiance(series.packed_ghi(packed, first), first, layout)
        watts = power_of(plant, weather_of(series, packed, first), horizon)
        if factors is not None:
            watts *= factors
        return irradiance, print_power(plant, watts, irradiance.text, layout)
    lines = _rows(series.table(first)), _fields_after_ghi(_names(plant))
    printed = printed_power(plant, series, packed, first, lines, horizon)
    irradiance = Irradiance(printed.irradiance, Sums(printed.ghi_total, printed.ghi_peak))
    return irradiance, Printed(printed.power, printed.total, printed.peak)


@lru_cache(maxsize=4)
def _rows(table: Table) -> Rows:
    return Rows.of(table.rows)


def _names(plant: Plant) -> tuple[str, ...]:
    return tuple(array.name for array in plant.arrays)


def _fields(names: tuple[str, ...]) -> list[tuple[bytes, int, int]]:
    """Return key, row of the values and decimals of what is printed of arrays with these names."""
    m = len(names)
    # The sum's tenths of a watt are ten-thousandths of a kilowatt hour.
    fields = [*((f"{name}_W", row, 1) for row, name in enumerate(names)), ("total_W", m, 1), ("total_kWh", m, 4)]
    return [(b"," + key(name), row, decimals) for name, row, decimals in fields]


@lru_cache(maxsize=64)
def _fields_after_ghi(names: tuple[str, ...]) -> Fields:
    """Return the same with irradiance as their first number, as the engines that print take it."""
    return Fields.of([(b"", len(names) + 1, 1), *_fields(names)])


def texts_of(
    plant: Plant, printed: Printed, *, horizon: Horizon | None, no_horizon: str | None = None, snow: OnPlant | None
) -> dict[str, bytes]:
    """Return the JSON of each of the fields that production adds to an answer.

    Parameters
    ----------
    plant : Plant
    printed : Printed
    horizon : Horizon or None
        That was applied.
    no_horizon : str or None
        Why none was, where one was asked for.
    snow : OnPlant or None
        Where it was asked for.
    """
    sums = printed.sums(plant)
    system = {
        "total_kwp": sums.pop("total_kwp"),
        "arrays": [array.__dict__ for array in plant.arrays],
        "performance_ratio": plant.performance_ratio,
        **sums,
        "engine": engine_of(plant),
        "horizon_applied": horizon is not None,
    }
    if horizon is not None:
        system["horizon"] = horizon.told
    elif no_horizon is not None:
        system["no_horizon"] = no_horizon
    fields = {"pv_system": orjson.dumps(system), "pv_timeseries": printed.series}
    return fields if snow is None else {**fields, "snow": orjson.dumps(snow.told)}


def forecast_texts(
    asked: ForecastRequest,
    series: Series,
    packed: bytes,
    first: int,
    horizon: Horizon | None,
    no_horizon: str | None = None,
    snow: OnPlant | None = None,
) -> tuple[Irradiance, dict[str, bytes]]:
    """Return the irradiance of a point, and what production adds; `print_forecast` and `texts_of` say of what.

    Raises
    ------
    Unavailable, ValueError
        As `print_forecast`.
    """
    plant = plant_of(asked)
    profile = None if horizon is None else horizon.elevation
    irradiance, printed = print_forecast(plant, series, packed, first, asked.layout, profile, snow)
    return irradiance, texts_of(plant, printed, horizon=horizon, no_horizon=no_horizon, snow=snow)
