"""The body of a nowcast: four hours of the tile that images were made into, or of the forecast."""

import logging
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from api.forecast.body import HOUR_S, Series
from api.forecast.nowcast.models import FALLBACK, SATELLITE
from api.forecast.place import Place
from api.forecast.rows import Layout, as_columns
from catalog.versions import Entry
from tiles.clock import floor_hour, iso
from tiles.grid import Cell
from tiles.hydrated import HydratedTile
from tiles.product import CORRUPT

log = logging.getLogger("solflis.api")

N_HOURS = 4
TIME_CONVENTION = "time: start of the hour, UTC; ghi_wm2, clearsky_wm2: mean over [time, time + 1 h)"
# Of the product, and the digits that answers have.
_VARIABLES = {"ghi": 1, "clearsky": 1, "kt": 3, "satellite": 4}


class Seen(NamedTuple):
    """Some hours of a point, (n,) each: W/m2, W/m2, clearness index, weight of the satellite."""

    ghi: NDArray[np.float64]
    clearsky: NDArray[np.float64]
    kt: NDArray[np.float64]
    satellite: NDArray[np.float64]


class Images:
    """A nowcast tile, open.

    Attributes
    ----------
    issued : datetime
        The nominal time of its image.
    origin : str
        `live` or `simulated`.
    """

    def __init__(self, entry: Entry, tile: HydratedTile) -> None:
        self.issued, self.origin = entry.issued_at, entry.data_origin
        self._tile, self._version = tile, entry.version

    def reaches(self, start: datetime) -> bool:
        """Return whether the hours from one on are all there."""
        row = self._row(start)
        return 0 <= row <= self._tile.n_times - N_HOURS

    def at(self, cell: Cell, start: datetime) -> Seen | None:
        """Return the hours from one on, or None where the satellite says nothing of the point.

        What is damaged says nothing either, and is logged.
        """
        row = self._row(start)
        values = []
        for name, digits in _VARIABLES.items():
            packed = np.frombuffer(self._tile.raw(name, *cell), "<u2")[row : row + N_HOURS]
            if len(packed) < N_HOURS or packed.max() >= CORRUPT:
                if len(packed) < N_HOURS or CORRUPT in packed:
                    log.error("damaged cell %s of nowcast %s", cell, self._version)
                return None
            scale, offset = self._tile.scale(name)
            values.append(np.round(packed * scale + offset, digits))
        seen = Seen(*values)
        return seen if seen.satellite.any() else None

    def _row(self, start: datetime) -> int:
        return int(start.timestamp() - self._tile.times[0]) // HOUR_S


def prepare(entry: Entry, tile: HydratedTile) -> Images:
    """Return what requests are answered from, when a tile is opened."""
    return Images(entry, tile)


PREPARE: dict[str, Any] = {"ghi": prepare}


def body(
    place: Place,
    cell: Cell,
    series: Series,
    packed: tuple[int, ...],
    images: Images | None,
    now: datetime,
    layout: Layout,
) -> tuple[str, bytes]:
    """Return where the data come from, and the JSON body.

    Parameters
    ----------
    place : Place
    cell : Cell
    series : Series
        Of v2.3b.
    packed : tuple of int
        Its hours from the current one on, at least four.
    images : Images or None
        The newest nowcast that is young enough.
    now : datetime
    layout : {"rows", "columns"}
    """
    start = floor_hour(now)
    model = np.round(series.ghi(packed[:N_HOURS]), 1)
    young = images if images is not None and images.reaches(start) else None
    seen = None if young is None else young.at(cell, start)
    origins = {series.origin, *([] if young is None else [young.origin])}
    answer: dict[str, Any] = {
        "latitude": place.lat,
        "longitude": place.lon,
        "grid_index": {"i_lat": cell[0], "i_lon": cell[1]},
        "source": FALLBACK if seen is None else SATELLITE,
    }
    if seen is None:
        answer["fallback_reason"] = "no_recent_image" if young is None else "point_not_covered"
    if young is not None:
        answer["satellite_time"] = iso(young.issued)
        answer["satellite_lag_min"] = round((now - young.issued).total_seconds() / 60, 1)
        answer["sat_covered"] = seen is not None
    origin = "live" if origins == {"live"} else "simulated"
    rows = _rows(start, model, seen)
    answer |= {
        "cycle_time": series.cycle_time,
        "time_convention": TIME_CONVENTION,
        "data_origin": origin,
        "hours": as_columns(rows) if layout == "columns" else rows,
    }
    return origin, orjson.dumps(answer)


def _rows(start: datetime, model: NDArray[np.float64], seen: Seen | None) -> list[dict[str, Any]]:
    first = int(start.timestamp())
    columns: dict[str, list[Any]] = {
        "time": [iso(datetime.fromtimestamp(first + HOUR_S * k, UTC)) for k in range(N_HOURS)],
        "ghi_wm2": (model if seen is None else seen.ghi).tolist(),
        "v23b_ghi_wm2": model.tolist(),
    }
    if seen is not None:
        columns |= {"kt": seen.kt.tolist(), "clearsky_wm2": seen.clearsky.tolist()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
