"""Measurements in the fixed format: units, intervals, stamps, zones, change-over nights, and what cannot be true."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
import sqlalchemy as sa

from api.data.plants import measurements
from api.database.tables import job
from api.plants.answers import StoredAnswer
from api.plants.model import PlantModel
from tests.api.plants.conftest import BODY, Owner, Service
from tests.support.plants import writing

OSLO = ZoneInfo("Europe/Oslo")
of_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def send(owner: Owner, plant: str, values: list[Any], **fields: Any) -> Any:
    return await owner.post(f"/{plant}/maalinger", json={"verdier": values, **fields})


def stored(service: Service, plant: str) -> dict[str, float]:
    """Return what is stored by hour, kWh."""
    with writing(str(service.api.app.settings.database)) as connection:
        found = measurements.read(connection, plant)
    hours = (datetime.fromtimestamp(start, ZoneInfo("UTC")) for start in found.starts.tolist())
    return {f"{hour:%m-%dT%H}": wh / 1000 for hour, wh in zip(hours, found.wh.tolist(), strict=True)}


async def test_values_are_stored_by_the_hour_and_replaced_when_they_come_again(idle: Service) -> None:
    plant = await idle.kari.register()
    values = [
        {"tid": "2026-06-01T10:00:00Z", "verdi": 1.5},
        {"time": "2026-06-01T13:00:00+02:00", "value": 2},
        ["2026-06-01T12:00:00", 3],
    ]
    first = await send(idle.kari, plant, values)
    assert first.status == 201, first.text
    StoredAnswer.model_validate(first.json)
    assert first.json == {
        "lagret": 3, "erstattet": 0, "ufullstendige": 0, "fra": "2026-06-01T10:00:00Z", "til": "2026-06-01T12:00:00Z",
    }  # fmt: skip
    again = await send(idle.kari, plant, [["2026-06-01T12:00:00Z", 4], ["2026-06-01T13:00:00Z", 5]])
    assert (again.json["lagret"], again.json["erstattet"]) == (2, 1)
    assert stored(idle, plant) == {"06-01T10": 1.5, "06-01T11": 2.0, "06-01T12": 4.0, "06-01T13": 5.0}
    assert (await idle.kari.data(plant))["kwh_totalt"] == 12.5


@of_sqlite
@pytest.mark.parametrize(
    ("fields", "kwh"),
    [
        ({"enhet": "Wh"}, 0.004), ({"enhet": "kWh"}, 4), ({"enhet": "MWh", "verdi": 0.004}, 4),
        ({"enhet": "W"}, 0.004), ({"enhet": "kW"}, 4), ({"enhet": "MW", "verdi": 0.004}, 4),
        ({"enhet": "kW", "storrelse": "effekt"}, 4), ({"enhet": "kWh", "storrelse": "energi"}, 4),
        ({"stempel": "slutt", "tid": "2026-06-01T11:00:00Z"}, 4),
        ({"tidssone": "Europe/Oslo", "tid": "2026-06-01T12:00"}, 4),
        ({"tidssone": "+01:00", "tid": "2026-06-01T11:00"}, 4),
        ({"tidssone": "-02:30", "tid": "2026-06-01 07:30"}, 4),
        ({"tidssone": "Europe/Oslo", "tid": "2026-06-01T10:00Z"}, 4),
    ],
)  # fmt: skip
async def test_units_stamps_and_zones(idle: Service, fields: dict[str, Any], kwh: float) -> None:
    plant = await idle.kari.register()
    more = dict(fields)
    value = [more.pop("tid", "2026-06-01T10:00:00Z"), more.pop("verdi", 4)]
    assert (await send(idle.kari, plant, [value], **more)).status == 201
    assert stored(idle, plant) == {"06-01T10": kwh}


def quarters(start: datetime, count: int, minutes: int = 15) -> list[str]:
    """Return times of intervals as a clock on the wall shows them."""
    moments = (start + timedelta(minutes=minutes * number) for number in range(count))
    return [f"{moment.astimezone(OSLO):%Y-%m-%dT%H:%M}" for moment in moments]


@of_sqlite
@pytest.mark.parametrize("unit", ["kWh", "kW"])
async def test_quarters_of_an_hour_are_summed(idle: Service, unit: str) -> None:
    plant = await idle.kari.register()
    times = [f"2026-06-01T{hour}:{minute:02}:00Z" for hour in (10, 11) for minute in (0, 15, 30, 45)]
    values = list(zip(times, [1, 2, 3, 2, 1, 1, 1, 1], strict=True))
    sent = await send(idle.kari, plant, values[:7], intervall_min=15, enhet=unit)
    assert (sent.json["lagret"], sent.json["ufullstendige"]) == (1, 1)
    divisor = 1 if unit == "kWh" else 4
    assert stored(idle, plant) == {"06-01T10": 8 / divisor}, "an hour that is not whole is not stored"
    shuffled = [*values[::-1], (times[0], 2)]
    await send(idle.kari, plant, shuffled, intervall_min=15, enhet=unit)
    assert stored(idle, plant) == {"06-01T10": 9 / divisor, "06-01T11": 4 / divisor}


@of_sqlite
@pytest.mark.parametrize("minutes", [60, 15])
@pytest.mark.parametrize("stamp", ["start", "slutt"])
@pytest.mark.parametrize(("night", "hours"), [("2026-03-29", 23), ("2025-10-26", 25)])
async def test_change_over_nights_have_every_hour_once(
    idle: Service, night: str, hours: int, minutes: int, stamp: str
) -> None:
    plant = await idle.kari.register()
    midnight = datetime.fromisoformat(night).replace(tzinfo=OSLO).astimezone(ZoneInfo("UTC"))
    shift = timedelta(minutes=minutes) if stamp == "slutt" else timedelta(0)
    count = hours * 60 // minutes
    times = quarters(midnight + shift, count, minutes)
    values = [[time, number * minutes // 60 / 10 * minutes / 60] for number, time in enumerate(times)]
    half = 12 * 60 // minutes  # less than a day is not checked against the sun
    for part in (values[:half], values[half:]):
        sent = await send(idle.kari, plant, part, intervall_min=minutes, stempel=stamp, tidssone="Europe/Oslo")
        assert sent.status == 201, sent.text
        assert (sent.json["lagret"], sent.json["ufullstendige"]) == (len(part) * minutes // 60, 0)
    found = stored(idle, plant)
    expected = {f"{midnight + timedelta(hours=number):%m-%dT%H}": number / 10 for number in range(hours)}
    assert found == pytest.approx(expected)


@of_sqlite
@pytest.mark.parametrize(
    ("value", "fields", "told"),
    [
        (["2026-06-01T10:00:00Z", 11.51], {}, "Mer enn anlegget kan gi"),
        (["2026-06-01T10:00:00Z", 11.51], {"enhet": "kW"}, "Mer enn anlegget kan gi"),
        (["2026-06-01T10:00:00Z", 1e308], {"enhet": "MWh"}, "Mer enn anlegget kan gi"),
        (["2026-06-01T10:00:00Z", -0.01], {}, "negativ"),
        (["2026-07-01T13:00:00Z", 1], {}, "ikke begynt"),
        (["9999-12-31T23:00:00-14:00", 1], {}, "ikke begynt"),
        (["0001-01-01T00:00:00+14:00", 1], {}, "før 1980"),
        (["2026-06-01T10:30:00Z", 1], {}, "helt intervall"),
        (["2026-06-01T10:05:00Z", 1], {"intervall_min": 15}, "helt intervall"),
        (["2026-06-01T10:15:00Z", 1], {"intervall_min": 15}, "hele timer"),
    ],
)
async def test_what_cannot_be_true_is_422_and_nothing_is_stored(
    idle: Service, value: list[Any], fields: dict[str, Any], told: str
) -> None:
    plant = await idle.kari.register()
    step = fields.get("intervall_min", 60)
    good = [[f"2026-06-01T08:{minute:02}:00Z", 0] for minute in range(0, 60, step)]
    refused = await send(idle.kari, plant, [value] if "hele timer" in told else [*good, value], **fields)
    assert (refused.status, refused.json["code"]) == (422, "FAILED_CHECKS"), refused.text
    [problem] = refused.json["problemer"]
    assert told in problem["tekst"]
    assert stored(idle, plant) == {}


@of_sqlite
async def test_as_much_as_the_plant_can_give_is_stored(idle: Service) -> None:
    plant = await idle.kari.register()
    assert (await send(idle.kari, plant, [["2026-06-01T10:00:00Z", 11.5], ["2026-06-01T11:00:00Z", 0]])).status == 201


@of_sqlite
async def test_of_many_problems_the_first_are_told(idle: Service) -> None:
    plant = await idle.kari.register()
    start = datetime(2026, 1, 1)
    values = [[f"{start + timedelta(hours=n):%Y-%m-%dT%H:%M}", 99] for n in range(100)]
    told = (await send(idle.kari, plant, values)).json["problemer"]
    assert len(told) == 21
    assert told[0]["tid"] == "2026-01-01T00:00:00Z"
    assert told[0]["verdi_kwh"] == 99
    assert told[-1] == {"tekst": "Og 80 verdier til."}


@of_sqlite
@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "verdier"),
        ({"verdier": []}, "verdier"),
        ({"verdier": {}}, "verdier"),
        ({"verdier": [{}]}, "verdier[0].tid"),
        ({"verdier": [{"tid": "2026-06-01T10:00:00Z"}]}, "verdier[0].verdi"),
        ({"verdier": [["i går", 1]]}, "verdier[0][0]"),
        ({"verdier": [[1_780_000_000, 1]]}, "verdier[0][0]"),
        ({"verdier": [["2026-06-01T10:00:00Z", "1"]]}, "verdier[0][1]"),
        ({"verdier": [["2026-06-01T10:00:00Z", None]]}, "verdier[0][1]"),
        ({"verdier": [["2026-06-01T10:00:00Z"]]}, "verdier[0][1]"),
        ({"enhet": "hk"}, "enhet"),
        ({"enhet": "kW", "storrelse": "energi"}, "storrelse"),
        ({"storrelse": "effekt"}, "storrelse"),
        ({"intervall_min": 7}, "intervall_min"),
        ({"intervall_min": 0}, "intervall_min"),
        ({"intervall_min": 120}, "intervall_min"),
        ({"intervall_min": 15.5}, "intervall_min"),
        ({"stempel": "midt"}, "stempel"),
        ({"tidssone": "Europe/Paris"}, "tidssone"),
        ({"tidssone": "+25:00"}, "tidssone"),
    ],
)
async def test_a_field_that_is_wrong_is_named(idle: Service, body: dict[str, Any], named: str) -> None:
    plant = await idle.kari.register()
    usual = {} if not body or "verdier" in body else {"verdier": [["2026-06-01T10:00:00Z", 1]]}
    refused = await idle.kari.post(f"/{plant}/maalinger", json=usual | body)
    assert (refused.status, refused.json["code"], refused.json["parameter"]) == (400, "INVALID_INPUT", named)


@of_sqlite
async def test_20_000_values_are_taken_and_one_more_is_413(idle: Service) -> None:
    plant = await idle.kari.register()
    start = datetime(2024, 1, 1)
    model = PlantModel(BODY["latitude"], BODY["longitude"], [(35, 180, 10)], 0.85)
    hours = int(start.replace(tzinfo=UTC).timestamp()) + 3600 * np.arange(20_001)
    kwh = (model.clear(hours) * 0.7 / 1000).round(3).tolist()
    values = [[f"{start + timedelta(hours=n):%Y-%m-%dT%H:%M:%SZ}", one] for n, one in enumerate(kwh)]
    refused = await send(idle.kari, plant, values)
    assert (refused.status, refused.json["code"]) == (413, "TOO_LARGE")
    assert "20000" in refused.json["error"]
    sent = await send(idle.kari, plant, [{"tid": when, "verdi": kwh} for when, kwh in values[:-1]])
    assert (sent.status, sent.json["lagret"]) == (201, 20_000)
    assert sent.json["kontroll"]["status"] == "ok"


@of_sqlite
async def test_a_plant_that_was_never_calibrated_is_queued_for_it_once_a_day(idle: Service) -> None:
    plant = await idle.kari.register()
    for hour in (10, 11):
        await send(idle.kari, plant, [[f"2026-06-01T{hour}:00:00Z", 1]])
    async with idle.api.app.resources.database.engine.connect() as connection:
        queued = sa.select(job.c.kind, job.c.plant_id, job.c.input)
        assert [tuple(row) for row in await connection.execute(queued)] == [
            ("plant_calibration", plant, plant.encode())
        ]


@of_sqlite
async def test_error_of_a_zone_says_what_to_send(idle: Service) -> None:
    plant = await idle.kari.register()
    refused = await send(idle.kari, plant, [["2026-06-01T10:00:00", 1]], tidssone="CET")
    assert "Europe/Oslo eller en forskyvning som +01:00" in refused.json["error"]


@of_sqlite
async def test_day_without_energy_is_stored_and_the_short_day_of_spring_is_checked(idle: Service) -> None:
    plant = await idle.kari.register()
    dark = [[f"2026-01-15T{hour:02}:00:00Z", 0] for hour in range(24)]
    assert (await send(idle.kari, plant, dark)).status == 201
    spring = [[f"2026-03-29T{hour:02}:00:00", 3] for hour in range(24) if hour != 2]
    refused = await send(idle.kari, plant, spring, tidssone="Europe/Oslo")
    assert (refused.status, refused.json["code"]) == (422, "FAILED_CHECKS")
