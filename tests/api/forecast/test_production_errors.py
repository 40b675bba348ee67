"""`POST /api/forecast`: every way of asking for what cannot be answered, each with its sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api import texts
from api.forecast.body import Series
from api.forecast.production.models import EXAMPLE, MAX_ARRAYS
from tests.api.conftest import Start
from tests.api.fabricated import CYCLE, OSLO_CELL, entry, hydrate, series, write_index
from tests.api.forecast.conftest import PLANT, SOUTH, WEST, Post

OUTSIDE = "Location outside Norway coverage (57-72N, 4-32E)"
ABSENT = object()


def array(**fields: Any) -> dict[str, Any]:
    """The plant's first array with other fields."""
    return {name: value for name, value in {**SOUTH, **fields}.items() if value is not ABSENT}


async def test_an_unreadable_body_is_answered_with_an_example(sunny: Any, post: Post) -> None:
    for body in (b"", b"{", b"[]", b'"a"', b'{"latitude":60,"latitude":61,"longitude":10}'):
        asked = await sunny.ask("/api/forecast", "POST", data=body, headers={"Content-Type": "application/json"})
        assert (asked.status, asked.json) == (400, {"error": "Invalid JSON body", "example": EXAMPLE})
    assert (await post(body={**EXAMPLE, "latitude": 59.91, "longitude": 10.75})).status == 200


async def test_outside_the_coverage(post: Post) -> None:
    for lat, lon in ((56.999, 10), (72.001, 10), (60, 3.999), (60, 32.001), (-1e308, 1e308)):
        asked = await post(latitude=lat, longitude=lon)
        assert (asked.status, asked.json) == (400, {"error": OUTSIDE})


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"latitude": "59.91"}, "Feltet latitude må være et tall."),
    ({"latitude": None}, "Feltet latitude må være et tall."),
    ({"longitude": True}, "Feltet longitude må være et tall."),
    ({"longitude": [10]}, "Feltet longitude må være et tall."),
    ({"arrays": {}}, "Feltet arrays må være en liste."),
    ({"arrays": None}, "Feltet arrays må være en liste."),
    ({"arrays": ["a"]}, "Feltet arrays[0] må være et objekt."),
    ({"arrays": [array()] * (MAX_ARRAYS + 1)}, f"Feltet arrays kan ha høyst {MAX_ARRAYS} verdier."),
    ({"arrays": [array(name=ABSENT)]}, "Feltet arrays[0].name mangler."),
    ({"arrays": [array(), array(kwp=ABSENT)]}, "Feltet arrays[1].kwp mangler."),
    ({"arrays": [array(kwp=0)]}, "Feltet arrays[0].kwp må være større enn 0."),
    ({"arrays": [array(kwp=-1)]}, "Feltet arrays[0].kwp må være større enn 0."),
    ({"arrays": [array(kwp=1e300)]}, "Feltet arrays[0].kwp må være høyst 100000."),
    ({"arrays": [array(kwp="6.4")]}, "Feltet arrays[0].kwp må være et tall."),
    ({"arrays": [array(tilt_deg=-0.1)]}, "Feltet arrays[0].tilt_deg må være minst 0."),
    ({"arrays": [array(tilt_deg=90.1)]}, "Feltet arrays[0].tilt_deg må være høyst 90."),
    ({"arrays": [array(azimuth_deg=-90)]}, "Feltet arrays[0].azimuth_deg må være minst 0."),
    ({"arrays": [array(azimuth_deg=361)]}, "Feltet arrays[0].azimuth_deg må være høyst 360."),
    ({"performance_ratio": 85}, "Feltet performance_ratio må være høyst 1."),
    ({"performance_ratio": -0.1}, "Feltet performance_ratio må være minst 0."),
    ({"temp_coeff_pmax": -0.4}, "Feltet temp_coeff_pmax må være minst -0.02."),
    ({"temp_coeff_pmax": 0.004}, "Feltet temp_coeff_pmax må være høyst 0."),
    ({"altitude_m": 9000}, "Feltet altitude_m må være høyst 3000."),
    ({"model": "v2"}, "Feltet model må være en av: v23b, v1."),
    ({"layout": "table"}, "Feltet layout må være en av: rows, columns."),
    ({"precise": "yes"}, "Feltet precise må være true eller false."),
    ({"daily": 2}, "Feltet daily må være true eller false."),
    ({"snow": [1]}, "Feltet snow må være true eller false."),
    ({"snow": None}, "Feltet snow må være true eller false."),
    ({"anlegg_id": 7}, "Feltet anlegg_id må være tekst."),
]


async def test_a_field_that_is_wrong_is_named(post: Post) -> None:
    for fields, error in WRONG:
        asked = await post(**fields)
        assert (asked.status, asked.json) == (400, {"error": error}), fields


async def test_a_coordinate_that_is_missing(post: Post) -> None:
    for name in ("latitude", "longitude"):
        asked = await post(body={key: value for key, value in PLANT.items() if key != name})
        assert (asked.status, asked.json) == (400, {"error": f"Feltet {name} mangler."})


BAD_NAMES: list[tuple[Any, str]] = [
    ("", "Feltet arrays[0].name må ha minst 1 tegn."),
    ("x" * 101, "Feltet arrays[0].name kan ha høyst 100 tegn."),
    ("x" * 10_000, "Feltet arrays[0].name kan ha høyst 100 tegn."),
    ("  ", "Feltet arrays[0].name har tegn som ikke er tillatt, eller bare mellomrom."),
    ("a\x00", "Feltet arrays[0].name har tegn som ikke er tillatt, eller bare mellomrom."),
    ("a\nb", "Feltet arrays[0].name har tegn som ikke er tillatt, eller bare mellomrom."),
    ("\x85a", "Feltet arrays[0].name har tegn som ikke er tillatt, eller bare mellomrom."),
    (7, "Feltet arrays[0].name må være tekst."),
    ("total", "Feltet arrays[0].name kan ikke være total: feltet total_W er summen."),
    ("vest", "Feltet arrays[1].name er brukt før i samme liste."),
]


