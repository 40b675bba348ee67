"""Kartverket's search for addresses and for place names: two services of one host, merged into one list of hits.

How sure we are. Public clients agree on both paths, on `sok`, `fuzzy`, `treffPerSide` and `utkoordsys`, on the lists
`adresser` and `navn`, on upper case of an address' `kommunenavn`, and on `øst` and `nord` being degrees where 4258 was
asked for. Not confirmed: what an answer looks like where a name lies in no municipality (none is taken to be known).
What differs is refused with a sentence, which never holds what was searched for.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import httpx
import orjson

from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import Origin, beginning
from catalog.sources.fetch import Answer, fetch
from catalog.sources.http import Deadline, without_credentials

NAME = "kartverket_adresser"
EPSG = 4258
MOST_HITS = 10
# Ten hits are some 10 kB.
MAX_BYTES = 500_000
ADDRESS = "address"

Service = Literal["addresses", "names"]
_PATHS: Mapping[Service, str] = {"addresses": "adresser/v1/sok", "names": "stedsnavn/v1/navn"}

# Degrees, of the mainland, Svalbard and Jan Mayen; coordinates in the wrong order lie outside.
_LATITUDE, _LONGITUDE = (57.0, 81.5), (-10.0, 35.0)
# Types of places where people live, large ones first; of all others an address is more likely meant.
_SETTLEMENTS = ("by", "tettsted", "bydel", "kommune", "tettbebyggelse", "tettsteddel", "bygdelag (bygd)", "grend")
_SMALL_WORDS = {"I", "Og", "På"}
_WORD = re.compile(r"\w+")
_FOLDED = str.maketrans({"æ": "ae", "ø": "o", "ð": "d", "đ": "d", "ŋ": "n", "ŧ": "t"})


class Place(NamedTuple):
    """One hit.

    Parameters
    ----------
    name : str
        An address' street and number, or a place name.
    kind : str
        `address`, or the authority's type of the place in lower case (`by`, `tettsted`, `fjell`).
    municipality, municipality_number : str or None
        Of a place in several, the first; the number has four digits. None where the authority names none.
    county : str or None
        None of addresses, of which the authority does not say it.
    latitude, longitude : float
        Degrees (EUREF89).
    """

    name: str
    kind: str
    municipality: str | None
    municipality_number: str | None
    county: str | None
    latitude: float
    longitude: float


class Hit(NamedTuple):
    """A place, the name of its street (of an address) and its postal code and town."""

    place: Place
    street: str = ""
    postal: str = ""


@dataclass(frozen=True)
class Found:
    """The hits of one service in its order, and whether a simulator says so."""

    hits: tuple[Hit, ...]
    data_origin: DataOrigin


def ask(url: str, service: Service, text: str, client: httpx.Client, deadline: Deadline) -> Answer:
    """Search one service for a text; its body goes to `read`.

    Parameters
    ----------
    url : str
        Of both services, without `/adresser` and `/stedsnavn`.
    service : {"addresses", "names"}
    text : str
    client, deadline
        As `fetch` takes them.

    Raises
    ------
    SourceError
    """
    params = {"sok": text, "fuzzy": "true", "treffPerSide": str(MOST_HITS), "utkoordsys": str(EPSG)}
    return fetch(NAME, _address(url, service), client, deadline, max_bytes=MAX_BYTES, params=params)


def read(body: bytes | memoryview, url: str, service: Service) -> Found:
    """Return the hits of an answer, at most `MOST_HITS`.

    Raises
    ------
    SourceError
        It is no answer of this service; one sentence says why.
    """
    origin = Origin(NAME, without_credentials(_address(url, service)))
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise origin.error("answered no JSON") from error
    take: Callable[[Any, Origin], Hit] = _address_hit if service == "addresses" else _name_hit
    try:
        rows = answer["adresser" if service == "addresses" else "navn"]
        if not isinstance(rows, list):
            raise TypeError("list")
        hits = tuple(take(row, origin) for row in rows[:MOST_HITS])
        return Found(hits, origin_of(answer["metadata"].get("data_origin")))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        # not the error's text: it may hold what was searched for
        raise origin.error(f"answered something else than {service} ({type(error).__name__})") from error


def merge(text: str, addresses: Sequence[Hit], names: Sequence[Hit], limit: int = MOST_HITS) -> tuple[Place, ...]:
    """Return the hits of both services in one order, each once.

    Exact names come first: those with which the text begins, where the rest of it names the municipality, county,
    postal town or type. Then addresses if the text holds a number; else settlements, large types first, addresses, and
    other places. What is alike in all this stays in the services' order.

    Parameters
    ----------
    text : str
        What was searched for.
    addresses, names : sequence of Hit
    limit : int
    """
    words = _words(text)
    numbered = any(word[0].isdigit() for word in words)
    ranked = sorted((*names, *addresses), key=lambda hit: (not _is_exact(hit, words), _size(hit.place.kind, numbered)))
    places: dict[tuple[object, ...], Place] = {}
    for hit in ranked:
        one = hit.place
        # a name that is spelt alike in two languages is one place
        places.setdefault((one.name, one.kind, round(one.latitude, 3), round(one.longitude, 3)), one)
    return tuple(places.values())[:limit]


def _is_exact(hit: Hit, words: Sequence[str]) -> bool:
    one = hit.place
    more = (one.municipality, one.county, one.kind, hit.postal)
    around = {word for part in more if part for word in _words(part)}
    for name in (one.name, hit.street):
        own = _words(name)
        if own and list(words[: len(own)]) == own and set(words[len(own) :]) <= around:
            return True
    return False


def _size(kind: str, numbered: bool) -> int:
    if kind == ADDRESS:
        return -1 if numbered else len(_SETTLEMENTS)
    return _SETTLEMENTS.index(kind) if kind in _SETTLEMENTS else len(_SETTLEMENTS) + 1


def _words(text: str) -> list[str]:
    """Return the words of a text without case and accents; `5 B` and `5B` are alike."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_FOLDED))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return _WORD.findall(re.sub(r"(\d)\s+([a-z])\b", r"\1\2", plain))


