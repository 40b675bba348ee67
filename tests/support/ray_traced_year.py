"""Yearly loss of a plane in a scene, by rays: pvlib's sun each minute, pvlib's sky, no profile of directions.

Written from the published models alone: nothing of ours is called here.
"""

import functools
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd
import pvlib
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HOURS = 8760
START = 978_307_200  # 2001-01-01
RADIUS_DEG = 0.265
ALBEDO = 0.2
_BAND_SINE = np.sin(np.radians(10.0))
_GOLDEN = np.pi * (3 - np.sqrt(5))
_POINTS, _PATCHES, _AT_ONCE = 31, 20_000, 20_000


class Place(NamedTuple):
    """Degrees, degrees, m."""

    lat: float
    lon: float
    altitude: float


class Plane(NamedTuple):
    """Degrees from level, and clockwise from north."""

    tilt: float
    azimuth: float


class Hiding(Protocol):
    """A body that hides rays."""

    def hides(self, rays: Floats) -> NDArray[np.bool_]:
        """Return which unit vectors (east, north, up; (3, n)) it hides; all that point down."""
        ...


class Minutes(NamedTuple):
    """The minutes of the year in which a part of the sun's disc is above the level horizon, (n,).

    Its centre, degrees; its elevation before refraction; which hour; which part of the disc.
    """

    elevation: Floats
    azimuth: Floats
    hour: NDArray[np.int64]
    up: Floats


class Reference(NamedTuple):
    """kWh/m2 a year without the scene and with it."""

    open: float
    left: float

    @property
    def lost(self) -> float:
        """Per cent."""
        return 100 * (1 - self.left / self.open)


def _position(unix: Floats, place: Place) -> tuple[Floats, Floats]:
    frame = pvlib.solarposition.get_solarposition(
        pd.to_datetime((unix * 1e9).astype(np.int64), utc=True), place.lat, place.lon, altitude=place.altitude,
        pressure=pvlib.atmosphere.alt2pres(place.altitude), temperature=10.0, method="nrel_numpy",
    )  # fmt: skip
    return frame["apparent_elevation"].to_numpy(), frame["azimuth"].to_numpy()


def _disc(elevation: Floats, azimuth: Floats) -> Floats:
    """Unit vectors to points spread evenly over the sun's disc, (3, n, points)."""
    k = np.arange(_POINTS)
    away, turn = RADIUS_DEG * np.sqrt((k + 0.5) / _POINTS), k * _GOLDEN
    e = np.radians(elevation[:, None] + away * np.sin(turn))
    a = np.radians(azimuth[:, None] + away * np.cos(turn) / np.cos(np.radians(elevation[:, None])))
    return np.stack([np.cos(e) * np.sin(a), np.cos(e) * np.cos(a), np.sin(e)])


