"""The chain from a typical year's hours to watts, put together of pvlib's functions and plain integrals of numpy.

Written from the published models alone: nothing of ours is called here.
"""

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pvlib
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Hours = Mapping[str, Floats]

HOURS = 8760
START = 978_307_200  # 2001-01-01
MONTHS = np.repeat(np.arange(12), 24 * np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]))
PERIOD = 3600.0 / 12
ALBEDO = 0.2
MODULE_HEIGHT = 0.67
SPECTRAL = {"crystSi": "multisi", "CIS": "cigs", "CdTe": "cdte"}
CELLS = {"crystSi": "csi", "CIS": "cis", "CdTe": "cdte"}
FAIMAN = {
    ("crystSi", "free"): (26.9, 6.2),
    ("crystSi", "building"): (20.0, 3.2),
    ("CIS", "free"): (22.64, 3.6),
    ("CIS", "building"): (20.0, 2.0),
    ("CdTe", "free"): (23.37, 5.44),
    ("CdTe", "building"): (20.0, 3.2),
}


class Position(NamedTuple):
    """Where the sun is, degrees, and which part of the hour that speaks of."""

    zenith: Floats
    azimuth: Floats
    part: Floats


class Sun(NamedTuple):
    """The sun of the placeholder year at a place.

    `lit` is the middle of the hour, or the mean of those of its twelve samples in which the centre is up; `elevation`
    and `azimuth` are the samples', (8760, 12).
    """

    lit: Position
    elevation: Floats
    azimuth: Floats
    e0: Floats
    pressure: float


class Made(NamedTuple):
    """What a plane gets and gives, (8760,): W/m2, W/m2, W/m2, W, W."""

    poa: Floats
    effective: Floats
    usable: Floats
    dc: Floats
    ac: Floats


