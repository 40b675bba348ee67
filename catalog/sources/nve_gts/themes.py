"""The authority's themes: which quantity of ours each is, its units, and what can be.

Units were seen to differ between themes and versions of the service, so each answer's own counts: water and depth in
mm or cm, temperature in degrees C under several names. One list of themes calls it Kelvin although the values are
degrees C: there the values decide, whose ranges lie 100 degrees apart.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import Origin

_LENGTHS = {"mm": 1.0, "cm": 10.0}
_CELSIUS = ("c", "°c", "celcius", "celsius")
_KELVIN = ("k", "kelvin")
_COLDEST, _HOTTEST = -75.0, 50.0
_KELVIN_LOW, _KELVIN_HIGH = 180.0, 330.0
_ZERO_CELSIUS = 273.15


@dataclass(frozen=True)
class Theme:
    """A theme by the authority's name, our quantity, and the values that can be (mm; of temperature degC)."""

    name: str
    quantity: str
    low: float
    high: float

    def ours(self, origin: Origin, values: NDArray[np.float64], unit: str) -> NDArray[np.float64]:
        """Return values in our unit.

        Parameters
        ----------
        values : float64 (...)
            In the answer's unit, NaN where missing.
        unit : str
            As the answer names it.

        Raises
        ------
        SourceError
            An unknown unit, or values that cannot be.
        """
        converted = values + self._kelvin(origin, values, unit) if self is TM else values * self._length(origin, unit)
        wrongs = converted[(converted < self.low) | (converted > self.high)]
        if wrongs.size:
            of = "degrees C" if self is TM else "mm"
            raise origin.error(f"gives {self.name} as {wrongs[0]:g} {of}, beyond {self.low:g}..{self.high:g}")
        return converted

    def _length(self, origin: Origin, unit: str) -> float:
        factor = _LENGTHS.get(unit.strip().lower())
        if factor is None:
            raise origin.error(f"gives {self.name} in {unit!r:.40}, which is neither mm nor cm")
        return factor

    def _kelvin(self, origin: Origin, values: NDArray[np.float64], unit: str) -> float:
        """Return what is added to temperatures."""
        name = unit.strip().lower()
        if name in _CELSIUS:
            return 0.0
        if name not in _KELVIN:
            raise origin.error(f"gives {self.name} in {unit!r:.40}, which is neither degrees C nor Kelvin")
        known = values[~np.isnan(values)]
        if np.all((known >= _KELVIN_LOW) & (known <= _KELVIN_HIGH)):
            return -_ZERO_CELSIUS
        if np.all((known >= _COLDEST) & (known <= _HOTTEST)):
            return 0.0
        raise origin.error(f"gives {self.name} in {unit!r:.40}, but the values are neither that nor degrees C")


SWE = Theme("swe", "swe", 0.0, 60_000.0)  # on glaciers it grows from year to year
SD = Theme("sd", "snow_depth", 0.0, 25_000.0)
FSW = Theme("fsw", "new_snow", 0.0, 1_000.0)
SDFSW = Theme("sdfsw", "new_snow_depth", 0.0, 10_000.0)
TM = Theme("tm", "temp_air", _COLDEST, _HOTTEST)
THEMES = (SWE, SD, FSW, SDFSW, TM)
"""In the order of `model.QUANTITIES`."""
