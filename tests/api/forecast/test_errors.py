"""Every error of the forecast, in the words of the contract."""

import logging
from urllib.parse import quote

import pytest

from api.forecast.place import LAT, LON
from tests.api.conftest import Api

GET_TEXT = "GET: provide ?lat=&lon= or ?site=jegerveien."
OUTSIDE = "Location outside Norway coverage (57-72N, 4-32E)"
POINT = "lat=59.91&lon=10.75"

NOT_NUMBERS = (
    "", "abc", "nan", "NaN", "-nan", "1_0", "0x3c", "60,5", " 60", "60 ", "%2060", "+60", "6%D9%A0", "６０", "60°",
    "null", "true", "1e", "e5", ".", "-", "--60", "60..0", "1e99999", "5" * 41, "9" * 4000, "60%00", "[60]", "%ff",
)  # fmt: skip
BEYOND = ("inf", "-inf", "Infinity", "1e999", "-60", "56.9999999", "72.00001", "1e308", "0", "-0.0")


async def require(api: Api, query: str, error: str, parameter: str) -> None:
    """400 in these words, naming the parameter."""
    asked = await api.ask(f"/api/forecast?{query}")
    assert asked.status == 400, query
    assert asked.json == {"error": error, "code": "INVALID_INPUT", "parameter": parameter}, query


@pytest.mark.parametrize("which", ["lat", "lon"])
async def test_what_is_no_number(api: Api, which: str) -> None:
    other = "lon=10.75" if which == "lat" else "lat=59.91"
    for value in NOT_NUMBERS:
        await require(api, f"{which}={quote(value, safe='%+')}&{other}", GET_TEXT, which)


async def test_outside_the_coverage(api: Api) -> None:
    for value in BEYOND:
        await require(api, f"lat={value}&lon=10.75", OUTSIDE, "lat")
    for value in ("3.999", "32.001", "-10.75", "inf", "370.75"):
        await require(api, f"lat=59.91&lon={value}", OUTSIDE, "lon")
    assert (LAT, LON) == ((57, 72), (4, 32))


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("", "lat"),
        ("lat=59.91", "lon"),
        ("lon=10.75", "lat"),
        ("LAT=59.91&LON=10.75", "lat"),
        ("daily=false", "lat"),
        ("&&&=&", "lat"),
        ("site=oslo", "site"),
        ("site=", "site"),
        ("site=jegerveien&lat=59.91", "site"),
        ("site=jegerveien&site=jegerveien", "site"),
        ("lat=59.91&lat=60&lon=10.75", "lat"),
    ],
)
async def test_no_single_place_is_answered_with_the_contract_s_sentence_alone(
    api: Api, query: str, parameter: str
) -> None:
    await require(api, query, GET_TEXT, parameter)


async def test_flags_and_choices_are_strict(api: Api) -> None:
    for name in ("daily", "extended", "snow", "precise", "v23b", "corrected", "fresh"):
        for value in ("yes", "TRUE", "2", "", "%C3%A6"):
            text = f"Parameteren {name} må være true, 1, false eller 0."
            await require(api, f"{POINT}&{name}={value}", text, name)
    for value in ("v2", "V1", "", "v23b,v1"):
        await require(api, f"{POINT}&model={value}", "Parameteren model må være en av: v23b, v1.", "model")


async def test_missing_cell(api: Api) -> None:
    for headers in ({}, {"If-None-Match": "*"}):
        asked = await api.ask("/api/forecast?lat=70&lon=20", headers=headers)
        assert asked.status == 503
        assert asked.json["error"].startswith("No forecast data available for this location")
        assert "Retry-After" not in asked.headers
        assert asked.headers["Cache-Control"] == "no-store"


async def test_damaged_cell_is_503_and_a_line_in_the_log(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "solflis.api"):
        asked = await api.ask("/api/forecast?lat=65&lon=14")
    assert (asked.status, asked.json["code"]) == (503, "DAMAGED")
    assert asked.json["error"].startswith("No forecast data available for this location")
    assert asked.headers["Retry-After"] == "120"
    assert ["damaged cell (267, 333)" in record.message for record in caplog.records] == [True]


async def test_a_plant_that_is_not_registered_is_not_found(api: Api) -> None:
    body = {"latitude": 59.91, "longitude": 10.75, "anlegg_id": "abc"}
    answers = [await api.ask(f"/api/forecast?{query}anlegg_id=abc") for query in ("", f"{POINT}&")]
    for asked in (*answers, await api.ask("/api/forecast", "POST", json=body)):
        assert (asked.status, asked.json["parameter"]) == (404, "anlegg_id")
        assert asked.json["error"].startswith("Det finnes ikke noe slikt anlegg")
    assert (await api.ask("/api/forecast", "POST", json={**body, "anlegg_id": None})).status == 200


async def test_a_body_without_plant_needs_both_coordinates(api: Api) -> None:
    for body, name in (({}, "latitude"), ({"latitude": 59.91}, "longitude"), ({"anlegg_id": None}, "latitude")):
        asked = await api.ask("/api/forecast", "POST", json=body)
        assert (asked.status, asked.json["parameter"]) == (400, name)
        assert asked.json["error"] == f"Feltet {name} mangler."
