"""Searching for places: the answer, its order, what is refused, and what is done where the authority fails."""

import asyncio
import io
import itertools
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from api.core.settings import LOOPBACK
from catalog.sources.registry import SOURCES
from tests.api.conftest import Api, Asked, MovableClock, Start, require_documented
from tests.support.simulated import Simulated

FAILS = "Kartverkets søk etter adresser og stedsnavn svarer ikke"
TEXT = "Parameteren text må være en adresse eller et stedsnavn på 2 til 100 tegn uten kontrolltegn"
FAULTS: dict[str, dict[str, Any]] = {
    "error": {"mode": "error"},
    "away": {"mode": "notfound"},
    "too often": {"mode": "error", "status": 429},
    "noise": {"mode": "garbage"},
    "empty": {"mode": "empty"},
    "cut": {"mode": "truncate", "how": "file"},
    "broken off": {"mode": "truncate", "how": "connection"},
    "reset": {"mode": "reset"},
    "swapped": {"mode": "wronggrid"},
}


_networks = itertools.count(1)


async def search(api: Api, text: str, more: str = "", **headers: str) -> Asked:
    """Search from a network of its own."""
    headers["X-Forwarded-For"] = f"2001:db8:{next(_networks):x}::1"
    return await api.ask(f"/api/places?text={quote(text)}{more}", headers=headers)


async def hits(api: Api, text: str, more: str = "") -> list[dict[str, Any]]:
    asked = await search(api, text, more)
    assert asked.status == 200, asked.text
    found: list[dict[str, Any]] = asked.json["hits"]
    return found


async def test_an_address_is_found_and_the_answer_is_as_documented(served: Api) -> None:
    asked = await search(served, "Storgata 5, Tromsø")
    await require_documented(served, "GET /api/places", asked)
    answer = asked.json
    assert list(answer) == ["text", "hits", "data_origin", "attribution"]
    assert answer["text"] == "Storgata 5, Tromsø"
    assert answer["data_origin"] == asked.headers["X-Data-Origin"] == "simulated"
    assert answer["attribution"] == "SIMULATED by Solflis in the format of kartverket_adresser"
    assert asked.headers["Cache-Control"] == "private, max-age=3600"
    first = answer["hits"][0]
    assert list(first) == ["name", "kind", "municipality", "municipality_number", "county", "latitude", "longitude"]
    assert (first["name"], first["kind"], first["municipality"]) == ("Storgata 5", "address", "Tromsø")
    assert (first["latitude"], first["longitude"]) == (pytest.approx(69.649, abs=0.02), pytest.approx(18.955, abs=0.05))


@pytest.mark.parametrize(
    ("text", "name", "kind", "lat", "lon"),
    [
        ("Oslo", "Oslo", "by", 59.913, 10.75),
        ("BERGEN", "Bergen", "by", 60.392, 5.324),
        ("tromso", "Tromsø", "by", 69.649, 18.955),
        ("Trondhiem", "Trondheim", "by", 63.43, 10.395),
        ("  Finse ", "Finse", "tettsted", 60.602, 7.504),
        ("Mo i\u00a0Rana", "Mo i Rana", "by", 66.313, 14.142),
    ],
)
async def test_a_town_is_the_first_hit(served: Api, text: str, name: str, kind: str, lat: float, lon: float) -> None:
    first = (await hits(served, text))[0]
    assert (first["name"], first["kind"]) == (name, kind)
    assert (first["latitude"], first["longitude"]) == (pytest.approx(lat, abs=0.01), pytest.approx(lon, abs=0.01))


async def test_nothing_found_is_an_empty_list_and_the_limit_holds(served: Api) -> None:
    assert await hits(served, "qxzwv kjhg") == []
    assert len(await hits(served, "Oslo", "&limit=2")) == 2
    assert len(await hits(served, "Oslo")) == 10


@pytest.mark.parametrize(
    "query",
    ["", "text=", "text=a", "text=%20a%20", "text=" + "a" * 101, "text=Os%00lo", "text=Os%0Alo", "text=a%E2%80%AEb"],
)
async def test_a_text_that_is_none_is_refused_with_what_to_send(served: Api, service: Simulated, query: str) -> None:
    asked = await served.ask(f"/api/places?{query}")
    assert (asked.status, asked.json["parameter"]) == (400, "text")
    assert asked.json["error"].startswith(TEXT)
    assert not service.asked


@pytest.mark.parametrize("limit", ["0", "11", "two", "1.5"])
async def test_a_limit_that_is_none_is_refused(served: Api, limit: str) -> None:
    asked = await search(served, "Oslo", f"&limit={limit}")
    assert (asked.status, asked.json["error"]) == (400, "Parameteren limit må være et heltall fra 1 til 10.")
    english = await search(served, "Oslo", f"&limit={limit}", **{"Accept-Language": "en"})
    assert english.json["error"] == "The parameter limit must be a whole number from 1 to 10."


