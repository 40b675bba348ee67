"""Reading `station_forecast` back: what the correction learns from, and what the verification judges."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources import frost
from catalog.sources.frost import Observations
from catalog.versions import Entry, read_index
from dags.build.context import BuildContext, NothingToBuild
from dags.build.provenance import user_agent
from tiles.chunked import ChunkedTile
from tiles.products.station_forecast import PRODUCT
from tiles.store import Store

LONGEST = timedelta(hours=67)
_DEADLINE_S = 600.0


@dataclass(frozen=True)
class StationForecast:
    """One cycle at its stations.

    Parameters
    ----------
    version : str
    cycle : int
        Unix seconds.
    times : int64 (hours,)
        Starts of the hours, unix seconds.
    stations : int64 (stations,)
        Numbers.
    fields : dict of float32 (hours, stations)
        By variable, NaN where missing.
    provenance : dict
    """

    version: str
    cycle: int
    times: NDArray[np.int64]
    stations: NDArray[np.int64]
    fields: dict[str, NDArray[np.float32]]
    provenance: dict[str, Any]

    @property
    def leads(self) -> NDArray[np.float32]:
        """Hours from the cycle to the middle of each hour, (hours,)."""
        return ((self.times - self.cycle) / 3600 + 0.5).astype(np.float32)


def covering(store: Store, source: str, start: datetime, end: datetime, now: datetime) -> list[Entry]:
    """Return the published versions of a source that may hold hours of [start, end), the oldest cycle first."""
    entries = read_index(store, PRODUCT.name).entries
    return [e for e in entries if e.source == source and start - LONGEST < e.issued_at < end and e.issued_at <= now]


def observed(
    context: BuildContext, forecasts: Sequence[StationForecast], start: datetime, end: datetime
) -> Observations:
    """Return what the stations of forecasts measured in [start, end).

    Raises
    ------
    NothingToBuild
        Either the forecasts or the observations are simulated.
    SourceError
        The observations cannot be had.
    """
    numbers = np.unique(np.concatenate([f.stations for f in forecasts])).tolist()
    url = context.address(frost.NAME)
    found = frost.observations(url, numbers, start, end, user_agent=user_agent(), deadline_s=_DEADLINE_S)
    other = {f.provenance["forecast_origin"] for f in forecasts} - {found.data_origin}
    if other and np.isfinite(found.ghi).any():
        raise NothingToBuild(f"{found.data_origin} observations do not judge {', '.join(sorted(other))} forecasts")
    return found


def read(store: Store, entry: Entry) -> StationForecast:
    """Read a version.

    Raises
    ------
    TileCorrupt
        It is damaged.
    """
    tile = ChunkedTile(store, PRODUCT, entry.manifest)
    times, stations = (np.frombuffer(tile.manifest.fetch(store, f"{name}/c/0"), "<i8") for name in PRODUCT.dims)
    fields = {
        name: PRODUCT.variable(name).unpack(tile.table(name)).astype(np.float32) for name in tile.manifest.variables
    }
    return StationForecast(
        entry.version, int(entry.issued_at.timestamp()), times, stations, fields, tile.manifest.provenance
    )
