"""Correction of a model's clear-sky index by sun height, index class and lead (the v2.3b model).

The table holds one factor for each bin of (elevation, kc, lead). Between bin centres the factor is
interpolated linearly (in the sine of the elevation, in kc, in lead), so that no jump shows where a bin ends;
beyond the outer centres it is constant. As ghi' = factor kc gcs = factor ghi, an identity table returns its
input bit for bit.
"""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from kernels.sizes import require_size

LOWEST_CLEAR_SKY = 5.0
"""Clear-sky GHI below which ghi is left as it is, W/m2: the index of two small numbers says nothing."""


@dataclass(frozen=True)
class CorrectionTable:
    """Factors on bins; n bins have n + 1 strictly ascending edges.

    Attributes
    ----------
    factor : float32 (elevation bins, kc bins, lead bins)
        Dimensionless, finite, >= 0.
    elevation_edges : float64 (elevation bins + 1,)
        Apparent elevation of the sun, degrees, within -90..90.
    kc_edges : float64 (kc bins + 1,)
        Clear-sky index ghi/gcs; higher indices use the last bin.
    lead_edges : float64 (lead bins + 1,)
        Hours from the start of the cycle to the middle of the hour; longer leads use the last bin.
    """

    factor: NDArray[np.float32]
    elevation_edges: NDArray[np.float64]
    kc_edges: NDArray[np.float64]
    lead_edges: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name in ("elevation_edges", "kc_edges", "lead_edges"):
            edges = np.asarray(getattr(self, name), dtype=np.float64)
            if edges.ndim != 1 or edges.size < 2 or not (np.diff(edges) > 0).all():
                msg = f"{name} must be at least two strictly ascending numbers"
                raise ValueError(msg)
            object.__setattr__(self, name, edges)
        if self.elevation_edges[0] < -90 or self.elevation_edges[-1] > 90:
            msg = "elevation_edges must lie within -90..90 degrees"
            raise ValueError(msg)
        factor = np.ascontiguousarray(self.factor, dtype=np.float32)
        shape = (self.elevation_edges.size - 1, self.kc_edges.size - 1, self.lead_edges.size - 1)
        if factor.shape != shape:
            msg = f"factor has shape {factor.shape}, the edges ask for {shape}"
            raise ValueError(msg)
        if not (np.isfinite(factor) & (factor >= 0)).all():
            msg = "factors must be finite and not negative"
            raise ValueError(msg)
        object.__setattr__(self, "factor", factor)


@dataclass(frozen=True)
class LeadSlice:
    """The table at one lead, ready for the kernel; built once per hour by `at_lead`.

    Attributes
    ----------
    factor : float32 (elevation bins, kc bins)
        Dimensionless.
    sines : float32 (elevation bins,)
        Sine of the elevation at the bin centres (in degrees), ascending.
    indices : float32 (kc bins,)
        kc at the bin centres, ascending.

    A single bin is held twice, so that there are always two centres to interpolate between.
    """

    factor: NDArray[np.float32]
    sines: NDArray[np.float32]
    indices: NDArray[np.float32]


def identity_table(elevation_edges: ArrayLike, kc_edges: ArrayLike, lead_edges: ArrayLike) -> CorrectionTable:
    """Give the table of ones on the given bin edges: what is used until a table is trained."""
    edges = [np.asarray(e, dtype=np.float64) for e in (elevation_edges, kc_edges, lead_edges)]
    return CorrectionTable(np.ones([e.size - 1 for e in edges], np.float32), *edges)


def at_lead(table: CorrectionTable, lead_hours: float) -> LeadSlice:
    """Interpolate the table to one lead.

    Parameters
    ----------
    table : CorrectionTable
    lead_hours : float
        Hours from the start of the cycle to the middle of the hour.
    """
    centres = (table.lead_edges[:-1] + table.lead_edges[1:]) / 2
    position = np.interp(lead_hours, centres, np.arange(centres.size))
    low = int(position)
    high = min(low + 1, centres.size - 1)
    below, above = table.factor[:, :, low], table.factor[:, :, high]
    # Written as a + w (b - a): equal neighbours give exactly themselves, which keeps the identity exact.
    factor = below + np.float32(position - low) * (above - below)
    sines = np.sin(np.deg2rad((table.elevation_edges[:-1] + table.elevation_edges[1:]) / 2))
    indices = (table.kc_edges[:-1] + table.kc_edges[1:]) / 2
    if sines.size == 1:
        sines, factor = np.append(sines, sines + 1), np.repeat(factor, 2, axis=0)
    if indices.size == 1:
        indices, factor = np.append(indices, indices + 1), np.repeat(factor, 2, axis=1)
    return LeadSlice(np.ascontiguousarray(factor), sines.astype(np.float32), indices.astype(np.float32))


def correct(
    ghi: NDArray[np.float32],
    gcs: NDArray[np.float32],
    sine: NDArray[np.float32],
    lead: LeadSlice,
    out: NDArray[np.float32],
) -> None:
    """Fill the corrected GHI of one hour.

    Parameters
    ----------
    ghi : float32 (cells,)
        Modelled hour-mean GHI, W/m2, >= 0.
    gcs : float32 (cells,)
        Clear-sky hour-mean GHI, W/m2 (`kernels.clearsky.hour_mean`).
    sine : float32 (cells,)
        Mean sine of the apparent elevation over the sunlit part of the hour (`kernels.clearsky.hour_mean`).
    lead : LeadSlice
        From `at_lead`.
    out : float32 (cells,)
        W/m2: factor x ghi where gcs >= 5 W/m2, else ghi; NaN where ghi or gcs is. May be `ghi` itself.

    Notes
    -----
    Releases the GIL.
    """
    require_size(ghi.size, ghi=ghi, gcs=gcs, sine=sine, out=out)
    _correct(ghi, gcs, sine, lead.factor, lead.sines, lead.indices, out)


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _bracket(centres, value):  # type: ignore[no-untyped-def]
    """Give the lower of the two bin centres around a value, and the weight of the upper (0..1)."""
    held = min(max(value, centres[0]), centres[-1])
    # Counting instead of searching: no branch to mispredict, half the time.
    i = 0
    for inner in range(1, centres.size - 1):
        i += held >= centres[inner]
    return i, (held - centres[i]) / (centres[i + 1] - centres[i])


@njit(nogil=True, cache=True, error_model="numpy")
def _correct(ghi, gcs, sine, factor, sines, indices, out):  # type: ignore[no-untyped-def]
    lowest = np.float32(LOWEST_CLEAR_SKY)
    for cell in range(ghi.size):
        g, clear = ghi[cell], gcs[cell]
        if clear < lowest:
            out[cell] = g
            continue
        e, weight_e = _bracket(sines, sine[cell])
        k, weight_k = _bracket(indices, g / clear)
        low = factor[e, k] + weight_k * (factor[e, k + 1] - factor[e, k])
        high = factor[e + 1, k] + weight_k * (factor[e + 1, k + 1] - factor[e + 1, k])
        # A NaN clear sky must not pass for a corrected value.
        out[cell] = clear if math.isnan(clear) else (low + weight_e * (high - low)) * g
