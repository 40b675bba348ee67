"""A plant's AC power by pvlib: two-plane roofs under made weather, and the clear-sky output of the same plant."""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import pvlib

from tests.support.exports.clock import Ints
from tests.support.exports.weather import Floats, Sky


class Array(NamedTuple):
    """One plane of modules; azimuth clockwise from north."""

    name: str
    kwp: float
    tilt_deg: float
    azimuth_deg: float


@dataclass(frozen=True)
class Plant:
    """A plant as its owner registers it."""

    lat: float
    lon: float
    arrays: tuple[Array, ...]
    ytelsesfaktor: float

    @property
    def kwp(self) -> float:
        """Return the power of all planes."""
        return sum(array.kwp for array in self.arrays)


class Output(NamedTuple):
    """Power in kW over steps, a row per array, what a clear sky would give, and what sensors beside would show."""

    ac: Floats
    clear: Floats
    poa: Floats
    air_c: Floats
    elevation: Floats


# Town, latitude, longitude: where the roofs are.
PLACES = (
    ("Kristiansand", 58.15, 8.0), ("Stavanger", 58.95, 5.73), ("Sandnes", 58.85, 5.74), ("Arendal", 58.46, 8.77),
    ("Skien", 59.21, 9.61), ("Drammen", 59.74, 10.2), ("Oslo", 59.91, 10.75), ("Halden", 59.12, 11.39),
    ("Hamar", 60.79, 11.07), ("Bergen", 60.39, 5.32), ("Lillehammer", 61.12, 10.47), ("Førde", 61.45, 5.86),
    ("Ålesund", 62.47, 6.15), ("Trondheim", 63.43, 10.4), ("Steinkjer", 64.01, 11.5), ("Namsos", 64.47, 11.5),
    ("Mo i Rana", 66.31, 14.14), ("Bodø", 67.28, 14.4), ("Tromsø", 69.65, 18.96), ("Alta", 69.97, 23.27),
)  # fmt: skip
POPULATION = np.array([6, 8, 6, 5, 6, 8, 14, 5, 6, 8, 4, 3, 4, 7, 3, 2, 2, 2, 2, 1], dtype=float)


def draw_plant(rng: np.random.Generator) -> tuple[str, Plant]:
    """Return a town and a plant near it: most on a house, some on a barn or a hall."""
    town, lat, lon = PLACES[int(rng.choice(len(PLACES), p=POPULATION / POPULATION.sum()))]
    lat, lon = round(lat + rng.uniform(-0.08, 0.08), 4), round(lon + rng.uniform(-0.1, 0.1), 4)
    kwp = float(
        np.exp(rng.uniform(np.log(3), np.log(18)) if rng.random() < 0.8 else rng.uniform(np.log(20), np.log(200)))
    )
    tilt = float(rng.choice([10, 15, 22, 27, 30, 35, 38, 45]))
    azimuth = float(rng.choice([120, 150, 165, 175, 180, 185, 200, 225, 245]))
    if rng.random() < 0.3:
        share = rng.uniform(0.35, 0.65)
        planes = (
            Array("Øst", round(kwp * share, 2), tilt, (azimuth - 90) % 360),
            Array("Vest", round(kwp * (1 - share), 2), tilt, (azimuth + 90) % 360),
        )
        if rng.random() < 0.3:
            planes = (Array("Sør", planes[0].kwp, tilt, azimuth), planes[1])
    else:
        planes = (Array("Tak", round(kwp, 2), tilt, azimuth),)
    return town, Plant(lat, lon, planes, float(rng.choice([0.85, 0.85, 0.85, 0.8, 0.82, 0.88, 0.9])))


def output(rng: np.random.Generator, plant: Plant, times: Ints, step: int, weather: Sky) -> Output:
    """Return the power over steps of `step` seconds; the roof differs a little from what is registered."""
    with warnings.catch_warnings():
        # pvlib calls an attribute that pandas has renamed.
        warnings.filterwarnings("ignore", message=".*dayofyear.*")
        return _output(rng, plant, times, step, weather)


