"""Read-through of the external service's point forecasts: never a stale answer, one question a place."""

from functools import cached_property, partial
from pathlib import Path

import httpx

from catalog.readthrough import ReadThrough
from catalog.sources import locationforecast
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline, make_client
from catalog.sources.locationforecast import PointForecast
from tiles.clock import Clock

# All of this machine's answers together; one is 20-100 kB.
MAX_BYTES = 50_000_000


class PointForecasts:
    """Point forecasts, read through a folder that the processes of a machine share.

    Safe to use from several threads; it waits for the disk, and `fetch` for the service.

    Parameters
    ----------
    url : str
        Of locationforecast.
    user_agent : str
        Names this installation and whom to ask, as the service demands.
    folder : Path
        Made when first needed.
    clock : Clock
    """

    def __init__(self, url: str, user_agent: str, folder: Path, clock: Clock) -> None:
        self._url, self._user_agent = url, user_agent
        self._files: ReadThrough[PointForecast] = ReadThrough(folder, locationforecast.NAME, clock, MAX_BYTES)

    def fresh(self, lat: float, lon: float) -> PointForecast | None:
        """Return what is kept of a point and fresh, without asking the service."""
        return self._files.fresh(_key(lat, lon), partial(self._read, lat, lon))

    def fetch(self, lat: float, lon: float, deadline: Deadline) -> PointForecast:
        """Return the forecast of a point: what is fresh, or what the service answers.

        Raises
        ------
        SourceError
            The service fails, and nothing fresh is kept.
        """

        def ask(etag: str | None, modified: str | None, deadline: Deadline) -> Answer:
            return locationforecast.ask(self._url, lat, lon, self._client, deadline, etag=etag, modified=modified)

        return self._files.get(_key(lat, lon), ask, partial(self._read, lat, lon), deadline)

    def trim(self) -> None:
        """Remove what is kept of places that nobody asks for any more; it may wait for the disk."""
        self._files.trim()

    @cached_property
    def _client(self) -> httpx.Client:
        """Made when first needed, for the certificates take a moment; of two threads each may make one."""
        return make_client(self._user_agent)

    def _read(self, lat: float, lon: float, body: memoryview) -> PointForecast:
        return locationforecast.read(body, self._url, *locationforecast.point_of(lat, lon))


def _key(lat: float, lon: float) -> str:
    north, east = locationforecast.point_of(lat, lon)
    return f"{north:.4f},{east:.4f}"
