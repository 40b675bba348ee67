"""Made-up typical years from the south coast to Finnmark, and two real ones: what the PV kernels are tried on."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pvlib
from numpy.typing import NDArray

from kernels.decomposition import skartveit
from kernels.pv.site import Site, site_of
from kernels.tmy.sunlight import sunlight_at

Floats = NDArray[np.float64]

HOURS = 8760
AZIMUTHS = np.arange(720) / 2


class Place(NamedTuple):
    """Degrees, m, and what the sky is like: clear (1) or overcast (0) more often; mean temperature, its swing, wind."""

    lat: float
    lon: float
    altitude: float
    clear: float
    warm: float
    swing: float
    wind: float


PLACES = {
    "south coast": Place(57.98, 7.05, 15.0, 0.6, 8.0, 8.0, 6.5),
    "rainy west": Place(60.39, 5.32, 50.0, 0.35, 8.0, 7.0, 3.5),
    "mountain": Place(61.60, 8.30, 1500.0, 0.5, -3.0, 10.0, 7.0),
    "polar circle": Place(66.31, 14.14, 20.0, 0.4, 4.5, 9.0, 3.0),
    "Finnmark": Place(70.98, 25.97, 5.0, 0.45, 2.5, 8.0, 8.0),
}
WALL = np.where(np.abs(AZIMUTHS - 180) < 50, 38.0, 4.0)
"""A fjord's steep side in the south."""
HILLS = 3.0 + 14.0 * np.maximum(np.cos(np.radians(AZIMUTHS - 75)), 0) ** 3 + 9.0 * np.sin(np.radians(4 * AZIMUTHS)) ** 2
HORIZONS = {"open": None, "hills": HILLS, "wall": WALL}


@functools.cache
def made_up(name: str) -> dict[str, Floats]:
    """Clouds that stay for some days and change by the hour, light before sunrise, weather that goes with them."""
    place, draw = PLACES[name], np.random.default_rng(sum(map(ord, name)))
    sunlight = sunlight_at(place.lat, place.lon, place.altitude)
    hour = np.arange(HOURS)
    spell = np.convolve(draw.standard_normal(HOURS + 71), np.ones(72) / np.sqrt(72), "valid")
    cover = 1 / (1 + np.exp(-2.5 * (spell + 2 * (place.clear - 0.5))))
    index = np.clip((0.15 + 0.9 * cover) * (1 + 0.35 * (1 - cover) * draw.standard_normal(HOURS)), 0.04, 1.1)
    clear = 0.8 * sunlight.e0 * sunlight.sine**1.15
    dusk = (sunlight.e0 > 0) & (sunlight.elevation < 3)
    ghi = clear * index + np.where(dusk, draw.uniform(0, 3, HOURS), 0)
    dni, dhi = skartveit(ghi, (sunlight.sine, sunlight.elevation, sunlight.masses), sunlight.e0, sunlight.pressure)
    season, day = -np.cos(2 * np.pi * (hour / 24 - 20) / 365), -np.cos(2 * np.pi * (hour % 24 - 2) / 24)
    warm = place.warm + place.swing * season + 2.5 * day * (0.5 + cover) - 3 * spell * season
    return {
        "ghi": ghi,
        "dni": dni,
        "dhi": dhi,
        "temp_air": warm + 0.3 * draw.standard_normal(HOURS),
        "rel_hum": np.clip(85 - 25 * cover - 8 * day + 5 * draw.standard_normal(HOURS), 15, 100),
        "wind_speed": np.abs(place.wind * (1.1 - 0.3 * cover) + draw.standard_normal(HOURS)),
    }


@functools.cache
def site(name: str = "south coast", horizon: str = "open") -> Site:
    """One of the places under one of the horizons."""
    return site_of(made_up(name), *PLACES[name][:3], HORIZONS[horizon])


def only(hours: Mapping[str, Floats], among: NDArray[np.bool_]) -> dict[str, Floats]:
    """Light in some hours alone."""
    return {**hours, **{name: np.where(among, hours[name], 0.0) for name in ("ghi", "dni", "dhi")}}


def pvgis_45n(data: Path) -> tuple[Place, dict[str, Floats]]:
    """A real typical year of PVGIS; its moments are taken for means over the hour."""
    frame, _ = pvlib.iotools.read_pvgis_tmy(data / "tmy/tmy_45.000_8.000_2005_2023.csv", pvgis_format="csv")
    hours = _picked(frame, "relative_humidity")
    return Place(45.0, 8.0, 250.0, 0, 0, 0, 0), hours


def sand_point(data: Path) -> tuple[Place, dict[str, Floats]]:
    """A real typical year of NREL: hour-end, nine hours west of UTC; its first row is the hour from 09:00 UTC on.

    A few of its hours have beam and no global irradiance.
    """
    frame, meta = pvlib.iotools.read_tmy3(data / "tmy/703165TY_SandPointAK_tmy3.csv", map_variables=True)
    hours = {name: np.roll(values, 9) for name, values in _picked(frame, "relative_humidity").items()}
    return Place(meta["latitude"], meta["longitude"], meta["altitude"], 0, 0, 0, 0), hours


REAL = {"PVGIS 45 N": pvgis_45n, "Sand Point": sand_point}


def _picked(frame: pd.DataFrame, humidity: str) -> dict[str, Floats]:
    names = {name: name for name in ("ghi", "dni", "dhi", "temp_air", "wind_speed")} | {"rel_hum": humidity}
    hours = {ours: frame[theirs].to_numpy(float) for ours, theirs in names.items()}
    assert all(values.shape == (HOURS,) for values in hours.values())
    return {ours: values if ours == "temp_air" else np.maximum(values, 0.0) for ours, values in hours.items()}