def _output(rng: np.random.Generator, plant: Plant, times: Ints, step: int, weather: Sky) -> Output:
    lit, position = _sun(plant, times, step)
    count = len(times)
    ac, clear = np.zeros((len(plant.arrays), count)), np.zeros(count)
    poa_all, elevation = np.zeros(count), np.full(count, -10.0)
    elevation[lit] = position.apparent_elevation.to_numpy()
    zenith = position.apparent_zenith.to_numpy()
    extra = pvlib.irradiance.get_extra_radiation(position.index).to_numpy()
    clear_sky = _clear_sky(plant, position, extra)
    index, air = weather.index[lit], weather.air_c[lit]
    ghi = clear_sky.ghi.to_numpy() * index
    split = pvlib.irradiance.erbs(ghi, zenith, position.index)
    blend = np.clip((index - 0.9) / 0.1, 0, 1)
    dni = blend * clear_sky.dni.to_numpy() + (1 - blend) * split["dni"]
    dhi = np.maximum(ghi - dni * np.cos(np.radians(zenith)).clip(0), 0)
    ratio = plant.ytelsesfaktor * float(np.clip(rng.normal(1.0, 0.04), 0.9, 1.1))
    for number, array in enumerate(plant.arrays):
        tilt, azimuth = array.tilt_deg + rng.normal(0, 1.5), array.azimuth_deg + rng.normal(0, 3)
        poa = _poa(tilt, azimuth, position, ghi, dni, dhi, extra)
        ac[number, lit] = _dc(array.kwp, poa, air) * ratio * (1 - weather.snow[lit] * 0.97)
        poa_all[lit] += poa * array.kwp / plant.kwp
        sun = (clear_sky.ghi.to_numpy(), clear_sky.dni.to_numpy(), clear_sky.dhi.to_numpy())
        best = _poa(array.tilt_deg, array.azimuth_deg, position, *sun, extra)
        clear[lit] += _dc(array.kwp, best, np.full(len(air), 12.0)) * plant.ytelsesfaktor
    return Output(ac, clear, poa_all, weather.air_c, elevation)


def _sun(plant: Plant, times: Ints, step: int) -> tuple[np.ndarray, pd.DataFrame]:
    """Return where the sun is up, and its position there, in the middle of the steps."""
    index = pd.DatetimeIndex(pd.to_datetime(times + step // 2, unit="s", utc=True))
    position = pvlib.solarposition.ephemeris(index, plant.lat, plant.lon)
    lit = position.apparent_elevation.to_numpy() > 0
    return lit, position[lit]


def _clear_sky(plant: Plant, position: pd.DataFrame, extra: Floats) -> pd.DataFrame:
    airmass = pvlib.atmosphere.get_relative_airmass(position.apparent_zenith)
    turbidity = 2.6 + 0.7 * np.cos(2 * np.pi * (position.index.day_of_year.to_numpy() - 190) / 365)
    return pvlib.clearsky.ineichen(position.apparent_zenith, airmass, turbidity, altitude=80, dni_extra=extra)


def _poa(
    tilt: float, azimuth: float, position: pd.DataFrame, ghi: Floats, dni: Floats, dhi: Floats, extra: Floats
) -> Floats:
    total = pvlib.irradiance.get_total_irradiance(
        tilt, azimuth, position.apparent_zenith.to_numpy(), position.azimuth.to_numpy(), dni, ghi, dhi,
        dni_extra=extra, model="haydavies",
    )  # fmt: skip
    return np.nan_to_num(np.asarray(total["poa_global"]), nan=0.0).clip(0)


def _dc(kwp: float, poa: Floats, air: Floats) -> Floats:
    cell = pvlib.temperature.faiman(poa, air, 2.0)
    power = pvlib.pvsystem.pvwatts_dc(poa, cell, kwp, -0.0037)
    # Below 150 W/m2 modules lose efficiency; an inverter wakes at half a per cent of its power.
    power = power * (1 - 0.12 * np.exp(-poa / 60))
    return np.where(power < 0.004 * kwp, 0.0, power).clip(0)
