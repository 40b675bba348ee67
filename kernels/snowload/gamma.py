"""The gamma distribution that begins at 0: which one values are of, and what it exceeds how seldom.

Everything is in logarithms, so that nothing under- or overflows, and in terms of the mean, so that a sample without
spread, whose shape is infinite, is one like any other.
"""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_NORMAL = 1e4
"""Shape from which on Wilson and Hilferty's quantile is within 1e-6 of the distribution's own."""
_CLOSE, _MOST_STEPS = 1e-8, 100
"""A step of Newton's that is smaller than that was the last: it leaves its square as error."""
_LAST_DIGIT = 1e-16


def shape_of(values: NDArray[np.float64]) -> tuple[float, float]:
    """Give the shape and the mean of the gamma distribution that makes values most likely.

    Parameters
    ----------
    values : float64 (n,)
        Above 0, and such that their sum is finite.

    Returns
    -------
    tuple of float
        The shape is infinite where all values are the same.

    Notes
    -----
    Maximum likelihood: the mean is the sample's, and for the shape k, ln k - digamma(k) is the logarithm of the mean
    less the mean logarithm. It is solved by Newton's method for the inverse of both sides, which is nearly straight in
    k, from Thom's approximation on (Monthly Weather Review 86, 1958, 117-122).
    """
    mean, spread = float(values.mean()), 0.0
    for value in values.tolist():
        part = value / mean - 1.0
        # The parts' sum is 0: with them a small spread keeps its digits.
        spread += part - (math.log1p(part) if part > -0.5 else math.log(value) - math.log(mean))
    spread /= values.size
    if spread <= 0.0:
        return math.inf, mean
    shape = (1.0 + math.sqrt(1.0 + 4.0 * spread / 3.0)) / (4.0 * spread)
    for _ in range(_MOST_STEPS):
        gap, slope = _log_less_digamma(shape)
        step = (gap - gap * gap / spread) / slope
        shape += step
        if abs(step) < _CLOSE * shape:
            break
    return shape, mean


def _log_less_digamma(shape: float) -> tuple[float, float]:
    """Give ln k - digamma(k) and its derivative: the recurrence up to 12, and the asymptotic series from there."""
    gap = slope = 0.0
    k = shape
    while k < 12.0:
        gap += 1.0 / k
        slope -= 1.0 / (k * k)
        k += 1.0
    gap += math.log(shape / k)
    slope += 1.0 / shape - 1.0 / k
    r = 1.0 / (k * k)
    gap += 0.5 / k + r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
    slope -= r * (0.5 + (1 / 6 - r * (1 / 30 - r * (1 / 42 - r / 30))) / k)
    return gap, slope


def log_tails(shape: float, log_x: float) -> tuple[float, float]:
    """Give the logarithms of the regularised incomplete gamma functions, lower and upper.

    Parameters
    ----------
    shape : float
        Above 0.001 and at most 1e6.
    log_x : float
        Of where the tails meet, at scale 1.

    Notes
    -----
    The power series below shape + 1, Legendre's continued fraction (by Lentz's method) above: DLMF 8.11.4, 8.9.2.
    """
    x = math.exp(log_x)
    density = shape * log_x - x - math.lgamma(shape)
    if x < shape + 1.0:
        above = shape
        term = total = 1.0 / shape
        while term > _LAST_DIGIT * total:
            above += 1.0
            term *= x / above
            total += term
        lower = density + math.log(total)
        return lower, math.log1p(-math.exp(lower))
    denominator = x + 1.0 - shape
    forward, backward = 1.0 / denominator, math.inf
    total, change, i = forward, 0.0, 0.0
    while abs(change - 1.0) > _LAST_DIGIT * 4:
        i += 1.0
        denominator += 2.0
        numerator = i * (shape - i)
        forward = 1.0 / (denominator + numerator * forward)
        backward = denominator + numerator / backward
        change = forward * backward
        total *= change
    upper = density + math.log(total)
    return math.log1p(-math.exp(upper)), upper


def exceeded(shape: float, chance: float) -> float:
    """Give what is exceeded with a chance, as a multiple of the mean.

    Parameters
    ----------
    shape : float
        Above 0.001; may be infinite.
    chance : float
        Between 0 and 1, at least 1e-6.

    Notes
    -----
    Newton's method for the logarithm of the smaller tail, in ln x. The density is log-concave there, hence so are both
    tails: a tangent never falls short of the root, and from beyond it every step comes closer. Shapes above 10,000:
    Wilson & Hilferty, PNAS 17 (1931) 684-688.
    """
    if shape > _NORMAL:
        return (1.0 - 1.0 / (9.0 * shape) + NormalDist().inv_cdf(1.0 - chance) / (3.0 * math.sqrt(shape))) ** 3
    upper = chance < 0.5
    wanted = math.log(chance) if upper else math.log1p(-chance)
    at_one = math.lgamma(shape)
    log_x = math.log(shape + 1.0)
    for _ in range(_MOST_STEPS):
        tails = log_tails(shape, log_x)
        tail = tails[1] if upper else tails[0]
        step = (tail - wanted) * math.exp(tail - (shape * log_x - math.exp(log_x) - at_one))
        log_x += step if upper else -step
        if abs(step) < _CLOSE:
            break
    return math.exp(log_x) / shape
