"""Searches for addresses and place names: what is asked, what is read, in which order, and what is refused."""

import copy
import json
from typing import Any

import pytest

from catalog.sources.errors import NotYetAvailable
from catalog.sources.http import Deadline, make_client
from catalog.sources.kartverket.addresses import MAX_BYTES, Found, Hit, Place, ask, merge, read
from tests.support.http_files import FileServer
from tests.support.http_server import Status
from tests.support.reading import sentence_of

# as the authority answers
ADDRESSES: dict[str, Any] = {
    "metadata": {"viserFra": 0, "viserTil": 1, "sokeStreng": "sok=storgata 5", "treffPerSide": 10, "side": 0},
    "adresser": [
        {
            "adressenavn": "Storgata",
            "adressetekst": "Storgata 5B",
            "nummer": 5,
            "bokstav": "B",
            "kommunenummer": "5501",
            "kommunenavn": "TROMSØ",
            "postnummer": "9008",
            "poststed": "TROMSØ",
            "representasjonspunkt": {"epsg": "EPSG:4258", "lat": 69.6488123456, "lon": 18.9551},
        }
    ],
}
NAMES: dict[str, Any] = {
    "metadata": {"totaltAntallTreff": 1, "side": 0},
    "navn": [
        {
            "skrivemåte": "Finse",
            "navneobjekttype": "Tettsted",
            "språk": "Norsk",
            "kommuner": [{"kommunenummer": "4619", "kommunenavn": "Eidfjord"}, {"kommunenummer": "4620"}],
            "fylker": [{"fylkesnummer": "46", "fylkesnavn": "Vestland"}],
            "representasjonspunkt": {"øst": 7.5042, "nord": 60.602, "koordsys": 4258},
            "stedsnummer": 1,
        }
    ],
}


def of_addresses(answer: Any) -> Found:
    return read(answer if isinstance(answer, bytes) else json.dumps(answer).encode(), "http://x", "addresses")


def of_names(answer: Any) -> Found:
    return read(answer if isinstance(answer, bytes) else json.dumps(answer).encode(), "http://x", "names")


def changed(answer: Any, **fields: Any) -> Any:
    """Change the first hit of an answer."""
    made = copy.deepcopy(answer)
    made["adresser" if "adresser" in made else "navn"][0].update(fields)
    return made


def test_an_address_is_told_with_its_municipality_as_it_is_written() -> None:
    found = of_addresses(ADDRESSES)
    assert [hit.place for hit in found.hits] == [
        Place("Storgata 5B", "address", "Tromsø", "5501", None, 69.648812, 18.9551)
    ]
    assert found.data_origin == "live"
    for upper, written in (
        ("MØRE OG ROMSDAL", "Møre og Romsdal"), ("SØR-VARANGER", "Sør-Varanger"), ("Øvre Eiker", "Øvre Eiker"),
    ):  # fmt: skip
        assert of_addresses(changed(ADDRESSES, kommunenavn=upper)).hits[0].place.municipality == written


def test_a_place_is_told_with_its_type_first_municipality_and_county() -> None:
    [hit] = of_names(NAMES).hits
    assert hit.place == Place("Finse", "tettsted", "Eidfjord", "4619", "Vestland", 60.602, 7.5042)
    [nowhere] = of_names(changed(NAMES, kommuner=[], fylker=None)).hits
    assert (nowhere.place.municipality, nowhere.place.municipality_number, nowhere.place.county) == (None, None, None)


def test_simulated_hits_say_so_and_nothing_found_is_no_error() -> None:
    assert of_addresses({"metadata": {"data_origin": "simulated"}, "adresser": []}) == Found((), "simulated")
    assert of_names({"metadata": {}, "navn": []}) == Found((), "live")


def test_more_hits_than_were_asked_for_are_left_out() -> None:
    many = {"metadata": {}, "navn": NAMES["navn"] * 500}
    assert len(of_names(many).hits) == 10


def test_a_name_is_one_line_that_can_be_printed() -> None:
    [hit] = of_names(changed(NAMES, skrivemåte="Fin\u202ese\r\n\x1b[31m" + "x" * 500)).hits
    assert hit.place.name.isprintable()
    assert len(hit.place.name) == 200


