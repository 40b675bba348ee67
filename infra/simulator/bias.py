"""A bias that is planted in the forecasts' radiation, so that what learns from them has something to find.

None by default. `solflis simulator --bias 0.8,0.95,-0.002` multiplies the radiation of every forecast by 0.8 when the
sun is at the horizon, by 0.95 when it is overhead (linear in the sine of its height), and by 1 - 0.002 h after h hours.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Bias:
    """Factor on a forecast's radiation.

    Parameters
    ----------
    low, high : float
        With the sun at the horizon and overhead.
    per_hour : float
        Added to 1 for each hour of lead.
    """

    low: float
    high: float
    per_hour: float

    @classmethod
    def parse(cls, text: str) -> "Bias":
        """Read `0.8,0.95,-0.002`.

        Raises
        ------
        ValueError
            The text is none, or the factor would not stay within 0.2..3 for 67 hours.
        """
        try:
            bias = cls(*(float(part) for part in text.split(",")))
        except (TypeError, ValueError):
            raise ValueError(f"'{text}' is no bias: write LOW,HIGH,PER_HOUR such as 0.8,0.95,-0.002") from None
        factors = [end * lead for end in (bias.low, bias.high) for lead in (1.0, 1 + 67 * bias.per_hour)]
        if not all(0.2 <= factor <= 3 for factor in factors):
            raise ValueError(f"'{text}' is no bias: its factors must stay within 0.2 and 3 for 67 hours")
        return bias

    @property
    def text(self) -> str:
        """What `parse` reads."""
        return f"{self.low:g},{self.high:g},{self.per_hour:g}"

    def factor(self, sine: "NDArray[np.float32]", lead_hours: "float | NDArray[np.floating]") -> "NDArray[np.floating]":
        """Return the factor at sines of the sun's height, (...) dimensionless."""
        return (self.low + (self.high - self.low) * sine.clip(0, 1)) * (1 + self.per_hour * lead_hours)
