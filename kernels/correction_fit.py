"""Learning a correction table from pairs of forecast and observation.

The factors at the bin centres are those of a penalised least squares fit of what `kernels.correction.correct` makes of
them, interpolation included: sum (factor x ghi - observed)^2, plus a pull of every factor towards 1 that counts as much
as `TRUST` pairs, plus a pull of neighbours towards each other that counts as much as `SMOOTHNESS` pairs. A bin
without data therefore stays near 1. Then each column of kc is made monotone, so that a brighter forecast never
becomes a darker one, and the factors are held within bounds.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from kernels.correction import LOWEST_CLEAR_SKY, CorrectionTable, _bracket, at_lead, correct, identity_table
from kernels.sizes import require_size

LOWEST_FACTOR, HIGHEST_FACTOR = 0.2, 3.0
TRUST = 5.0
SMOOTHNESS = 20.0
_CLEAR_NOON = 1000.0  # W/m2: sets the weight of the two pulls from bin to bin
_LOWEST_SINE = 0.03


@dataclass(frozen=True)
class Pairs:
    """Forecasts and what was observed; five arrays (n,).

    Attributes
    ----------
    ghi, gcs, observed : float32 (n,)
        Forecast before any correction, clear sky, and observation: hour means, W/m2, not NaN.
    sine : float32 (n,)
        Sine of the sun's apparent elevation, as `kernels.clearsky.hour_mean` gives it.
    lead : float32 (n,)
        Hours from the start of the cycle to the middle of the hour.
    """

    ghi: NDArray[np.float32]
    gcs: NDArray[np.float32]
    observed: NDArray[np.float32]
    sine: NDArray[np.float32]
    lead: NDArray[np.float32]

    def __post_init__(self) -> None:
        require_size(self.ghi.size, gcs=self.gcs, observed=self.observed, sine=self.sine, lead=self.lead)

    def __len__(self) -> int:
        return self.ghi.size

    def where(self, chosen: NDArray[np.bool_]) -> "Pairs":
        """Return some of them; `chosen` is bool (n,)."""
        return Pairs(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def held_out(days: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Choose whole days for judging: of the days that there are, every third.

    Parameters
    ----------
    days : int64 (n,)
        Day of each pair's observation.

    Returns
    -------
    bool (n,)
        True for pairs that no table may learn from.
    """
    there, which = np.unique(days, return_inverse=True)
    return np.asarray(np.arange(there.size)[which.reshape(-1)] % 3 == 1)


def fit(
    pairs: Pairs,
    elevation_edges: ArrayLike,
    kc_edges: ArrayLike,
    lead_edges: ArrayLike,
) -> CorrectionTable:
    """Learn a table.

    Parameters
    ----------
    pairs : Pairs
        Those under a clear sky below 5 W/m2 are left out: `correct` leaves them as they are.
    elevation_edges, kc_edges, lead_edges : array_like
        Of the bins, see `CorrectionTable`; at least two bins of elevation and of kc.

    Returns
    -------
    CorrectionTable
        Factors within 0.2..3; factor x kc never falls as kc rises, at any elevation and lead.
    """
    ones = identity_table(elevation_edges, kc_edges, lead_edges)
    shape = ones.factor.shape
    if min(shape[:2]) < 2:
        msg = "a table is learned on at least two bins of elevation and of kc"
        raise ValueError(msg)
    sines, kcs, leads = _centres(ones)
    normal, moments = np.zeros((ones.factor.size, ones.factor.size)), np.zeros(ones.factor.size)
    _accumulate(pairs.ghi, pairs.gcs, pairs.observed, pairs.sine, pairs.lead, sines, kcs, leads, normal, moments)
    normal += np.triu(normal, 1).T
    residual = moments - normal.sum(axis=1)
    typical = (_CLEAR_NOON * np.maximum(sines, _LOWEST_SINE)[:, None, None] * kcs[:, None]) ** 2
    scale = np.broadcast_to(typical, shape).reshape(-1)
    weight = normal.diagonal() + TRUST * scale
    normal[np.diag_indices_from(normal)] += TRUST * scale
    _join_neighbours(normal, shape, SMOOTHNESS * scale)
    factor = 1 + np.linalg.solve(normal, residual).reshape(shape)
    factor = _monotone(factor, weight.reshape(shape), kcs)
    edges = (ones.elevation_edges, ones.kc_edges, ones.lead_edges)
    return CorrectionTable(np.clip(factor, LOWEST_FACTOR, HIGHEST_FACTOR).astype(np.float32), *edges)


