"""A cell's typical year as the writers of the file formats are given it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from api.core.pipeline import origin_of
from api.data.tmy_products import ENSEMBLE, Confidence, ProductName
from api.data.tmy_statistics import Statistics
from api.data.typical_year import Found, hours_of
from api.data.versions import Version
from api.tmy.licence import Licence
from tiles.products.tmy import MADE_OF

Floats = NDArray[np.float64]

HOURS = 8760
MEANS = ("ghi", "dni", "dhi")
INSTANTS = ("temp_air", "rel_hum", "wind_speed", "mslp")
QUANTITIES = (*MEANS, *INSTANTS)

# Local row k, counted from 0, is the hour from k:00 to k + 1:00 in UTC+1: its mean is that of the UTC hour k - 1. Its
# instant at the start is that of the UTC hour k - 1 too, at the end that of the UTC hour k.
_DOWN = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class TypicalYear:
    """8760 hours and where they come from: the fields in the order in which `metadata` gives them.

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
    annual_ghi_kwh_m2 : dict
        By `tmy`, `mean`, `p50`, `p75`, `p90`, `p95`.
    annual_dni_kwh_m2_tmy : float
    bias_correction_wm2 : 12 floats
        What was added to the months' GHI; zeros in a product that is one model as it is.
    n_stations_bias : int
    ensemble_weights : dict
        `reanalysis`, `solarmodel`: of this product.
    sources : dicts of `name`, `licence`, `attribution`
    method : str
    licence : Licence or None
        As it is now; None where the operator has set none.
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
    cell_id: str
    lat: float
    lon: float
    elevation_m: float
    product: str
    product_years: tuple[int, int]
    selected_years: tuple[int, ...]
    confidence: str
    scale_factor: float
    annual_ghi_kwh_m2: Mapping[Any, float | None]
    annual_dni_kwh_m2_tmy: float | None
    bias_correction_wm2: tuple[float, ...]
    n_stations_bias: int
    ensemble_weights: dict[str, float]
    tz: Literal["utc", "local"]
    sources: list[dict[str, Any]]
    method: str
    licence: Licence | None
    generator: str
    data_origin: Literal["live", "simulated"]

    def __post_init__(self) -> None:
        for name in QUANTITIES:
            if getattr(self, name).shape != (HOURS,):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, not ({HOURS},)")

    def at_hour_ends(self) -> Self:
        """Return the year in rows of local standard time (UTC+1), each of which ends at its label.

        Row 0 is 1 January 00:00-01:00: its means are over that hour, the last of the year in UTC; its instants are at
        01:00.
        """
        return replace(self, **{name: np.roll(getattr(self, name), _DOWN) for name in MEANS})

    def in_zone(self) -> Self:
        """Return the year in rows that begin at their labels: as it is, or with `tz=local` in UTC+1.

        Row 0 is then 1 January 00:00-01:00 there: its means are over that hour, its instants at 00:00.
        """
        if self.tz == "utc":
            return self
        return replace(self, **{name: np.roll(getattr(self, name), _DOWN) for name in QUANTITIES})

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

    @property
    def pressure_pa(self) -> Floats:
        """The same in Pa."""
        return 100 * self.pressure


def typical_year(
    found: Found,
    version: Version,
    product: ProductName,
    confidence: Confidence,
    tz: Literal["utc", "local"],
    licence: Licence | None,
) -> TypicalYear:
    """Return the year as writers of formats take it.

    Raises
    ------
    ApiError
        `NOT_BUILT_HERE`, `DAMAGED`.
    """
    hours = hours_of(version, found, QUANTITIES)
    known = found.known.products[product]
    target = known.annual_ghi[confidence]
    factor = 1.0
    if confidence != "tmy" and target is not None:
        from kernels.tmy.scaling import scaled  # the machine code of others is loaded behind the first answers

        factor = 1000 * target / float(hours["ghi"].sum())
        hours |= dict(zip(MEANS, scaled(hours["ghi"], hours["dni"], hours["dhi"], factor), strict=True))
    lat, lon = found.centre
    bias, n_stations, weights = _made(found.known, product)
    return TypicalYear(
        **hours,
        lat=round(lat, 5),
        lon=round(lon, 5),
        elevation_m=round(found.known.elevation, 1),
        cell_id=found.place.cell_id,
        product=product,
        confidence=confidence,
        scale_factor=round(factor, 6),
        product_years=MADE_OF[product][1:],
        selected_years=known.selected_years,
        annual_ghi_kwh_m2=known.annual_ghi,
        annual_dni_kwh_m2_tmy=known.annual_dni,
        bias_correction_wm2=bias,
        n_stations_bias=n_stations,
        ensemble_weights=weights,
        sources=[dict(source) for source in version.sources],
        method=version.method,
        licence=licence,
        generator=str(version.provenance["generator"]),
        data_origin=origin_of(version.data_origin, found.stats.data_origin),
        tz=tz,
    )


def _made(known: Statistics, product: ProductName) -> tuple[tuple[float, ...], int, dict[str, float]]:
    """Return a product's bias correction, the stations behind it, and weights.

    All but the ensemble are one model as it is.
    """
    if product == ENSEMBLE:
        return tuple(known.bias_correction.round(2).tolist()), known.n_stations, known.weights
    weights = {name: float(name == product.partition("_")[0]) for name in known.weights}
    return (0.0,) * len(known.bias_correction), 0, weights
