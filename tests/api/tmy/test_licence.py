"""Past the licence's last day every answer says that it has expired."""

from datetime import UTC, date, datetime
from pathlib import Path

import orjson
import pytest

from api.settings import PLANS, Settings, SettingsError
from api.tmy.formats.registry import FORMATS
from tests.api.conftest import MovableClock, Start
from tests.api.tmy.conftest import fetch, tmy
from tests.api.tmy.test_lead import LEAD
from tests.support.tmy import NOT_BUILT, OPEN_SEA

LAST = datetime(2026, 9, 30, 23, 59, 59, tzinfo=UTC)
AFTER = datetime(2026, 10, 1, tzinfo=UTC)


async def test_it_expires_by_the_clock(start: Start, climate: Path) -> None:
    clock = MovableClock(LAST)
    api = await start(store_folder=climate, clock=clock)
    tags = set()
    for moment, expired in ((LAST, False), (AFTER, True)):
        clock.moment = moment
        said = f"tmy-v1-2026-09-30; last-day=2026-09-30; expired={str(expired).lower()}"
        for path in ("/api/tmy", "/api/tmy/stats", "/api/tmy/sources"):
            file = await fetch(api, tmy(path=path))
            assert file.headers["X-Tmy-License"] == said
            tags.add(file.headers["ETag"])
        assert (await api.ask("/api/tmy/lead", "POST", json=LEAD)).headers["X-Tmy-License"] == said
        meta = orjson.loads((await fetch(api, tmy(format="json"))).body)["meta"]
        assert (meta["license_version"], meta["license_expired"]) == ("tmy-v1-2026-09-30", expired)
        assert ("expired" in meta["license"]) == expired
        assert "2026-09-30" in meta["license"]
    assert len(tags) == 6  # who has the file of the day before gets the new one


async def test_files_say_it_too(start: Start, climate: Path) -> None:
    clock = MovableClock(LAST)
    api = await start(store_folder=climate, clock=clock)
    silent = set()
    for value in FORMATS:
        before = (await fetch(api, tmy(format=value))).body
        clock.moment = AFTER
        after = (await fetch(api, tmy(format=value))).body
        clock.moment = LAST
        if before == after:
            silent.add(value)
    # Bare tables have no room for it; the header of the answer says it.
    assert silent == {"csv", "custom", "measurement"}


async def test_another_licence_by_settings(start: Start, climate: Path) -> None:
    more = {"tmy_license_version": "tmy-v2", "tmy_license_last_day": date(2030, 1, 1)}
    api = await start(store_folder=climate, clock=MovableClock(AFTER), **more)
    meta = orjson.loads((await fetch(api, tmy(format="json"))).body)["meta"]
    assert (meta["license_version"], meta["license_expired"]) == ("tmy-v2", False)


def test_settings() -> None:
    settings = Settings.from_environment({})
    assert (settings.tmy_license_version, settings.tmy_license_last_day) == ("tmy-v1-2026-09-30", date(2026, 9, 30))
    ours = {"SOLFLIS_TMY_LICENSE_VERSION": "tmy-v2", "SOLFLIS_TMY_LICENSE_LAST_DAY": "2027-09-30"}
    settings = Settings.from_environment(ours)
    assert (settings.tmy_license_version, settings.tmy_license_last_day) == ("tmy-v2", date(2027, 9, 30))


@pytest.mark.parametrize(("name", "value"), [("VERSION", "two words"), ("LAST_DAY", "30.9.2026")])
def test_settings_that_are_none(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"^SOLFLIS_TMY_LICENSE_{name}='{value}': expected"):
        Settings.from_environment({f"SOLFLIS_TMY_LICENSE_{name}": value})


async def test_errors_say_it_too(start: Start, climate: Path, tmp_path: Path) -> None:
    clock = MovableClock(AFTER)
    api = await start(store_folder=climate, clock=clock, access="keys")
    asked = [
        (400, await api.ask("/api/tmy?lat=x")),
        (404, await api.ask(tmy(OPEN_SEA, "/api/tmy/stats"))),
        (503, await api.ask(tmy(NOT_BUILT, "/api/tmy/sources"))),
        (401, await api.ask(tmy(), headers={"X-API-Key": "nobody's"})),
        (400, await api.ask("/api/tmy/lead", "POST", json={})),
        (415, await api.ask("/api/tmy/lead", "POST", data="lat=1")),
    ]
    with (tmp_path / "plans.toml").open("w") as plans:
        plans.write(PLANS.read_text().replace("requests_per_day = 2000", "requests_per_day = 1"))
    refusing = await start(store_folder=climate, clock=clock, access="keys", plans=tmp_path / "plans.toml")
    assert (await refusing.ask(tmy())).status == 200
    asked.append((401, await refusing.ask(tmy())))
    for status, answer in asked:
        assert answer.status == status, answer.text
        assert answer.headers["X-Tmy-License"] == "tmy-v1-2026-09-30; last-day=2026-09-30; expired=true"
    assert "X-Tmy-License" not in (await api.ask("/api/forecast?lat=x")).headers


async def test_so_does_what_fails(start: Start, climate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("for the test")

    api = await start(store_folder=climate)
    monkeypatch.setattr("api.tmy.routes.find", fail)
    answer = await api.ask(tmy())
    assert (answer.status, "X-Tmy-License" in answer.headers) == (500, True)


async def test_the_document_declares_it_for_errors(start: Start) -> None:
    paths = (await (await start()).ask("/openapi.json")).json["paths"]
    for path, method in (("/api/tmy", "get"), ("/api/tmy/stats", "get"), ("/api/tmy/lead", "post")):
        for status, said in paths[path][method]["responses"].items():
            assert "X-Tmy-License" in said["headers"], (path, status)
            assert ("X-Tmy-Cell" in said["headers"]) == (status in ("200", "304") and method == "get")
