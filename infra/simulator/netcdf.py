"""Writes the simulated forecast cycles as NetCDF4 files that read like the authority's own."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from infra.simulator import cf
from infra.simulator.bias import Bias
from infra.simulator.cf import HUMIDITY, SHORTWAVE, TEMPERATURE, Variable
from infra.simulator.forecast_error import forecast_error
from infra.simulator.grids import AROME_METCOOP, MET_NORDIC
from infra.simulator.weather import BLOCK, Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Source = Literal["met_nordic", "arome_metcoop_test2", "arome_metcoop_default2"]

N_INSTANTS = 67
HOUR = 3600
_GRAVITY = 9.80665


LAYOUTS: dict[Source, tuple[Variable, ...]] = {
    "met_nordic": (
        SHORTWAVE,
        Variable("cloud_area_fraction", "cloud", "1", 2**-10),
        TEMPERATURE,
        Variable("wind_speed_10m", "wind_speed", "m/s", 2**-6),
        HUMIDITY,
    ),
    "arome_metcoop_test2": (
        SHORTWAVE.at("height0"),
        Variable("surface_geopotential", "geopotential", "m^2/s^2", 2**-3, level="height0"),
    ),
    "arome_metcoop_default2": (
        HUMIDITY.at("height1"),
        TEMPERATURE.at("height1"),
        Variable("x_wind_10m", "wind_east", "m/s", 2**-6),
        Variable("y_wind_10m", "wind_north", "m/s", 2**-6),
    ),
}
"""Variables of each kind of file; the second has neither altitude nor reference time."""


def make_cycle_file(
    path: Path,
    source: Source,
    cycle: datetime,
    spacing_km: float,
    bias: Bias | None = None,
) -> None:
    """Write one file of one simulated cycle; it appears complete or not at all.

    The file's modification time is the cycle's hour and its bytes depend on the arguments alone, so a file
    written again is the same file.

    Parameters
    ----------
    path : Path
        Where; an existing file is replaced.
    source : {"met_nordic", "arome_metcoop_test2", "arome_metcoop_default2"}
        Which kind of file.
    cycle : datetime
        Reference time, aware, a whole UTC hour.
    spacing_km : float
        Spacing of the grid; never finer than the real model's (1 and 2.5 km).
    bias : Bias, optional
        Planted in the radiation.

    Raises
    ------
    ValueError
        The cycle is naive or no whole hour, or the spacing makes no grid.
    """
    if cycle.tzinfo is None or cycle.timestamp() % HOUR:
        raise ValueError(f"a cycle is a whole UTC hour, not {cycle.isoformat()}")
    if not 0 < spacing_km <= 1000:
        raise ValueError(f"no file at {spacing_km} km can be made")
    domain, reference = MET_NORDIC if source == "met_nordic" else AROME_METCOOP, int(cycle.timestamp())
    x, y = domain.axes(spacing_km)
    planted = "" if bias is None else f" A bias is planted in the radiation: {bias.text}."
    with cf.new_file(
        path,
        reference,
        f"forecast in the format of {source}",
        history=f"SIMULATED cycle {cycle.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        comment=f"Grid spacing {x[1] - x[0]:g} m; the real model's is {domain.spacing_m:g} m.{planted}",
        simulated_spacing_m=float(x[1] - x[0]),
        real_spacing_m=domain.spacing_m,
    ) as (file, _):
        times = reference + HOUR * np.arange(N_INSTANTS, dtype=np.float64)
        cf.add(file, "time", ("time",), times, cf.SINCE, standard_name="time")
        if source != "arome_metcoop_test2":
            name = "forecast_reference_time"
            cf.add(file, name, (), np.float64(reference), cf.SINCE, standard_name=name)
        cf.add_lambert(file, domain, (x, y), domain.positions(x, y))
        _write_fields(file, source, reference, times, bias)


def _write_fields(file: Any, source: Source, reference: int, times: Doubles, bias: Bias | None) -> None:
    """Write altitude, and instant by instant what varies, as the error of this model and cycle has it."""
    model, variables = source.removesuffix("_test2").removesuffix("_default2"), LAYOUTS[source]
    lat, lon = file["latitude"][...], file["longitude"][...]
    blocks = []
    for first in range(0, lat.size, BLOCK):
        places = slice(first, first + BLOCK)
        blocks.append((places, Weather(lat.ravel()[places], lon.ravel()[places])))
    altitude = np.concatenate([weather.ground.altitude for _, weather in blocks])
    if source != "arome_metcoop_test2":
        cf.add(file, "altitude", ("y", "x"), altitude.reshape(lat.shape), "m", standard_name="surface_altitude")
    stored = {variable: cf.add_field(file, variable, (1, *lat.shape), ("y", "x")) for variable in variables}
    constant = {"ghi_acc": np.zeros(lat.size), "geopotential": altitude * _GRAVITY}
    shown = {variable.field for variable in variables} - constant.keys()
    for step, time in enumerate(times):
        moment, values = np.array([time]), {**constant, **{name: np.empty(lat.size, np.float32) for name in shown}}
        for places, weather in blocks:
            if step and SHORTWAVE.name in file:
                ghi = forecast_ghi(weather, model, reference, times[step - 1 : step], bias)[0]
                values["ghi_acc"][places] += HOUR * ghi
            surface = weather.surface(moment, forecast_error(model, reference, moment)) if shown else {}
            for name in shown:
                values[name][places] = surface[name][0]
        for variable, target in stored.items():
            target[step] = variable.encode(values[variable.field]).reshape(target.shape[1:])


def forecast_ghi(
    weather: Weather, model: str, reference: int, hour_starts: Doubles, bias: Bias | None = None
) -> Floats:
    """Return a forecast's hour means of global radiation.

    Parameters
    ----------
    weather : Weather
        Over the places.
    model : str
        Whose error it has.
    reference : int
        The cycle, unix seconds.
    hour_starts : (n_hours,) float64
        Unix seconds.
    bias : Bias, optional
        Planted in it.

    Returns
    -------
    (n_hours, n_places) float32
        W/m2.
    """
    ghi = weather.ghi_hour_mean(hour_starts, partial(forecast_error, model, reference))
    if bias is not None:
        sine = weather.sine_of_height(hour_starts + HOUR / 2)
        ghi *= bias.factor(sine, ((hour_starts - reference) / HOUR + 0.5)[:, None])
    return ghi
