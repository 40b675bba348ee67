"""What the climate of the snow authority's cells is like: normals of places, entered by hand, and what lies between.

The truth (infra/simulator/weather.py) is up to 7 K too cold in January by the sea, where it thinks of the land behind.
Snow lies or does not lie by a degree, so the authority's temperature is the truth's, moved so that the means of
January, April, July and October are those of the places below, and in between by waves of a year and of half a year.
The truth has no precipitation at all: the amounts are theirs, the days those of its lows and fronts.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infra.simulator.heights.places import rows_of
from infra.simulator.waves import Patterns
from infra.simulator.weather import Weather

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Days = NDArray[np.int64]

LAPSE = 0.006  # K/m
MOMENTS_H = (3.0, 9.0, 15.0, 21.0)  # after the start of a day: the middles of its quarters
DAY_START_S = 6 * 3600.0
_DAY_S = 86_400.0

# Name, degrees north, degrees east, m above the sea; January, April, July and October, degC; mm a year.
# Of 1991-2020, about.
PLACES = """
Oslo 59.942 10.720 94 -3.3 5.6 17.3 6.3 800; Halden 59.123 11.387 40 -2.0 5.8 17.0 7.3 850
Kongsberg 59.669 9.650 170 -4.8 5.0 16.5 5.3 850; Kristiansand 58.146 7.996 20 -0.2 6.2 16.5 8.2 1350
Tonstad 58.665 6.715 60 -1.5 5.3 15.8 7.0 2000; Stavanger 58.880 5.640 8 2.2 6.7 15.4 9.3 1250
Bergen 60.392 5.324 12 2.2 6.7 15.3 8.6 2250; Voss 60.629 6.417 60 -3.0 4.8 15.5 5.5 1350
Forde 61.452 5.857 30 -1.0 5.3 15.0 6.8 2200; Alesund 62.560 6.115 22 3.0 5.8 14.2 8.8 1400
Molde 62.737 7.159 10 1.5 5.5 14.5 7.6 1700; Trondheim 63.430 10.395 40 -2.0 4.8 15.0 5.8 880
Namsos 64.466 11.496 20 -3.0 3.8 14.5 5.5 1350; Nordli 64.450 13.720 433 -7.0 0.5 13.0 2.5 750
Roros 62.575 11.384 628 -9.5 0.0 12.3 2.0 550; Dombas 62.075 9.128 640 -7.5 1.8 13.0 2.8 450
Lillehammer 61.115 10.466 240 -7.0 3.6 15.5 4.0 720; Trysil 61.315 12.264 360 -9.5 2.0 14.5 3.0 750
Geilo 60.534 8.206 800 -7.5 0.5 12.5 2.5 750; Finse 60.602 7.504 1222 -9.5 -4.0 8.3 0.0 1100
Mosstrand 59.840 8.180 977 -8.5 -1.5 12.0 1.8 820; Bygdin 61.330 8.820 1055 -9.5 -3.0 10.0 0.8 850
Bronnoysund 65.475 12.212 9 0.5 4.8 13.8 7.3 1600; Mo 66.313 14.142 70 -4.5 2.2 14.0 4.0 1450
Bodo 67.267 14.359 11 -1.2 3.5 13.4 6.2 1070; Svolvaer 68.234 14.568 9 -0.3 3.2 13.0 6.5 1300
Narvik 68.438 17.427 17 -3.0 2.0 14.3 4.8 850; Bardufoss 69.064 18.515 76 -9.0 0.3 13.5 2.3 700
Tromso 69.649 18.955 100 -3.8 1.2 12.0 4.0 1050; Alta 69.969 23.272 5 -7.5 0.8 13.6 3.0 440
Kautokeino 69.012 23.041 307 -14.0 -3.0 13.0 -1.5 400; Karasjok 69.472 25.512 131 -14.5 -2.5 13.6 -1.0 390
Hammerfest 70.663 23.682 20 -3.8 0.0 11.8 4.0 850; Vardo 70.370 31.106 10 -3.3 -0.5 10.0 3.8 600
Kirkenes 69.727 30.045 90 -10.0 -2.0 12.8 2.0 460
"""
_NEAR_KM = 15.0
_YEARS = range(1992, 2021, 4)  # whose months tell the truth's own means
_RISE = 3e-4  # of precipitation with height, a m


class Climate(NamedTuple):
    """What is constant in time at n places."""

    shift: Floats  # (4, n) K, to the truth's temperature: of each of `waves`
    year_mm: Floats  # (n,) of precipitation


class _Table(NamedTuple):
    lat: Doubles
    lon: Doubles
    altitude: Doubles
    shift: Doubles
    year_mm: Doubles
    wetness: float  # its mean


def wetness(patterns: Patterns) -> Floats:
    """Return how hard it rains or snows, in units that have no meaning alone: lows, fronts, patches."""
    rising = patterns.synoptic + 1.3 * patterns.fronts + 0.5 * patterns.meso
    return np.asarray(np.maximum(rising - 0.6, np.float32(0)), dtype=np.float32)


def mean_wetness() -> float:
    """Return the mean of `wetness`, which is the same everywhere."""
    return _table().wetness


def waves(days: Days) -> Doubles:
    """Return the waves of the year at days since 1970, (4, n_days).

    The second is 1 in the middle of January and -1 in that of July, the third 1 in that of April and -1 in that of
    October, the fourth 1 in the first two and -1 in the others; the first is 1.
    """
    turn = 2 * np.pi * (days - 15.5) / 365.2425
    return np.array([np.ones(len(days)), np.cos(turn), np.sin(turn), np.cos(2 * turn)])


def climate(lat: Doubles, lon: Doubles, altitude: Floats, relief: Floats) -> Climate:
    """Return the climate of places.

    Parameters
    ----------
    lat, lon : (n,) float64
        Degrees.
    altitude : (n,) float32
        Of the cells, m.
    relief : (n,) float32
        The height that the truth's temperature holds at, m.
    """
    table = _table()
    north = 111.2 * (lat[:, None] - table.lat)
    east = 111.2 * np.cos(np.radians(lat))[:, None] * (lon[:, None] - table.lon)
    weights = (north**2 + east**2 + _NEAR_KM**2) ** -1.5
    weights /= weights.sum(axis=1, keepdims=True)
    higher = altitude - weights @ table.altitude
    shift = table.shift @ weights.T
    shift[0] -= LAPSE * (altitude - relief)
    return Climate(shift.astype(np.float32), (weights @ table.year_mm * np.exp(_RISE * higher)).astype(np.float32))


@cache
def _table() -> _Table:
    """Read the places, and find how far the truth is from them; made once, in a tenth of a second."""
    rows = rows_of(PLACES)
    lat, lon, altitude, *normals, year_mm = (np.array([float(row[k]) for row in rows]) for k in range(1, 9))
    weather = Weather(lat, lon)
    lower = LAPSE * (weather.ground.altitude - altitude)
    off, wet = [], []
    for month, normal in zip((1, 4, 7, 10), normals, strict=True):
        first = [np.datetime64(f"{year}-{month:02d}-01").astype("datetime64[D]").astype(np.int64) for year in _YEARS]
        temp_air, patterns = weather.air(moments(np.add.outer(first, np.arange(30)).ravel()))
        off.append(normal - temp_air.mean(axis=0) - lower)
        wet.append(float(wetness(patterns).mean()))
    january, april, july, october = off
    second = (january + july - april - october) / 4
    shift = np.array([sum(off) / 4, (january - july) / 2, (april - october) / 2, second])
    return _Table(lat, lon, altitude, shift, year_mm, sum(wet) / 4)


def moments(days: Days) -> Doubles:
    """Return four moments of each day, unix seconds, day after day; a day begins at 06 UTC."""
    start = days * _DAY_S + DAY_START_S
    return np.asarray(np.add.outer(start, np.array(MOMENTS_H) * 3600.0).ravel(), dtype=np.float64)
