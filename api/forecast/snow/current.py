"""What answers for snow now: the factors that are fresh, and the borders by which a position has its municipality."""

from datetime import datetime
from typing import Literal, NamedTuple

from api.forecast.snow import borders as by_borders
from api.forecast.snow import factors as by_factors
from api.forecast.snow.borders import Borders
from api.forecast.snow.factors import Factors, Near
from api.published import Followed


class Current(NamedTuple):
    """What is published, of each product one version.

    Parameters
    ----------
    factors : Factors
    borders : Borders or None
        None where none are published, or they cannot be opened.
    """

    factors: Factors
    borders: Borders | None

    @property
    def name(self) -> str:
        """What tells it from all other pairs of versions."""
        return f"{self.factors.entry.path}+{'no borders' if self.borders is None else self.borders.version}"

    def near(self, lat: float, lon: float) -> Near:
        """Return the municipality that answers for a position: the one it lies in, or else the nearest.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        """
        number = None if self.borders is None else self.borders.number_at(lat, lon)
        inside = None if number is None else self.factors.of_number(number, lat, lon)
        return self.factors.nearest(lat, lon) if inside is None else inside


Reason = Literal["snow_blob_unavailable", "snow_data_stale"]


class Absent(NamedTuple):
    """Why there are no factors now.

    Parameters
    ----------
    reason : str
    issued_at : datetime or None
        Of the newest, which is too old.
    """

    reason: Reason
    issued_at: datetime | None = None


class SnowFactors:
    """Follows what is published.

    Parameters
    ----------
    factors, borders : Followed
        The products `snow_factors` and `municipality`.
    """

    def __init__(self, factors: Followed, borders: Followed) -> None:
        self._factors, self._borders = factors, borders

    def current(self, now: datetime) -> Current | Absent:
        """Return what is fresh at a moment, or why there are no factors."""
        serving = self._factors.current(by_factors.VARIABLE, now)
        if serving is not None:
            borders = self._borders.current(by_borders.VARIABLE, now)
            return Current(serving.prepared, None if borders is None else borders.prepared)
        newest, limit = self._factors.index.newest(now, by_factors.VARIABLE), self._factors.product.expires_after
        if newest is not None and limit is not None and now - newest.issued_at > limit:
            return Absent("snow_data_stale", newest.issued_at)
        return Absent("snow_blob_unavailable")