async def test_names_that_cannot_be_fields(post: Post) -> None:
    for name, error in BAD_NAMES:
        asked = await post(arrays=[array(name=name), WEST])
        assert (asked.status, asked.json) == (400, {"error": error}), name


async def test_names_that_look_the_same_are_the_same(post: Post) -> None:
    asked = await post(arrays=[array(name="Ås"), array(name="A\u030as")])
    assert (asked.status, asked.json) == (400, {"error": "Feltet arrays[1].name er brukt før i samme liste."})


async def test_half_a_character_is_no_json(sunny: Any) -> None:
    body = b'{"latitude":59.91,"longitude":10.75,"arrays":[{"name":"\\ud800","kwp":1,"tilt_deg":1,"azimuth_deg":1}]}'
    asked = await sunny.ask("/api/forecast", "POST", data=body, headers={"Content-Type": "application/json"})
    assert (asked.status, asked.json["error"]) == (400, "Invalid JSON body")


async def test_odd_names_come_back_as_they_are(post: Post) -> None:
    fields_of_rows = ["hour", "timestamp", "ghi_wm2", "Total", "total_W"]
    for name in (*fields_of_rows, "x" * 100, 'a"b', "\\", "{0}", "%s", "</script>", "🌞", "後ろ", " a"):
        for layout in ("rows", "columns"):
            body = (await post(arrays=[array(name=name)], layout=layout)).json
            rows = body["pv_timeseries"]
            fields = list(rows) if layout == "columns" else list(rows[12])
            assert fields == ["hour", "timestamp", "ghi_wm2", f"{name}_W", "total_W", "total_kWh"]
            assert body["pv_system"]["arrays"][0]["name"] == name


async def test_as_many_arrays_as_are_taken(post: Post) -> None:
    body = (await post(arrays=[array(name=f"{n}") for n in range(MAX_ARRAYS)])).json
    assert len(body["pv_timeseries"][0]) == 5 + MAX_ARRAYS


async def test_unknown_fields_are_ignored(post: Post) -> None:
    assert (await post(arrays=[array(loss=14), WEST], name="Huset")).text == (await post()).text


async def test_no_plant_is_registered(post: Post) -> None:
    asked = await post(anlegg_id="anl_1")
    assert (asked.status, asked.json) == (404, {"error": texts.NO_PLANT})
    assert (await post(anlegg_id=None)).status == 200


async def test_a_cell_without_data_and_a_damaged_one(post: Post) -> None:
    for place, text in (((70.0, 20.0), texts.NO_CELL), ((65.0, 14.0), texts.DAMAGED_CELL)):
        asked = await post(latitude=place[0], longitude=place[1])
        assert (asked.status, asked.json) == (503, {"error": text})
        assert asked.json["error"].startswith("No forecast data available")


async def test_a_tile_without_what_production_takes(start: Start, tmp_path: Path) -> None:
    for lacks, asked_for in (("temp_air", {}), ("wind_speed", {"precise": True})):
        held = tuple(name for name in ("ghi", "temp_air", "wind_speed") if name != lacks)
        made = entry(CYCLE, variables=held, attempt=f"20260601T000000-{lacks}")
        hydrate(tmp_path / "state", made, {OSLO_CELL: series()})
        write_index(tmp_path / lacks, made)
        api = await start(state_folder=tmp_path / "state", store_folder=tmp_path / lacks)
        refused = await api.ask("/api/forecast", "POST", json={**PLANT, **asked_for})
        assert refused.status == 503
        assert refused.json["error"].startswith("No forecast data available")
        assert lacks in refused.json["error"]
        alone = await api.ask("/api/forecast", "POST", json={"latitude": 59.91, "longitude": 10.75})
        assert alone.status == 200
        bulk = await api.ask("/api/forecast/bulk", "POST", json={"systems": [{"id": "a", **PLANT}]})
        assert bulk.status == (503 if lacks == "temp_air" else 200)


async def test_no_forecast_at_all(start: Start, tmp_path: Path) -> None:
    api = await start(state_folder=tmp_path / "state", store_folder=tmp_path / "own")
    for path, body in (("/api/forecast", PLANT), ("/api/forecast/bulk", {"systems": [{"id": "a", **PLANT}]})):
        asked = await api.ask(path, "POST", json={**body, "model": "v1"})
        assert asked.status == 503
        assert asked.json["error"].startswith("No forecast data available")
        assert asked.headers["Retry-After"] == "120"
        assert asked.headers["Sunset"] == "Thu, 19 Nov 2026 00:00:00 GMT"


async def test_methods(sunny: Any) -> None:
    asked = await sunny.ask("/api/forecast", "PUT")
    assert (asked.status, asked.headers["Allow"]) == (405, "GET, HEAD, OPTIONS, POST")
    asked = await sunny.ask("/api/forecast/bulk")
    assert (asked.status, asked.headers["Allow"]) == (405, "OPTIONS, POST")


@pytest.mark.parametrize("layout", ["rows", "columns"])
async def test_a_number_that_is_none_is_our_fault_and_logged(
    post: Post, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, layout: str
) -> None:
    monkeypatch.setattr(Series, "units", property(lambda _: np.full((3, 2), np.nan)), raising=False)
    asked = await post(layout=layout)
    assert (asked.status, asked.json) == (500, {"error": texts.INTERNAL})
    assert "ValueError: a value to be printed is none" in caplog.text
