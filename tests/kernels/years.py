"""Years of weather at places all over the land, and pvlib's sun over them: what the PV kernels are compared on."""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pvlib
from numpy.typing import NDArray

from kernels import decomposition
from kernels.atmosphere import air_mass

PLACES = [
    (57.0, 7.0, 0.0),
    (60.4, 5.3, 40.0),
    (61.6, 8.3, 2000.0),
    (66.56, 15.0, 300.0),
    (69.65, 18.96, 10.0),
    (72.0, 31.0, 0.0),
]
"""Latitude, longitude, altitude: coast, mountain, the polar circle, polar night and midnight sun."""

START = 1_767_225_600  # 2026-01-01


@dataclass(frozen=True)
class Year:
    lat: float
    lon: float
    altitude: float
    middles: NDArray[np.int64]
    times: pd.DatetimeIndex
    spa: pd.DataFrame
    ghi: NDArray[np.float64]
    temp_air: NDArray[np.float64]
    wind: NDArray[np.float64]


@functools.cache
def year(lat: float, lon: float, altitude: float) -> Year:
    """A year of hours under invented clouds: clear, broken, overcast, and hours of light after the sun has set."""
    rng = np.random.default_rng(int(lat * 100))
    middles = START + 1800 + 3600 * np.arange(8760)
    times = pd.to_datetime(middles, unit="s", utc=True)
    spa = pvlib.solarposition.get_solarposition(
        times, lat, lon, pressure=pvlib.atmosphere.alt2pres(altitude), temperature=10, method="nrel_numpy", delta_t=None
    )
    clear = pvlib.clearsky.haurwitz(spa["apparent_zenith"])["ghi"].to_numpy()
    index = np.repeat(rng.choice([0.08, 0.3, 0.6, 1.0], 8760 // 4), 4) * rng.uniform(0.7, 1.1, 8760)
    ghi = clear * index + np.where(np.abs(spa["elevation"]) < 3, rng.uniform(0, 8, 8760), 0)
    return Year(lat, lon, altitude, middles, times, spa, ghi, rng.uniform(-25, 28, 8760), rng.weibull(2, 8760) * 5)


def light_of(elevation: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The sun at apparent elevations (degrees) as the kernels take it."""
    elevation = np.asarray(elevation, float)
    return np.sin(np.deg2rad(elevation)), elevation, air_mass(np.maximum(elevation, 0.0))


def skartveit(
    ghi: NDArray[np.float64], elevation: NDArray[np.float64], e0: NDArray[np.float64], pressure: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The kernel's split by the sun's apparent elevation, degrees."""
    ghi, e0 = (np.asarray(values, float) for values in (ghi, e0))
    return decomposition.skartveit(ghi, light_of(elevation), e0, pressure)


def skartveit_as_written(
    ghi: NDArray[np.float64], elevation: NDArray[np.float64], e0: NDArray[np.float64], pressure: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Skartveit, Olseth & Tuft, each line as the paper has it, hour by hour and without a thought of speed."""
    h = np.asarray(elevation, dtype=float)
    sine = np.sin(np.radians(h))
    lit = h > 0
    with np.errstate(all="ignore"):
        k = np.where(lit, ghi / (e0 * sine), np.nan)
        k1 = 0.83 - 0.56 * np.exp(-0.06 * h)
        k2 = 0.95 * k1
        d1 = np.where(h > 1.4, 0.07 + 0.046 * (90 - h) / (h + 3), 1.0)

        def middle(x):
            K = 0.5 * (1 + np.sin(np.pi * (x - 0.22) / (k1 - 0.22) - np.pi / 2))
            return 1 - (1 - d1) * (0.11 * np.sqrt(K) + 0.15 * K + 0.74 * K**2)

        d2 = middle(k2)
        kbmax = 0.81 ** ((1 / sine) ** 0.6)
        kmax = (kbmax + d2 * k2 / (1 - k2)) / (1 + d2 * k2 / (1 - k2))
        dmax = d2 * k2 * (1 - kmax) / (kmax * (1 - k2))
        d = np.select(
            [k <= 0.22, k <= k2, k <= kmax],
            [1.0, middle(k), d2 * k2 * (1 - k) / (k * (1 - k2))],
            1 - kmax * (1 - dmax) / k,
        )
        rho = k / k1
        before, after = np.append(np.nan, rho[:-1]), np.append(rho[1:], np.nan)
        squares = np.stack([(rho - before) ** 2, (rho - after) ** 2])
        s3 = np.sqrt(np.nanmean(np.vstack([squares, np.where(np.isnan(squares).all(0), 0.0, np.nan)]), axis=0))
        kx = 0.56 - 0.32 * np.exp(-0.06 * h)
        kl, kr = (k - 0.14) / (kx - 0.14), (k - kx) / 0.71
        d = d - np.where((k >= 0.14) & (k <= kx), 3 * kl**2 * (1 - kl) * s3**1.3, 0)
        d = d + np.where((k > kx) & (k < kx + 0.71), 3 * kr * (1 - kr) ** 2 * s3**0.6, 0)
        mass = pvlib.atmosphere.get_relative_airmass(90 - h) * pressure / 101_325
        dni = np.minimum(ghi * (1 - np.clip(d, 0, 1)) / sine, 0.9 * e0 * 0.75 ** (mass**0.678))
    dni = np.where(lit & (ghi > 0), dni, 0.0)
    return dni, ghi - dni * np.where(lit, sine, 0.0)
