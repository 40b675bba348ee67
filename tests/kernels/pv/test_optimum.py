"""The best angle against all angles tried one by one: never worse than theirs by a ten-thousandth."""

import functools

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.pv.light import light_of
from kernels.pv.optimum import best_plane, optimum
from kernels.pv.plant import System, produced
from kernels.pv.site import Site, site_of
from tests.kernels.pv.years import AZIMUTHS, HORIZONS, PLACES, WALL, made_up

KWP = 10.0
SYSTEMS = {"free": System(), "held": System(ac_max=5.5), "lossy": System(loss=0.45, ac_max=4.5)}
slow = pytest.mark.slow


@functools.cache
def site(name: str, horizon: str = "open") -> Site:
    """`gaps` is a valley that is open to the east-south-east and to the west-south-west alone, nearly alike."""
    gaps = [35 * np.exp(-(((AZIMUTHS - middle) / 22) ** 4)) for middle in (112, 249)]
    return site_of(made_up(name), *PLACES[name][:3], (HORIZONS | {"gaps": 36 - gaps[0] - gaps[1]})[horizon])


def energies(where: Site, tilts: object, azimuths: object, system: System, factor: float = 1.0) -> NDArray[np.float64]:
    """What planes of those angles give in a year, each by itself."""
    tilt, azimuth = (np.ravel(a) for a in np.broadcast_arrays(tilts, azimuths))
    planes, light = np.column_stack([tilt, azimuth, np.full(tilt.size, KWP)]), light_of(where, factor)
    if system.ac_max is None:
        return produced(where, light, planes, system).out.sum(axis=1)
    return np.array([produced(where, light, [plane], system).out.sum() for plane in planes])


def all_tried(where: Site, system: System, factor: float = 1.0) -> float:
    """The best of a grid of 3 by 6 degrees, and of half a degree by one around its two best that are apart."""
    tilt, azimuth = (a.ravel() for a in np.meshgrid(np.arange(0, 91, 3.0), np.arange(0, 360, 6.0)))
    coarse = energies(where, tilt, azimuth, system, factor)
    best = coarse.argmax()
    second = np.where(np.abs((azimuth - azimuth[best] + 180) % 360 - 180) > 40, coarse, 0).argmax()
    found = coarse[best]
    for top in (best, second):
        t, a = np.meshgrid(tilt[top] + np.arange(-3, 3.1, 0.5), azimuth[top] + np.arange(-6, 6.1))
        found = max(found, energies(where, np.clip(t, 0, 90), a, system, factor).max())
    return float(found)


def of_the_best(where: Site, system: System, factor: float = 1.0, azimuth: float | None = None) -> float:
    """What the plane at the optimum gives."""
    tilt, towards = optimum(where, light_of(where, factor), KWP, system, azimuth)
    assert 0 <= tilt <= 90
    assert 0 <= towards < 360 if azimuth is None else towards == azimuth
    return float(energies(where, tilt, towards, system, factor)[0])


@pytest.mark.parametrize(
    ("name", "horizon", "system", "factor"),
    [
        *[(name, horizon, "free", 1.0) for name in PLACES for horizon in HORIZONS],
        *[(name, "gaps", "free", 1.0) for name in ("south coast", "rainy west", "polar circle")],
        ("mountain", "hills", "held", 1.0),
        ("Finnmark", "wall", "lossy", 1.0),
        ("south coast", "open", "held", 0.85),
        pytest.param("south coast", "open", "held", 1.2, marks=slow),
        pytest.param("rainy west", "wall", "held", 1.0, marks=slow),
        pytest.param("mountain", "hills", "lossy", 1.0, marks=slow),
    ],
)
def test_no_plane_gives_more(name: str, horizon: str, system: str, factor: float) -> None:
    where, plant = site(name, horizon), SYSTEMS[system]
    assert of_the_best(where, plant, factor) >= (1 - 1e-4) * all_tried(where, plant, factor)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("horizon", HORIZONS)
@pytest.mark.parametrize("name", ["mountain", "Finnmark", pytest.param("rainy west", marks=slow)])
def test_no_tilt_gives_more(name: str, horizon: str, system: str) -> None:
    """Every degree tried, or every second.

    A wall in the south, midnight sun, a low limit: 2673.6 kWh at 0 degrees, 2672.6 at 4, and 2675.1 at 12.
    """
    where, plant = site(name, horizon), SYSTEMS[system]
    for azimuth in (180.0, 95.0, 310.0):
        best = energies(where, np.arange(0, 91, 2.0 if plant.ac_max else 1.0), azimuth, plant).max()
        assert of_the_best(where, plant, azimuth=azimuth) >= (1 - 1e-4) * best


def test_place_where_nothing_shines_has_an_optimum_too() -> None:
    dark = site_of(dict.fromkeys(made_up("mountain"), np.zeros(8760)), 60, 10, 0, WALL)
    assert of_the_best(dark, SYSTEMS["held"]) == 0


def test_limit_so_low_that_all_planes_give_the_same_has_an_optimum_too() -> None:
    where, low = site("Finnmark"), System(ac_max=1e-6)
    assert of_the_best(where, low) >= (1 - 1e-3) * energies(where, [0, 45, 90], 180, low).max()


def test_a_step_along_the_tilt_hides_no_better_plane() -> None:
    def energy(tilt: float, towards: float) -> float:
        return 3.0 * (47 <= tilt <= 51) - ((tilt - 41) / 10) ** 2 - ((towards - 170) / 100) ** 2

    tilt, towards = best_plane(energy, stepped=True)
    assert (tilt, towards) == (pytest.approx(47, abs=0.1), pytest.approx(170, abs=0.1))
