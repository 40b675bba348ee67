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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

_PARTS = ("displacement_km", "late_s", "cloud", "temperature", "wind")
# Of each part, at lead 0 and for each hour of lead.
_AHEAD = ((1.5, 1.5), (60, 60), (0.04, 0.006), (0.2, 0.015), (0.02, 0.0015))
_SIZES = {
    "met_nordic": ((1.5, 1.5), (60, 60), (0.04, 0.012), (0.2, 0.03), (0.02, 0.003)),
    "arome_metcoop": ((2.5, 2.0), (120, 90), (0.06, 0.015), (0.4, 0.035), (0.03, 0.004)),
    "nve_gts": _AHEAD,
    "locationforecast": _AHEAD,
}


class ForecastError(NamedTuple):
    """A forecast's error at each of its moments; arrays (n_times,), or (1,) where it is always the same."""

    east_km: Doubles  # by which its patterns are displaced
    north_km: Doubles
    late_s: Doubles
    cloud: Doubles  # added to the logit of cloud fraction
    temperature: Doubles  # K, added
    wind: Doubles  # factor on the speed


NO_ERROR = ForecastError(*np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])[:, None])


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
    lead = np.maximum(times - cycle, 0) / 3600
    sizes = {
        part: (0.5 + _draw(source, cycle, part)) * (start + growth * lead)
        for part, (start, growth) in zip(_PARTS, _SIZES[source], strict=True)
    }
    late, cloud, temperature, wind = (
        size if _draw(source, cycle, f"sign of {part}") < 0.5 else -size for part, size in list(sizes.items())[1:]
    )
    towards = 2 * np.pi * _draw(source, cycle, "direction")
    distance = sizes["displacement_km"]
    return ForecastError(distance * np.cos(towards), distance * np.sin(towards), late, cloud, temperature, 1 + wind)
