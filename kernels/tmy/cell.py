"""All four typical years of one cell, from its 35 years of hours."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.decomposition import skartveit
from kernels.sizes import require_size
from kernels.tmy.beam_days import Daylight, beam_sums, daylight
from kernels.tmy.bias import correction
from kernels.tmy.calendar import MONTH_DAYS, PERIOD_18, PERIOD_30, Calendar
from kernels.tmy.daily import day_sums, weather_days
from kernels.tmy.ensemble import monthly_means, spread, weighed_days
from kernels.tmy.finkelstein_schafer import RankedDays, distances, ranked, typical_years, weighted
from kernels.tmy.joins import joined
from kernels.tmy.percentiles import YearStatistics, month_percentiles, year_statistics
from kernels.tmy.sunlight import Sky, Sunlight, clear_year, sunlight_at

_LIMITS = {
    "temp_air": (-np.inf, np.inf),
    "rel_hum": (0.0, 100.0),
    "wind_speed": (0.0, np.inf),
    "mslp": (0.0, np.inf),
}


@dataclass(frozen=True)
class Place:
    """A cell: `lat`, `lon` in degrees, `altitude` in m, `linke_turbidity` float (12,) of the months."""

    lat: float
    lon: float
    altitude: float
    linke_turbidity: NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """A cell's archive, float32 (n_hours,) each, from 1 January 00 UTC of the calendar's first year on.

    Attributes
    ----------
    ghi_reanalysis, ghi_solarmodel
        W/m2, means of the hours; of the solar model all NaN where it does not reach.
    temp_air, rel_hum, wind_speed, mslp
        Degrees C, %, m/s, hPa, at the start of the hours.
    """

    ghi_reanalysis: NDArray[np.float32]
    ghi_solarmodel: NDArray[np.float32]
    temp_air: NDArray[np.float32]
    rel_hum: NDArray[np.float32]
    wind_speed: NDArray[np.float32]
    mslp: NDArray[np.float32]


@dataclass(frozen=True)
class TypicalYear:
    """One product of a cell.

    Attributes
    ----------
    ghi, dni, dhi : float64 (8760,)
        W/m2, means of the hours of the placeholder year.
    temp_air, rel_hum, wind_speed, mslp : float64 (8760,)
        As in `Series`.
    period : (int, int)
        First and last year that could be chosen.
    selected_years : int64 (12,)
    monthly_ghi : float64 (years, 12)
        kWh/m2 of the months of all years, without 29 February.
    monthly_percentiles : dict
        p50 and p90 of these, (12,) each.
    annual_ghi : float64 (years,)
        kWh/m2.
    statistics : YearStatistics
        Of the annual sums.
    annual_ghi_tmy, annual_dni_tmy : float
        kWh/m2 of the typical year itself.
    """

    ghi: NDArray[np.float64]
    dni: NDArray[np.float64]
    dhi: NDArray[np.float64]
    temp_air: NDArray[np.float64]
    rel_hum: NDArray[np.float64]
    wind_speed: NDArray[np.float64]
    mslp: NDArray[np.float64]
    period: tuple[int, int]
    selected_years: NDArray[np.int64]
    monthly_ghi: NDArray[np.float64]
    monthly_percentiles: dict[str, NDArray[np.float64]]
    annual_ghi: NDArray[np.float64]
    statistics: YearStatistics
    annual_ghi_tmy: float
    annual_dni_tmy: float


@dataclass(frozen=True)
class CellProducts:
    """What `cell_products` makes.

    Attributes
    ----------
    ensemble, reanalysis30, reanalysis18 : TypicalYear
    solarmodel : TypicalYear or None
        None where the solar model does not reach; the ensemble is then the reanalysis alone.
    applied : float64 (12,)
        What the monthly correction added to the ensemble, W/m2.
    dropped : float
        kWh/m2 over all years that the ensemble lost at the bound of the clear sky.
    """

    ensemble: TypicalYear
    reanalysis30: TypicalYear
    reanalysis18: TypicalYear
    solarmodel: TypicalYear | None
    applied: NDArray[np.float64]
    dropped: float


def cell_products(sky: Sky, place: Place, series: Series, bias: NDArray[np.float64]) -> CellProducts:
    """Make the typical years of a cell.

    Parameters
    ----------
    sky : Sky
        From `sunlight.sky_of`, once for all cells; its calendar begins with 1991 and holds 2025.
    place : Place
    series : Series
    bias : (12,)
        Of the ensemble, W/m2, by months (`bias_field.interpolate`); zeros where it is not known. It is taken off the
        ensemble alone, before months are chosen.

    Returns
    -------
    CellProducts
        The same bytes on every run.

    Raises
    ------
    ValueError
        An hour that is needed is missing or impossible: the first one is named.
    """
    calendar = sky.calendar
    if calendar.first_year != PERIOD_30[0]:
        msg = f"the archive begins with {calendar.first_year}, not with {PERIOD_30[0]}"
        raise ValueError(msg)
    n30 = calendar.until(PERIOD_30[1])
    with_model = _require_series(series, calendar, n30)
    cell = _Cell(sky, place, series)
    reanalysis = _GhiDays(cell, series.ghi_reanalysis, calendar.n_hours)

    r, s = (day_sums(ghi, n30) for ghi in (series.ghi_reanalysis, series.ghi_solarmodel))
    mean = monthly_means(weighed_days(r, s)[0], calendar, PERIOD_30[1])
    factor = correction(bias, mean)
    clear = clear_year(cell.sunlight, place.altitude, place.linke_turbidity)
    both = series.ghi_reanalysis, series.ghi_solarmodel
    ghi, dropped = spread(*both, factor, clear, calendar, PERIOD_30[1])
    return CellProducts(
        _GhiDays(cell, ghi, n30).typical(PERIOD_30),
        reanalysis.typical(PERIOD_30),
        reanalysis.typical(PERIOD_18),
        _GhiDays(cell, series.ghi_solarmodel, n30).typical(PERIOD_30) if with_model else None,
        mean * (factor - 1),
        dropped / 1000,
    )


class _Cell:
    """What the four products of a cell share."""

    def __init__(self, sky: Sky, place: Place, series: Series) -> None:
        self.sky, self.series = sky, series
        self.sunlight: Sunlight = sunlight_at(place.lat, place.lon, place.altitude)
        self.daylight: Daylight = daylight(sky, place.lat, place.lon, place.altitude)
        days = weather_days(series.temp_air, series.rel_hum, series.wind_speed)
        self.weather = ranked(days, sky.calendar)
        self._distances: dict[tuple[int, int], NDArray[np.float64]] = {}

    def weather_distances(self, period: tuple[int, int]) -> NDArray[np.float64]:
        """Give those of the first eight indices, worked out once for a period."""
        if period not in self._distances:
            self._distances[period] = _distances(self.weather, period, self.sky.calendar)
        return self._distances[period]


class _GhiDays:
    """One series of irradiance: its sums, its days in order, and the typical years of it."""

    def __init__(self, cell: _Cell, ghi: NDArray[np.float32], n: int) -> None:
        self.cell, self.ghi = cell, ghi
        calendar = cell.sky.calendar
        sums = day_sums(ghi, n)
        beam = beam_sums(ghi, cell.daylight, cell.sky, n)
        n_years = int(np.searchsorted(calendar.month_starts[:, 0], n))
        self.ranked = ranked(np.stack([sums.astype(np.float32), beam]), calendar, n_years)
        self.monthly = _monthly_sums(ghi, sums, calendar.month_starts[:n_years]) / 1000

    def typical(self, period: tuple[int, int]) -> TypicalYear:
        """Choose the months of a period and make the year of them."""
        cell, calendar = self.cell, self.cell.sky.calendar
        first, last = (calendar.year_index(year) for year in period)
        monthly = self.monthly[first : last + 1]
        parts = np.concatenate([cell.weather_distances(period), _distances(self.ranked, period, calendar)])
        years = typical_years(weighted(parts), monthly, period[0])
        ghi = self.ghi[calendar.hours_of(years)].astype(np.float64)
        sun = cell.sunlight
        dni, dhi = skartveit(ghi, (sun.sine, sun.elevation, sun.masses), sun.e0, sun.pressure)
        weather = {
            name: joined(getattr(cell.series, name), calendar, years, *limits) for name, limits in _LIMITS.items()
        }
        annual = monthly.sum(axis=1)
        return TypicalYear(
            ghi,
            dni,
            dhi,
            **weather,
            period=period,
            selected_years=years,
            monthly_ghi=monthly,
            monthly_percentiles=month_percentiles(monthly),
            annual_ghi=annual,
            statistics=year_statistics(annual),
            annual_ghi_tmy=float(ghi.sum()) / 1000,
            annual_dni_tmy=float(dni.sum()) / 1000,
        )


def _distances(days: RankedDays, period: tuple[int, int], calendar: Calendar) -> NDArray[np.float64]:
    return distances(days, calendar.year_index(period[0]), period[1] - period[0] + 1)


def _monthly_sums(
    ghi: NDArray[np.float32], sums: NDArray[np.float64], starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Give the sums of months of UTC, (years, 12), from those of days of UTC+1, which are an hour early."""
    out = np.empty(starts.shape)
    for month, days in enumerate(MONTH_DAYS):
        start = starts[:, month]
        early = np.where(start > 0, ghi[start - 1], 0)
        out[:, month] = sums[start[:, None] // 24 + np.arange(days)].sum(axis=1) - early + ghi[start + 24 * days - 1]
    return out


def _require_series(series: Series, calendar: Calendar, n30: int) -> bool:
    """Refuse a cell in which an hour is missing or impossible; say whether the solar model is there."""
    with_model = not bool(np.isnan(series.ghi_solarmodel[:n30]).all())
    for name in series.__dataclass_fields__:
        values = getattr(series, name)
        require_size(calendar.n_hours, **{name: values})
        if name == "ghi_solarmodel":
            if not with_model:
                continue
            values = values[:n30]
        lowest = float(values.min())  # NaN if one is
        if np.isnan(lowest) or (lowest < 0 and name != "temp_air"):
            wrong = np.isnan(values) if np.isnan(lowest) else values < 0
            first = int(np.argmax(wrong))
            when = np.datetime64(calendar.first_hour + 3600 * first, "s").astype("datetime64[m]")
            what = "is missing" if np.isnan(lowest) else f"is {values[first]:g}"
            msg = f"{name} {what} at {when}Z, and {wrong.sum()} hours like it: a typical year needs every hour"
            raise ValueError(msg)
    return with_model
