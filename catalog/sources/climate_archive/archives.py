"""The archives: how their monthly files are named, and under which names the files hold what."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Stamp = Literal["hour_end", "bounds"]
"""How radiation is stamped: with the end of its hour; or as the bounds of the time variable say."""

WEATHER = ("temp_air", "rel_hum", "wind_speed", "mslp")
SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"


@dataclass(frozen=True)
class Archive:
    """One archive.

    Parameters
    ----------
    name : str
        In the registry of sources.
    kind : {"reanalysis", "solarmodel"}
        A reanalysis has the weather as well.
    filename : str
        Of a month, for `format(year=, month=)`.
    times : tuple of str
        Names of the time axis, the first that is there.
    grid : {"projected", "degrees"}
        x and y in m with a projection, or longitude and latitude axes.
    stamp : Stamp
        Of the radiation.
    ghi, ghi_kind : str
        Name of the radiation, and its kind of quantity (`units.CONVERSIONS`).
    needs_sum : bool
        Whether accumulated radiation must say `cell_methods = "time: sum"`, for that upstream has other kinds too.
    fields : mapping of str to mapping
        For each part of the weather, names to kinds of quantity, the first that is there.
    instead : str
        What may be there in place of the radiation, and why it does not do.
    """

    name: str
    kind: Literal["reanalysis", "solarmodel"]
    filename: str
    grid: Literal["projected", "degrees"]
    stamp: Stamp
    ghi: str
    ghi_kind: str
    fields: Mapping[str, Mapping[str, str]]
    times: tuple[str, ...] = ("time",)
    needs_sum: bool = False
    instead: str = ""


NORA3 = Archive(
    name="nora3",
    kind="reanalysis",
    filename="arome3km_1hr_{year:04d}{month:02d}.nc",
    grid="projected",
    stamp="hour_end",
    ghi=SHORTWAVE,
    ghi_kind="accumulated",
    needs_sum=True,
    instead="the public hourly subset has net shortwave alone, and the albedo is not in it: make monthly files of the "
    "downwelling flux of NORA3's full files",
    fields={
        "temp_air": {"air_temperature_2m": "temperature"},
        "rel_hum": {"relative_humidity_2m": "fraction"},
        "wind_speed": {"wind_speed": "speed", "wind_speed_10m": "speed"},
        "wind_x": {"x_wind_10m": "speed"},
        "wind_y": {"y_wind_10m": "speed"},
        "mslp": {"air_pressure_at_sea_level": "pressure"},
        "pressure": {"surface_air_pressure": "pressure"},
        "altitude": {"altitude": "length", "surface_altitude": "length", "surface_geopotential": "geopotential"},
    },
)

ERA5 = Archive(
    name="era5",
    kind="reanalysis",
    filename="SURF_{year:04d}{month:02d}.nc",
    times=("time", "valid_time"),
    grid="degrees",
    stamp="hour_end",
    ghi="ssrd",
    ghi_kind="accumulated",
    fields={
        "temp_air": {"t2m": "temperature"},
        "dew_point": {"d2m": "temperature"},
        "wind_speed": {"si10": "speed"},
        "wind_x": {"u10": "speed"},
        "wind_y": {"v10": "speed"},
        "mslp": {"msl": "pressure"},
        "pressure": {"sp": "pressure"},
        "altitude": {"z": "geopotential"},
    },
)

SARAH3 = Archive(
    name="sarah3",
    kind="solarmodel",
    filename="SIShm{year:04d}{month:02d}010000004231000101MA.nc",
    grid="degrees",
    stamp="bounds",
    ghi="SIS",
    ghi_kind="irradiance",
    fields={},
)

ARCHIVES: dict[str, Archive] = {archive.name: archive for archive in (NORA3, ERA5, SARAH3)}
