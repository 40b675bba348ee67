"""Units and missing values of an upstream variable, brought to ours; times and their epochs."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ACCUMULATED = {"Ws/m2": (1.0, 0.0), "Wsm-2": (1.0, 0.0), "J/m2": (1.0, 0.0), "Jm-2": (1.0, 0.0)}
_FRACTION = {"1": (1.0, 0.0), "%": (0.01, 0.0), "percent": (0.01, 0.0)}
_CELSIUS = ("degC", "deg_C", "celsius", "Celsius", "°C", "degree_Celsius", "degrees_Celsius", "degree_C")
_TEMPERATURE = {"K": (1.0, -273.15), "kelvin": (1.0, -273.15), "Kelvin": (1.0, -273.15)} | dict.fromkeys(
    _CELSIUS, (1.0, 0.0)
)
_SPEED = {"m/s": (1.0, 0.0), "ms-1": (1.0, 0.0)}
_LENGTH = dict.fromkeys(("m", "metre", "metres", "meter", "meters"), (1.0, 0.0)) | {"km": (1000.0, 0.0)}
_IRRADIANCE = {"W/m2": (1.0, 0.0), "Wm-2": (1.0, 0.0)}
_PRESSURE = {"Pa": (0.01, 0.0), "hPa": (1.0, 0.0), "mbar": (1.0, 0.0), "millibar": (1.0, 0.0)}
_GEOPOTENTIAL = {"m2/s2": (1 / 9.80665, 0.0), "m2s-2": (1 / 9.80665, 0.0)}  # to metres, standard gravity

CONVERSIONS: dict[str, dict[str, tuple[float, float]]] = {
    "accumulated": _ACCUMULATED,
    "fraction": _FRACTION,
    "temperature": _TEMPERATURE,
    "speed": _SPEED,
    "length": _LENGTH,
    "geopotential": _GEOPOTENTIAL,
    "irradiance": _IRRADIANCE,
    "pressure": _PRESSURE,
}
"""For each kind of quantity: spellings of its units, (factor, offset) to W s/m2, 0-1, degC, m/s, m, m, W/m2, hPa."""

_SINCE = re.compile(
    r"(?P<unit>[a-z]+) since (?P<date>\d{1,4}-\d{1,2}-\d{1,2})"
    r"(?:[T ]\s*(?P<clock>\d{1,2}(?::\d{1,2}(?::\d{1,2}(?:\.\d*)?)?)?))?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?)?$"
)
_SECONDS = {
    **dict.fromkeys(("seconds", "second", "secs", "sec", "s"), 1),
    **dict.fromkeys(("minutes", "minute", "mins", "min"), 60),
    **dict.fromkeys(("hours", "hour", "hrs", "hr", "h"), 3600),
    **dict.fromkeys(("days", "day", "d"), 86400),
}


def conversion(kind: str, units: str | None) -> tuple[float, float] | None:
    """Return (factor, offset) from `units` to ours for a kind of quantity; None if not understood."""
    if units is None:
        return None
    plain = re.sub(r"[\s^.]|\*\*", "", units.strip())
    return CONVERSIONS[kind].get(plain)


def parse_epoch(units: str) -> tuple[int, int] | None:
    """Return (seconds per unit, unix time of the epoch) of "<unit> since <instant>", or None."""
    match = _SINCE.match(units.strip())
    if match is None or match["unit"] not in _SECONDS:
        return None
    year, month, day = (int(part) for part in match["date"].split("-"))
    clock = [*(match["clock"] or "0").split(":"), "0", "0"][:3]
    try:
        epoch = datetime(year, month, day, int(clock[0]), int(clock[1]), tzinfo=UTC)
    except ValueError:
        return None
    epoch += timedelta(seconds=float(clock[2])) - _zone(match["zone"] or "Z")
    return _SECONDS[match["unit"]], round(epoch.timestamp())


def _zone(text: str) -> timedelta:
    if not text.startswith(("+", "-")):
        return timedelta(0)
    digits = text[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    return timedelta(hours=hours, minutes=minutes) * (-1 if text[0] == "-" else 1)


@dataclass(frozen=True)
class Packing:
    """How stored numbers become ours: value = stored * factor + offset; which stored numbers mean missing."""

    factor: float
    offset: float
    missing: tuple[float, ...]

    def then(self, factor: float, offset: float) -> "Packing":
        """Return this packing followed by a change of units."""
        return Packing(self.factor * factor, self.offset * factor + offset, self.missing)

    def unpack(self, stored: NDArray[Any]) -> NDArray[np.float32]:
        """Return the values, float32, NaN where missing; may reuse the memory of `stored`."""
        narrow = stored.dtype.itemsize <= (4 if stored.dtype.kind == "f" else 2)
        values = self._unpack(stored, np.float32 if narrow else np.float64)
        return values.astype(np.float32, copy=False)

    def unpack_exact(self, stored: NDArray[Any]) -> NDArray[np.float64]:
        """Return the values as float64, NaN where missing; may reuse the memory of `stored`."""
        return self._unpack(stored, np.float64)

    def _unpack(self, stored: NDArray[Any], kind: type[np.floating[Any]]) -> NDArray[Any]:
        gaps = [stored == stored.dtype.type(value) for value in self.missing]
        own = stored.flags.writeable and stored.flags.aligned
        values: NDArray[Any] = stored.astype(kind, copy=not own)
        if self.factor != 1.0:
            values *= kind(self.factor)
        if self.offset != 0.0:
            values += kind(self.offset)
        for gap in gaps:
            if gap.any():
                values[gap] = np.nan
        return values
