"""What the simulated files hold: variables, dimensions, units and attributes, as in the authority's files."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from infra.simulator.grids import AROME_METCOOP, MET_NORDIC, Domain

Source = Literal["met_nordic", "arome_metcoop_test2", "arome_metcoop_default2"]


@dataclass(frozen=True)
class Variable:
    """One variable that varies in time and place.

    `field` names what it shows: one of `weather.truth`, or `ghi_acc` or `geopotential`. The file holds
    `offset + factor * field` rounded to a multiple of `quantum`, of floats a power of two so that the bits left over
    compress.
    """

    name: str
    field: str
    units: str
    quantum: float
    standard_name: str
    long_name: str
    level: str | None = None  # the singleton height dimension, where the real file has one
    offset: float = 0.0
    factor: float = 1.0
    dtype: str = "f4"
    cell_methods: str | None = None

    def encode(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return what the file holds of values of the field."""
        return np.asarray(np.round((self.offset + self.factor * values) / self.quantum) * self.quantum, self.dtype)


@dataclass(frozen=True)
class Layout:
    """One kind of file."""

    model: str  # whose forecast error it has
    domain: Domain
    title: str
    variables: tuple[Variable, ...]
    has_altitude: bool
    has_reference_time: bool
    coordinate_dtype: str
    packed: bool  # shortwave carries GRIB packing noise


def _shortwave(level: str | None) -> Variable:
    name = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"
    return Variable(name, "ghi_acc", "W s/m^2", 16.0, name, "Accumulated surface SW downwelling radiation", level)


def _temperature(level: str | None) -> Variable:
    return Variable(
        "air_temperature_2m", "temp_air", "K", 2**-6, "air_temperature",
        "Screen level temperature (T2M)", level, offset=273.15,
    )  # fmt: skip


def _humidity(level: str | None) -> Variable:
    return Variable(
        "relative_humidity_2m", "relative_humidity", "1", 2**-10, "relative_humidity",
        "Screen level relative humidity (RH2M)", level,
    )  # fmt: skip


LAYOUTS: dict[Source, Layout] = {
    "met_nordic": Layout(
        model="met_nordic",
        domain=MET_NORDIC,
        title="post-processed forecast on the grid of MET Nordic",
        variables=(
            _shortwave(None),
            Variable("cloud_area_fraction", "cloud", "1", 2**-10, "cloud_area_fraction", "Total cloud cover"),
            _temperature(None),
            Variable("wind_speed_10m", "wind_speed", "m/s", 2**-6, "wind_speed", "Wind speed at 10 m"),
            _humidity(None),
        ),
        has_altitude=True,
        has_reference_time=True,
        coordinate_dtype="f4",
        packed=False,
    ),
    "arome_metcoop_test2": Layout(
        model="arome_metcoop",
        domain=AROME_METCOOP,
        title="AROME-MetCoOp forecast, accumulated shortwave",
        variables=(
            _shortwave("height0"),
            Variable(
                "surface_geopotential", "geopotential", "m^2/s^2", 2**-3, "surface_geopotential",
                "Surface geopotential (fis)", "height0",
            ),
        ),
        has_altitude=False,
        has_reference_time=False,
        coordinate_dtype="f8",
        packed=True,
    ),
    "arome_metcoop_default2": Layout(
        model="arome_metcoop",
        domain=AROME_METCOOP,
        title="AROME-MetCoOp forecast, screen level",
        variables=(
            _humidity("height1"),
            _temperature("height1"),
            Variable("x_wind_10m", "wind_east", "m/s", 2**-6, "x_wind", "Zonal 10 metre wind (U10M)"),
            Variable("y_wind_10m", "wind_north", "m/s", 2**-6, "y_wind", "Meridional 10 metre wind (V10M)"),
        ),
        has_altitude=True,
        has_reference_time=True,
        coordinate_dtype="f8",
        packed=False,
    ),
}  # fmt: skip
