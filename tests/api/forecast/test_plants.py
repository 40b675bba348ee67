"""Forecasts of registered plants, calibrated and not."""

import csv
from datetime import timedelta
from typing import Any

import numpy as np
import orjson
import pytest

from api.access import partners
from api.data.plants import store
from api.data.plants.plant import Array, Plant
from tests.api.conftest import HALF_PAST_TWO, Api, require_documented
from tests.api.forecast.conftest import PLANT, SOUTH, CountedStart, left
from tests.support.plants import NOON, SKY, SOILED, made_plant, register

ARRAYS = tuple(Array(**one) for one in PLANT["arrays"])
EXTRAS = {"pv_timeseries_ukorrigert", "kalibrering", "anlegg"}
TREE = [[-0.5 if 60 <= azimuth < 150 else 0.0 for azimuth in range(0, 360, 10)] for _ in range(12)]


def usual(**others: Any) -> Plant:
    return made_plant(arrays=ARRAYS, used_at=HALF_PAST_TWO, **others)


def watts(rows: list[dict[str, Any]], name: str = "total") -> np.ndarray:
    return np.array([row[f"{name}_W"] for row in rows])


@pytest.mark.parametrize("more", ["", "&daily=true&timezone=Europe/Oslo", "&precise=1", "&layout=columns"])
async def test_a_plant_without_calibration_is_forecast_as_its_arrays_are(sunny: Api, more: str) -> None:
    plant = await register(sunny.app, usual(performance_ratio=0.8))
    own = await sunny.good(f"/api/forecast?anlegg_id={plant.id}{more}")
    arrays = ",".join(f"{one.kwp}:{one.tilt_deg}:{one.azimuth_deg}" for one in ARRAYS)
    other = await sunny.ask(f"/api/forecast?lat=59.91&lon=10.75&arrays={arrays}&performance_ratio=0.8{more}")
    named = other.text.replace("array_1", "sør").replace("array_2", "vest")
    expected = orjson.loads(named)
    assert own["pv_timeseries_ukorrigert"] == own["pv_timeseries"]
    sums = {name: own["pv_system"][name] for name in ("peak_power_w", "total_production_kwh")}
    assert own["pv_system"].pop("ukorrigert") == sums
    assert own["anlegg"] == {"id": plant.id, "navn": "Mitt anlegg"}
    assert own["kalibrering"] == {
        "brukt": False, "faktor": 1, "klipp_kw": None, "metode": "ingen", "forelopig": False, "oppdatert": None,
        "grunn": "Anlegget er ikke kalibrert ennå. Det skjer så snart det er målinger, og siden hver natt.",
    }  # fmt: skip
    assert {name: value for name, value in own.items() if name not in EXTRAS} == expected


async def test_a_calibrated_plant_has_both_series(sunny: Api) -> None:
    plant = await register(sunny.app, usual(), SOILED)
    plain = (await sunny.ask("/api/forecast", "POST", json=PLANT)).json
    get = await sunny.ask(f"/api/forecast?anlegg_id={plant.id}")
    post = await sunny.ask("/api/forecast", "POST", json={"anlegg_id": plant.id})
    body = get.json
    assert post.json == body
    assert body["pv_timeseries_ukorrigert"] == plain["pv_timeseries"]
    for name in ("sør", "vest", "total"):
        both = watts(body["pv_timeseries"], name), 0.8 * watts(plain["pv_timeseries"], name)
        assert np.abs(both[0] - both[1]).max() <= 0.1
    assert sum(watts(body["pv_timeseries"])) == pytest.approx(1000 * body["pv_system"]["total_production_kwh"])
    of_days = sum(day["production_kwh"] for day in body["days"])
    assert of_days == pytest.approx(body["pv_system"]["total_production_kwh"])
    plain_sums = {name: plain["pv_system"][name] for name in ("peak_power_w", "total_production_kwh")}
    assert body["pv_system"]["ukorrigert"] == plain_sums
    assert body["kalibrering"] == {
        "brukt": True, "faktor": 0.8, "klipp_kw": None, "metode": "klarvaer", "forelopig": True,
        "oppdatert": "2026-06-20T12:00:00Z",
        "grunn": "Anlegget gir 20 % mindre enn modellen på 9 klare dager, og korreksjonen holdt på dagene den ble "
        "prøvd på.",
    }  # fmt: skip
    validate = await require_documented(sunny, "GET /api/forecast", get)
    validate(post.json)
    columns = await sunny.good(f"/api/forecast?anlegg_id={plant.id}&layout=columns")
    assert columns["pv_timeseries"]["total_W"] == watts(body["pv_timeseries"]).tolist()


