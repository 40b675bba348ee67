"""What a registered plant produces in given weather, and as its calibration corrects it.

It imports kernels: who answers on the event loop imports it when it is used (`api/core/engines.py`).
"""

import numpy as np
from numpy.typing import NDArray

from api.data.plants.plant import Plant
from kernels.plants.correction import Calibration, apply
from kernels.plants.output import TEMP_COEFF, clear_sky_watts
from kernels.production import simplified
from kernels.sun import sun_table

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
_HALF_HOUR_S = 1800


def planes_of(plant: Plant) -> Floats:
    """Return tilt, azimuth and kWp of each array, (m, 3)."""
    return np.array([(array.tilt_deg, array.azimuth_deg, array.kwp) for array in plant.arrays], np.float64)


def plant_watts(plant: Plant, starts: Longs, ghi: Floats, temp_air: Floats) -> Floats:
    """Return the production of the simplified engine, without calibration.

    Parameters
    ----------
    plant : Plant
        With m arrays.
    starts : int64 (n,)
        Of the hours, unix seconds.
    ghi, temp_air : float64 (n,)
        W/m2; degrees C.

    Returns
    -------
    float64 (m, n)
        Mean W over each hour; NaN where an input is.
    """
    sun = sun_table(starts + _HALF_HOUR_S)
    return simplified(sun, plant.lat, plant.lon, ghi, temp_air, planes_of(plant), plant.performance_ratio, TEMP_COEFF)


def corrected_watts(
    plant: Plant, watts: Floats, starts: Longs, *, snow: bool = True, only_limit: bool = False
) -> Floats:
    """Return production as the plant's calibration corrects it.

    Parameters
    ----------
    plant : Plant
        With a calibration.
    watts : float64 (m, n)
        Of its arrays.
    starts : int64 (n,)
        Unix seconds.
    snow : bool
        Whether the calibration's own factors of snow count: not where `watts` are with snow already.
    only_limit : bool
        Whether the limit of the inverter counts alone, as of production of another engine.
    """
    stored = plant.calibration or {}
    calibration = Calibration.from_json(stored)
    if only_limit:
        calibration = Calibration(clip_w=calibration.clip_w)
    clear = None
    if calibration.sun is not None:
        sky = stored["altitude_m"], stored["turbidity"]
        clear = clear_sky_watts(plant.lat, plant.lon, *sky, planes_of(plant), plant.performance_ratio, starts).sum(
            axis=0
        )
    return apply(calibration, watts, starts, plant.lat, plant.lon, snow, clear)