SECRET = "Hemmeligveien"
_POINT = {"epsg": "EPSG:4258", "lat": 69.6, "lon": 18.9}
BAD_ADDRESSES = {
    "no JSON": (b"<html>Hemmeligveien", "no JSON"),
    "nested beyond reason": (b"[" * 100_000, "no JSON"),
    "NaN": (json.dumps(changed(ADDRESSES, representasjonspunkt={**_POINT, "lat": float("nan")})).encode(), "no JSON"),
    "a list": ([], "something else"),
    "no metadata": ({"adresser": []}, "something else"),
    "hits in an object": ({"metadata": {}, "adresser": {"0": 1}}, "something else"),
    "a hit that is a text": ({"metadata": {}, "adresser": [SECRET]}, "something else"),
    "no name": (changed(ADDRESSES, adressetekst=None), "something else"),
    "an empty name": (changed(ADDRESSES, adressetekst="\n"), "something else"),
    "a number as text": (changed(ADDRESSES, kommunenummer=SECRET), "something else"),
    "Arabic digits": (changed(ADDRESSES, kommunenummer="٠٣٠١"), "something else"),
    "no point": (changed(ADDRESSES, representasjonspunkt=None), "something else"),
    "a coordinate as text": (changed(ADDRESSES, representasjonspunkt={**_POINT, "lat": "69.6"}), "something else"),
    "a coordinate as flag": (changed(ADDRESSES, representasjonspunkt={**_POINT, "lat": True}), "something else"),
    "metres": (changed(ADDRESSES, representasjonspunkt={**_POINT, "epsg": "EPSG:25833"}), "in 'EPSG:25833'"),
    "swapped": (changed(ADDRESSES, representasjonspunkt={**_POINT, "lat": 18.9, "lon": 69.6}), "not lie in Norway"),
    "infinite": (changed(ADDRESSES, representasjonspunkt={**_POINT, "lat": 10**18}), "not lie in Norway"),
}
BAD_NAMES = {
    "no type": (changed(NAMES, navneobjekttype=7), "something else"),
    "municipalities in an object": (changed(NAMES, kommuner={"kommunenavn": SECRET}), "something else"),
    "a municipality without number": (changed(NAMES, kommuner=[{"kommunenavn": SECRET}]), "something else"),
    "a county that is none": (changed(NAMES, fylker=[SECRET]), "something else"),
    "UTM": (changed(NAMES, representasjonspunkt={"øst": 1, "nord": 2, "koordsys": 25833}), "in '25833'"),
    "at sea": (changed(NAMES, representasjonspunkt={"øst": -60.0, "nord": 60.0, "koordsys": 4258}), "in Norway"),
}


@pytest.mark.parametrize(("answer", "why"), BAD_ADDRESSES.values(), ids=BAD_ADDRESSES)
def test_a_bad_answer_of_addresses_is_refused_in_a_sentence_without_its_words(answer: Any, why: str) -> None:
    text = sentence_of("kartverket_adresser", lambda: of_addresses(answer))
    assert why in text
    assert len(text) < 200
    assert not any(said in text for said in (SECRET, "69.6", "18.9", "Storgata"))


@pytest.mark.parametrize(("answer", "why"), BAD_NAMES.values(), ids=BAD_NAMES)
def test_a_bad_answer_of_names_is_refused_in_a_sentence_without_its_words(answer: Any, why: str) -> None:
    text = sentence_of("kartverket_adresser", lambda: of_names(answer))
    assert why in text
    assert SECRET not in text


def test_both_services_are_asked_as_the_authority_wants() -> None:
    more = "fuzzy=true&treffPerSide=10&utkoordsys=4258"
    with FileServer() as server, make_client("solflis-test (test@example.com)") as client:
        server.put(f"/adresser/v1/sok?sok=Bj%C3%B8rkeveien+5%26side%3D7&{more}", b"{}")
        server.put(f"/stedsnavn/v1/navn?sok=Finse&{more}", b"{}")
        assert ask(f"{server.url}/", "addresses", "Bjørkeveien 5&side=7", client, Deadline(5)).body == b"{}"
        assert ask(server.url, "names", "Finse", client, Deadline(5)).body == b"{}"
        assert {r.headers["User-Agent"] for r in server.requests} == {"solflis-test (test@example.com)"}


