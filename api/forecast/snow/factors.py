"""What snow leaves of production, as it is published: by municipality, plane of reference and day."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from api.data.versions import require_provenance
from catalog.versions import Entry
from kernels.sun import vertical
from tiles.chunked import ChunkedTile
from tiles.grid import distance_km
from tiles.product import FILL

VARIABLE = "factor"
MOUNTING = "roof"
REACH_KM = 60.0
"""A municipality whose position is further away says nothing of a plant that is not known to lie in it."""

# A day of the snow authority runs from 06 to 06 UTC.
_DAY_S, _BEGINS_S = 86_400, 6 * 3600

Floats = NDArray[np.float64]
Moments = NDArray[np.int64]


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

    tilt_deg: float
    azimuth_deg: float


class Near(NamedTuple):
    """The municipality that answers for a position.

    Parameters
    ----------
    row : int
        Its place in the list.
    km : float
        From the position to that of the municipality.
    by : str
        `borders` where the position lies in it, else `nearest`.
    """

    row: int
    km: float
    by: str

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

    def near(self, lat: float, lon: float, number: int | None = None) -> Near:
        """Return the municipality of a number, where it has factors, or the one whose position is nearest.

        Parameters
        ----------
        lat, lon : float
            Degrees north and east.
        number : int, optional
            Kommunenummer of the municipality that the position lies in.
        """
        row, by = (None if number is None else self.rows.get(number)), "borders"
        if row is None:
            row, by = int(np.argmax(self.towards @ vertical(lat, lon))), "nearest"
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


def open_factors(entry: Entry, tile: ChunkedTile) -> Factors:
    """Return the factors of a version.

    Raises
    ------
    ValueError
        Its provenance does not say what it holds.
    """
    require_provenance(entry, tile, "sources", "municipalities", "geometries", "days")
    provenance = tile.manifest.provenance
    scale, offset = tile.scale(VARIABLE)
    packed = tile.table(VARIABLE)
    listed, dates = provenance["municipalities"], tuple(str(day) for day in provenance["days"])
    geometries = tuple(Geometry(float(tilt), float(azimuth)) for tilt, azimuth in provenance["geometries"])
    if packed.shape != (len(listed), len(geometries), len(dates)):
        raise ValueError(f"{entry.path} holds factors of another shape than its provenance says: build it anew")
    days = np.array(dates, "datetime64[D]").astype(np.int64)
    if (np.diff(days) != 1).any():
        raise ValueError(f"the days of {entry.path} do not follow each other: build it anew")
    known = (packed != FILL).all(axis=1)
    # of one whose snow is not known at all, its neighbour knows more
    rows = np.flatnonzero(known.any(axis=1))
    table = np.where(known[:, None], packed * scale + offset, 1.0)[rows]
    municipalities = tuple(Municipality(int(n), str(name), lat, lon) for n, name, lat, lon, *_ in listed)
    known_ones = tuple(municipalities[row] for row in rows)
    return Factors(
        entry,
        "; ".join(dict.fromkeys(str(one["attribution"]) for one in provenance["sources"])),
        known_ones,
        geometries,
        dates,
        int(days[0]),
        np.pad(known[rows], ((0, 0), (0, 1))),
        np.pad(table, ((0, 0), (0, 0), (0, 1)), constant_values=1.0),
        vertical([one.lat for one in known_ones], [one.lon for one in known_ones]).T,
        {one.number: row for row, one in enumerate(known_ones)},
    )
