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
_KELVIN = ("k", "kelvin")
_TEMPERATURES = (*_KELVIN, "c", "°c", "celcius", "celsius")
_KELVIN_LOW = 180.0
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
        name = unit.strip().lower()
        if name not in (_TEMPERATURES if self is TM else _LENGTHS):
            units = "degrees C nor Kelvin" if self is TM else "mm nor cm"
            raise origin.error(f"gives {self.name} in {unit!r:.40}, which is neither {units}")
        # called Kelvin, the values decide
        is_kelvin = name in _KELVIN and not (values < _KELVIN_LOW).any()
        converted = values * _LENGTHS.get(name, 1.0) - (_ZERO_CELSIUS if is_kelvin else 0.0)
        wrongs = converted[(converted < self.low) | (converted > self.high)]
        if wrongs.size:
            of = "degrees C" if self is TM else "mm"
            raise origin.error(f"gives {self.name} as {wrongs[0]:g} {of}, beyond {self.low:g}..{self.high:g}")
        return converted


SWE = Theme("swe", "swe", 0.0, 60_000.0)  # on glaciers it grows from year to year
SD = Theme("sd", "snow_depth", 0.0, 25_000.0)
FSW = Theme("fsw", "new_snow", 0.0, 1_000.0)
SDFSW = Theme("sdfsw", "new_snow_depth", 0.0, 10_000.0)
TM = Theme("tm", "temp_air", -75.0, 50.0)
THEMES = (SWE, SD, FSW, SDFSW, TM)
"""In the order of `model.QUANTITIES`."""