def _share_seen(scene: Hiding, elevation: Floats, azimuth: Floats) -> Floats:
    """Give the part of the disc that a scene leaves, (n,)."""
    seen = np.empty(elevation.size)
    for first in range(0, seen.size, _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        rays = _disc(elevation[part], azimuth[part])
        seen[part] = 1 - scene.hides(rays.reshape(3, -1)).reshape(rays.shape[1:]).mean(axis=1)
    return seen


class _Level:
    def hides(self, rays: Floats) -> NDArray[np.bool_]:
        return np.asarray(rays[2] < 0)


@functools.cache
def minutes_at(place: Place) -> Minutes:
    """Place the sun in the middle of all minutes near those that it is up in."""
    around = START + 300.0 + 600.0 * np.arange(6 * HOURS)
    near = np.flatnonzero(_position(around, place)[0] > -3)
    unix = (around[near][:, None] - 270.0 + 60.0 * np.arange(10)).ravel()
    elevation, azimuth = _position(unix, place)
    up = np.clip(elevation > RADIUS_DEG, 0.0, 1.0)
    rim = np.abs(elevation) <= RADIUS_DEG
    up[rim] = _share_seen(_Level(), elevation[rim], azimuth[rim])
    hour = ((unix - START) // 3600).astype(np.int64)
    return Minutes(*(values[up > 0] for values in (elevation, azimuth, hour, up)))


@functools.cache
def clouded(place: Place, clear: float = 0.5) -> Floats:
    """Give ghi, dni and dhi (3, 8760) of clear and cloudy spells; `clear` 0 is mostly overcast, 1 mostly clear."""
    minutes, draw = minutes_at(place), np.random.default_rng(7)
    spell = np.convolve(draw.standard_normal(HOURS + 47), np.ones(48) / np.sqrt(48), "valid") + 4 * (clear - 0.5)
    index = np.clip(0.12 + 0.9 / (1 + np.exp(-2.5 * spell)) * draw.uniform(0.7, 1.15, HOURS), 0.05, 1.05)
    zenith = 90 - minutes.elevation
    ghi = pvlib.clearsky.haurwitz(pd.Series(zenith))["ghi"].to_numpy() * index[minutes.hour]
    split = pvlib.irradiance.erbs(ghi, zenith, minutes.hour // 24 + 1)
    return np.stack([np.bincount(minutes.hour, w, HOURS) / 60 for w in (ghi, split["dni"], split["dhi"])])


class _Light(NamedTuple):
    """Wh/m2 on a plane: beam and circumsolar of each minute, and of the year what the rest of the sky and ground give.

    Of a minute as if the whole disc were up.
    """

    sunny: Floats
    even: float
    band: float
    ground: float


@functools.cache
def _light(place: Place, plane: Plane, clear: float) -> _Light:
    minutes, (_, dni, dhi) = minutes_at(place), clouded(place, clear)
    share = np.bincount(minutes.hour, minutes.up, HOURS)
    with np.errstate(divide="ignore", invalid="ignore"):
        beam, diffuse = (np.where(share > 0, hours / share, 0.0)[minutes.hour] for hours in (dni, dhi))
    assert dni[share == 0].max() == dhi[share == 0].max() == 0
    zenith = 90 - minutes.elevation
    e0 = pvlib.irradiance.get_extra_radiation(minutes.hour // 24 + 1)
    with np.errstate(all="ignore"):
        # For W/m2 a minute's Wh/m2 are taken 60 times.
        sky = pvlib.irradiance.perez(
            *plane, 60 * diffuse, 60 * beam, e0, zenith, minutes.azimuth,
            pvlib.atmosphere.get_relative_airmass(zenith), return_components=True,
        )  # fmt: skip
    # pvlib has no number for a sky without light, and none for a sun whose centre is down: its sky is even.
    centre = (minutes.elevation > 0) & (diffuse > 0)
    tilted = (1 + np.cos(np.radians(plane.tilt))) / 2
    even = np.where(centre, sky["poa_isotropic"] / 60, diffuse * tilted) * minutes.up
    circumsolar, band = (np.where(centre, sky[f"poa_{name}"], 0.0) / 60 for name in ("circumsolar", "horizon"))
    aims = np.maximum(pvlib.irradiance.aoi_projection(*plane, zenith, minutes.azimuth), 0)
    ghi = (diffuse + beam * np.maximum(np.cos(np.radians(zenith)), 0)) * minutes.up
    ground = pvlib.irradiance.get_ground_diffuse(plane.tilt, ghi.sum(), albedo=ALBEDO)
    return _Light(beam * aims + circumsolar, even.sum(), (band * minutes.up).sum(), float(ground))


def _patches(highest_sine: float) -> Floats:
    """Unit vectors to the middles of patches of one size from the horizontal plane up, (3, n)."""
    k = np.arange(_PATCHES)
    up, turn = highest_sine * (k + 0.5) / _PATCHES, k * _GOLDEN
    level = np.sqrt(1 - up**2)
    return np.stack([level * np.sin(turn), level * np.cos(turn), up])


def _sky_left(scene: Hiding, plane: Plane, highest_sine: float) -> float:
    """Give the part of the light of even patches that a scene leaves a plane."""
    rays = _patches(highest_sine)
    steep, facing = np.radians(plane)
    upright = np.array([np.sin(steep) * np.sin(facing), np.sin(steep) * np.cos(facing), np.cos(steep)])
    incidence = np.maximum(upright @ rays, 0)
    return float(incidence[~scene.hides(rays)].sum() / incidence.sum())


def share_of_disc(scene: Hiding, place: Place) -> Floats:
    """Give the part of the sun's disc that is seen in each of the `minutes_at` a place; it serves all planes."""
    minutes = minutes_at(place)
    return _share_seen(scene, minutes.elevation, minutes.azimuth)


def year_of(scene: Hiding, seen: Floats, place: Place, plane: Plane, clear: float = 0.5) -> Reference:
    """Trace a plane's year.

    The sun is 31 points; the even sky 20,000 patches of one size (2,000 leave 0.2 points uncertain), and the band along
    the horizon as many again below 10 degrees. All are looked at through the scene itself.

    Parameters
    ----------
    scene : Hiding
    seen : (n,)
        `share_of_disc`.
    place : Place
    plane : Plane
    clear : float
        See `clouded`.
    """
    light, minutes = _light(place, plane, clear), minutes_at(place)
    whole = float(light.sunny @ minutes.up) + light.even + light.band + light.ground
    even, band = light.even * _sky_left(scene, plane, 1.0), light.band * _sky_left(scene, plane, _BAND_SINE)
    left = float(light.sunny @ seen) + even + band + light.ground
    return Reference(whole / 1000, left / 1000)