@functools.cache
def sun_at(lat: float, lon: float, altitude: float) -> Sun:
    """By pvlib's SPA."""
    starts = START + 3600.0 * np.arange(HOURS, dtype=np.float64)
    pressure = float(pvlib.atmosphere.alt2pres(altitude))

    def position(unix: Floats) -> tuple[Floats, Floats]:
        times = pd.to_datetime((unix * 1e9).astype(np.int64), utc=True)
        frame = pvlib.solarposition.get_solarposition(
            times, lat, lon, altitude=altitude, pressure=pressure, temperature=11.0, method="nrel_numpy"
        )
        return frame["apparent_elevation"].to_numpy(), frame["azimuth"].to_numpy()

    samples = (starts[:, None] + PERIOD / 2 + PERIOD * np.arange(12)).ravel()
    elevation, azimuth = (a.reshape(HOURS, 12) for a in position(samples))
    middle, facing = position(starts + 1800)
    up = elevation > 0
    mean = mean_position(elevation, azimuth, up)
    whole = up.all(axis=1)
    lit = Position(np.where(whole, 90 - middle, mean.zenith), np.where(whole, facing, mean.azimuth), up.mean(axis=1))
    e0 = pvlib.irradiance.get_extra_radiation(np.arange(HOURS) // 24 + 1)
    return Sun(lit, elevation, azimuth, e0, pressure)


def mean_position(elevation: Floats, azimuth: Floats, among: NDArray[np.bool_]) -> Position:
    """Mean of the sines, and of what is east and north; straight down where there is none."""
    count = among.sum(axis=1)
    e, a = np.radians(elevation), np.radians(azimuth)

    def mean(values: Any) -> Floats:
        found: Floats = np.where(among, values, 0).sum(axis=1) / np.maximum(count, 1)
        return found

    sine, east, north = mean(np.sin(e)), mean(np.cos(e) * np.sin(a)), mean(np.cos(e) * np.cos(a))
    zenith = np.where(count > 0, 90 - np.degrees(np.arcsin(sine)), 180.0)
    return Position(zenith, np.degrees(np.arctan2(east, north)) % 360, count / 12)


def seen_of(sun: Sun, horizon: Floats) -> Position:
    """The sun above a horizon of 720 elevations, linear between them."""
    around = np.append(horizon, horizon[0])
    up = sun.elevation > 0
    seen = up & (sun.elevation >= np.interp(sun.azimuth, np.arange(721) / 2, around))
    mean = mean_position(sun.elevation, sun.azimuth, seen)
    same = (seen == up).all(axis=1)
    zenith, azimuth = np.where(same, sun.lit.zenith, mean.zenith), np.where(same, sun.lit.azimuth, mean.azimuth)
    return Position(zenith, azimuth, mean.part)


def sky_left(horizon: Floats, tilt: float, azimuth: float) -> tuple[float, float]:
    """Give the parts that a horizon leaves of the even sky and of the band along the horizon.

    The first is the integral of the cosine of incidence over the sky that is in front of the plane and above the
    horizon, over that of all the sky in front: cells of half a degree by a thousandth of the sine's range.
    """
    edges = np.linspace(0, 1, 1001)
    sine, step = (edges[1:] + edges[:-1]) / 2, edges[1]
    cosine = np.sqrt(1 - sine**2)
    around = np.radians(np.arange(720) / 2 - azimuth)
    s = np.radians(tilt)
    incidence = np.maximum(np.sin(s) * np.cos(around)[:, None] * cosine + np.cos(s) * sine, 0)
    high = np.sin(np.radians(np.clip(horizon, 0, 90)))[:, None]
    above = np.clip((edges[1:] - high) / step, 0, 1)
    front = np.maximum(np.cos(around), 0)
    return float((incidence * above).sum() / incidence.sum()), float(front[horizon < 5].sum() / front.sum())


def mid_hour(values: Floats) -> Floats:
    """Between this hour's beginning and the next one's, round the year."""
    return (values + np.roll(values, -1)) / 2


def chain(
    sun: Sun,
    hours: Hours,
    plane: tuple[float, float, float],
    technology: str = "crystSi",
    mounting: str = "free",
    loss: float = 0.14,
    horizon: Floats | None = None,
) -> Made:
    """Give every hour of one plane (tilt, azimuth from north, kWp)."""
    tilt, azimuth, kwp = plane
    ghi, dni, dhi = (np.asarray(hours[name], float) for name in ("ghi", "dni", "dhi"))
    warm, humid, wind = (mid_hour(np.asarray(hours[name], float)) for name in ("temp_air", "rel_hum", "wind_speed"))
    lit, seen = sun.lit, sun.lit if horizon is None else seen_of(sun, horizon)
    up = lit.part > 0
    mass = pvlib.atmosphere.get_relative_airmass(np.where(up, lit.zenith, 90.0), "kastenyoung1989")

    def perez(facing: Any, towards: Any) -> dict[str, Floats]:
        with np.errstate(all="ignore"):
            parts = pvlib.irradiance.perez(
                facing, towards, dhi, dni, np.maximum(sun.e0 * lit.part, 1e-9), lit.zenith, lit.azimuth, mass,
                model="allsitescomposite1990", return_components=True,
            )  # fmt: skip
        return {name: np.nan_to_num(part) for name, part in parts.items()}

    sky = perez(tilt, azimuth)
    level_sky = dhi * (1 + pvlib.tools.cosd(tilt)) / 2
    isotropic = np.where(up, sky["poa_isotropic"], level_sky)
    band = np.where(up, sky["poa_horizon"], 0.0)
    facing = np.maximum(pvlib.irradiance.aoi_projection(tilt, azimuth, seen.zenith, seen.azimuth), 0)
    of_beam = np.where(up, seen.part / np.maximum(lit.part, 1e-9), 0.0)
    # On a plane that faces the sun Perez' circumsolar part is what arrives, before any incidence.
    circumsolar = perez(lit.zenith, lit.azimuth)["poa_circumsolar"] * of_beam * facing
    beam = dni * of_beam * facing
    if horizon is not None:
        even, low = sky_left(horizon, tilt, azimuth)
        isotropic, band = isotropic * even, band * low
    ground = pvlib.irradiance.get_ground_diffuse(tilt, ghi, albedo=ALBEDO)
    poa = beam + circumsolar + isotropic + band + ground

    passes = pvlib.iam.martin_ruiz(pvlib.irradiance.aoi(tilt, azimuth, seen.zenith, seen.azimuth), a_r=0.16)
    diffuse = pvlib.iam.martin_ruiz_diffuse(tilt, a_r=0.16)
    effective = (beam + circumsolar) * passes + (isotropic + band) * diffuse["sky"] + ground * diffuse["ground"]
    water = pvlib.atmosphere.gueymard94_pw(warm, humid)
    spectrum = pvlib.spectrum.spectral_factor_firstsolar(
        water, pvlib.atmosphere.get_absolute_airmass(mass, sun.pressure), module_type=SPECTRAL[technology]
    )
    usable = effective * np.where(up, spectrum, 1.0)
    u0, u1 = FAIMAN[technology, mounting]
    module = pvlib.temperature.faiman(poa, warm, MODULE_HEIGHT * wind, u0=u0, u1=u1)
    dc = pvlib.pvarray.huld(usable, module, 1000.0 * kwp, cell_type=CELLS[technology], k_version="pvgis5")
    dc = np.maximum(dc, 0)
    return Made(poa, effective, usable, dc, dc * (1 - loss))


def by_month(values: Floats) -> Floats:
    """Sum hours to months, in thousandths of what they are in."""
    return np.bincount(MONTHS, values, 12) / 1000