async def test_without_calibration_the_series_is_the_original_alone(sunny: Api) -> None:
    plant = await register(sunny.app, usual(), SOILED)
    plain = (await sunny.ask("/api/forecast", "POST", json=PLANT)).json
    off = await sunny.good(f"/api/forecast?anlegg_id={plant.id}&kalibrering=false")
    assert off["pv_timeseries"] == plain["pv_timeseries"]
    assert off["pv_system"] == plain["pv_system"]
    assert off.keys() == {*plain.keys(), "kalibrering", "anlegg"}
    assert (off["kalibrering"]["brukt"], off["kalibrering"]["faktor"]) == (False, 0.8)
    assert off["kalibrering"]["grunn"] == "Kalibreringen er slått av i denne forespørselen (kalibrering=false)."


async def test_factors_follow_the_sun_and_the_limit_holds_for_all_arrays_together(sunny: Api) -> None:
    by_sun = {"method": "solposisjon", "factor": 1.0, "preliminary": False, "sun": TREE, "month": [0.0] * 12}
    values = {"values": {"mae_before": 210.4, "mae_after": 150.0, "days": 80.0}, "reason": "sun_position"}
    plant = await register(sunny.app, usual(), {**SOILED, **by_sun, **values, "clip_w": 3000.0})
    body = await sunny.good(f"/api/forecast?anlegg_id={plant.id}")
    main, original = watts(body["pv_timeseries"]), watts(body["pv_timeseries_ukorrigert"])
    hours = np.array([int(row["timestamp"][11:13]) for row in body["pv_timeseries"]])
    assert original.max() > 4000
    assert main.max() == pytest.approx(3000, abs=0.2)
    assert (main[hours == 6] < 0.9 * original[hours == 6]).all(), "behind the tree"
    evening = (hours == 17) & (original < 3000)
    assert evening.any()
    assert np.allclose(main[evening], original[evening], rtol=0.01)
    assert body["kalibrering"]["klipp_kw"] == 3
    assert body["kalibrering"]["grunn"].startswith("Vekselretteren begrenser anlegget til 3,00 kW")


async def test_precise_takes_the_limit_and_no_factor(sunny: Api) -> None:
    plant = await register(sunny.app, usual(), {**SOILED, "clip_w": 3000.0})
    body = await sunny.good(f"/api/forecast?anlegg_id={plant.id}&precise=1")
    main, original = watts(body["pv_timeseries"]), watts(body["pv_timeseries_ukorrigert"])
    assert np.abs(main - np.minimum(original, 3000)).max() <= 0.2
    said = body["kalibrering"]
    assert (said["brukt"], said["faktor"], said["metode"], said["klipp_kw"]) == (True, 1, "ingen", 3)
    assert "precise" in said["grunn"]
    soiled = await register(sunny.app, usual(), SOILED)
    body = await sunny.good(f"/api/forecast?anlegg_id={soiled.id}&precise=1")
    assert body["kalibrering"]["brukt"] is False
    assert body["pv_timeseries"] == body["pv_timeseries_ukorrigert"]


