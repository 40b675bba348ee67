"""What snow leaves of production, as it is published: by municipality, plane of reference and day."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.versions import Entry
from tiles.chunked import ChunkedTile
from tiles.grid import distance_km
from tiles.product import FILL

VARIABLE = "factor"
MOUNTING = "roof"
REACH_KM = 60.0
"""A municipality whose position is further away says nothing of a plant that is not known to lie in it."""

# A day of the snow authority runs from 06 to 06 UTC.
_DAY_S, _BEGINS_S = 86_400, 6 * 3600
_EPOCH = date(1970, 1, 1)
_TOLD = ("sources", "municipalities", "geometries", "days")

Floats = NDArray[np.float64]
Moments = NDArray[np.int64]
By = Literal["borders", "nearest"]


class Municipality(NamedTuple):
    """A municipality that there are factors of.

    Parameters
    ----------
    number : int
    name : str
    lat, lon : float
        Of its cell of reference, degrees.
    """

    number: int
    name: str
    lat: float
    lon: float


class Geometry(NamedTuple):
    """A plane of reference: degrees from level, and clockwise from true north."""

    tilt: float
    azimuth: float


class Near(NamedTuple):
    """The municipality that answers for a position.

    Parameters
    ----------
    row : int
        Its place in the list.
    km : float
        From the position to that of the municipality.
    by : str
        Whether the position lies in it, or it is the nearest.
    """

    row: int
    km: float
    by: By

    @property
    def within_reach(self) -> bool:
        """Whether it says anything of the position."""
        return self.by == "borders" or self.km <= REACH_KM


@dataclass(frozen=True, eq=False)
class Factors:
    """A published version.

    Parameters
    ----------
    entry : Entry
    source : str
        What is to be named.
    municipalities : tuple of Municipality
    geometries : tuple of Geometry
    dates : tuple of str
        On which the days begin, without a gap.
    first_day : int
        The first of them, days since 1970-01-01.
    known : bool (municipalities, days + 1)
        Whether a municipality has the day's factors, of all planes; the last column is no day.
    table : float64 (municipalities, geometries, days + 1)
        0..1; 1 where they are not known.
    towards : float64 (municipalities, 3)
        Directions of their positions from the Earth's centre.
    rows : mapping of int to int
        Places in the list, by number.
    """

    entry: Entry
    source: str
    municipalities: tuple[Municipality, ...]
    geometries: tuple[Geometry, ...]
    dates: tuple[str, ...]
    first_day: int
    known: NDArray[np.bool_]
    table: Floats
    towards: Floats
    rows: Mapping[int, int]

    def of_number(self, number: int, lat: float, lon: float) -> Near | None:
        """Return the municipality of a number for a position that lies in it; None where it has no factors.

        Parameters
        ----------
        number : int
            Kommunenummer.
        lat, lon : float
            Degrees north and east.
        """
        row = self.rows.get(number)
        return None if row is None else self._near(row, lat, lon, "borders")

    def nearest(self, lat: float, lon: float) -> Near:
        """Return the municipality whose position is nearest, by true distance.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        """
        return self._near(int(np.argmax(self.towards @ _towards(lat, lon))), lat, lon, "nearest")

    def _near(self, row: int, lat: float, lon: float, by: By) -> Near:
        one = self.municipalities[row]
        return Near(row, distance_km(lat, lon, one.lat, one.lon), by)

    def geometries_of(self, planes: Floats) -> NDArray[np.int64]:
        """Return the numbers of the planes nearest in tilt and then, round the circle, in azimuth; of two, the first.

        Parameters
        ----------
        planes : float64 (m, 2)
            Degrees from level, and clockwise from true north.

        Returns
        -------
        int64 (m,)
        """
        away = np.abs(planes[:, None] - np.array(self.geometries))
        tilt, azimuth = away[..., 0], away[..., 1]
        nearest = tilt == tilt.min(axis=1, keepdims=True)
        found: NDArray[np.int64] = np.where(nearest, np.minimum(azimuth, 360 - azimuth), np.inf).argmin(axis=1)
        return found

    def day_of(self, starts: Moments) -> Moments:
        """Return which of the days each hour belongs to, (n,); their number where it is none of them.

        Parameters
        ----------
        starts : int64 (n,)
            Starts of hours, unix seconds.
        """
        day = (starts - _BEGINS_S) // _DAY_S - self.first_day
        none = len(self.dates)
        return np.where((day < 0) | (day > none), none, day)


def _open(entry: Entry, tile: ChunkedTile) -> Factors:
    told = tile.manifest.provenance
    missing = [name for name in _TOLD if not told.get(name)]
    if missing:
        raise ValueError(f"the provenance of {entry.path} lacks {', '.join(missing)}: build it anew")
    scale, offset = tile.scale(VARIABLE)
    packed = tile.table(VARIABLE)
    listed, dates = _listed(told), tuple(str(day) for day in told["days"])
    geometries = tuple(Geometry(float(tilt), float(azimuth)) for tilt, azimuth in told["geometries"])
    if packed.shape != (len(listed), len(geometries), len(dates)):
        raise ValueError(f"{entry.path} holds factors of another shape than its provenance tells: build it anew")
    known = (packed != FILL).all(axis=1)
    # of one whose snow is not known at all, its neighbour knows more
    rows = np.flatnonzero(known.any(axis=1))
    table = np.where(known[:, None], packed * scale + offset, 1.0)[rows]
    municipalities = tuple(Municipality(int(n), str(name), lat, lon) for n, name, lat, lon, *_ in listed)
    kept = tuple(municipalities[row] for row in rows)
    return Factors(
        entry,
        "; ".join(dict.fromkeys(str(one["attribution"]) for one in told["sources"])),
        kept,
        geometries,
        dates,
        _first_of(dates, entry),
        np.pad(known[rows], ((0, 0), (0, 1))),
        np.pad(table, ((0, 0), (0, 0), (0, 1)), constant_values=1.0),
        np.array([_towards(one.lat, one.lon) for one in kept]),
        {one.number: row for row, one in enumerate(kept)},
    )


def _listed(told: Mapping[str, Any]) -> list[list[Any]]:
    listed: list[list[Any]] = told["municipalities"]
    return listed


def _first_of(days: Sequence[str], entry: Entry) -> int:
    numbers = [(date.fromisoformat(day) - _EPOCH).days for day in days]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise ValueError(f"the days of {entry.path} do not follow each other: build it anew")
    return numbers[0]


def _towards(lat: float, lon: float) -> Floats:
    """Return the direction of a position from the Earth's centre, (3,): what is nearest has the greatest product."""
    north, east = math.radians(lat), math.radians(lon)
    return np.array([math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north)])


PREPARE: dict[str, Any] = {VARIABLE: _open}
"""What is made of the product's variable when a version is opened."""
