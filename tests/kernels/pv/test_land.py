"""What land takes: of the sun against every five minutes of pvlib's, and of an even sky against the integral."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.pv.light import light_of
from kernels.pv.plant import System, produced
from kernels.pv.site import site_of
from kernels.tmy.sunlight import sunlight_at
from tests.kernels.pv.pvlib_chain import Sun, seen_of, sky_left, sun_at
from tests.kernels.pv.years import HILLS, HOURS, PLACES, WALL

NEAR = 0.03
"""Degrees: a sample that close to an edge may fall either way, by pvlib's refraction or ours."""
DRAW = np.random.default_rng(3)
LANDS = {
    "none": np.full(720, -1.0),
    "jagged": DRAW.uniform(-1, 45, 720),
    "towers": np.where(DRAW.random(720) < 0.03, 60.0, 1.0),
    "high all round": 30 + DRAW.uniform(-0.5, 0.5, 720),
    "hills": HILLS,
    "wall": WALL,
}


def light(hours: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    """Diffuse light in some hours, in mild weather."""
    bright = dict.fromkeys(("ghi", "dhi"), np.where(hours, 100.0, 0.0))
    mild = {"dni": 0.0, "temp_air": 10.0, "rel_hum": 70.0, "wind_speed": 3.0}
    return bright | {name: np.full(HOURS, value) for name, value in mild.items()}


def close_to_an_edge(sun: Sun, land: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Hours with a sample that is about to rise, set, or touch the land."""
    around, steps = np.append(land, land[0]), np.arange(721) / 2
    beside = np.stack([np.interp((sun.azimuth + by) % 360, steps, around) for by in np.linspace(-0.02, 0.02, 9)])
    touches = (sun.elevation > beside.min(axis=0) - NEAR) & (sun.elevation < beside.max(axis=0) + NEAR)
    return ((touches & (sun.elevation > 0)) | (np.abs(sun.elevation) < NEAR)).any(axis=1)


@pytest.mark.parametrize("land", LANDS)
@pytest.mark.parametrize("name", PLACES)
def test_sun_is_seen_when_every_five_minutes_say_so(name: str, land: str) -> None:
    """No hour is passed over that had to be looked at: at most one in the year differs that is not on an edge."""
    place, profile = PLACES[name], LANDS[land]
    sun, day = sun_at(*place[:3]), site_of(light(np.ones(HOURS, bool)), *place[:3], profile).daylight
    seen, sure = seen_of(sun, profile), ~close_to_an_edge(sun, profile)
    assert sure.mean() > 0.8
    assert (np.abs(day.lit - sun.lit.part) > 1e-9)[sure].sum() == 0
    differs = np.abs(day.lit * day.seen - seen.part) > 1e-9
    assert (differs & sure).sum() <= 1
    assert differs.mean() < 0.02
    zenith, azimuth = np.radians(seen.zenith), np.radians(seen.azimuth)
    to_sun = np.stack([np.sin(zenith) * np.sin(azimuth), np.sin(zenith) * np.cos(azimuth), np.cos(zenith)])
    among = sure & ~differs & (seen.part > 0)
    assert np.degrees(np.linalg.norm(to_sun - day.free, axis=0))[among].max() < 0.02


@given(
    tilt=st.floats(0, 90),
    azimuth=st.floats(0, 360),
    land=st.sampled_from([*LANDS, "drawn"]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_even_sky_is_cut_as_the_integral_says(tilt: float, azimuth: float, land: str, seed: int) -> None:
    """Within 0.05 % of the sky of a level plane; light of hours without sun is even."""
    place = PLACES["Finnmark"]
    down = sunlight_at(*place[:3]).e0 == 0
    profile = LANDS[land] if land in LANDS else np.random.default_rng(seed).uniform(-5, 90, 720)
    where = site_of(light(down), *place[:3], profile)
    got = produced(where, light_of(where), [(tilt, azimuth, 1)], System()).poa.sum() * 1000 / (100 * down.sum())
    level = np.cos(np.radians(tilt))
    part, _ = sky_left(profile, tilt, azimuth)
    assert got == pytest.approx(part * (1 + level) / 2 + 0.2 * (1 - level) / 2, abs=5e-4)