async def test_a_file_has_calibrated_columns_and_is_kept_by_nobody(sunny: Api) -> None:
    plant = await register(sunny.app, usual(), SOILED)
    path = f"/api/forecast?anlegg_id={plant.id}"
    body, file = await sunny.good(path), await sunny.ask(f"{path}&format=csv")
    assert file.status == 200
    lines = [line for line in file.text.splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    assert [float(row["total_W"]) for row in rows] == watts(body["pv_timeseries"]).tolist()
    original = [row["total_kWh"] for row in body["pv_timeseries_ukorrigert"]]
    assert [float(row["total_ukorrigert_kWh"]) for row in rows] == original
    assert plant.id in file.text
    assert sunny.app.resources.machinery.bodies.nbytes == 0
    off = await sunny.ask(f"{path}&format=csv&kalibrering=false")
    assert "total_ukorrigert_kWh" not in off.text.split("timestamp", 1)[1]
    assert off.headers["ETag"] != file.headers["ETag"]
    for name in ("parquet", "arrow"):
        assert (await sunny.ask(f"{path}&format={name}")).status == 200


async def test_what_a_plant_brings_is_ignored_in_the_request(sunny: Api) -> None:
    plant = await register(sunny.app, usual(), SOILED)
    wanted = await sunny.good(f"/api/forecast?anlegg_id={plant.id}")
    given = f"/api/forecast?anlegg_id={plant.id}&lat=70&lon=25&arrays=1:0:0&performance_ratio=0.5"
    asked = await sunny.good(given)
    assert asked.pop("warnings") == ["Ignored with anlegg_id: lat, lon, arrays, performance_ratio."]
    assert asked == wanted
    whole = {"latitude": 70, "longitude": 25, "arrays": [SOUTH], "performance_ratio": 0.5, "anlegg_id": plant.id}
    asked = (await sunny.ask("/api/forecast", "POST", json=whole)).json
    assert asked.pop("warnings") == ["Ignored with anlegg_id: latitude, longitude, arrays, performance_ratio."]
    assert asked == wanted
    alone = await sunny.good("/api/forecast?lat=59.91&lon=10.75&kalibrering=false")
    assert alone["warnings"] == ["kalibrering was ignored: it is used only with anlegg_id."]


async def test_a_plant_needs_key_and_code_and_counts_as_one_place(
    start_counted: CountedStart, sunny_state: Any, sunny_store: Any
) -> None:
    counted = await start_counted(state_folder=sunny_state, store_folder=sunny_store)
    app, engine = counted._api.app, counted._engine
    free, other = await counted.key("free"), await counted.key("basic")
    code = await partners.add(engine, app.resources.secret, "Kari", HALF_PAST_TWO, "anlegg")
    plant = await register(app, usual(account=1), SOILED)
    large = await register(app, usual(account=1)._replace(arrays=(Array("tak", 26.0, 30.0, 180.0),)))
    path = f"/api/forecast?anlegg_id={plant.id}"

    async def asked(key: str | None, code: str | None, path: str = path, **more: Any) -> Any:
        headers = ({"X-API-Key": key} if key else {}) | ({"X-Anlegg-Beta": code} if code else {})
        return await counted._api.ask(path, headers=headers, **more)

    for who, status, expected in (
        ((None, None), 401, "API_KEY_REQUIRED"),
        ((None, code), 401, "API_KEY_REQUIRED"),
        ((free, None), 403, "BETA"),
        ((free, "wrong"), 403, "BETA"),
    ):
        for answer in (
            await asked(*who),
            await asked(*who, "/api/forecast", method="POST", json={"anlegg_id": plant.id}),
        ):
            assert (answer.status, answer.json["code"]) == (status, expected)
    missing = await asked(other, code), await asked(free, code, f"{path}x"), await asked(free, code, f"{path[:-1]}%00")
    assert [(one.status, one.json["error"]) for one in missing] == [(404, missing[0].json["error"])] * 3
    refused = await asked(free, code, f"/api/forecast?anlegg_id={large.id}")
    assert (refused.status, refused.json["error"][:43]) == (403, 'Tier "free" tillater maks 25 kWp per anlegg')
    assert refused.json["parameter"] == "anlegg_id"
    first, second = await asked(free, code), await asked(free, code, "/api/forecast?lat=59.91&lon=10.75")
    assert first.status == second.status == 200
    assert left(first)[1] == left(second)[1], "one place"
    assert left(first)[0] - left(second)[0] == 1


async def test_a_forecast_is_a_use_of_the_plant(sunny: Api) -> None:
    long_ago = HALF_PAST_TWO - timedelta(days=300)
    plant = await register(sunny.app, usual()._replace(used_at=long_ago))
    await sunny.good(f"/api/forecast?anlegg_id={plant.id}")
    async with sunny.app.resources.database.engine.begin() as connection:
        found = await connection.run_sync(store.find, plant.id)
    assert found is not None
    assert found.used_at == HALF_PAST_TWO


def test_made_calibrations_are_as_they_are_stored() -> None:
    assert set(SKY) < set(SOILED)
    assert NOON > HALF_PAST_TWO