def _address(url: str, service: Service) -> str:
    return f"{url.rstrip('/')}/{_PATHS[service]}"


def _address_hit(row: Any, origin: Origin) -> Hit:
    point = row["representasjonspunkt"]
    lat, lon = _point(point["lat"], point["lon"], point["epsg"], origin)
    municipality = _cased(_text(row["kommunenavn"]))
    place = Place(_text(row["adressetekst"]), ADDRESS, municipality, _number(row["kommunenummer"]), None, lat, lon)
    postal = " ".join(str(row.get(key) or "") for key in ("postnummer", "poststed"))
    # a farm's address has no street
    return Hit(place, _text(row.get("adressenavn") or row["adressetekst"]), beginning(postal))


def _name_hit(row: Any, origin: Origin) -> Hit:
    point = row["representasjonspunkt"]
    lat, lon = _point(point["nord"], point["øst"], point["koordsys"], origin)
    (municipality, number), county = (None, None), None
    if row.get("kommuner"):
        first = row["kommuner"][0]
        municipality, number = _text(first["kommunenavn"]), _number(first["kommunenummer"])
    if row.get("fylker"):
        county = _text(row["fylker"][0]["fylkesnavn"])
    kind = _text(row["navneobjekttype"]).lower()
    return Hit(Place(_text(row["skrivemåte"]), kind, municipality, number, county, lat, lon))


def _point(lat: Any, lon: Any, system: Any, origin: Origin) -> tuple[float, float]:
    if str(system).removeprefix("EPSG:") != str(EPSG):
        raise origin.error(f"answered in {beginning(str(system))[:20]!r}, not in {EPSG}")
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in (lat, lon)):
        raise TypeError("coordinate")
    if not (_LATITUDE[0] <= lat <= _LATITUDE[1] and _LONGITUDE[0] <= lon <= _LONGITUDE[1]):
        raise origin.error("gives a place that does not lie in Norway")
    return round(float(lat), 6), round(float(lon), 6)


def _text(value: Any) -> str:
    """Return a text on one line, of characters that can be printed."""
    if not isinstance(value, str) or not (text := beginning(value)):
        raise TypeError("text")
    return text


def _number(value: Any) -> str:
    text = _text(value)
    if not re.fullmatch(r"\d{4}", text, re.ASCII):
        raise ValueError("kommunenummer")
    return text


def _cased(name: str) -> str:
    """Return a name in upper case as it is written."""
    if not name.isupper():
        return name
    return " ".join(word.lower() if word in _SMALL_WORDS else word for word in name.title().split())
