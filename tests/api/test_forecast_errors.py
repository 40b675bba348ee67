"""Every error of the forecast, in the words of the contract."""

import logging
from urllib.parse import quote

import pytest

from api.forecast.models import LAT, LON
from tests.api.conftest import Api

GET_TEXT = "GET: provide ?lat=&lon= or ?site=jegerveien."
OUTSIDE = "Location outside Norway coverage (57-72N, 4-32E)"

NOT_NUMBERS = (
    "", "abc", "nan", "NaN", "-nan", "1_0", "0x3c", "60,5", " 60", "60 ", "%2060", "+60", "6%D9%A0", "６０", "60°",
    "null", "true", "1e", "e5", ".", "-", "--60", "60..0", "1e99999", "5" * 41, "9" * 4000, "60%00", "[60]", "%ff",
)  # fmt: skip
BEYOND = ("inf", "-inf", "Infinity", "1e999", "-60", "56.9999999", "72.00001", "1e308", "0", "-0.0")


def error(text: str, asked: object) -> bool:
    return asked.json == {"error": text} and asked.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("value", NOT_NUMBERS)
@pytest.mark.parametrize("which", ["lat", "lon"])
async def test_what_is_no_number(api: Api, which: str, value: str) -> None:
    other = "lon=10.75" if which == "lat" else "lat=59.91"
    asked = await api.ask(f"/api/forecast?{which}={quote(value, safe='%+')}&{other}")
    assert asked.status == 400
    assert list(asked.json) == ["error"]
    assert asked.json["error"] == f"{GET_TEXT} Parameteren {which} må være et tall, for eksempel 59.91."


@pytest.mark.parametrize("value", BEYOND)
async def test_outside_the_coverage(api: Api, value: str) -> None:
    asked = await api.ask(f"/api/forecast?lat={value}&lon=10.75")
    assert asked.status == 400
    assert error(OUTSIDE, asked)


@pytest.mark.parametrize("lon", ["3.999", "32.001", "-10.75", "inf", "370.75"])
async def test_outside_to_the_side(api: Api, lon: str) -> None:
    asked = await api.ask(f"/api/forecast?lat=59.91&lon={lon}")
    assert asked.status == 400
    assert error(OUTSIDE, asked)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?",
        "?lat=59.91",
        "?lon=10.75",
        "?LAT=59.91&LON=10.75",
        "?latitude=59.91&longitude=10.75",
        "?daily=false",
        "?&&&=&",
    ],
)
async def test_missing_coordinates(api: Api, query: str) -> None:
    asked = await api.ask(f"/api/forecast{query}")
    assert asked.status == 400
    assert error(GET_TEXT, asked)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("site=oslo", "Ukjent site. Gyldige verdier: jegerveien."),
        ("site=", "Ukjent site."),
        ("site=JEGERVEIEN", "Ukjent site."),
        ("site=jegerveien&lat=59.91", "ikke begge deler"),
        ("site=jegerveien&site=jegerveien", "Parameteren site er oppgitt mer enn én gang."),
        ("lat=59.91&lat=60&lon=10.75", "Parameteren lat er oppgitt mer enn én gang."),
        ("lat=59.91&lon=10.75&lon=10.75", "Parameteren lon er oppgitt mer enn én gang."),
    ],
)
async def test_no_single_place(api: Api, query: str, says: str) -> None:
    asked = await api.ask(f"/api/forecast?{query}")
    assert asked.status == 400
    assert asked.json["error"].startswith(f"{GET_TEXT} ")
    assert says in asked.json["error"]


@pytest.mark.parametrize("name", ["daily", "extended", "snow", "precise", "v23b", "corrected", "fresh"])
@pytest.mark.parametrize("value", ["yes", "TRUE", "2", "", "on", "%C3%A6", "tru"])
async def test_flags_are_strict(api: Api, name: str, value: str) -> None:
    asked = await api.ask(f"/api/forecast?lat=59.91&lon=10.75&{name}={value}")
    assert asked.status == 400
    assert error(f"Parameteren {name} må være true, 1, false eller 0.", asked)


@pytest.mark.parametrize("value", ["v2", "V1", "", "v23b,v1", "production_v1"])
async def test_unknown_model(api: Api, value: str) -> None:
    asked = await api.ask(f"/api/forecast?lat=59.91&lon=10.75&model={value}")
    assert asked.status == 400
    assert error("Parameteren model må være en av: v23b, v1.", asked)


async def test_missing_cell(api: Api) -> None:
    asked = await api.ask("/api/forecast?lat=70&lon=20")
    assert asked.status == 503
    assert asked.json["error"].startswith("No forecast data available for this location")
    assert "Retry-After" not in asked.headers
    assert asked.headers["Cache-Control"] == "no-store"


async def test_damaged_cell_is_503_and_a_line_in_the_log(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "solflis.api"):
        asked = await api.ask("/api/forecast?lat=65&lon=14")
    assert asked.status == 503
    assert asked.json["error"].startswith("No forecast data available for this location")
    assert asked.headers["Retry-After"] == "120"
    assert ["damaged cell (267, 333)" in record.message for record in caplog.records] == [True]


async def test_if_none_match_does_not_hide_a_missing_cell(api: Api) -> None:
    asked = await api.ask("/api/forecast?lat=70&lon=20", headers={"If-None-Match": "*"})
    assert asked.status == 503


def test_coverage_is_the_contract_s() -> None:
    assert (LAT, LON) == ((57, 72), (4, 32))


@pytest.mark.parametrize("query", ["anlegg_id=abc", "lat=59.91&lon=10.75&anlegg_id=abc"])
async def test_no_plant_is_registered_yet(api: Api, query: str) -> None:
    asked = await api.ask(f"/api/forecast?{query}")
    assert asked.status == 404
    assert asked.json["error"].startswith("Anlegget finnes ikke")
