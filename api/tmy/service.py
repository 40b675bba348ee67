"""Selecting a typical year and writing it as a file; statistics and sources of a cell; leads."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from aiohttp import web

from api.core.errors import problem
from api.core.pipeline import JSON_FORMAT, Pipeline, Selection, at_hand, origin_of
from api.core.printing import degrees
from api.core.resources import Resources
from api.core.response import respond_model
from api.data.tmy_products import ProductName
from api.data.typical_year import Found, PointQuery, headers_of
from api.data.versions import Version
from api.tmy import summary
from api.tmy.formats.registry import FORMATS
from api.tmy.leads import Lead, Leads, LeadStored
from api.tmy.licence import HEADER, Licence
from api.tmy.schemas import PERIOD, PRODUCT_OF, SOURCE, TmyQuery
from api.tmy.year import TypicalYear, typical_year

CHOICE = problem("tmy.CHOICE")
CONTRADICTION = problem("tmy.CONTRADICTION")
NO_PRODUCT = problem("tmy.NO_PRODUCT")
NO_TARGET = problem("tmy.NO_TARGET")
PROBLEMS = (CHOICE, CONTRADICTION, NO_PRODUCT, NO_TARGET)


class TmyService:
    """Answers from the typical years that are published."""

    def __init__(self, resources: Resources) -> None:
        licence = resources.settings.tmy_license
        self._climate, self._clock = resources.climate, resources.clock
        self._licence = Licence(*licence) if licence else None
        self._leads = Leads(resources.database, resources.clock, licence[0] if licence else "")
        self.files = Pipeline(resources.machinery, FORMATS)
        self._summaries = Pipeline(resources.machinery, {"json": JSON_FORMAT})

    def licence_headers(self) -> Mapping[str, str]:
        """Return the header of every TMY answer; none where the operator has set no licence."""
        held = self._held()
        return {} if held is None else {HEADER: held.header}

    def _held(self) -> Licence | None:
        return None if self._licence is None else self._licence.at(self._clock.now())

    async def year(self, request: web.BaseRequest, query: TmyQuery) -> web.StreamResponse:
        """A typical meteorological year of 8760 hours, as a file.

        Of the nearest cell of 3 km that holds land, within 6 km. `period=18` is of `source=reanalysis` only; a
        `product` beside a source or period that it is not of is refused. Where the operator has set a licence, files
        and answers name it, and say so past its last day.
        """
        product = product_of(query.product, query.source, query.period)
        found, version = await self._climate.readers.run(partial(self._select, query, product))
        name = f"service_tmy_{degrees(query.lat)}_{degrees(query.lon)}_{product}_{query.confidence}"
        headers = {"X-Tmy-Product": product}
        selection = self._selection(
            query, found, (version,), headers, partial(self._read, query, product, found, version)
        )
        zone = "_local" if query.tz == "local" and query.format in ("json", "csv") else ""
        selection = selection.named(f"{name}{FORMATS[query.format].suffix}{zone}")
        return await self.files.answer(request, query.format, selection)

    def _select(self, query: TmyQuery, product: ProductName) -> tuple[Found, Version]:
        found = self._climate.find(query.lat, query.lon)
        if product not in found.known.products:
            raise NO_PRODUCT("product", product=product, choices=", ".join(found.known.products))
        if found.known.products[product].annual_ghi[query.confidence] is None:
            raise NO_TARGET("confidence", confidence=query.confidence, product=product)
        return found, self._climate.year(found, product)

    async def _read(
        self, query: TmyQuery, product: ProductName, found: Found, version: Version
    ) -> Callable[[], TypicalYear]:
        make = partial(typical_year, found, version, product, query.confidence, query.tz, self._held())
        year = await self._climate.readers.run(make)
        return lambda: year

    async def stats(self, request: web.BaseRequest, query: PointQuery) -> web.StreamResponse:
        """Annual and monthly sums, percentiles and selected years of a cell."""
        found = await self._climate.readers.run(partial(self._climate.find, query.lat, query.lon))
        read = partial(at_hand, partial(summary.stats, found, query.lat, query.lon))
        return await self._summaries.answer(request, "json", self._selection(query, found, (), {}, read))

    async def sources(self, request: web.BaseRequest, query: PointQuery) -> web.StreamResponse:
        """Sources of a cell's typical years."""

        def select() -> tuple[Found, dict[ProductName, Version]]:
            found = self._climate.find(query.lat, query.lon)
            return found, {name: self._climate.year(found, name) for name in found.known.products}

        found, versions = await self._climate.readers.run(select)
        read = partial(at_hand, partial(summary.sources, found, versions))
        selection = self._selection(query, found, tuple(versions.values()), {}, read)
        return await self._summaries.answer(request, "json", selection)

    def _selection(
        self, query: PointQuery, found: Found, versions: tuple[Version, ...], headers: Mapping[str, str], read: Any
    ) -> Selection:
        licence = self.licence_headers()
        return Selection(
            versions=(*found.versions, *(one.name for one in versions), *licence.values()),
            data_origin=origin_of(found.stats.data_origin, *(one.data_origin for one in versions)),
            read=read,
            asked=query,
            headers={**headers_of(found), **headers, **licence},
            points=((query.lat, query.lon),),
        )

    async def lead(self, request: web.BaseRequest, lead: Lead) -> web.StreamResponse:
        """The download form: who downloads, and for what site.

        What is sent is stored, for the operator to read.
        """
        stored = LeadStored(id=await self._leads.store(lead), license_version=self._leads.license_version)
        return respond_model(request, stored, self.licence_headers())


def product_of(product: ProductName | None, source: str | None, period: str | None) -> ProductName:
    """Return the product that is asked for: named itself, or by source and period.

    Raises
    ------
    ApiError
        `CHOICE`, `CONTRADICTION`.
    """
    if product is None:
        wanted = source or SOURCE, period or PERIOD
        if wanted not in PRODUCT_OF:
            choices = "; ".join(f"source={one}, period={other}" for one, other in PRODUCT_OF)
            raise CHOICE("period", source=wanted[0], period=wanted[1], choices=choices)
        return PRODUCT_OF[wanted]
    own = next(made for made, name in PRODUCT_OF.items() if name == product)
    for name, given, true in (("source", source, own[0]), ("period", period, own[1])):
        if given is not None and given != true:
            text = f"{name}={given}"
            raise CONTRADICTION("product", product=product, given=text, source=own[0], period=own[1])
    return product
