"""The search services: `/adresser/v1/sok` and `/stedsnavn/v1/navn`, JSON as the authority's.

Both answer pages: `treffPerSide` hits (10), from page `side` (0) on. Their metadata say `data_origin: simulated`. Of
addresses, `totaltAntallTreff` counts those up to the page's end.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from aiohttp import web

from infra.simulator.addresses.register import STREETS, NamedPlace
from infra.simulator.addresses.search import FoundAddress, find_addresses, find_places
from infra.simulator.misbehave import Rule
from infra.simulator.small import with_faults

ADDRESSES_ROUTE = "/kartverket_adresser/adresser/v1/sok"
NAMES_ROUTE = "/kartverket_adresser/stedsnavn/v1/navn"
SYSTEM = 4258
_LARGEST_PAGE, _LAST_PAGE = 500, 20


class _Asked(NamedTuple):
    text: str
    fuzzy: bool
    size: int
    page: int


@with_faults
async def serve_addresses(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer a search for addresses; `wronggrid` swaps the coordinates, `stale` changes nothing."""
    return await _answer(request, rule, addresses)


@with_faults
async def serve_names(request: web.Request, rule: Rule | None) -> web.Response:
    """Answer a search for place names, with the faults of `serve_addresses`."""
    return await _answer(request, rule, names)


async def _answer(request: web.Request, rule: Rule | None, search: Any) -> web.Response:
    swapped = rule is not None and rule.mode == "wronggrid"
    try:
        document = await asyncio.to_thread(search, request.query, swapped=swapped)
    except ValueError as error:
        return web.json_response({"message": str(error), "data_origin": "simulated"}, status=400)
    return web.Response(body=orjson.dumps(document), content_type="application/json")


def addresses(query: Mapping[str, str], *, swapped: bool = False) -> dict[str, Any]:
    """Return the answer of a search for addresses.

    Raises
    ------
    ValueError
        A parameter is malformed.
    """
    asked = _asked(query)
    found = find_addresses(asked.text, fuzzy=asked.fuzzy, most=(asked.page + 1) * asked.size)
    rows = [_address(one, swapped=swapped) for one in _page(found, asked)]
    return {"metadata": _metadata(asked, len(found), len(rows)), "adresser": rows}


def names(query: Mapping[str, str], *, swapped: bool = False) -> dict[str, Any]:
    """Return the answer of a search for place names; raises as `addresses`."""
    asked = _asked(query)
    found = find_places(asked.text, fuzzy=asked.fuzzy)
    rows = [_name(one, swapped=swapped) for one in _page(found, asked)]
    return {"metadata": _metadata(asked, len(found), len(rows)), "navn": rows}


def _asked(query: Mapping[str, str]) -> _Asked:
    size, page = int(query.get("treffPerSide", "10")), int(query.get("side", "0"))
    if not query.get("sok", "").strip():
        raise ValueError("sok is missing")
    if query.get("utkoordsys", str(SYSTEM)) != str(SYSTEM):
        raise ValueError(f"utkoordsys: the simulator knows {SYSTEM} only")
    if not (1 <= size <= _LARGEST_PAGE and 0 <= page <= _LAST_PAGE):
        raise ValueError(f"treffPerSide is 1 to {_LARGEST_PAGE}, side 0 to {_LAST_PAGE}")
    return _Asked(query["sok"], query.get("fuzzy", "false").lower() == "true", size, page)


def _page(found: list[Any], asked: _Asked) -> list[Any]:
    return found[asked.page * asked.size : (asked.page + 1) * asked.size]


def _metadata(asked: _Asked, total: int, shown: int) -> dict[str, Any]:
    first = asked.page * asked.size
    return {
        "viserFra": first,
        "viserTil": first + shown,
        "sokeStreng": f"sok={asked.text}",
        "treffPerSide": asked.size,
        "side": asked.page,
        "totaltAntallTreff": total,
        "asciiKompatibel": True,
        "data_origin": "simulated",
        "comment": "SIMULATED: streets, house numbers and small places are invented",
    }


def _address(found: FoundAddress, *, swapped: bool) -> dict[str, Any]:
    town, house, street = found.town, found.house, STREETS[found.street]
    lat, lon = (house.lon, house.lat) if swapped else (house.lat, house.lon)
    digits = house.text.rstrip("AB")
    return {
        "adressenavn": street,
        "adressetekst": f"{street} {house.text}",
        "adressetilleggsnavn": None,
        "adressekode": 1001 + found.street,
        "nummer": int(digits),
        "bokstav": house.text[len(digits) :],
        "kommunenummer": f"{town.number:04d}",
        "kommunenavn": town.name.upper(),
        "objtype": "Vegadresse",
        "poststed": town.name.upper(),
        "postnummer": f"{town.number:04d}",  # invented, as the municipality's
        "adressetekstutenadressetilleggsnavn": f"{street} {house.text}",
        "stedfestingverifisert": True,
        "representasjonspunkt": {"epsg": f"EPSG:{SYSTEM}", "lat": lat, "lon": lon},
        "oppdateringsdato": "2026-01-01T00:00:00.000+00:00",
    }


def _name(place: NamedPlace, *, swapped: bool) -> dict[str, Any]:
    lat, lon = (place.lon, place.lat) if swapped else (place.lat, place.lon)
    number, town = f"{place.town.number:04d}", place.town.name
    return {
        "skrivemåte": place.name,
        "skrivemåtestatus": "godkjent og prioritert",
        "navnestatus": "hovednavn",
        "språk": "Norsk",
        "navneobjekttype": place.kind,
        "stedsnummer": place.number,
        "stedstatus": "aktiv",
        "representasjonspunkt": {"øst": lon, "nord": lat, "koordsys": SYSTEM},
        "fylker": [{"fylkesnummer": number[:2], "fylkesnavn": place.town.county}],
        "kommuner": [{"kommunenummer": number, "kommunenavn": town}],
    }
