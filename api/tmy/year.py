"""A cell's typical year as the writers of the file formats are given it."""

from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HOURS = 8760
MEANS = ("ghi", "dni", "dhi")
INSTANTS = ("temp_air", "rel_hum", "wind_speed", "mslp")
QUANTITIES = (*MEANS, *INSTANTS)

# Local row k, from 1 on, ends at k:00 in UTC+1: its mean is that of the UTC hour k - 2, counted from 0, its instant the
# beginning of the UTC hour k - 1. With rows counted from 0 too, means come one row further down, instants stay.
_MEANS_DOWN, _INSTANTS_DOWN = 1, 0


@dataclass(frozen=True, eq=False)
class TypicalYear:
    """8760 hours and where they come from.

    Parameters
    ----------
    ghi, dni, dhi : float64 (8760,)
        Mean irradiance over [t, t + 1 h), W/m2; the first hour begins on 1 January 2001 at 00:00 UTC.
    temp_air, rel_hum, wind_speed, mslp : float64 (8760,)
        At t: degC, %, m/s, pressure at mean sea level in hPa.
    lat, lon, elevation_m, cell_id
        Of the cell's centre.
    product, confidence, scale_factor
        What was asked for, and what the irradiance of the selected months was multiplied by.
    product_years : two ints
        First and last year of the selection.
    selected_years : 12 ints
        The year each month is of.
    annual : dict
        kWh/m2 of GHI: `tmy`, `mean`, `p50`, `p75`, `p90`, `p95`.
    annual_dni_kwh_m2_tmy : float
    bias_correction_wm2 : 12 floats
        What was added to the months' GHI; zeros in a product that is one model as it is.
    n_stations_bias : int
    ensemble_weights : dict
        `reanalysis`, `solarmodel`: of this product.
    sources : dicts of `name`, `licence`, `attribution`
    method : str
    license, license_version, license_last_day, license_expired
        Its text, its name, the last day it covers, and whether that day has passed.
    generator : str
    data_origin : `live` or `simulated`
    tz : `utc` or `local`
        How stamps are written where a format leaves the choice; `local` is UTC+1 all year.
    """

    ghi: Floats
    dni: Floats
    dhi: Floats
    temp_air: Floats
    rel_hum: Floats
    wind_speed: Floats
    mslp: Floats
    lat: float
    lon: float
    elevation_m: float
    cell_id: str
    product: str
    confidence: str
    scale_factor: float
    product_years: tuple[int, int]
    selected_years: tuple[int, ...]
    annual: dict[str, float]
    annual_dni_kwh_m2_tmy: float
    bias_correction_wm2: tuple[float, ...]
    n_stations_bias: int
    ensemble_weights: dict[str, float]
    sources: list[dict[str, Any]]
    method: str
    license: str
    license_version: str
    license_last_day: date
    license_expired: bool
    generator: str
    data_origin: Literal["live", "simulated"]
    tz: Literal["utc", "local"] = "utc"

    def __post_init__(self) -> None:
        for name in QUANTITIES:
            if getattr(self, name).shape != (HOURS,):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, not ({HOURS},)")

    def at_hour_ends(self) -> Self:
        """Return the year in rows of local standard time (UTC+1), each of which ends at its label.

        Row 0 is 1 January 00:00-01:00: its means are over that hour, the last of the year in UTC; its instants are at
        01:00.
        """
        rows = {name: np.roll(getattr(self, name), _MEANS_DOWN) for name in MEANS}
        rows |= {name: np.roll(getattr(self, name), _INSTANTS_DOWN) for name in INSTANTS}
        return replace(self, **rows)

    @cached_property
    def temp_dew(self) -> Floats:
        """Dew point, degC."""
        from kernels.humid_air import dew_point

        return dew_point(self.temp_air, self.rel_hum)

    @cached_property
    def pressure(self) -> Floats:
        """Pressure at the cell's height, hPa."""
        from kernels.humid_air import station_pressure

        return station_pressure(self.mslp, self.temp_air, self.elevation_m)
