"""`solflis plants`, and the workflow that calls it: unused plants, uploads that nobody confirmed."""

import json
import os
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from api.access.secret import load_secret
from api.data.plants import measurements, store, uploads
from api.data.plants.plant import Plant, new_id
from api.data.plants.uploads import KEPT, Reading, Upload
from api.database.tables import account, job
from dags.build.plants import retention as plants_retention
from infra.commands.plants import command
from infra.settings import Settings
from infra.up import airflow
from tests.support.context import context_of
from tests.support.plants import NOON, hours_from, made_plant, writing


class Installation:
    """A database at a moment, `days` after NOON."""

    def __init__(self, database_url: str, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.database_url, self._monkeypatch = database_url, monkeypatch
        load_secret(None, state)
        monkeypatch.setenv("SOLFLIS_STATE", str(state))
        monkeypatch.setenv("SOLFLIS_DATABASE", database_url)
        with writing(database_url) as connection:
            for number, email in enumerate(("kari@example.com", "demo@localhost"), 1):
                values = {"id": number, "email": email, "plan": "free", "created_at": NOON}
                connection.execute(sa.insert(account).values(values))

    def after(self, days: float) -> None:
        self._monkeypatch.setenv("SOLFLIS_CLOCK", f"{NOON + timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}!")

    def add(self, of: int, **fields: object) -> Plant:
        plant = made_plant(of, **fields)
        with writing(self.database_url) as connection:
            store.add(connection, plant)
            measurements.put(connection, plant.id, hours_from(NOON, [1, 2, 3]), "api")
        return plant

    def left(self) -> list[str]:
        with writing(self.database_url) as connection:
            return [plant.id for plant in store.every(connection)]

    def mails(self) -> list[dict[str, str]]:
        with writing(self.database_url) as connection:
            return [
                orjson.loads(content) for content in connection.scalars(sa.select(job.c.input).order_by(job.c.number))
            ]


@pytest.fixture
def installation(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    return Installation(database_url, tmp_path / "state", monkeypatch)


def run(*words: str) -> str:
    done = CliRunner().invoke(command, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def test_an_unused_plant_is_deleted_after_a_year_and_its_owner_told_a_month_before(installation: Installation) -> None:
    mine, demo, nobodys = installation.add(1), installation.add(2), installation.add(0)
    used = installation.add(1, used_at=NOON + timedelta(days=100))
    installation.after(334.9)
    assert run("retention") == "0 plants deleted, 0 owners told, 0 uploads closed"
    installation.after(335)
    assert (
        run("retention", "--dry-run") == "0 plants would be deleted, 1 owners would be told, 0 uploads would be closed"
    )
    assert installation.mails() == []
    for told in (1, 0):
        assert run("retention") == f"0 plants deleted, {told} owners told, 0 uploads closed"
    [mail] = installation.mails()
    assert mail["to"] == "kari@example.com"
    assert "20.06.2027" in mail["subject"]
    assert mine.id in mail["text"]
    assert mine.name not in mail["text"]
    assert "$" not in mail["text"]
    installation.after(365)
    assert run("retention", "--dry-run").startswith("3 plants would be deleted")
    assert len(installation.left()) == 4
    assert run("retention") == "3 plants deleted, 0 owners told, 0 uploads closed"
    assert installation.left() == [used.id]
    assert not {mine.id, demo.id, nobodys.id} & set(installation.left())
    assert installation.mails() == [], "with the plant goes its mail"


def test_a_plant_that_is_used_after_the_mail_is_kept_and_its_owner_told_again(installation: Installation) -> None:
    plant = installation.add(1)
    installation.after(340)
    run("retention")
    with writing(installation.database_url) as connection:
        store.note_use(connection, plant.id, NOON + timedelta(days=341))
    installation.after(366)
    assert run("retention") == "0 plants deleted, 0 owners told, 0 uploads closed"
    installation.after(341 + 335)
    assert run("retention") == "0 plants deleted, 1 owners told, 0 uploads closed"


def test_owner_who_was_not_told_in_time_has_a_month_from_the_mail_on(installation: Installation) -> None:
    plant, _ = installation.add(1), installation.add(0)
    installation.after(400)
    assert run("retention") == "1 plants deleted, 1 owners told, 0 uploads closed"
    assert installation.left() == [plant.id]
    [mail] = installation.mails()
    assert "24.08.2027" in mail["subject"]
    installation.after(429)
    assert run("retention") == "0 plants deleted, 0 owners told, 0 uploads closed"
    installation.after(430)
    assert run("retention") == "1 plants deleted, 0 owners told, 0 uploads closed"


def test_uploads_that_nobody_confirms_are_closed_after_14_days(installation: Installation) -> None:
    plant = installation.add(1)
    with writing(installation.database_url) as connection:
        upload = Upload(new_id("opp_"), plant.id, "venter", NOON, NOON + KEPT, {"kontroll": {"status": "ok"}})
        uploads.add(connection, upload, Reading(hours_from(NOON, [1])))
    installation.after(13.9)
    assert run("retention").endswith("0 uploads closed")
    installation.after(14)
    assert run("retention", "--dry-run").endswith("1 uploads would be closed")
    assert run("retention").endswith("1 uploads closed")
    assert run("retention").endswith("0 uploads closed")


def test_the_list_says_nothing_of_places_and_names(installation: Installation) -> None:
    plant = installation.add(1, name="Hytta")
    installation.after(1)
    [line] = run("list").splitlines()
    assert line.split() == [plant.id, "1", "2026-06-20", "2026-06-20", "3"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_workflow_calls_the_command_with_what_airflow_does_not_see(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation.add(0)
    installation.after(366)
    settings = Settings.from_environment({"SOLFLIS_STATE": str(tmp_path / "state")})
    given = {"SOLFLIS_DATABASE": installation.database_url, "SOLFLIS_SMTP": "smtp://hidden"}
    airflow.write_private_settings(settings, given)
    theirs = airflow.environment(settings, given)
    assert installation.database_url not in json.dumps(theirs)
    monkeypatch.delenv("SOLFLIS_DATABASE")
    monkeypatch.setenv("SOLFLIS_PRIVATE", theirs["SOLFLIS_PRIVATE"])
    assert Path(theirs["SOLFLIS_PRIVATE"]).stat().st_mode & 0o777 == 0o600
    assert "SMTP" not in Path(theirs["SOLFLIS_PRIVATE"]).read_text()
    told: list[str] = []
    plants_retention.build(context_of(tmp_path / "tiles", os.environ["SOLFLIS_CLOCK"], report=told.append))
    assert told == ["1 plants deleted, 0 owners told, 0 uploads closed"]
    assert installation.left() == []