def corrected(table: CorrectionTable, pairs: Pairs) -> NDArray[np.float32]:
    """Return what a table makes of the forecasts, W/m2, (n,)."""
    out = np.empty_like(pairs.ghi)
    leads, which = np.unique(pairs.lead, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    for lead, rows in zip(leads.tolist(), np.split(order, np.cumsum(np.bincount(which.reshape(-1)))[:-1]), strict=True):
        ghi = pairs.ghi[rows]
        correct(ghi, pairs.gcs[rows], pairs.sine[rows], at_lead(table, lead), ghi)
        out[rows] = ghi
    return out


def _centres(table: CorrectionTable) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    edges = (table.elevation_edges, table.kc_edges, table.lead_edges)
    elevation, kcs, leads = ((e[:-1] + e[1:]) / 2 for e in edges)
    if leads.size == 1:  # the kernel interpolates between two; the second is out of reach
        leads = np.append(leads, np.inf)
    return np.sin(np.deg2rad(elevation)), kcs, leads


def _join_neighbours(normal: NDArray[np.float64], shape: tuple[int, ...], strength: NDArray[np.float64]) -> None:
    """Add the pull between neighbouring bins, as strong as the weaker of both."""
    numbers = np.arange(strength.size).reshape(shape)
    for axis in range(len(shape)):
        lower = np.delete(numbers, -1, axis=axis).reshape(-1)
        upper = np.delete(numbers, 0, axis=axis).reshape(-1)
        pull = np.minimum(strength[lower], strength[upper])
        for one, other in ((lower, upper), (upper, lower)):
            np.add.at(normal, (one, one), pull)
            np.add.at(normal, (one, other), -pull)


def _monotone(
    factor: NDArray[np.float64], weight: NDArray[np.float64], kcs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the nearest factors (weighted) with which factor x kc never falls, between the centres too.

    Between centres k0 < k1 the factor is linear, and factor x kc rises all the way exactly where
    f1 (2 k1 - k0) >= f0 k1. Scaled by the running product of those ratios, that is an isotonic regression.
    """
    ratios = (2 * kcs[1:] - kcs[:-1]) / kcs[1:]
    scale = np.concatenate([[1.0], np.cumprod(ratios)])
    out = np.empty_like(factor)
    for e in range(factor.shape[0]):
        for k in range(factor.shape[2]):
            scaled = _isotonic(factor[e, :, k] * scale, weight[e, :, k] / scale**2)
            out[e, :, k] = scaled / scale
    return out


def _isotonic(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest non-decreasing series: pool adjacent violators."""
    pools: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, wa, na), (b, wb, nb) = pools[-2:]
            pools[-2:] = [((a * wa + b * wb) / (wa + wb), wa + wb, na + nb)]
    return np.repeat([mean for mean, _, _ in pools], [length for _, _, length in pools])


@njit(nogil=True, cache=True, error_model="numpy")
def _accumulate(ghi, gcs, observed, sine, lead, sines, kcs, leads, normal, moments):  # type: ignore[no-untyped-def]
    """Add each pair to the upper half of the normal equations of its eight bin centres."""
    nodes, shares = np.empty(8, np.int64), np.empty(8)
    for n in range(ghi.size):
        if not gcs[n] >= LOWEST_CLEAR_SKY:
            continue
        e, we = _bracket(sines, float(sine[n]))
        k, wk = _bracket(kcs, float(ghi[n]) / float(gcs[n]))
        h, wh = _bracket(leads, float(lead[n]))
        for corner in range(8):
            up_e, up_k, up_h = corner >> 2, (corner >> 1) & 1, corner & 1
            node = ((e + up_e) * kcs.size + k + up_k) * (moments.size // (sines.size * kcs.size)) + h + up_h
            share = (we if up_e else 1 - we) * (wk if up_k else 1 - wk) * (wh if up_h else 1 - wh)
            nodes[corner] = min(node, moments.size - 1)
            shares[corner] = share * ghi[n]
        for a in range(8):
            moments[nodes[a]] += shares[a] * observed[n]
            for b in range(a, 8):
                normal[nodes[a], nodes[b]] += shares[a] * shares[b]
