"""Plants and uploads in the database."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from api.data.plants import measurements, store, uploads
from api.data.plants.plant import is_id, new_id
from api.data.plants.uploads import KEPT, Reading, Upload
from api.database.tables import account, metadata, plant_weather
from tests.support.plants import NOON, hours_from, made_plant, writing

HOURS = hours_from(NOON - timedelta(days=1), [100, 200, 300])


def made_upload(plant_id: str, **content: Any) -> Upload:
    return Upload(new_id("opp_"), plant_id, "venter", NOON, NOON + KEPT, {"kontroll": {"status": "ok"}, **content})


def test_a_plant_is_its_accounts_alone(database_url: str) -> None:
    with writing(database_url) as connection:
        for number in (1, 2):
            values = {"id": number, "email": f"{number}@example.com", "plan": "free", "created_at": NOON}
            connection.execute(sa.insert(account).values(values))
        mine, theirs, nobodys = (made_plant(number) for number in (1, 2, 0))
        for plant in (mine, theirs, nobodys):
            store.add(connection, plant)
        assert store.get(connection, 1, mine.id) == mine
        assert store.get(connection, 1, theirs.id) is None
        assert store.get(connection, 1, nobodys.id) is None
        assert store.get(connection, 0, nobodys.id) == nobodys
        assert store.listing(connection, 2) == [theirs]
        assert [store.count(connection, number) for number in (0, 1, 2, 3)] == [1, 1, 1, 0]
        assert store.find(connection, theirs.id) == theirs


def test_a_use_is_noted_once_a_day(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)
        for later, noted in ((timedelta(hours=23), NOON), (timedelta(days=1), NOON + timedelta(days=1))):
            store.note_use(connection, plant.id, NOON + later)
            found = store.find(connection, plant.id)
            assert found is not None
            assert found.used_at == noted


def test_plants_with_newer_data_are_to_be_calibrated(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)
        assert store.to_calibrate(connection) == []
        store.note_data(connection, plant.id, NOON)
        assert [one.id for one in store.to_calibrate(connection)] == [plant.id]
        store.set_calibration(connection, plant.id, {"faktor": 0.9}, NOON)
        assert store.to_calibrate(connection) == []
        found = store.find(connection, plant.id)
        assert found is not None
        assert (found.calibration, found.calibrated_at) == ({"faktor": 0.9}, NOON)


def test_a_confirmed_upload_is_stored_once_and_its_reading_remembered(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)
        upload = made_upload(plant.id, endringer=[])
        uploads.add(connection, upload, Reading(HOURS, "f" * 64, {"sheet": 0}))
        assert uploads.get(connection, plant.id, upload.id, NOON) == upload
        assert uploads.remembered(connection, plant.id) == {}
        confirmed = uploads.confirm(connection, plant.id, upload.id, NOON)
        assert confirmed is not None
        assert (confirmed.state, confirmed.content["lagret"], confirmed.content["erstattet"]) == ("bekreftet", 3, 0)
        assert uploads.confirm(connection, plant.id, upload.id, NOON) == confirmed
        assert uploads.reject(connection, plant.id, upload.id, NOON) == confirmed
        assert uploads.remembered(connection, plant.id) == {"f" * 64: {"sheet": 0}}
        assert measurements.summary(connection, plant.id).wh == 600
        assert uploads.latest(connection, plant.id, NOON) == [confirmed]


def test_of_uploads_that_overlap_the_later_holds(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)
        for shift, replaced in ((0, 0), (1, 2)):
            upload = made_upload(plant.id)
            hours = hours_from(NOON + timedelta(hours=shift), [shift + 1] * 3)
            uploads.add(connection, upload, Reading(hours))
            confirmed = uploads.confirm(connection, plant.id, upload.id, NOON)
            assert confirmed is not None
            assert confirmed.content["erstattet"] == replaced
        assert measurements.read(connection, plant.id).wh.tolist() == [1, 2, 2, 2]


@pytest.mark.parametrize("why", ["failed", "rejected", "expired", "another plant"])
def test_what_is_not_waiting_is_not_confirmed(database_url: str, why: str) -> None:
    plant, other = made_plant(), made_plant()
    with writing(database_url) as connection:
        for one in (plant, other):
            store.add(connection, one)
        upload = made_upload(plant.id, kontroll={"status": "feil" if why == "failed" else "advarsel"})
        uploads.add(connection, upload, Reading(HOURS))
        if why == "rejected":
            uploads.reject(connection, plant.id, upload.id, NOON)
        now = NOON + KEPT if why == "expired" else NOON
        of = other if why == "another plant" else plant
        found = uploads.confirm(connection, of.id, upload.id, now)
        state = {"failed": "venter", "rejected": "avvist", "expired": "utlopt"}.get(why)
        assert (found.state if found else None) == state
        assert measurements.summary(connection, plant.id).hours == 0


def test_uploads_expire_after_14_days(database_url: str) -> None:
    plant = made_plant()
    with writing(database_url) as connection:
        store.add(connection, plant)
        upload = made_upload(plant.id)
        uploads.add(connection, upload, Reading(HOURS))
        just_before = NOON + timedelta(days=14) - timedelta(seconds=1)
        assert (uploads.count_expired(connection, just_before), uploads.expire(connection, just_before)) == (0, 0)
        assert uploads.count_expired(connection, NOON + timedelta(days=14)) == 1
        assert uploads.expire(connection, NOON + timedelta(days=14)) == 1
        found = uploads.get(connection, plant.id, upload.id, NOON)
        assert found is not None
        assert found.state == "utlopt"


def test_a_deleted_plant_leaves_no_row(database_url: str) -> None:
    with writing(database_url) as connection:
        plant, other = made_plant(), made_plant()
        for one in (plant, other):
            store.add(connection, one)
            upload = made_upload(one.id)
            uploads.add(connection, upload, Reading(HOURS, "f" * 64, {}))
            uploads.confirm(connection, one.id, upload.id, NOON)
            weather = {"plant_id": one.id, "month": 24_318, "lead": 6, "content": b"weather"}
            connection.execute(sa.insert(plant_weather).values(weather))
        store.delete(connection, [plant.id])
        for table in metadata.tables.values():
            for row in connection.execute(sa.select(table)):
                assert plant.id not in map(str, row), table.name
        assert measurements.summary(connection, other.id).hours == 3


def test_ids_are_26_letters_and_digits() -> None:
    assert is_id(new_id("anl_"), "anl_")
    assert len(new_id("opp_")) == 26
    for wrong in ("", "anl_", "anl_" + "x" * 21, "anl_" + "\0" * 22, "anl_" + "æ" * 22, "opp_" + "x" * 22):
        assert not is_id(wrong, "anl_")
