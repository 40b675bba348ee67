"""Writes the simulated forecast cycles as NetCDF4 files that read like the authority's own."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infra.simulator import cf, grids
from infra.simulator.bias import Bias
from infra.simulator.forecast_error import forecast_error
from infra.simulator.layout import LAYOUTS, Layout, Source, Variable
from infra.simulator.weather import BLOCK, Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

N_INSTANTS = 67
HOUR = 3600
_GRAVITY = 9.80665
_GRIB_STEPS = 2**16 - 1


def make_cycle_file(
    path: Path,
    source: Source,
    cycle: datetime,
    spacing_km: float,
    n_instants: int = N_INSTANTS,
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
    n_instants : int
        Hourly instants, the first at the cycle's hour: one more than there are hours.
    bias : Bias, optional
        Planted in the radiation.

    Raises
    ------
    ValueError
        The cycle is naive or no whole hour, or a number makes no grid or series.
    """
    if cycle.tzinfo is None or cycle.timestamp() % HOUR:
        raise ValueError(f"a cycle is a whole UTC hour, not {cycle.isoformat()}")
    if n_instants < 2 or not 0 < spacing_km <= 1000:
        raise ValueError(f"no file of {n_instants} instants at {spacing_km} km can be made")
    reference = int(cycle.timestamp())
    with cf.new_file(path, reference) as (file, _):
        _write(file, LAYOUTS[source], reference, spacing_km, n_instants, bias)


def _write(file: Any, layout: Layout, reference: int, spacing_km: float, n_instants: int, bias: Bias | None) -> None:
    x, y = layout.domain.axes(spacing_km)
    lat, lon = grids.positions(x, y)
    times = reference + HOUR * np.arange(n_instants, dtype=np.float64)
    file.dimensions = {"time": n_instants, "y": y.size, "x": x.size}
    for level in sorted({variable.level for variable in layout.variables if variable.level}):
        file.dimensions[level] = 1
    cf.describe(
        file,
        layout.title,
        history=f"SIMULATED cycle {datetime.fromtimestamp(reference, UTC):%Y-%m-%dT%H:%M:%SZ}",
        comment=f"Grid spacing {x[1] - x[0]:g} m; the real model's is {layout.domain.spacing_m:g} m."
        + ("" if bias is None else f" A bias is planted in the radiation: {bias.text}."),
        simulated_spacing_m=float(x[1] - x[0]),
        real_spacing_m=layout.domain.spacing_m,
    )
    _coordinates(file, layout, reference, times, x, y, lat, lon)
    blocks = [
        (
            slice(first, first + BLOCK),
            Weather(lat.ravel()[first : first + BLOCK], lon.ravel()[first : first + BLOCK]),
        )
        for first in range(0, lat.size, BLOCK)
    ]
    altitude = np.concatenate([weather.ground.altitude for _, weather in blocks]).reshape(lat.shape)
    if layout.has_altitude:
        about = {"standard_name": "surface_altitude", "long_name": "Altitude of the model's ground"}
        cf.add(file, "altitude", ("y", "x"), altitude, "m", **about)
    for variable in layout.variables:
        cf.add_field(file, variable, (1, *lat.shape), ("y", "x"))
    fields = {variable.field for variable in layout.variables}
    for step, values in enumerate(_steps(blocks, layout.model, reference, times, fields, lat.size, bias)):
        values["geopotential"] = altitude.ravel() * _GRAVITY
        for variable in layout.variables:
            target = file[variable.name]
            target[step] = _encode(values[variable.field], variable, layout.packed).reshape(target.shape[1:])


def _steps(
    blocks: list[tuple[slice, Weather]],
    model: str,
    reference: int,
    times: Doubles,
    fields: set[str],
    n: int,
    bias: Bias | None,
) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the forecast at each instant, arrays (n,), as the error of this model and cycle has it."""
    error_at = partial(forecast_error, model, reference)
    accumulated = np.zeros(n)
    shown = fields - {"ghi_acc", "geopotential"}
    for step, time in enumerate(times):
        if step and "ghi_acc" in fields:
            for places, weather in blocks:
                accumulated[places] += HOUR * forecast_ghi(weather, model, reference, times[step - 1 : step], bias)[0]
        values: dict[str, NDArray[Any]] = {name: np.empty(n, dtype=np.float32) for name in shown}
        if shown:
            moment = np.array([time])
            for places, weather in blocks:
                surface = weather.surface(moment, error_at(moment))
                for name in shown:
                    values[name][places] = surface[name][0]
        values["ghi_acc"] = accumulated
        yield values


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
        for row, start in enumerate(hour_starts.tolist()):
            ghi[row] *= bias.factor(sine[row], (start - reference) / HOUR + 0.5)
    return ghi


def _encode(values: NDArray[Any], variable: Variable, packed: bool) -> Floats:
    if variable.field == "ghi_acc" and packed:
        return grib_packed(values)
    return variable.encode(values)


def grib_packed(values: Doubles) -> Floats:
    """Return a field as it comes out of 16-bit GRIB packing.

    The reference value and the power-of-two step are those of this one field, so the same number comes out a
    little different from one instant to the next, and an accumulated field falls here and there by up to one
    step.
    """
    low, span = float(values.min()), float(np.ptp(values))
    if span == 0:
        return values.astype(np.float32)
    step = 2.0 ** np.ceil(np.log2(span / _GRIB_STEPS))
    return np.asarray(np.float32(low) + np.round((values - low) / step) * step, dtype=np.float32)


def _coordinates(
    file: Any,
    layout: Layout,
    reference: int,
    times: Doubles,
    x: Doubles,
    y: Doubles,
    lat: Doubles,
    lon: Doubles,
) -> None:
    cf.add(file, "time", ("time",), times, cf.SINCE, standard_name="time", long_name="time")
    if layout.has_reference_time:
        cf.add(file, name := "forecast_reference_time", (), np.float64(reference), cf.SINCE, standard_name=name)
    cf.add_lambert(file, grids.LATITUDE, grids.LONGITUDE, grids.PROJ4)
    for name, values in (("x", x), ("y", y)):
        about = {
            "standard_name": f"projection_{name}_coordinate",
            "long_name": f"{name}-coordinate in Cartesian system",
        }
        cf.add(file, name, (name,), values.astype(np.float32), "m", **about)
    for name, values, units in (("latitude", lat, "degree_north"), ("longitude", lon, "degree_east")):
        about = {"standard_name": name, "long_name": name}
        cf.add(file, name, ("y", "x"), values.astype(layout.coordinate_dtype), units, **about)
