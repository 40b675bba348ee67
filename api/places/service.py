"""Answering searches for addresses and place names."""

import asyncio
from functools import partial
from typing import Any

from aiohttp import web

from api.core.pipeline import JSON_FORMAT, Pipeline, Selection, at_hand
from api.core.resources import Resources
from api.core.upstream import Spared, Upstream, retry_after
from api.places.schemas import SEARCH_FAILED, PlacesQuery
from catalog.place_search import PlaceSearch, Search
from catalog.sources.errors import SourceError
from catalog.sources.kartverket import addresses
from catalog.sources.registry import SOURCES

# So many questions at once; others wait, and texts that are kept wait for nobody.
THREADS = 4
# What somebody searches for is personal: a browser may keep the answer, a cache on the way may not.
CACHE_CONTROL = "private, max-age=3600"


class PlacesService:
    """Answers `GET /api/places`.

    What is kept of a search: the services' answers in `readthrough/places` of the state folder, as
    `catalog/place_search.py` says; nothing in the workers' memory. Logs and metrics hold neither query nor hits.
    """

    def __init__(self, resources: Resources) -> None:
        machinery, url = resources.machinery, resources.settings.address(addresses.NAME)
        folder = machinery.state / "readthrough" / "places"
        self._search = PlaceSearch(url, resources.user_agent, folder, resources.clock)
        resources.trims.append(self._search.trim)
        # no rest after a failure: a text that the authority cannot take must not refuse those of others
        self._authority = Upstream(addresses.NAME, askers=THREADS, rest_s=0.0)
        self._pipeline = Pipeline(machinery, {"json": JSON_FORMAT}, {"Cache-Control": CACHE_CONTROL})

    async def search(self, request: web.BaseRequest, query: PlacesQuery) -> web.StreamResponse:
        """Coordinates of addresses and place names in Norway.

        From Kartverket's registers; small misspellings are forgiven. Exact names come first; then addresses where the
        text holds a number, else towns before smaller places. No key, no quota.
        """
        found = await self._find(query.text)
        body = _body(query, found)
        selection = Selection((), found.data_origin, partial(at_hand, lambda: body), body, kept=False, quick=True)
        return await self._pipeline.answer(request, "json", selection)

    async def _find(self, text: str) -> Search:
        if (fresh := await asyncio.to_thread(self._search.fresh, text)) is not None:
            return fresh
        try:
            return await self._authority.ask(partial(self._search.fetch, text))
        except SourceError as error:
            raise SEARCH_FAILED(headers=retry_after(error if isinstance(error, Spared) else None)) from error


def _body(query: PlacesQuery, found: Search) -> dict[str, Any]:
    return {
        "text": query.text,
        "hits": [place._asdict() for place in found.places[: query.limit]],
        "data_origin": found.data_origin,
        "attribution": SOURCES[addresses.NAME].named(found.data_origin)["attribution"],
    }
