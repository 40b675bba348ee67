"""Read-through of Kartverket's search for addresses and place names: one question a text, kept as point forecasts are.

What is kept of a search: the answers of both services, under a digest of the text. An answer repeats the text and says
where somebody may live, so it lies in a folder of the service alone, is good for six hours and gone within a day, as
the coordinates of point forecasts are (`readthrough.KEPT`).
"""

import hashlib
import unicodedata
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import httpx

from catalog.readthrough import LONGEST_LIFE, Life, ReadThrough
from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.fetch import Answer
from catalog.sources.http import Deadline, make_client
from catalog.sources.kartverket import addresses
from catalog.sources.kartverket.addresses import Found, Place, Service
from tiles.clock import Clock

# All of this machine's answers together; one is 10 kB.
MAX_BYTES = 20_000_000
# Addresses change by the week.
_LIFE = Life(unsaid=timedelta(hours=6), longest=LONGEST_LIFE)
_SERVICES: tuple[Service, ...] = ("addresses", "names")


class Search(NamedTuple):
    """The hits of a text, best first, and whether a simulator says so."""

    places: tuple[Place, ...]
    data_origin: DataOrigin


class PlaceSearch:
    """Searches, read through a folder that the processes of a machine share.

    Safe to use from several threads; it waits for the disk, and `fetch` for the services.

    Parameters
    ----------
    url : str
        Of the source `kartverket_adresser`.
    user_agent : str
    folder : Path
        Made when first needed.
    clock : Clock
    """

    def __init__(self, url: str, user_agent: str, folder: Path, clock: Clock) -> None:
        self._url, self._user_agent = url, user_agent
        self._files: ReadThrough[Found] = ReadThrough(folder, addresses.NAME, clock, MAX_BYTES, _LIFE)

    def fresh(self, text: str) -> Search | None:
        """Return what is kept of a text and fresh, without asking the services."""
        found = []
        for service in _SERVICES:
            held = self._files.fresh(_key(service, text), partial(self._read, service))
            if held is None:
                return None
            found.append(held)
        return _merged(text, *found)

    def fetch(self, text: str, deadline: Deadline) -> Search:
        """Return the hits of a text: what is fresh, or what the services answer.

        Raises
        ------
        SourceError
            One of them fails, and nothing fresh is kept of it.
        """
        found = []
        for service in _SERVICES:
            ask = partial(self._ask, service, text)
            found.append(self._files.get(_key(service, text), ask, partial(self._read, service), deadline))
        return _merged(text, *found)

    def trim(self) -> None:
        """Remove what is kept of texts that nobody searches for any more; it may wait for the disk."""
        self._files.trim()

    @cached_property
    def _client(self) -> httpx.Client:
        """Made when first needed, for the certificates take a moment; of two threads each may make one."""
        return make_client(self._user_agent)

    # The services know neither ETag nor Last-Modified.
    def _ask(self, service: Service, text: str, _: str | None, __: str | None, deadline: Deadline) -> Answer:
        return addresses.ask(self._url, service, _spaced(text), self._client, deadline)

    def _read(self, service: Service, body: memoryview) -> Found:
        return addresses.read(body, self._url, service)


def _merged(text: str, found: Found, names: Found) -> Search:
    return Search(addresses.merge(text, found.hits, names.hits), origin_of(found.data_origin, names.data_origin))


def _spaced(text: str) -> str:
    """Return a text with single blanks, composed: æøå have one form each."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _key(service: Service, text: str) -> str:
    return f"{service}:{hashlib.sha256(_spaced(text).casefold().encode()).hexdigest()}"
