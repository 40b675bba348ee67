"""The stations that forecasts are kept for.

The list of Frost changes a few times a year. The newest version of `station_forecast` carries the one that it was
built with, so nothing else has to be stored; a week later Frost is asked again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from catalog.sources import frost
from catalog.sources.data_origin import DataOrigin
from catalog.sources.errors import SourceError
from catalog.sources.frost import Station
from catalog.sources.http import without_credentials
from catalog.versions import read_index
from dags.build.context import BuildContext, Report
from dags.build.provenance import user_agent
from tiles.clock import iso, parse_iso
from tiles.dimensions import MAX_STATIONS
from tiles.errors import TileCorrupt
from tiles.manifest import Manifest
from tiles.products.station_forecast import PRODUCT
from tiles.store import Store

LASTS = timedelta(days=7)
# The forecast waits for this: where Frost is slow, it goes on with the list of last week, or without.
_DEADLINE_S = 10.0


@dataclass(frozen=True)
class Listed:
    """A list of stations, when it was made and by whom (an address), and whether they are real."""

    stations: tuple[Station, ...]
    listed_at: datetime
    asked: str
    data_origin: DataOrigin

    def to_json(self) -> dict[str, Any]:
        """Return the list as it goes into a provenance."""
        rows = [[s.number, s.name, s.lat, s.lon, s.altitude] for s in self.stations]
        about = {"listed_at": iso(self.listed_at), "asked": self.asked, "data_origin": self.data_origin}
        return {**about, "list": rows}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Listed":
        """Read the list of a provenance."""
        rows = tuple(Station(*row) for row in values["list"])
        return cls(rows, parse_iso(values["listed_at"]), values["asked"], values["data_origin"])


def listed(context: BuildContext) -> Listed:
    """Return the stations: the list of the newest `station_forecast` where it is this Frost's and young, else Frost's.

    Raises
    ------
    SourceError
        Frost does not answer, and there is no older list.
    """
    now, url = context.clock.now(), context.address(frost.NAME)
    held = _held(context.store, now, context.report)
    asked = without_credentials(url)
    if held is not None and held.asked != asked:
        held = None  # of another Frost: the simulator's, say
    if held is not None and abs(now - held.listed_at) < LASTS:
        return held
    try:
        fresh = frost.stations(url, user_agent=user_agent(), deadline_s=_DEADLINE_S)
    except SourceError as error:
        if held is None:
            raise
        context.report(f"warning: the list of stations stays that of {iso(held.listed_at)}: {error}")
        return held
    if len(fresh.stations) > MAX_STATIONS:
        context.report(f"warning: of {len(fresh.stations)} stations, only the first {MAX_STATIONS} are kept")
    return Listed(fresh.stations[:MAX_STATIONS], now, asked, fresh.data_origin)


def _held(store: Store, now: datetime, report: Report) -> Listed | None:
    newest = read_index(store, PRODUCT.name).newest(now)
    if newest is None:
        return None
    try:
        return Listed.from_json(Manifest.read(store, newest.manifest).provenance["stations"])
    except (TileCorrupt, KeyError, TypeError, ValueError) as error:
        # it would stay the newest for ever, were the next version not made without it
        report(f"warning: the list of stations of {newest.version} cannot be read: {error!r}")
        return None
