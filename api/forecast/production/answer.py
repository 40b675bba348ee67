"""What an answer says of production: `pv_system`, `pv_timeseries` and `snow`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from api import texts
from api.errors import ServerError
from api.forecast.production.power import Plant, Power, total_kwp
from api.forecast.rows import Layout, Table, number_texts

# Until there are snow tiles.
NO_SNOW = {"snow_applied": False, "reason": "snow_blob_unavailable"}
SNOW_NOT_ASKED = {"snow_applied": False, "reason": "not_requested"}


class Printed:
    """A plant's production as it is printed: whole tenths of a watt, so that every printed sum is exact.

    Parameters
    ----------
    plant : Plant
    power : Power

    Raises
    ------
    ServerError
        A number is none: the weather or the engine is wrong.
    """

    def __init__(self, plant: Plant, power: Power) -> None:
        self._plant, self._power = plant, power
        self._tenths = np.rint(power.watts * 10)
        self._total = self._tenths.sum(axis=0)
        self._sum, self._peak = float(self._total.sum()), float(self._total.max())
        if not np.isfinite(self._sum):
            raise ServerError(texts.INTERNAL)

    def sums(self) -> dict[str, float]:
        """Return the plant over the whole series."""
        return {
            "total_kwp": total_kwp(self._plant.arrays),
            "peak_power_w": self._peak / 10,
            "total_production_kwh": self._sum / 10_000,
        }

    def system(self) -> dict[str, Any]:
        """Return `pv_system`."""
        sums = self.sums()
        return {
            "total_kwp": sums.pop("total_kwp"),
            "arrays": [array.__dict__ for array in self._plant.arrays],
            "performance_ratio": self._plant.performance_ratio,
            **sums,
            "engine": self._power.engine,
            "horizon_applied": self._power.horizon_applied,
        }

    def columns(self) -> list[tuple[str, list[bytes]]]:
        """Return the numbers of `pv_timeseries` as texts: each array's, and the sum in W and in kWh."""
        m, n = self._tenths.shape
        numbers = np.empty((m + 2, n))
        np.divide(self._tenths, 10, out=numbers[:m])
        np.divide(self._total, 10, out=numbers[m])
        np.divide(self._total, 10_000, out=numbers[m + 1])
        found = number_texts(numbers)
        names = [*(f"{array.name}_W" for array in self._plant.arrays), "total_W", "total_kWh"]
        return [(name, found[at * n : (at + 1) * n]) for at, name in enumerate(names)]


def production(
    table: Table, ghi: Sequence[bytes], plant: Plant, power: Power, *, layout: Layout, snow: bool
) -> dict[str, Any]:
    """Return the fields that production adds to an answer.

    Parameters
    ----------
    table : Table
        The hours of the series.
    ghi : sequence of bytes
        Its irradiance as printed.
    plant, power : Plant, Power
    layout : {"rows", "columns"}
    snow : bool
        Whether snow was asked for.

    Raises
    ------
    ServerError
        As `Printed`.
    """
    printed = Printed(plant, power)
    fields = {
        "pv_system": printed.system(),
        "pv_timeseries": table.render([("ghi_wm2", ghi), *printed.columns()], layout),
    }
    return {**fields, "snow": NO_SNOW} if snow else fields
