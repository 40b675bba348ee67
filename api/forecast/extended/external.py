"""The external weather service, read through what is kept of it: never a stale answer, one question a place."""

import asyncio
import logging
import threading
import time
from pathlib import Path

import httpx

from api import texts
from api.crew import Crew
from api.errors import BadGateway
from catalog.readthrough import ReadThrough
from catalog.sources import locationforecast
from catalog.sources.errors import SourceError, Throttled
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline, make_client
from catalog.sources.locationforecast import PointForecast
from tiles.clock import Clock

log = logging.getLogger("solflis.api")

# Below the 30 s that a handler has (`connection.Patience`): who waits for nothing is told so by us.
WITHIN_S = 20.0
RETRY_S = 60
# All of this machine's answers together; one is 20-100 kB.
MAX_BYTES = 50_000_000
# Who sends us away with `Retry-After` is left alone, but not for longer than this.
LONGEST_PAUSE_S = 3600.0
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
        self._crew = Crew(THREADS, locationforecast.NAME)
        self._client: httpx.Client | None = None
        self._making = threading.Lock()
        self._not_before = 0.0

    async def at(self, lat: float, lon: float) -> PointForecast:
        """Return the forecast of a point.

        Raises
        ------
        BadGateway
            The service fails, and nothing fresh is kept.
        """
        north, east = locationforecast.point_of(lat, lon)
        key = f"{north:.4f},{east:.4f}"

        def read(body: bytes) -> PointForecast:
            return locationforecast.read(body, self._url, north, east)

        def ask(etag: str | None, modified: str | None, deadline: Deadline) -> Answer:
            client = self._shared_client()
            return locationforecast.ask(self._url, north, east, client, deadline, etag=etag, modified=modified)

        if kept := await asyncio.to_thread(self._kept.fresh, key, read):
            return kept.value
        if (wait := self._not_before - time.monotonic()) > 0:
            raise failed(wait)
        deadline = Deadline(WITHIN_S)
        try:
            async with asyncio.timeout(WITHIN_S):
                return (await self._crew.run(lambda: self._kept.get(key, ask, read, deadline))).value
        except SourceError as error:
            log.warning("%s", error)
            if isinstance(error, Throttled):
                self._not_before = time.monotonic() + min(error.seconds, LONGEST_PAUSE_S)
            raise failed() from error
        except TimeoutError as error:
            log.warning("%s: no answer within %g s", locationforecast.NAME, WITHIN_S)
            raise failed() from error

    def trim(self) -> None:
        """Remove what is kept of places that nobody asks for any more; it may wait for the disk."""
        self._kept.trim()

    def _shared_client(self) -> httpx.Client:
        with self._making:  # the certificates take a moment to load
            if self._client is None:
                self._client = make_client(self._user_agent)
            return self._client


def failed(retry_s: float = RETRY_S) -> BadGateway:
    """Return the error of an external service that fails, and when to come back, s."""
    return BadGateway(texts.EXTERNAL_FAILED, {"Retry-After": str(max(1, round(retry_s)))})
