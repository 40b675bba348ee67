"""Kartverket's register points of buildings (Matrikkelen - Bygningspunkt) by WFS, and what their codes mean.

How sure we are. Public clients agree on the address, the type `app:Bygning`, GML alone, boxes in UTM 33, pages by
STARTINDEX and COUNT, and the fields `bygningsnummer`, `bygningstype` (three digits), `bygningsstatus` and
`representasjonspunkt`; one saw HTTP 500 for days. There is no year, area or number of floors. Whether numberMatched is
a number is not confirmed: pages go on while one is full.
"""

import re
from typing import Literal, NamedTuple

from catalog.sources.data_origin import DataOrigin
from catalog.sources.http import Deadline, make_client
from catalog.sources.land_cover import Bounds
from catalog.sources.wfs import Layer, Receipt, features, point, text_of

NAME = "bygningspunkt"
_LAYER = Layer(NAME, "app:Bygning", most=1000, paged=True)

Kind = Literal["bolig", "landbruk", "naering", "ukjent"]

# Three digits of NS 3457-3; others are called as their group.
_NAMES = {
    111: "Enebolig", 112: "Enebolig med hybelleilighet, sokkelleilighet o.l.", 113: "Våningshus",
    121: "Tomannsbolig, vertikaldelt", 122: "Tomannsbolig, horisontaldelt", 131: "Rekkehus",
    133: "Kjedehus inkl. atriumhus", 135: "Terrassehus", 136: "Andre småhus med 3 boliger eller flere",
    141: "Stort frittliggende boligbygg på 2 etasjer", 142: "Stort frittliggende boligbygg på 3 og 4 etasjer",
    143: "Stort frittliggende boligbygg på 5 etasjer eller over", 152: "Studenthjem/studentboliger",
    161: "Fritidsbygning (hytter, sommerhus o.l.)", 181: "Garasje, uthus, anneks knyttet til bolig",
    182: "Garasje, uthus, anneks knyttet til fritidsbolig", 183: "Naust, båthus, sjøbu", 211: "Fabrikkbygning",
    212: "Verkstedbygning", 231: "Lagerhall", 243: "Veksthus", 311: "Kontor- og administrasjonsbygning, rådhus",
    321: "Kjøpesenter, varehus", 322: "Butikkbygning", 323: "Bensinstasjon", 431: "Parkeringshus", 511: "Hotellbygning",
    531: "Restaurantbygning, kafébygning", 612: "Barnehage", 613: "Barneskole", 614: "Ungdomsskole",
    616: "Videregående skole", 651: "Idrettshall", 671: "Kirke, kapell", 719: "Sykehus", 721: "Sykehjem",
}  # fmt: skip
_GROUPS = {
    1: "Bolig", 2: "Industri og lager", 3: "Kontor og forretning", 4: "Samferdsel og kommunikasjon",
    5: "Hotell og restaurant", 6: "Kultur og undervisning", 7: "Helse", 8: "Fengsel og beredskap",
    16: "Fritidsbolig", 18: "Garasje, uthus og naust", 24: "Fiskeri og landbruk",
}  # fmt: skip
_OUTBUILDINGS = (181, 182, 183)
_GONE = ("BR", "BF", "BA", "BU")
"""`bygningsstatus` of what does not stand there: demolished or burnt, moved, never built, number retired."""


class RegisterPoint(NamedTuple):
    """One building of the register.

    Parameters
    ----------
    number : str
        `bygningsnummer`.
    code : int or None
        `bygningstype`; None where it is no number of three digits.
    x, y : float
        m in UTM 33.
    """

    number: str
    code: int | None
    x: float
    y: float


class RegisterPoints(NamedTuple):
    """Points of a box.

    Parameters
    ----------
    buildings : tuple of RegisterPoint
    data_origin : {"live", "simulated"}
    """

    buildings: tuple[RegisterPoint, ...]
    data_origin: DataOrigin


def points(url: str, bounds: Bounds, *, user_agent: str, seconds: float) -> RegisterPoints:
    """Return the register points of buildings that stand in a box, each once, from as many pages as there are.

    Parameters
    ----------
    url : str
    bounds : (float, float, float, float)
        West, south, east, north, m in UTM 33.
    user_agent : str
    seconds : float
        For all of it, s.

    Raises
    ------
    SourceError
        They cannot be had, or the answer is something else.
    """
    receipt, found = Receipt(url), dict[str, RegisterPoint]()
    west, south, east, north = bounds
    with make_client(user_agent) as client:
        for page in features(_LAYER, url, bounds, client, Deadline(seconds), receipt):
            for feature in page:
                if text_of(feature, "bygningsstatus") in _GONE:
                    continue
                number = text_of(feature, "bygningsnummer")
                code = re.fullmatch(r"[0-9]{3}", text_of(feature, "bygningstype"))
                try:
                    x, y = point(feature)
                except ValueError as error:
                    what = f"has a building whose place cannot be read: {error}"
                    raise _LAYER.origin(url).error(what) from error
                if west <= x <= east and south <= y <= north:
                    found[number] = RegisterPoint(number, int(code[0]) if code else None, x, y)
    return RegisterPoints(tuple(found.values()), receipt.data_origin)


def kind_of(code: int | None) -> Kind:
    """Return what a building is used for; outbuildings of dwellings and codes of no group are unknown."""
    if code is None or not 111 <= code <= 899 or code in _OUTBUILDINGS:
        return "ukjent"
    return "bolig" if code < 200 else "landbruk" if code // 10 == 24 else "naering"


def type_name(code: int | None) -> str:
    """Return the Norwegian name of a type of building, else that of its group; empty where there is none."""
    if code is None:
        return ""
    return _NAMES.get(code) or _GROUPS.get(code // 10) or _GROUPS.get(code // 100, "")
