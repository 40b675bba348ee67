"""The plant as the sun sees it: clear-sky production and sun angles of any hours, against which files are judged."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kernels.plants.clear_plane import clear_plane_watts
from kernels.plants.output import sun_angles

HOUR_S = 3600
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TYPICAL_TURBIDITY = (2.3, 2.5, 2.8, 3.1, 3.3, 3.4, 3.5, 3.4, 3.1, 2.7, 2.4, 2.2)


class PlantModel:
    """A plant under a clear sky.

    Parameters
    ----------
    lat, lon : float
        Degrees.
    planes : sequence of (tilt, azimuth, kWp)
        Degrees from level, degrees clockwise from true north, kW.
    performance_ratio : float
    turbidity : sequence of 12 floats
        Linke turbidity by month.
    altitude : float
        m above sea level.
    """

    def __init__(
        self,
        lat: float,
        lon: float,
        planes: Sequence[tuple[float, float, float]],
        performance_ratio: float,
        turbidity: Sequence[float] = TYPICAL_TURBIDITY,
        altitude: float = 100.0,
    ) -> None:
        self.lat, self.lon, self.planes, self.performance_ratio = (
            lat,
            lon,
            np.array(planes, np.float64),
            performance_ratio,
        )
        self.kwp = float(self.planes[:, 2].sum())
        self._turbidity, self._altitude = np.array(turbidity, np.float64), altitude
        self._first, self._clear, self._elevation = 0, np.empty(0), np.empty(0)

    def clear(self, starts: Ints) -> Floats:
        """Return clear-sky production of hours, Wh, (n,)."""
        places = self._places(starts)
        return self._clear[places]

    def elevation(self, starts: Ints) -> Floats:
        """Return the sun's elevation in the middle of hours, degrees, (n,)."""
        places = self._places(starts)
        return self._elevation[places]

    def _places(self, starts: Ints) -> Ints:
        """Return where hours stand in what is calculated; years that are not are calculated now."""
        if not len(starts):
            return np.empty(0, np.int64)
        first, last = int(starts.min()), int(starts.max())
        if not self._clear.size or first < self._first or last >= self._first + self._clear.size * HOUR_S:
            self._first = first - 48 * HOUR_S
            span = np.arange(self._first, last + 49 * HOUR_S, HOUR_S)
            self._clear = clear_plane_watts(
                self.lat, self.lon, self._altitude, self._turbidity, self.planes, self.performance_ratio, span
            )
            self._elevation = sun_angles(self.lat, self.lon, span)[0]
        places: Ints = (np.asarray(starts) - self._first) // HOUR_S
        return places
