"""`POST /api/forecast`: every way of asking for what cannot be answered, each with its sentence."""

from pathlib import Path
from typing import Any

import pytest

from api.forecast.requests import MAX_ARRAYS
from tests.api.conftest import Start
from tests.api.fabricated import WEATHER, entry
from tests.api.forecast.conftest import PLANT, SOUTH, WEST, Post, Serve

OUTSIDE = "Location outside Norway coverage (57-72N, 4-32E)"
ABSENT = object()


def array(**fields: Any) -> dict[str, Any]:
    """The plant's first array with other fields."""
    return {name: value for name, value in {**SOUTH, **fields}.items() if value is not ABSENT}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"arrays": [array()] * (MAX_ARRAYS + 1)}, f"Feltet arrays kan ha høyst {MAX_ARRAYS} verdier."),
    ({"arrays": [array(), array(kwp=ABSENT)]}, "Feltet arrays[1].kwp mangler."),
    ({"arrays": [array(kwp=0)]}, "Feltet arrays[0].kwp må være større enn 0."),
    ({"arrays": [array(tilt_deg=90.1)]}, "Feltet arrays[0].tilt_deg må være høyst 90."),
    ({"arrays": [array(azimuth_deg=361)]}, "Feltet arrays[0].azimuth_deg må være høyst 360."),
    ({"performance_ratio": 85}, "Feltet performance_ratio må være høyst 1."),
    ({"temp_coeff_pmax": -0.4}, "Feltet temp_coeff_pmax må være minst -0.02."),
    ({"altitude_m": 9000}, "Feltet altitude_m må være høyst 3000."),
    ({"model": "v2"}, "Feltet model må være en av: v23b, v1."),
    ({"layout": "table"}, "Feltet layout må være en av: rows, columns."),
    ({"precise": "yes"}, "Feltet precise må være true eller false."),
    ({"arrays": [array(name="x" * 101)]}, "Feltet arrays[0].name kan ha høyst 100 tegn."),
    ({"arrays": [array(name="  ")]}, "Feltet arrays[0].name har tegn som ikke er tillatt, eller bare mellomrom."),
    ({"arrays": [array(name="a\nb")]}, "Feltet arrays[0].name har tegn som ikke er tillatt, eller bare mellomrom."),
    ({"arrays": [array(name="total")]}, "Feltet arrays[0].name kan ikke være total: feltet total_W er summen."),
    ({"arrays": [array(name="Ås"), array(name="A\u030as")]}, "Feltet arrays[1].name er brukt før i samme liste."),
]


async def test_a_field_that_is_wrong_is_named(post: Post) -> None:
    for fields, error in WRONG:
        asked = await post(**fields)
        assert (asked.status, asked.json["error"]) == (400, error), fields


async def test_odd_names_come_back_as_they_are(post: Post) -> None:
    fields_of_rows = ["hour", "timestamp", "ghi_wm2", "Total", "total_W"]
    for name in (*fields_of_rows, "x" * 100, 'a"b', "\\", "{0}", "%s", "</script>", "🌞", "後ろ", " a"):
        for layout in ("rows", "columns"):
            body = (await post(arrays=[array(name=name)], layout=layout)).json
            rows = body["pv_timeseries"]
            fields = list(rows) if layout == "columns" else list(rows[12])
            assert fields == ["hour", "timestamp", "ghi_wm2", f"{name}_W", "total_W", "total_kWh"]
            assert body["pv_system"]["arrays"][0]["name"] == name


async def test_unknown_fields_and_a_query_string_are_ignored_and_named(post: Post) -> None:
    asked = await post("/api/forecast?format=csv", arrays=[array(loss=14), WEST], extended=True)
    told = asked.json
    assert told.pop("warnings") == [
        "Unknown parameters were ignored: format.",
        "Unknown fields were ignored: loss, extended.",
    ]
    assert told == (await post()).json
    many = (await post(**{f"unknown{n}": 0 for n in range(2000)})).json
    assert many["warnings"] == ["Unknown fields were ignored: ...."]


@pytest.mark.parametrize(("lacks", "asked_for"), [("temp_air", {}), ("wind_speed", {"precise": True})])
async def test_a_tile_without_what_production_takes(serve: Serve, lacks: str, asked_for: dict[str, Any]) -> None:
    api = await serve(entry(variables=tuple(name for name in WEATHER if name != lacks)))
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
