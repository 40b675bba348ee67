"""The invented registers: places in and around real towns, and streets whose house numbers are simulated buildings.

Towns and their centres are those of the heights; their municipalities and counties are those of the simulated borders.
A street is two rows of building lots near the centre: odd numbers in one, even ones in the other.
"""

from functools import cache, lru_cache
from math import cos, radians
from typing import NamedTuple

from infra.simulator.counties import COUNTIES, numbers

LARGE_KM, CITY_KM = 1.4, 2.5  # how far a town (`By`) and a town with districts reach
MOST_NUMBERS = 60
_BEFORE_CENTRE = 20  # lots from a street's beginning in the west to the centre at most
_LETTERED = 10  # of the numbers that are multiples of it there are A and B too

STREETS = (
    "Storgata", "Kirkegata", "Skolegata", "Strandgata", "Parkveien", "Solbakken", "Bjørkeveien", "Granveien",
    "Furuveien", "Fjellveien", "Elvegata", "Torggata", "Nygata", "Jernbanegata", "Myrveien", "Haugveien",
    "Ringveien", "Industriveien", "Sjøgata", "Lyngveien", "Rognveien", "Tverrveien", "Utsikten", "Åsveien",
)  # fmt: skip
"""The first run through the centre; small places have only those."""

_SPELT = {
    "Alesund": "Ålesund", "Tonsberg": "Tønsberg", "Bodo": "Bodø", "Tromso": "Tromsø", "Askoy": "Askøy",
    "Gjovik": "Gjøvik", "Mo": "Mo i Rana", "Honefoss": "Hønefoss", "Osoyro": "Osøyro", "Lillestrom": "Lillestrøm",
    "Drobak": "Drøbak", "Stjordal": "Stjørdal", "Roros": "Røros", "Dombas": "Dombås", "Forde": "Førde",
    "Floro": "Florø", "Maloy": "Måløy", "Orsta": "Ørsta", "Andalsnes": "Åndalsnes", "Sunndalsora": "Sunndalsøra",
    "Risor": "Risør", "Kragero": "Kragerø", "Jorpeland": "Jørpeland", "Svolvaer": "Svolvær", "Mosjoen": "Mosjøen",
    "Bronnoysund": "Brønnøysund", "Sandnessjoen": "Sandnessjøen", "Honningsvag": "Honningsvåg", "Vadso": "Vadsø",
    "Vardo": "Vardø", "Skjervoy": "Skjervøy",
    "More og Romsdal": "Møre og Romsdal", "Ostfold": "Østfold", "Trondelag": "Trøndelag",
}  # fmt: skip

# Name behind the town's, type, and where it lies from the centre: parts of the town's reach to the north and east.
_SMALL = (
    ("sentrum", "Tettsteddel", 0.0, 0.05), ("kirke", "Kirke", 0.10, 0.05), ("skole", "Skole", -0.15, 0.10),
    ("stasjon", "Jernbanestasjon", -0.05, -0.10),
)  # fmt: skip
_DISTRICTS = (("nord", 0.6, 0.0), ("sør", -0.6, 0.0), ("øst", 0.0, 0.6), ("vest", 0.0, -0.6))


class Town(NamedTuple):
    """A town: name, its municipality's number, its county, centre (degrees), how far it reaches (km)."""

    name: str
    number: int
    county: str
    lat: float
    lon: float
    reach: float


class NamedPlace(NamedTuple):
    """A place of the register of names; `number` is its own."""

    name: str
    kind: str
    town: Town
    lat: float
    lon: float
    number: int


class House(NamedTuple):
    """A house number: its text (`5`, `10B`), and where its building stands, degrees."""

    text: str
    lat: float
    lon: float


@cache
def towns() -> tuple[Town, ...]:
    """Return all towns, large ones first."""
    from infra.simulator.heights.places import PLACES, rows_of  # only here: the server starts without numpy

    found = []
    for name, lat, lon, reach in rows_of(PLACES):
        number = numbers()[name]
        county, _ = COUNTIES[number // 100]
        found.append(Town(_spelt(name), number, _spelt(county), float(lat), float(lon), float(reach)))
    return tuple(sorted(found, key=lambda town: -town.reach))


@cache
def named_places() -> tuple[NamedPlace, ...]:
    """Return all place names, towns first."""
    rows = [(town.name, "By" if town.reach >= LARGE_KM else "Tettsted", town, 0.0, 0.0) for town in towns()]
    for town in towns():
        if town.reach >= CITY_KM:
            rows += [(f"{town.name} {side}", "Bydel", town, north, east) for side, north, east in _DISTRICTS]
        rows += [(f"{town.name} {what}", kind, town, north, east) for what, kind, north, east in _SMALL]
    return tuple(
        NamedPlace(name, kind, town, *_beside(town, north, east), 900_001 + k)
        for k, (name, kind, town, north, east) in enumerate(rows)
    )


def _spelt(name: str) -> str:
    return _SPELT.get(name, name)


def _beside(town: Town, north: float, east: float) -> tuple[float, float]:
    """Return the place so many parts of its reach beside a town's centre."""
    degrees = town.reach / 111.2
    return round(town.lat + north * degrees, 5), round(town.lon + east * degrees / cos(radians(town.lat)), 5)


@lru_cache(maxsize=2048)
def houses(town: Town, street: int) -> tuple[House, ...]:
    """Return the house numbers of a street (its place in `STREETS`), ascending; none where the town has no such street.

    Each stands in the middle of a simulated building.
    """
    import numpy as np  # only here: the server starts without them
    from pyproj import Transformer

    from infra.simulator.buildings import lots

    forward = Transformer.from_crs(4258, 25833, always_xy=True)
    x, y = forward.transform(town.lon, town.lat)
    across = int(1000 * town.reach / lots.LOT_M)  # lots from the centre to the town's edge
    apart = (street + 1) // 2 * (1 if street % 2 else -1) * max(2, across // 16)
    if abs(apart) > 0.8 * across:
        return ()
    column, row = int(x // lots.LOT_M), int(y // lots.LOT_M) + apart
    columns = np.arange(column - min(_BEFORE_CENTRE, across), column + across, dtype=np.int64)
    made = lots.houses(columns, np.array([row, row + 1], dtype=np.int64))
    numbered = []
    for side in (0, 1):
        there = columns[made.settled[side]][: MOST_NUMBERS // 2]
        numbered += [(2 * k + 1 + side, int(there[k]), row + side) for k in range(there.size)]
    found = []
    for number, i, j in sorted(numbered):
        middle = (i + 0.5) * lots.LOT_M, (j + 0.5) * lots.LOT_M
        lon, lat = forward.transform(*middle, direction="INVERSE")
        letters = ("", "A", "B") if number % _LETTERED == 0 else ("",)
        found += [House(f"{number}{letter}", round(float(lat), 6), round(float(lon), 6)) for letter in letters]
    return tuple(found)
