"""Production of a registered plant, as its calibration corrects it, and as it is without.

It imports kernels: see `production.py`.
"""

from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from api.data.plants.production import corrected_watts
from api.forecast.days import Days
from api.forecast.production import Floats, power_columns, print_power, sums_of, system_of, texts_of
from api.forecast.registered import Registered
from api.forecast.requests import ForecastRequest
from api.forecast.series import Sums
from api.forecast.snow.applied import OnPlant
from api.forecast.surroundings import AppliedHorizon


def calibrated(
    registered: Registered, request: ForecastRequest, watts: Floats, times: NDArray[np.int64], snow: OnPlant | None
) -> Floats:
    """Return production as the calibration corrects it.

    Parameters
    ----------
    registered : Registered
        Of which `is_calibrated`.
    request : ForecastRequest
    watts : float64 (m, n)
        From `production.power_of`, with snow where that is asked for: the calibration's own factors of snow then rest.
    times : int64 (n,)
        Starts of the hours, unix seconds.
    snow : OnPlant or None
    """
    own_snow = snow is None or snow.factors is None
    return corrected_watts(registered.plant, watts, times, snow=own_snow, only_limit=request.precise)


def print_registered(
    registered: Registered,
    request: ForecastRequest,
    watts: Floats,
    times: NDArray[np.int64],
    rows: bytes,
    days: Days,
    horizon: AppliedHorizon,
    snow: OnPlant | None,
) -> tuple[dict[str, bytes], list[int]]:
    """Return the JSON of the fields that a registered plant adds to an answer, and the sums of its days.

    Parameters
    ----------
    registered : Registered
    request : ForecastRequest
    watts : float64 (m, n)
        As `calibrated` takes them.
    times : int64 (n,)
    rows : bytes
        As `print_power` takes them, in the request's layout.
    days : Days
    horizon : AppliedHorizon
    snow : OnPlant or None
    """
    original = main = print_power(request, watts, rows, request.layout, days)
    if registered.is_calibrated:
        corrected = calibrated(registered, request, watts, times, snow)
        main = print_power(request, corrected, rows, request.layout, days)
    texts = texts_of(request, main, horizon, snow) | registered.texts
    if registered.is_wanted:
        system = system_of(request, horizon, main.sums) | {"ukorrigert": sums_of(original.sums)}
        texts |= {"pv_system": orjson.dumps(system), "pv_timeseries_ukorrigert": original.text}
    return texts, main.sums.days


def table_columns(
    registered: Registered,
    request: ForecastRequest,
    watts: Floats,
    times: NDArray[np.int64],
    snow: OnPlant | None,
) -> tuple[dict[str, Floats], Sums, dict[str, Any]]:
    """Return the columns of production, their sums, and what is said of the plant.

    The production without calibration is one column, `total_ukorrigert_kWh`.
    """
    columns, sums = power_columns(request, watts)
    fields = dict(registered.fields)
    if registered.is_wanted:
        fields["ukorrigert"] = sums_of(sums)
        plain = {"total_ukorrigert_kWh": columns["total_kWh"]}
        if registered.is_calibrated:
            columns, sums = power_columns(request, calibrated(registered, request, watts, times, snow))
        columns |= plain
    return columns, sums, fields
