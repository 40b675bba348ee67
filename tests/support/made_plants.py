"""Made-up plants with their weather and faults, by pvlib alone: what the calibration is tested on.

None of our kernels is used here, so that an error of sign cannot cancel.
"""

import functools
from typing import NamedTuple

import numpy as np
import pandas as pd
import pvlib
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PLACES = {
    "Kristiansand": (58.15, 8.0, 20.0),
    "Oslo": (59.91, 10.75, 90.0),
    "Bergen": (60.39, 5.32, 40.0),
    "Roros": (62.57, 11.38, 630.0),
    "Trondheim": (63.43, 10.40, 40.0),
    "Bodo": (67.28, 14.40, 10.0),
    "Tromso": (69.65, 18.96, 30.0),
}
"""Latitude, longitude and m above sea level."""
TURBIDITY = np.array([2.2, 2.4, 2.7, 3.0, 3.2, 3.4, 3.5, 3.4, 3.1, 2.8, 2.4, 2.2])
"""Linke turbidity from January to December, as a climatology has it; each day has its own around it."""
FAULTS = ("none", "soiling", "tree", "clip", "azimuth", "dead", "snow")

_STEPS = 4  # per hour
_STATES = {"clear": 0.17, "broken": 0.42, "overcast": 0.41}
_LOSSES = 0.885  # besides incidence, warmth and inverter; a performance ratio of 0.85 is then right
CLIP = 0.70
"""Limit of the inverter, part of the rated power."""
_SOILING, _TRUE_AZIMUTH = 0.85, 230.0
SNOW_LEFT = 0.02
"""Of production under snow."""


class Sky(NamedTuple):
    """Weather of whole days at a place; hour means but for what `fine` holds."""

    place: tuple[float, float, float]
    hour_starts: NDArray[np.int64]
    ghi: Floats
    temp_air: Floats
    forecast_ghi: Floats
    day_of_hour: NDArray[np.int64]
    fine: dict[str, Floats]


class MadePlant(NamedTuple):
    """A plant; watts are means over the hours of its sky."""

    sky: Sky
    plane: tuple[float, float, float]
    """As declared: tilt, azimuth, kWp."""
    measured: Floats
    truth: Floats
    healthy: Floats
    """What the same plant would have given without its fault."""


@functools.lru_cache(maxsize=64)
def made_sky(place: str, first_day: str, days: int, seed: int, beam: str = "erbs") -> Sky:
    """Return weather: clear, broken and overcast days that tend to follow each other, and a forecast of it.

    Parameters
    ----------
    place : one of `PLACES`
    first_day : str
        ISO date.
    days, seed : int
    beam : "erbs" or "ineichen"
        How light is split. Erbs finds too little beam under a clear low sun, as the simplified engine does;
        Ineichen's clear beam (DISC under clouds) is the harder truth, in which that engine is 10 to 30 % low.
    """
    lat, lon, altitude = PLACES[place]
    rng = np.random.default_rng(seed)
    first = int(pd.Timestamp(first_day, tz="UTC").timestamp()) - round(lon / 15 * 3600) // 3600 * 3600
    starts = first + 3600 * np.arange(24 * days)
    index = _clearness(rng, days)
    fine_times = (starts[:, None] + 3600 / _STEPS * (np.arange(_STEPS) + 0.5)).ravel().astype(np.int64)
    times = pd.to_datetime(fine_times, unit="s", utc=True)
    pressure = pvlib.atmosphere.alt2pres(altitude)
    spa = pvlib.solarposition.get_solarposition(times, lat, lon, pressure=pressure, temperature=10)
    zenith = spa["apparent_zenith"].to_numpy()
    extra = pvlib.irradiance.get_extra_radiation(times).to_numpy()
    mass = pvlib.atmosphere.get_relative_airmass(zenith)
    month = times.month.to_numpy() - 1
    turbidity = TURBIDITY[month] * np.repeat(np.exp(rng.normal(0, 0.10, days)), 24 * _STEPS)
    clear = pvlib.clearsky.ineichen(zenith, mass * pressure / 101_325, turbidity, altitude, extra)
    clear = {name: np.nan_to_num(values) for name, values in clear.items()}
    k = np.interp(fine_times, starts + 1800, index) + rng.normal(0, 1, fine_times.size) * 0.1 * np.repeat(
        (index > 0.35) & (index < 0.93), _STEPS
    )
    k = np.clip(k, 0.04, 1.05)
    ghi = k * clear["ghi"]
    if beam == "erbs":
        dni = np.asarray(pvlib.irradiance.erbs(ghi, zenith, times)["dni"])
    else:
        cloudy = np.asarray(pvlib.irradiance.disc(ghi, zenith, times, pressure=pressure)["dni"])
        dni = np.where(k > 0.95, clear["dni"] * k, np.minimum(cloudy, clear["dni"]))
    up = np.maximum(np.cos(np.radians(zenith)), 0)
    fine = {
        "zenith": zenith, "azimuth": spa["azimuth"].to_numpy(), "extra": extra, "mass": np.nan_to_num(mass, nan=40.0),
        "ghi": ghi, "dni": dni, "dhi": np.maximum(ghi - dni * up, 0), "wind": rng.weibull(2, ghi.size) * 3,
    }  # fmt: skip
    day = np.repeat(np.arange(days), 24)
    year_part = 2 * np.pi * ((starts / 86_400) - 25) / 365.25
    temps = 8.5 - 0.4 * (lat - 58) - 0.006 * altitude - 9.0 * np.cos(year_part)
    local = (np.arange(starts.size) % 24) - 15
    temps = temps + rng.normal(0, 4, days)[day] + 3 * index * np.cos(local / 24 * 2 * np.pi)
    missed = _forecast_index(rng, index)
    hourly_clear = clear["ghi"].reshape(-1, _STEPS).mean(axis=1)
    return Sky((lat, lon, altitude), starts, _hourly(ghi), temps, missed * hourly_clear, day, fine)