async def test_a_hundred_characters_are_a_text_and_unknown_parameters_are_told(served: Api) -> None:
    asked = await search(served, " " + "å" * 100 + " ", "&colour=red")
    assert asked.status == 200
    assert asked.json["warnings"] == ["Unknown parameters were ignored: colour."]


async def test_a_text_is_asked_once_however_it_is_spaced_and_not_again_while_it_is_fresh(
    served: Api, service: Simulated, clock: MovableClock
) -> None:
    answers = await asyncio.gather(*(search(served, "Storgata 5") for _ in range(5)))
    assert {answer.status for answer in answers} == {200}
    await search(served, " STORGATA   5 ")
    assert [r.path.rpartition("/")[2] for r in service.asked] == ["sok", "navn"]
    asked = service.asked[0]
    assert asked.query == {"sok": "Storgata 5", "fuzzy": "true", "treffPerSide": "10", "utkoordsys": "4258"}
    assert asked.headers["User-Agent"].startswith("solflis/")
    service.misbehave(mode="error")
    clock.moment += timedelta(hours=5, minutes=59)
    assert (await search(served, "Storgata 5")).status == 200
    clock.moment += timedelta(minutes=2)
    assert (await search(served, "Storgata 5")).status == 502, "what has expired is no answer"


async def test_it_answers_304_to_whoever_has_the_answer(served: Api) -> None:
    etag = (await search(served, "Oslo")).headers["ETag"]
    assert (await search(served, "Oslo", **{"If-None-Match": etag})).status == 304
    assert (await search(served, "Oslo", "&limit=1", **{"If-None-Match": etag})).status == 200


@pytest.mark.parametrize("path", ["adresser/*", "stedsnavn/*"])
async def test_an_authority_that_fails_is_502_and_comes_back(
    served: Api, service: Simulated, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    towns = ("Oslo", "Bergen", "Bodø", "Voss", "Finse", "Moss", "Narvik", "Alta", "Gol")
    for text, (name, fault) in zip(towns, FAULTS.items(), strict=True):
        service.misbehave(path, **fault)
        failed = await search(served, text)
        assert failed.status == 502, name
        assert failed.json["error"].startswith(FAILS)
        assert int(failed.headers["Retry-After"]) > 0
        assert not any(said in caplog.text for said in (text, "sok=")), "a search is nobody's business"
        assert "kartverket_adresser: " in caplog.text
        caplog.clear()
        service.behave()
        assert (await search(served, text)).status == 200, name


async def test_an_authority_that_wants_rest_is_given_it(served: Api, service: Simulated) -> None:
    service.misbehave(mode="error", status=429, retry_after=120)
    assert (await search(served, "Oslo")).status == 502
    before = len(service.asked)
    spared = await search(served, "Bergen")
    assert spared.status == 502
    assert 100 < int(spared.headers["Retry-After"]) <= 120
    assert len(service.asked) == before


async def test_what_is_searched_for_is_in_no_log_metric_or_file_name(
    start: Start, service: Simulated, clock: MovableClock, own_state: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = io.StringIO()
    caplog.set_level("DEBUG")
    api = await start(
        clock=clock, urls={"kartverket_adresser": service.url}, state_folder=own_state, access_log=log,
        trusted_proxies=LOOPBACK,
    )  # fmt: skip
    caplog.clear()
    assert await hits(api, "Strandgata 7 Narvik")
    metrics = (await api.ask("/metrics")).text
    await api.until("/metrics", lambda asked: '"/api/places"' in asked.text)
    for told in (log.getvalue(), metrics, *(r.getMessage() for r in caplog.records if r.name.startswith("solflis"))):
        assert not any(said in told for said in ("Strandgata", "Narvik", "68.4"))
    kept = [path for path in (own_state / "readthrough" / "places").iterdir() if path.is_file()]
    assert len(kept) == 2
    for path in kept:
        head = path.read_bytes().partition(b"\n")[0].lower()
        assert b"strandgata" not in head, "the key is a digest"
        assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0


async def test_the_terms_of_live_hits_name_the_authority() -> None:
    assert SOURCES["kartverket_adresser"].named("live")["attribution"].startswith("Kartverket")


async def test_a_network_may_search_five_times_a_second(served: Api) -> None:
    answers = [await served.ask("/api/places?text=a") for _ in range(12)]
    assert {answer.status for answer in answers} == {400, 429}
    assert "Retry-After" in answers[-1].headers
