"""Days of snow as months: what is lost in a mean year, in a bad one, and with the dirt of the months without snow."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.snow.cover import Cover, cover
from kernels.snow.days import (
    MONTHS_PER_YEAR,
    SnowWeather,
    month_lengths,
    months_since_epoch,
    require_ascending,
    require_light,
)
from kernels.snow.panel import Panel
from kernels.tmy.calendar import MONTH_DAYS
from kernels.tmy.percentiles import percentile

ENOUGH = 0.9
"""Part of its days that a month must have to count."""
COVERED = 0.1
"""Coverage above which a day counts as one with snow on the modules."""

_STEP_PCT = 5.0

Floats = NDArray[np.float64]


class Annual(NamedTuple):
    """The year: loss with soiling, weighted by irradiation, per cent; what that is, and what it is of, kWh/m2."""

    incl_soiling: float
    lost_kwh_m2: float
    poa: float


@dataclass(frozen=True, eq=False)
class Months:
    """January to December over years, (12,) each; NaN in a month that no year has.

    Attributes
    ----------
    n_years : int64
        Years that have the month.
    mean, median, p10, p90 : float64
        Loss, per cent of what the month could give, over the years; p90 is exceeded in one year of ten.
    covered_days : float64
        Mean number of days with more than a tenth of the plane covered.
    incl_soiling : float64
        The mean, and dirt on the days without snow, per cent.
    ns3031 : float64
        The same, rounded up to whole fives.
    poa : float64
        Irradiation on the plane, kWh/m2; February has 28 days.
    annual : Annual
        NaN where a month that has irradiation has no year.
    """

    n_years: NDArray[np.int64]
    mean: Floats
    median: Floats
    p10: Floats
    p90: Floats
    covered_days: Floats
    incl_soiling: Floats
    ns3031: Floats
    poa: Floats
    annual: Annual


def monthly_loss(
    days: NDArray[np.int64],
    weather: SnowWeather,
    light: Floats,
    panel: Panel,
    lon: float,
    first_year: int,
    soiling_pct: float,
) -> Months:
    """Return what snow and soiling cost a plane by month.

    The snow is followed from the 1 September before the first year on, when none lies.

    Parameters
    ----------
    days, weather, light, panel, lon
        As `kernels.snow.cover.cover` takes them.
    first_year, soiling_pct
        As `monthly` takes them.
    """
    begin = int(np.searchsorted(days, np.datetime64(f"{first_year - 1}-09-01", "D").astype(np.int64)))
    counted = days[begin:]
    snow = cover(counted, SnowWeather(*(values[begin:] for values in weather)), light, panel, lon)
    return monthly(counted, snow, light, first_year, soiling_pct)


def monthly(days: NDArray[np.int64], snow: Cover, light: Floats, first_year: int, soiling_pct: float) -> Months:
    """Sum up days of snow.

    Parameters
    ----------
    days : int64 (n,)
        Counted from 1970-01-01, ascending.
    snow : Cover
        Of these days. Let it begin in the autumn before the first year, or a first January lacks its old snow.
    light : float64 (12, 24)
        Mean irradiance on the plane by month and hour of the day, W/m2.
    first_year : int
        Calendar year from which months count.
    soiling_pct : float
        What dirt takes on a day without snow, per cent, 0..100.

    Raises
    ------
    ValueError
        Sizes do not agree, days do not ascend, or the light is none.

    Notes
    -----
    A month of a year counts that has nine tenths of its days, with their weather. Its loss is that of its days,
    weighted by their irradiation; as `light` knows but one day of a month, they weigh the same. Between years the
    percentiles are linear. With s the mean loss, f the soiling and v the part of the days with snow on the modules, all
    as parts of 1, the loss with soiling is 1 - (1 - s) (1 - f (1 - v)); it is 0 where there is no irradiation to lose.
    """
    require_ascending(days)
    require_light(light)
    if any(values.shape != days.shape for values in snow):
        msg = f"the cover is not of these {days.size} days"
        raise ValueError(msg)
    loss, share, lengths = _by_year(days, snow, MONTHS_PER_YEAR * (first_year - 1970))
    n_years = np.isfinite(loss).sum(axis=0)
    mean, snowy = _mean(loss, n_years), _mean(share, n_years)
    poa = light.sum(axis=1) * np.array(MONTH_DAYS) / 1000.0
    soiling = np.where(poa > 0.0, soiling_pct / 100.0, 0.0)
    incl_soiling = 100.0 * (1.0 - (1.0 - mean) * (1.0 - soiling * (1.0 - snowy)))
    p10, median, p90 = (100.0 * percentile(loss, q) for q in (0.1, 0.5, 0.9))
    return Months(
        n_years=n_years,
        mean=100.0 * mean,
        median=median,
        p10=p10,
        p90=p90,
        covered_days=_mean(share * lengths, n_years),
        incl_soiling=incl_soiling,
        ns3031=_STEP_PCT * np.ceil(incl_soiling / _STEP_PCT - 1e-9),
        poa=poa,
        annual=_annual(incl_soiling, poa),
    )


def _by_year(days: NDArray[np.int64], snow: Cover, january: int) -> tuple[Floats, Floats, Floats]:
    """Give loss, part of days with snow (0..1; both NaN where too few days count) and number of days, (years, 12)."""
    months = months_since_epoch(days) - january
    n_years = max(int(months[-1]) // MONTHS_PER_YEAR + 1, 0)
    counts = (months >= 0) & ~snow.missing
    months, size = months[counts], n_years * MONTHS_PER_YEAR
    present = np.bincount(months, minlength=size)
    lengths = month_lengths(january + np.arange(size)).astype(np.float64)
    divisor = np.where(present >= ENOUGH * lengths, present, np.nan)
    loss = np.bincount(months, snow.loss[counts], size) / divisor
    share = np.bincount(months, snow.coverage[counts] > COVERED, size) / divisor
    return tuple(values.reshape(n_years, MONTHS_PER_YEAR) for values in (loss, share, lengths))  # type: ignore[return-value]


def _mean(values: Floats, n_years: NDArray[np.int64]) -> Floats:
    mean: Floats = np.nansum(values, axis=0) / np.where(n_years, n_years, np.nan)
    return mean


def _annual(incl_soiling: Floats, poa: Floats) -> Annual:
    lost = np.where(poa > 0.0, incl_soiling * poa, 0.0).sum() / 100.0
    total = poa.sum()
    return Annual(float(100.0 * lost / total) if total > 0.0 else 0.0, float(lost), float(total))
