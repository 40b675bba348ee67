"""The snow authority as it is asked on demand: its mornings and seasons, one connection, when it is to be spared."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta

import httpx

from catalog.sources.errors import Throttled
from catalog.sources.http import make_client, without_credentials
from catalog.sources.nve_gts import NAME, Point
from tiles.clock import Clock

FIRST_DAY = date(1957, 9, 1)
KEPT_FOR = timedelta(days=30)
# That there is no cell may be a fault of that day.
NONE_FOR = timedelta(days=1)
# The day that began at 06 UTC yesterday is observed, and the authority has looked at it.
_OUT_AFTER = timedelta(hours=7)
# Known long enough to be observed, for the question which cells there are.
_SEARCHED_BEFORE = timedelta(days=10)
LONGEST_REST_S = 3600.0


class SnowService:
    """What whoever asks the authority on demand has to know of it. Safe to use from several threads.

    Parameters
    ----------
    url : str
        Of the snow authority.
    user_agent : str
        Names this installation and whom to ask.
    clock : Clock
    """

    def __init__(self, url: str, user_agent: str, clock: Clock) -> None:
        self.url, self._name = url, without_credentials(url)
        self.user_agent = user_agent.encode("ascii", "replace").decode()
        self._clock = clock
        self._client: httpx.Client | None = None
        self._making = threading.Lock()
        self._sent_away_until = 0.0

    def day(self) -> date:
        """Return the date of the newest forecast: the day before it is observed. It begins at 07 UTC."""
        now: datetime = self._clock.now()
        return (now - _OUT_AFTER).date()

    def last_summer(self) -> date:
        """Return the last 31 August that is observed."""
        return season_start(self.day()) - timedelta(days=1)

    def search_day(self) -> date:
        """Return a day whose snow is known wherever there is a cell."""
        return self.day() - _SEARCHED_BEFORE

    def key(self, point: Point) -> str:
        """Return what names a point of this authority."""
        return f"{self._name} {point[0]} {point[1]}"

    def client(self) -> httpx.Client:
        """Return the one connection."""
        with self._making:  # the certificates take a moment to load
            if self._client is None:
                self._client = make_client(self.user_agent)
            return self._client

    @contextmanager
    def unless_sent_away(self) -> Iterator[None]:
        """Ask nothing before the time that the authority named to whoever of this process asked last.

        Raises
        ------
        Throttled
        """
        if (left := self._sent_away_until - time.monotonic()) > 0:
            raise Throttled(f"{NAME}: wants to be asked again in {left:.0f} s", left)
        try:
            yield
        except Throttled as error:
            self._sent_away_until = time.monotonic() + min(error.seconds, LONGEST_REST_S)
            raise


def season_start(day: date) -> date:
    """Return the 1 September at which a day's snow year began."""
    began = date(day.year, 9, 1)
    return began if began <= day else date(day.year - 1, 9, 1)