def made_plant(
    sky: Sky, fault: str = "none", seed: int = 0, fault_days: NDArray[np.int64] | None = None, kwp: float = 8.0
) -> MadePlant:
    """Return a plant declared as 35 degrees to the south, as ordinary as plants are, and its measurements.

    Parameters
    ----------
    sky : Sky
    fault : one of `FAULTS`
    seed : int
        Of what differs between ordinary plants: a few percent of yield, a degree or two of the plane.
    fault_days : (k,), optional
        Days of the sky that are dead or under snow.
    """
    rng = np.random.default_rng(1000 + seed)
    level = _LOSSES * (1 + np.clip(rng.normal(0, 0.025), -0.05, 0.05))
    tilt, azimuth = 35 + rng.normal(0, 1.5), 180 + rng.normal(0, 2)
    healthy = _hourly(_watts(sky, tilt, azimuth, kwp, level))
    if fault == "azimuth":
        truth = _hourly(_watts(sky, tilt, azimuth + _TRUE_AZIMUTH - 180, kwp, level))
    elif fault == "soiling":
        truth = healthy * _SOILING
    elif fault == "tree":
        truth = _hourly(_watts(sky, tilt, azimuth, kwp, level, tree=True))
    elif fault == "clip":
        truth = _hourly(np.minimum(_watts(sky, tilt, azimuth, kwp, level), CLIP * 1000 * kwp))
    else:
        truth = healthy.copy()
    if fault in ("dead", "snow") and fault_days is not None:
        truth[np.isin(sky.day_of_hour, fault_days)] *= 0 if fault == "dead" else SNOW_LEFT
    noise = rng.normal(1, 0.005, truth.size)
    measured = np.round(truth * noise)
    measured[rng.random(truth.size) < 0.01] = np.nan
    return MadePlant(sky, (35.0, 180.0, kwp), measured, truth, healthy)


def _clearness(rng: np.random.Generator, days: int) -> Floats:
    """Return the clear-sky index of hours, (24 days,)."""
    names, chances = list(_STATES), list(_STATES.values())
    state, out = rng.choice(names, p=chances), []
    for _ in range(days):
        if rng.random() > 0.5:
            state = rng.choice(names, p=chances)
        mean, spread, memory = {"clear": (1.0, 0.008, 0.8), "broken": (0.68, 0.24, 0.6), "overcast": (0.28, 0.11, 0.8)}[
            str(state)
        ]
        value = rng.normal(0, spread)
        for _ in range(24):
            value = memory * value + rng.normal(0, spread * np.sqrt(1 - memory**2))
            out.append(mean + value)
    return np.clip(np.array(out), 0.06, 1.03)


def _forecast_index(rng: np.random.Generator, index: Floats) -> Floats:
    """Return what a forecast of the day before makes of it: an error of about a quarter of the production."""
    own = _clearness(rng, index.size // 24)
    blurred = np.convolve(np.pad(index, 1, mode="edge"), [0.25, 0.5, 0.25], mode="valid")
    days = np.repeat(rng.random(index.size // 24) < 0.25, 24)  # missed as a whole
    mixed = np.where(days, own, 0.8 * blurred + 0.2 * own)
    mixed = mixed + rng.normal(0, 0.05, index.size)
    return np.clip(mixed * (index.mean() / mixed.mean()), 0.05, 1.05)


def _watts(sky: Sky, tilt: float, azimuth: float, kwp: float, level: float, tree: bool = False) -> Floats:
    """Return AC power at the sky's steps: Perez, physical incidence losses, Faiman, PVWatts with its inverter."""
    fine = sky.fine
    zenith, sun_azimuth, dni, dhi = (fine[name] for name in ("zenith", "azimuth", "dni", "dhi"))
    behind = (sun_azimuth < 120) & (zenith > 65) if tree else np.zeros(zenith.size, bool)
    dni = np.where(behind | (zenith > 89.5), 0.0, dni)
    sky_part = pvlib.irradiance.perez(
        tilt, azimuth, dhi, dni, fine["extra"], np.minimum(zenith, 89.5), sun_azimuth, fine["mass"]
    )
    aoi = pvlib.irradiance.aoi(tilt, azimuth, zenith, sun_azimuth)
    beam = dni * np.maximum(np.cos(np.radians(aoi)), 0) * pvlib.iam.physical(np.minimum(aoi, 90))
    ground = pvlib.irradiance.get_ground_diffuse(tilt, fine["ghi"], albedo=0.2)
    plane = np.nan_to_num(beam) + 0.96 * (np.nan_to_num(np.asarray(sky_part)) + ground)
    temps = np.repeat(sky.temp_air, _STEPS)
    cell = pvlib.temperature.faiman(plane, temps, fine["wind"])
    dc = pvlib.pvsystem.pvwatts_dc(plane, cell, 1000 * kwp * level, -0.0037)
    return np.maximum(pvlib.inverter.pvwatts(dc, 1000 * kwp * 1.1), 0)


def _hourly(values: Floats) -> Floats:
    return values.reshape(-1, _STEPS).mean(axis=1)
