"""How far the forecasts of the simulated sources are from the simulated truth.

A forecast of lead h hours shows the true patterns displaced in place and time, with a little too much or too
little cloud, a little too warm or cold, with a little too much or too little wind. Each part grows linearly
with lead:

=====================  ======================  ======================  ======================
part                   met_nordic              arome_metcoop           locationforecast
=====================  ======================  ======================  ======================
displacement           1.5 km + 1.5 km x h     2.5 km + 2.0 km x h     1.5 km + 1.5 km x h
late or early          1 min + 1 min x h       2 min + 1.5 min x h     1 min + 1 min x h
cloud (logit units)    0.04 + 0.012 x h        0.06 + 0.015 x h        0.04 + 0.006 x h
temperature            0.2 K + 0.03 K x h      0.4 K + 0.035 K x h     0.2 K + 0.015 K x h
wind                   2 % + 0.3 % x h         3 % + 0.4 % x h         2 % + 0.15 % x h
=====================  ======================  ======================  ======================

These are typical sizes; those of nve_gts, the snow authority, are locationforecast's. A cycle has its own direction,
signs, and a factor of 0.5-1.5 on each size, all drawn from a hash of source and cycle: the same cycle always has the
same error, and successive cycles err independently (real ones err alike).
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infra.simulator.waves import Displacement

Doubles = NDArray[np.float64]

# (at lead 0, for each hour of lead)
_SIZES: dict[str, dict[str, tuple[float, float]]] = {
    "met_nordic": {
        "displacement_km": (1.5, 1.5),
        "late_s": (60, 60),
        "cloud": (0.04, 0.012),
        "temperature": (0.2, 0.03),
        "wind": (0.02, 0.003),
    },
    "arome_metcoop": {
        "displacement_km": (2.5, 2.0),
        "late_s": (120, 90),
        "cloud": (0.06, 0.015),
        "temperature": (0.4, 0.035),
        "wind": (0.03, 0.004),
    },
    "nve_gts": {
        "displacement_km": (1.5, 1.5),
        "late_s": (60, 60),
        "cloud": (0.04, 0.006),
        "temperature": (0.2, 0.015),
        "wind": (0.02, 0.0015),
    },
    "locationforecast": {
        "displacement_km": (1.5, 1.5),
        "late_s": (60, 60),
        "cloud": (0.04, 0.006),
        "temperature": (0.2, 0.015),
        "wind": (0.02, 0.0015),
    },
}


@dataclass(frozen=True)
class ForecastError:
    """A forecast's error at each of its moments; arrays (n_times,)."""

    displacement: Displacement
    cloud: Doubles  # added to the logit of cloud fraction
    temperature: Doubles  # K, added
    wind: Doubles  # factor on the speed


def _draw(source: str, cycle: int, what: str) -> float:
    """Return a number in 0-1 that depends on nothing but the arguments."""
    digest = hashlib.sha256(f"{source} {cycle} {what}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def forecast_error(source: str, cycle: int, times: Doubles) -> ForecastError:
    """Return the error of one cycle of a source.

    Parameters
    ----------
    source : str
        `met_nordic`, `arome_metcoop`, `locationforecast` or `nve_gts`.
    cycle : int
        Reference time, unix seconds.
    times : (n_times,) float64
        The moments forecast, unix seconds; the lead counts from `cycle`.

    Raises
    ------
    KeyError
        The source is none of these.
    """
    sizes = _SIZES[source]
    lead = np.maximum(times - cycle, 0) / 3600

    def size(part: str) -> Doubles:
        start, growth = sizes[part]
        return np.asarray((0.5 + _draw(source, cycle, part)) * (start + growth * lead), dtype=np.float64)

    def sign(part: str) -> int:
        return 1 if _draw(source, cycle, f"sign of {part}") < 0.5 else -1

    towards = 2 * np.pi * _draw(source, cycle, "direction")
    distance = size("displacement_km")
    return ForecastError(
        Displacement(distance * np.cos(towards), distance * np.sin(towards), sign("late_s") * size("late_s")),
        sign("cloud") * size("cloud"),
        sign("temperature") * size("temperature"),
        1 + sign("wind") * size("wind"),
    )
