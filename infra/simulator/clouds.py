"""Cloud: how much of it the patterns make, and how much sun it lets through.

Cloud fraction is the logistic of a sum of patterns (see `waves`): low pressure and regimes, sharp fronts,
patches, and on sunny land convective cells that grow with the sun's earlier height; air driven up a slope
adds cloud, air driven down takes some away.

Cloud lets through, of the cloudless irradiance,

    1 - n + n T,   T = (2/3 + mu + (2/3 - mu) exp(-tau / mu)) / (4/3 + (1 - g) tau)

with cloud fraction n, cosine of the sun's zenith angle mu, T the Eddington two-stream transmission of a
non-absorbing cloud (Shettle and Weinman 1970) of asymmetry g = 0.85, and optical depth tau = 2 to 28,
larger in deep weather. That is no function of cloud fraction alone, as a model that knows only the fraction
will find.
"""

import numpy as np
from numpy.typing import NDArray

from infra.simulator.relief import Ground
from infra.simulator.waves import Patterns

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

_DAY = 86400.0
_ASYMMETRY = np.float32(0.85)


def cloud_logit(times: Doubles, patterns: Patterns, heat: Floats, ground: Ground) -> Floats:
    """Return the logit of cloud fraction; beyond full cover, larger means deeper cloud.

    Parameters
    ----------
    times : (n_times,) float64
        Unix seconds.
    patterns : Patterns
        At these moments and the places, (n_times, n).
    heat : (n_times, n) float32
        How far the sun has heated the land, 0-1.
    ground : Ground
        What lies under the places.
    """
    # the flow that meets the mountains turns slowly, mostly between south and north-west
    flow = 0.5 + 0.9 * np.sin(2 * np.pi * times / (5.3 * _DAY)) + 0.5 * np.sin(2 * np.pi * times / (2.1 * _DAY))
    east, north = np.cos(flow).astype(np.float32)[:, None], np.sin(flow).astype(np.float32)[:, None]
    upslope = east * ground.rise_east + north * ground.rise_north
    return np.asarray(
        -0.5
        + 1.7 * patterns.synoptic
        + 2.6 * patterns.fronts
        + 0.9 * patterns.meso
        + heat * (0.3 + 2.0 * patterns.cells)
        + np.clip(90 * upslope, np.float32(-0.9), np.float32(0.9)),
        dtype=np.float32,
    )


def fraction(logit: Floats) -> Floats:
    """Return the cloud fraction of a logit, 0-1; it reaches both ends exactly."""
    return np.asarray(np.clip(1.12 / (1 + np.exp(-logit)) - 0.06, np.float32(0), np.float32(1)), dtype=np.float32)


def transmission(logit: Floats, mu: Floats) -> Floats:
    """Return the share of the cloudless irradiance that reaches the ground, 0-1.

    Parameters
    ----------
    logit : (n_times, n) float32
        `cloud_logit`.
    mu : (n_times, n) float32
        Cosine of the sun's apparent zenith angle.
    """
    depth = 2 + 26 / (1 + np.exp(3 - logit))
    slant = np.maximum(mu, np.float32(0.05))
    through = (2 / 3 + slant + (2 / 3 - slant) * np.exp(-depth / slant)) / (4 / 3 + (1 - _ASYMMETRY) * depth)
    return np.asarray(1 - fraction(logit) * (1 - through), dtype=np.float32)
