"""The ground of the simulated land, a function of position in UTM 33 alone: mean height, valleys, ridges, coasts.

pvlib's relief knows nothing below 9 km. What it lacks are octaves of noise here, as strong as the coarse relief around
is rugged: rounded valleys (16 km), sharp ridges (7 and 3 km), and from there down to 2 m ever smaller hills. Octaves
that are finer than twice the cell are left out, so that a coarse window is a smoother picture of the same land.
"""

import numpy as np

from infra.simulator.heights.land import hollow_of_towns, land, shore_of_towns
from infra.simulator.heights.noise import Axis, Field, octave

_VALLEYS_M = 16_000.0
_RIDGES_M = (7_000.0, 3_100.0)
_HILLS_M = 1_500.0
_FINEST_M = 2.0
_GAIN = 0.46
_LEAST_RELIEF, _MOST_RELIEF = 14.0, 330.0
_COAST_M, _COAST_WAVES_M = 350.0, (3_000.0, 1_400.0, 650.0, 300.0, 140.0, 60.0)
# From the sea up to the height of the land behind it.
_SLOPE_M = 1_800.0
# The coast's noise cannot reach so far.
_CERTAINLY_INLAND_M = 6_000.0
_LOW_TOWNS_M = 15_000.0
_HIGHEST = 2_450.0


def heights(x: Axis, y: Axis, cell: float) -> Field:
    """Return the ground over a grid.

    Parameters
    ----------
    x, y : float64 (columns,), (rows,)
        m in UTM 33, ascending.
    cell : float
        What is finer than this is left out, m.

    Returns
    -------
    float32 (rows, columns), m above sea, 0 at sea, NaN where there is no data.
    """
    broad = land(x, y)
    relief = np.clip(0.85 * broad.rugged + 6, _LEAST_RELIEF, _MOST_RELIEF)
    z = broad.altitude + relief * _shape(x, y, cell)
    # soft at the bottom: no land below the sea, and at the top: none above the highest mountains
    z = 0.5 * (z + np.sqrt(z * z + np.float32(30.0**2)))
    z = np.where(z > 1500, _HIGHEST - (_HIGHEST - 1500) * np.exp((1500 - z) / (_HIGHEST - 1500)), z)
    inland = broad.inland
    if inland.min() < _LOW_TOWNS_M:  # towns by the sea lie low
        z = z * (1 - np.float32(0.8) * hollow_of_towns(x, y) * np.clip(1 - inland / _LOW_TOWNS_M, 0, 1))
    if inland.min() < _CERTAINLY_INLAND_M:
        town = shore_of_towns(x, y)
        inland = np.maximum(inland, town)
        # less of it in the middle of a town, which stays land
        inland += _COAST_M * (1 - np.clip(town / 1200, 0, np.float32(0.8))) * _coast(x, y, cell)
        rise = np.clip(inland / _SLOPE_M, 0, 1)
        rise = rise * rise * (3 - 2 * rise)
        z = np.where(inland > 0, rise * z + np.minimum(0.6 + 0.004 * inland, 6.0) * (1 - rise), 0)
    return np.where(broad.known > 0, z, np.nan).astype(np.float32)


def _shape(x: Axis, y: Axis, cell: float) -> Field:
    """Return valleys, ridges and hills, of a deviation near 1."""
    total = np.sqrt(octave(x, y, _VALLEYS_M, 1) ** 2 + np.float32(0.05)) - np.float32(0.85)
    rough = 1 + np.float32(0.35) * np.clip(total, -1, 1.5)  # valleys are smoother than heights
    for k, wavelength in enumerate(_RIDGES_M):
        crest = np.float32(0.8) - np.sqrt(octave(x, y, wavelength, 2 + k) ** 2 + np.float32(0.01))
        total += np.float32(0.5**k) * rough * crest
    strength, wavelength, seed = 0.16, _HILLS_M, 10
    while wavelength >= max(2 * cell, _FINEST_M):
        total += np.float32(strength) * rough * octave(x, y, wavelength, seed)
        strength, wavelength, seed = strength * _GAIN, wavelength / 2, seed + 1
    return np.asarray(total)


def _coast(x: Axis, y: Axis, cell: float) -> Field:
    """Return what makes bays, points and skerries of a smooth coast."""
    total = np.zeros((len(y), len(x)), dtype=np.float32)
    for k, wavelength in enumerate(_COAST_WAVES_M):
        if wavelength >= 2 * cell:
            total += np.float32(0.5**k) * octave(x, y, wavelength, 40 + k)
    return total
