"""Columns beside the production: consumption, grid, battery, sensors."""

from typing import NamedTuple

import numpy as np

from tests.support.exports import clock
from tests.support.exports.clock import DAY, HOUR
from tests.support.exports.draw import Spec
from tests.support.exports.series import Series, unit_kwh
from tests.support.exports.weather import Floats


class Companion(NamedTuple):
    """A column of another quantity, at the intervals."""

    role: str
    values: Floats
    unit: str
    decimals: int


GRID = ("forbruk", "innmating", "uttak", "lading")
OWN_UNITS = {"soc": "%", "dc": "W", "fase": "W", "spenning": "V", "temp": "°C", "straaling": "W/m²"}


def load_kwh(rng: np.random.Generator, spec: Spec, series: Series) -> Floats:
    """Return a household's (or a firm's) consumption by interval: mornings, evenings, cold and chance."""
    local = (clock.local_seconds(series.starts, "Europe/Oslo") % DAY) / HOUR
    size = 0.45 + 0.02 * spec.plant.kwp
    shape = 0.6 + 0.5 * np.exp(-(((local - 7.5) / 1.3) ** 2)) + 0.9 * np.exp(-(((local - 18.5) / 2.2) ** 2))
    heating = np.clip(12 - series.air_c, 0, 30) * 0.05
    chance = rng.gamma(2.0, 0.5, len(local))
    return size * (shape * chance + heating) * series.step / HOUR


def companions(rng: np.random.Generator, spec: Spec, series: Series, roles: list[str]) -> list[Companion]:
    """Return the columns of these roles."""
    energy, hours = series.energy.clip(0), series.step / HOUR
    load = load_kwh(rng, spec, series)
    charge = np.where(energy > load, (energy - load) * 0.4, 0.0)
    flows = {
        "forbruk": load,
        "innmating": (energy - load - charge).clip(0),
        "uttak": (load - energy).clip(0),
        "lading": charge,
    }
    if "lading" not in roles:
        flows["innmating"] = (energy - load).clip(0)
    quantity = "effekt" if spec.quantity == "effekt" else "energi"
    unit = spec.unit if spec.unit in ("W", "kW", "Wh", "kWh") else "kWh"
    made = []
    power = energy / hours
    for role in roles:
        if role in flows:
            values = flows[role] / unit_kwh(unit, quantity, series.step)
            made.append(Companion(role, values, unit, {"W": 0, "Wh": 0, "kW": 3, "kWh": 3}[unit]))
        elif role == "soc":
            level = 50 + 40 * np.tanh(np.cumsum(charge - charge.mean()) / max(8 * spec.plant.kwp, 1))
            made.append(Companion(role, level, "%", 0))
        elif role == "dc":
            made.append(Companion(role, power * 1035, "W", 0))
        elif role == "fase":
            third = power * 1000 / 3
            made += [Companion("fase", third * factor, "W", 0) for factor in (1.002, 0.996, 1.002)]
        elif role == "spenning":
            made.append(
                Companion(role, 231 + 2.5 * rng.standard_normal(len(energy)) + 3 * power / spec.plant.kwp, "V", 1)
            )
        elif role == "temp":
            made.append(Companion(role, series.air_c + 18 * power / spec.plant.kwp, "°C", 1))
        elif role == "straaling":
            made.append(Companion(role, series.poa, "W/m²", 0))
    return made


def draw_roles(rng: np.random.Generator, offered: list[str], most: int = 4) -> list[str]:
    """Return one to four of the roles, those of the grid before those of sensors."""
    known = [role for role in offered if role in GRID or role in OWN_UNITS]
    count = min(int(rng.integers(1, most + 1)), len(known))
    chosen = set(rng.choice(known, count, replace=False).tolist()) if known else set()
    return [role for role in known if role in chosen]
