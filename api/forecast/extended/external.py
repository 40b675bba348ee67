"""The external weather service, read through what is kept of it: never a stale answer, one question a place."""

import asyncio
import threading
from pathlib import Path

import httpx

from api import texts
from api.errors import BadGateway
from api.upstream import Spared, Upstream, retry_after
from catalog.readthrough import ReadThrough
from catalog.sources import locationforecast
from catalog.sources.errors import SourceError
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline, make_client
from catalog.sources.locationforecast import PointForecast
from tiles.clock import Clock

# All of this machine's answers together; one is 20-100 kB.
MAX_BYTES = 50_000_000
# So many questions at once; others wait, and places that are kept wait for nobody.
THREADS = 4


class External:
    """Point forecasts of the external service.

    Parameters
    ----------
    url : str
        Of locationforecast.
    user_agent : str
        Names this installation and whom to ask, as the service demands.
    state : Path
        Folder that the workers of this machine share.
    clock : Clock
    """

    def __init__(self, url: str, user_agent: str, state: Path, clock: Clock) -> None:
        self._url, self._user_agent = url, user_agent.encode("ascii", "replace").decode()
        folder = state / "readthrough" / locationforecast.NAME
        self._kept: ReadThrough[PointForecast] = ReadThrough(folder, locationforecast.NAME, clock, MAX_BYTES)
        self._service = Upstream(locationforecast.NAME, askers=THREADS, rest_s=0.0)
        self._client: httpx.Client | None = None
        self._making = threading.Lock()

    async def at(self, lat: float, lon: float) -> PointForecast:
        """Return the forecast of a point.

        Raises
        ------
        BadGateway
            The service fails, and nothing fresh is kept.
        """
        north, east = locationforecast.point_of(lat, lon)
        key = f"{north:.4f},{east:.4f}"

        def read(body: memoryview) -> PointForecast:
            return locationforecast.read(body, self._url, north, east)

        def ask(etag: str | None, modified: str | None, deadline: Deadline) -> Answer:
            client = self._shared_client()
            return locationforecast.ask(self._url, north, east, client, deadline, etag=etag, modified=modified)

        if kept := await asyncio.to_thread(self._kept.fresh, key, read):
            return kept
        try:
            return await self._service.ask(lambda deadline: self._kept.get(key, ask, read, deadline))
        except SourceError as error:
            raise failed(error) from error

    def trim(self) -> None:
        """Remove what is kept of places that nobody asks for any more; it may wait for the disk."""
        self._kept.trim()

    def _shared_client(self) -> httpx.Client:
        with self._making:  # the certificates take a moment to load
            if self._client is None:
                self._client = make_client(self._user_agent)
            return self._client


def failed(error: SourceError | None = None) -> BadGateway:
    """Return the error of an external service that fails, and when to come back."""
    return BadGateway(texts.EXTERNAL_FAILED, retry_after(error if isinstance(error, Spared) else None))
