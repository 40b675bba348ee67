"""The search services as the authority's: towns where they lie, invented addresses on simulated buildings, faults."""

from itertools import pairwise
from typing import Any

import pytest
from pyproj import Geod

from catalog.sources.errors import SourceError
from catalog.sources.kartverket import addresses
from infra.simulator.addresses.register import STREETS, houses, towns
from infra.simulator.addresses.search import find_addresses, find_places
from infra.simulator.buildings.record import building_at
from infra.simulator.counties import numbers
from infra.simulator.heights.places import NAMES
from kernels import utm

ADDRESSES, PLACES = "/kartverket_adresser/adresser/v1/sok", "/kartverket_adresser/stedsnavn/v1/navn"
ASKED = {"fuzzy": "true", "treffPerSide": "10", "utkoordsys": "4258"}
# Of the real places, entered here apart from the simulator's table.
REAL = {
    "Oslo": (59.913, 10.739), "Bergen": (60.393, 5.324), "Trondheim": (63.430, 10.395), "Tromsø": (69.649, 18.956),
    "Finse": (60.602, 7.504), "Bodø": (67.280, 14.405), "Ålesund": (62.472, 6.155), "Mo i Rana": (66.313, 14.142),
    "Kirkenes": (69.727, 30.045), "Geilo": (60.534, 8.206),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_a_real_town_is_the_first_hit_where_it_lies(name: str) -> None:
    for text in (name, name.upper(), name.casefold()):
        first = find_places(text, fuzzy=True)[0]
        assert first.name == name
        assert Geod(ellps="GRS80").inv(first.lon, first.lat, *REAL[name][::-1])[2] < 2000


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Trondhiem", "Trondheim"),
        ("tromso", "Tromsø"),
        ("Tromsö", "Tromsø"),
        ("Brgen", "Bergen"),
        ("Alesund", "Ålesund"),
        ("Kristiandsand", "Kristiansand"),
        ("Finse, Vestland", "Finse"),
        ("qxzwv kjhg", None),
        ("Finse qxzwv", None),
        ("!!", None),
        ("9" * 40, None),
    ],
)
def test_small_misspellings_are_forgiven_and_nonsense_finds_nothing(text: str, name: str | None) -> None:
    found = find_places(text, fuzzy=True)
    assert (found[0].name if found else None) == name
    if name is None:
        assert find_addresses(text, fuzzy=True, most=10) == []


def test_without_fuzzy_only_whole_words_and_stars_are_found() -> None:
    assert find_places("Trondhiem", fuzzy=False) == []
    assert find_addresses("Storgta 5 Tromsø", fuzzy=False, most=10) == []
    assert find_places("Trond*", fuzzy=False)[0].name == "Trondheim"
    assert find_places("trondheim", fuzzy=False)[0].name == "Trondheim"


@pytest.mark.parametrize(
    "text", ["Storgata 5, Tromsø", "STORGATA 5 TROMSØ", "storgta 5 tromso", "Storgata 5, 9008 Tromsø"]
)
def test_an_address_is_found_near_its_towns_centre(text: str) -> None:
    first = find_addresses(text, fuzzy=True, most=10)[0]
    assert (first.town.name, STREETS[first.street], first.house.text) == ("Tromsø", "Storgata", "5")
    assert Geod(ellps="GRS80").inv(first.house.lon, first.house.lat, 18.955, 69.649)[2] < 2500


def test_a_street_without_number_has_its_first_and_a_letter_may_stand_apart() -> None:
    found = find_addresses("Kirkegata, Voss", fuzzy=True, most=4)
    assert [one.house.text for one in found] == ["1", "2", "3", "4"]
    assert find_addresses("Storgata 10 b Oslo", fuzzy=True, most=1)[0].house.text == "10B"


def test_every_town_has_addresses_and_they_stand_on_simulated_buildings() -> None:
    assert len(towns()) == len(NAMES) == len({town.number for town in towns()})
    for town in (towns()[0], *towns()[-6:]):
        numbered = houses(town, 0)
        assert len(numbered) >= 30, town.name
        for house in numbered[:4]:
            assert building_at(*map(float, utm.forward(house.lat, house.lon))) is not None, (town.name, house)


def test_towns_are_in_the_municipalities_of_the_borders() -> None:
    assert {town.number for town in towns()} == set(numbers().values())
    assert next(town for town in towns() if town.name == "Ålesund").county == "Møre og Romsdal"


async def asked(client: Any, path: str, text: str, **more: str) -> Any:
    answer = await client.get(path, params={**ASKED, "sok": text, **more})
    assert answer.status == 200
    assert answer.headers["X-Data-Origin"] == "simulated"
    return await answer.json()


async def test_the_protocol_of_addresses(client: Any) -> None:
    told = await asked(client, ADDRESSES, "Storgata 10A, Tromsø")
    assert told["metadata"]["data_origin"] == "simulated"
    first = told["adresser"][0]
    assert (first["adressetekst"], first["nummer"], first["bokstav"]) == ("Storgata 10A", 10, "A")
    assert (first["kommunenavn"], first["poststed"]) == ("TROMSØ", "TROMSØ")
    assert first["representasjonspunkt"]["epsg"] == "EPSG:4258"
    assert len(told["adresser"]) <= 10
    pages = [await asked(client, ADDRESSES, "Storgata Oslo", treffPerSide="3", side=str(side)) for side in range(3)]
    shown = [[one["nummer"] for one in page["adresser"]] for page in pages]
    assert [len(page) for page in shown] == [3, 3, 3]
    assert all(a[-1] <= b[0] for a, b in pairwise(shown))


async def test_the_protocol_of_names(client: Any) -> None:
    told = await asked(client, PLACES, "Finse")
    assert told["metadata"]["data_origin"] == "simulated"
    first = told["navn"][0]
    assert (first["skrivemåte"], first["navneobjekttype"]) == ("Finse", "Tettsted")
    assert first["representasjonspunkt"] == {"øst": 7.504, "nord": 60.602, "koordsys": 4258}
    assert first["fylker"][0]["fylkesnavn"] == "Vestland"
    assert (await asked(client, PLACES, "qxzwv"))["navn"] == []


@pytest.mark.parametrize("more", [{"sok": " "}, {"utkoordsys": "25833"}, {"treffPerSide": "0"}, {"treffPerSide": "x"}])
async def test_refusals(client: Any, more: dict[str, str]) -> None:
    for path in (ADDRESSES, PLACES):
        assert (await client.get(path, params={**ASKED, "sok": "Oslo", **more})).status == 400


async def test_faults(client: Any) -> None:
    rule = {"path": "/kartverket_adresser/*", "times": 1}
    await client.post("/_misbehave", json={**rule, "mode": "error", "status": 429, "retry_after": 7})
    assert (await client.get(PLACES, params={**ASKED, "sok": "Oslo"})).headers["Retry-After"] == "7"
    await client.post("/_misbehave", json={**rule, "mode": "wronggrid"})
    swapped = await client.get(PLACES, params={**ASKED, "sok": "Oslo"})
    with pytest.raises(SourceError, match="not lie in Norway"):
        addresses.read(await swapped.read(), "http://x", "names")
