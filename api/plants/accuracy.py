"""How far forecasts were from measurements, by lead and month, before and after calibration.

It imports kernels: call it in a thread, when the engines are ready.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from api.data.plants import measurements, weather
from api.data.plants.calibration import calibration_fields, is_used
from api.data.plants.measurements import Hours, months_of
from api.data.plants.plant import Plant
from api.data.plants.production import Floats, corrected_watts, plant_watts
from api.data.plants.weather import Weather
from api.plants.answers import hour

DAYS = 730
"""Older forecasts are not compared."""


class _Compared:
    """Hours of one lead that are forecast and measured, and have sun: arrays (n,)."""

    def __init__(self, plant: Plant, hours: Hours, forecasts: Weather) -> None:
        starts, own, theirs = np.intersect1d(hours.starts, forecasts.starts, assume_unique=True, return_indices=True)
        watts = plant_watts(plant, starts, forecasts.ghi[theirs], forecasts.temp_air[theirs])
        plain, measured = watts.sum(axis=0), hours.wh[own]
        sunny = (plain > 0) | (measured > 0)
        self.starts, self.measured, self.plain = starts[sunny], measured[sunny], plain[sunny]
        self.corrected: Floats | None = None
        if is_used(plant):
            self.corrected = corrected_watts(plant, watts, starts).sum(axis=0)[sunny]
        self.forecast = (plain * forecasts.factor[theirs])[sunny]
        self.month = months_of(self.starts)

    def row(self, lead: int, last: int | None, part: NDArray[np.bool_] | slice) -> dict[str, Any]:
        """Return the fields of `AccuracyRow` for some of the hours."""
        measured, plain, forecast = self.measured[part], self.plain[part], self.forecast[part]
        fields: dict[str, Any] = {
            "ledetid_timer": lead,
            "timer": measured.size,
            "malt_w": round(float(measured.mean()), 1),
            "ukalibrert": _errors(plain, measured),
            "etter_grunnlaget": last is not None and int(self.starts[part].min()) > last,
        }
        if self.corrected is not None:
            fields["kalibrert"] = _errors(self.corrected[part], measured)
        if (known := np.isfinite(forecast)).any():
            own = {"timer": int(known.sum()), "ukalibrert_mae_w": _errors(plain[known], measured[known])["mae_w"]}
            fields["varslet"] = _errors(forecast[known], measured[known]) | own
        return fields


def accuracy(plant: Plant, hours: Hours, forecasts: Mapping[int, Weather]) -> dict[str, Any]:
    """Return the fields of `Accuracy`.

    Parameters
    ----------
    plant : Plant
    hours : Hours
        Measured.
    forecasts : mapping of int to Weather
        By lead.
    """
    last = plant.calibration["last"] if plant.calibration else None
    compared = {lead: one for lead, of in forecasts.items() if (one := _Compared(plant, hours, of)).starts.size}
    every = np.concatenate([np.empty(0, np.int64), *(one.starts for one in compared.values())])
    return {
        "kalibrering": calibration_fields(plant),
        "grunnlag_til": hour(last),
        "fra": hour(int(every.min())) if every.size else None,
        "til": hour(int(every.max())) if every.size else None,
        "samlet": [one.row(lead, last, slice(None)) for lead, one in compared.items()],
        "rader": [row for lead, one in compared.items() for row in _by_month(lead, one, last)],
    }


def read(connection: Connection, plant_id: str, now: datetime) -> tuple[Hours, dict[int, Weather]]:
    """Return the measurements and forecasts of a plant that are compared."""
    start = int((now - timedelta(days=DAYS)).timestamp())
    return measurements.read(connection, plant_id, start), weather.read(connection, plant_id, start)


def _by_month(lead: int, compared: _Compared, last: int | None) -> Iterator[dict[str, Any]]:
    for month in np.unique(compared.month).tolist():
        name = f"{month // 12}-{month % 12 + 1:02d}"
        yield {"maaned": name, **compared.row(lead, last, compared.month == month)}


def _errors(forecast: Floats, measured: Floats) -> dict[str, float]:
    error = forecast - measured
    return {"mae_w": round(float(np.abs(error).mean()), 1), "skjevhet_w": round(float(error.mean()), 1)}