def test_what_the_service_refuses_is_said_without_the_text() -> None:
    path = f"/stedsnavn/v1/navn?sok={SECRET}&fuzzy=true&treffPerSide=10&utkoordsys=4258"
    with FileServer() as server, make_client("solflis-test (test@example.com)") as client:

        def asked() -> Any:
            return ask(server.url, "names", SECRET, client, Deadline(5))

        server.fail(path, Status(400, {}, SECRET.encode()), times=1)
        sentences = [sentence_of("kartverket_adresser", asked)]
        server.put(path, b" " * (MAX_BYTES + 1))
        sentences.append(sentence_of("kartverket_adresser", asked))
        del server.files[path]
        sentences.append(sentence_of("kartverket_adresser", asked, NotYetAvailable))
    assert "HTTP 400" in sentences[0]
    assert f"more than {MAX_BYTES} bytes" in sentences[1]
    assert not any(SECRET in one for one in sentences)


def address(text: str, municipality: str, lat: float = 60.0, postal: str = "") -> Hit:
    return Hit(Place(text, "address", municipality, "0301", None, lat, 10.0), text.split()[0], postal)


def named(name: str, kind: str, municipality: str = "Oslo", lat: float = 61.0) -> Hit:
    return Hit(Place(name, kind, municipality, "0301", "Vestland", lat, 10.0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("bø", ["Bø tettsted", "Bø gard", "Bøveien 1", "Bøvatnet"], id="exact, then large to small"),
        pytest.param("BO", ["Bø tettsted", "Bø gard", "Bøveien 1", "Bøvatnet"], id="without case and accents"),
        pytest.param("Bøveien 1", ["Bøveien 1", "Bø tettsted", "Bøvatnet", "Bø gard"], id="an exact address"),
        pytest.param("Bøvegen 1", ["Bøveien 1", "Bø tettsted", "Bøvatnet", "Bø gard"], id="a number: addresses first"),
        pytest.param("Bøveien, Midt-Telemark", ["Bøveien 1", "Bø tettsted", "Bøvatnet", "Bø gard"], id="a street"),
        pytest.param("bøvatnet vestland", ["Bøvatnet", "Bø tettsted", "Bøveien 1", "Bø gard"], id="a county behind"),
        pytest.param("x", ["Bø tettsted", "Bøveien 1", "Bøvatnet", "Bø gard"], id="none exact"),
    ],
)
def test_exact_names_come_first_then_addresses_or_large_places(text: str, expected: list[str]) -> None:
    names = [named("Bøvatnet", "innsjø"), named("Bø", "bruk", lat=62.0), named("Bø", "tettsted", lat=63.0)]
    told = {"tettsted": "Bø tettsted", "bruk": "Bø gard"}
    places = merge(text, [address("Bøveien 1", "Midt-Telemark")], names)
    assert [told.get(place.kind, place.name) for place in places] == expected


@pytest.mark.parametrize(
    "text", ["Storgata 5, Tromsø", "storgata 5 tromsø", "Storgata 5, 9008 Tromsø", "Storgata 5 Tromso"]
)
def test_an_address_is_that_of_the_municipality_that_is_named(text: str) -> None:
    hits = [
        address(f"Storgata 5{letter}", town, lat, f"{code} {town}")
        for lat, (town, code) in enumerate((("Bodø", "8006"), ("Tromsø", "9008")), 60)
        for letter in ("A", "")
    ]
    assert merge(text, hits, [])[0] == Place("Storgata 5", "address", "Tromsø", "0301", None, 61, 10.0)


def test_a_letter_may_stand_apart_from_its_number() -> None:
    hits = [address("Storgata 5", "Oslo"), address("Storgata 5B", "Oslo", 60.1)]
    assert merge("storgata 5 b", hits, [])[0].name == "Storgata 5B"


def test_a_place_that_is_told_twice_is_one_hit_and_the_limit_holds() -> None:
    twice = [named("Tromsø", "by"), named("Tromsø", "by"), named("Tromsø", "by", lat=69.0)]
    assert len(merge("Tromsø", [], twice)) == 2
    many = [address(f"Storgata {k}", "Oslo", 60 + k / 100) for k in range(10)]
    assert len(merge("Storgata", many, twice)) == 10
    assert len(merge("Storgata", many, twice, 3)) == 3
