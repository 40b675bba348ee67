"""How fast a year of planes is made.

Ours and pvlib's functions by turns, one thread each, CPU time; ratios of medians. pvlib's have numpy arrays throughout
and are called once each, as ours with the sun of five minutes where it rises or sets.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pvlib

from kernels.pv.light import light_of
from kernels.pv.optimum import optimum
from kernels.pv.plant import System, produced
from kernels.pv.site import site_of
from tests.kernels.pv.pvlib_chain import HOURS, START, Floats, Hours, by_month, mean_position
from tests.kernels.pv.years import HILLS, PLACES, made_up

NAME = "rainy west"
LAT, LON, ALTITUDE = PLACES[NAME][:3]
PLANE = (35.0, 170.0, 5.0)
FOUR = [PLANE, (35.0, 80.0, 3.0), (35.0, 260.0, 3.0), (90.0, 170.0, 1.0)]
ROUNDS = 25
MIDDLES = START + 1800 + 3600 * np.arange(HOURS, dtype=np.float64)
NEAR = 4.5
"""Degrees of elevation within which the sun may rise or set in the hour, at 60 N."""
PRESSURE = float(pvlib.atmosphere.alt2pres(ALTITUDE))
DAYS = np.arange(HOURS) // 24 + 1

Work = Callable[[], object]


def spa_at(moments: Floats) -> tuple[Floats, Floats]:
    """Apparent elevation and azimuth, degrees."""
    times = pd.to_datetime(moments.ravel() * 10**9, utc=True)
    spa = pvlib.solarposition.get_solarposition(times, LAT, LON, pressure=PRESSURE, temperature=11, method="nrel_numpy")
    return spa["apparent_elevation"].to_numpy(copy=True), spa["azimuth"].to_numpy(copy=True)


def pvlib_sun(hours: Hours) -> dict[str, Floats]:
    """What all planes of a place share."""
    elevation, azimuth = spa_at(MIDDLES)
    lit = (elevation > 0).astype(float)
    near = np.flatnonzero(np.abs(elevation) < NEAR)
    height, facing = (a.reshape(-1, 12) for a in spa_at(MIDDLES[near, None] - 1650 + 300 * np.arange(12)))
    mean = mean_position(height, facing, height > 0)
    lit[near], partly = mean.part, near[mean.part < 1]
    elevation[partly], azimuth[partly] = (a[mean.part < 1] for a in (90 - mean.zenith, mean.azimuth))
    mass = pvlib.atmosphere.get_relative_airmass(90 - elevation)
    warm, humid, wind = ((a + np.roll(a, -1)) / 2 for a in (hours["temp_air"], hours["rel_hum"], hours["wind_speed"]))
    water = pvlib.atmosphere.gueymard94_pw(warm, humid)
    absolute = pvlib.atmosphere.get_absolute_airmass(mass, PRESSURE)
    spectrum = pvlib.spectrum.spectral_factor_firstsolar(water, absolute, module_type="multisi")
    return {
        "zenith": 90 - elevation,
        "azimuth": azimuth,
        "mass": mass,
        "e0": pvlib.irradiance.get_extra_radiation(DAYS) * lit,
        "spectrum": np.nan_to_num(spectrum, nan=1.0),
        "warm": warm,
        "wind": 0.67 * wind,
    }


def pvlib_plane(hours: Hours, sun: dict[str, Floats], plane: tuple[float, float, float] = PLANE) -> Floats:
    """The months of one plane, kWh."""
    tilt, azimuth, kwp = plane
    aoi = pvlib.irradiance.aoi(tilt, azimuth, sun["zenith"], sun["azimuth"])
    with np.errstate(all="ignore"):
        sky = pvlib.irradiance.perez(
            tilt, azimuth, hours["dhi"], hours["dni"], sun["e0"], sun["zenith"], sun["azimuth"], sun["mass"],
            return_components=True,
        )  # fmt: skip
    ground = pvlib.irradiance.get_ground_diffuse(tilt, hours["ghi"], albedo=0.2)
    direct = hours["dni"] * np.maximum(np.cos(np.radians(aoi)), 0) + np.nan_to_num(sky["poa_circumsolar"])
    even = np.nan_to_num(sky["poa_isotropic"] + sky["poa_horizon"])
    diffuse = pvlib.iam.martin_ruiz_diffuse(tilt)
    effective = direct * pvlib.iam.martin_ruiz(aoi) + even * diffuse["sky"] + ground * diffuse["ground"]
    module = pvlib.temperature.faiman(direct + even + ground, sun["warm"], sun["wind"], u0=26.9, u1=6.2)
    power = pvlib.pvarray.huld(effective * sun["spectrum"], module, 1000 * kwp, cell_type="csi", k_version="pvgis5")
    return by_month(np.maximum(power, 0) * 0.86)


def by_turns(works: dict[str, Work], rounds: int = ROUNDS) -> dict[str, float]:
    """CPU seconds of each, the median of rounds in which all have their turn; the first round does not count."""
    took: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            begin = time.thread_time()
            work()
            if number:
                took[name].append(time.thread_time() - begin)
    return {name: statistics.median(times) for name, times in took.items()}


def measure(folder: Path) -> None:
    """Print the figures."""
    hours, system = made_up(NAME), System()
    sun, site = pvlib_sun(hours), site_of(hours, LAT, LON, ALTITUDE)
    hilly = site_of(hours, LAT, LON, ALTITUDE, HILLS)
    light, hilly_light = light_of(site), light_of(hilly)

    def ours_from_hours(horizon: Floats | None = None) -> object:
        here = site_of(hours, LAT, LON, ALTITUDE, horizon)
        return produced(here, light_of(here), [PLANE], system)

    ours = produced(site, light, [PLANE], system).ac.sum()
    print(f"a year of the same plane: {ours:.2f} kWh, pvlib {pvlib_plane(hours, sun).sum():.2f}")
    held = System(ac_max=4.0)
    works: dict[str, Work] = {
        "pvlib: hours to the year of one plane": lambda: pvlib_plane(hours, pvlib_sun(hours)),
        "ours: hours to the year of one plane": ours_from_hours,
        "ours: hours to the year of one plane, with horizon": lambda: ours_from_hours(HILLS),
        "pvlib: one more plane, its sun and spectrum given": lambda: pvlib_plane(hours, sun),
        "ours: one more plane": lambda: produced(site, light, [PLANE], system),
        "ours: one more plane, with horizon": lambda: produced(hilly, hilly_light, [PLANE], system),
        "ours: one more plane, with a limit": lambda: produced(site, light, [PLANE], held),
        "ours: four planes": lambda: produced(hilly, hilly_light, FOUR, system),
        "ours: best tilt": lambda: optimum(hilly, hilly_light, 5.0, system, 180.0),
        "ours: best tilt and azimuth (bar 25 ms, HTTP and all)": lambda: optimum(hilly, hilly_light, 5.0, system),
        "ours: the same, with a limit": lambda: optimum(hilly, hilly_light, 5.0, held),
    }
    spent = by_turns(works)
    for name, seconds in spent.items():
        print(f"{name:<56}{seconds * 1e3:9.3f} ms")
    whole, ours_more = spent["ours: hours to the year of one plane"], spent["ours: one more plane"]
    ratios = {
        "from hours to the year": spent["pvlib: hours to the year of one plane"] / whole,
        "one more plane": spent["pvlib: one more plane, its sun and spectrum given"] / ours_more,
    }
    print("pvlib / ours (bar 50): " + ", ".join(f"{name} {ratio:.0f}" for name, ratio in ratios.items()))
    print(f"{1 / ours_more:.0f} planes a second of one core, {4 / spent['ours: four planes']:.0f} of four with horizon")
    print(f"a place takes {hilly.nbytes / 1e3:.0f} kB, its light {hilly_light.nbytes / 1e3:.0f} kB")
