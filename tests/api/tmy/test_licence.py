"""The licence that an operator sets stands in files and answers, also past its last day; without one there is none."""

from datetime import UTC, date, datetime
from pathlib import Path

import orjson
import pytest

from api.core.settings import Settings, SettingsError
from api.tmy.formats.registry import FORMATS
from tests.api.conftest import MovableClock, Start
from tests.api.tmy.conftest import tmy
from tests.api.tmy.test_lead import LEAD
from tests.support.tmy import NOT_BUILT, OPEN_SEA

TERMS = ("tmy-v1-2026-09-30", date(2026, 9, 30))
LAST = datetime(2026, 9, 30, 23, 59, 59, tzinfo=UTC)
AFTER = datetime(2026, 10, 1, tzinfo=UTC)
PATHS = ("/api/tmy", "/api/tmy/stats", "/api/tmy/sources")
# Bare tables have no room for it; the header of the answer says it.
WITHOUT_WORDS = {"csv", "custom", "measurement"}


async def test_without_a_licence_nothing_speaks_of_one(start: Start, climate: Path) -> None:
    api = await start(store_folder=climate, clock=MovableClock(AFTER))
    for value in FORMATS:
        file = await api.ask(tmy(format=value))
        assert "X-Tmy-License" not in file.headers
        assert b"EXPIRED" not in file.body
        assert b"Licence" not in file.body
    assert orjson.loads((await api.ask(tmy(format="json"))).body)["meta"]["license_version"] is None


async def test_it_expires_by_the_clock(start: Start, climate: Path) -> None:
    clock = MovableClock(LAST)
    api = await start(store_folder=climate, clock=clock, tmy_license=TERMS)
    tags = set()
    for moment, expired in ((LAST, False), (AFTER, True)):
        clock.moment = moment
        said = f"tmy-v1-2026-09-30; last-day=2026-09-30; expired={str(expired).lower()}"
        for path in PATHS:
            file = await api.ask(tmy(path=path))
            assert file.headers["X-Tmy-License"] == said
            tags.add(file.headers["ETag"])
        meta = orjson.loads((await api.ask(tmy(format="json"))).body)["meta"]
        assert (meta["license_version"], meta["license_expired"]) == ("tmy-v1-2026-09-30", expired)
        assert ("expired" in meta["license"]) == expired
    assert len(tags) == 6  # who has the file of the day before gets the new one


async def test_files_say_it_too(start: Start, climate: Path) -> None:
    clock = MovableClock(LAST)
    api = await start(store_folder=climate, clock=clock, tmy_license=TERMS)
    for value in FORMATS:
        clock.moment = LAST
        before = (await api.ask(tmy(format=value))).body
        clock.moment = AFTER
        assert ((await api.ask(tmy(format=value))).body == before) == (value in WITHOUT_WORDS), value


async def test_errors_and_leads_say_it_too(start: Start, climate: Path) -> None:
    api = await start(store_folder=climate, clock=MovableClock(AFTER), access="keys", tmy_license=TERMS)
    for status, answer in (
        (400, await api.ask("/api/tmy?lat=x")),
        (404, await api.ask(tmy(OPEN_SEA, "/api/tmy/stats"))),
        (503, await api.ask(tmy(NOT_BUILT, "/api/tmy/sources"))),
        (401, await api.ask(tmy(), headers={"X-API-Key": "nobody's"})),
        (405, await api.ask(tmy(), "DELETE")),
        (415, await api.ask("/api/tmy/lead", "POST", data="lat=1")),
        (200, await api.ask("/api/tmy/lead", "POST", json=LEAD)),
    ):
        assert answer.status == status, answer.text
        assert answer.headers["X-Tmy-License"] == "tmy-v1-2026-09-30; last-day=2026-09-30; expired=true"
    assert "X-Tmy-License" not in (await api.ask("/api/forecast?lat=x")).headers


def test_settings() -> None:
    assert Settings.from_environment({}).tmy_license is None
    ours = {"SOLFLIS_TMY_LICENSE_VERSION": "tmy-v2", "SOLFLIS_TMY_LICENSE_LAST_DAY": "2027-09-30"}
    assert Settings.from_environment(ours).tmy_license == ("tmy-v2", date(2027, 9, 30))
    for name, value in (("VERSION", "two words"), ("LAST_DAY", "30.9.2026"), ("VERSION", ""), ("LAST_DAY", "")):
        with pytest.raises(SettingsError, match=f"^SOLFLIS_TMY_LICENSE_{name}='{value}': expected"):
            Settings.from_environment({**ours, f"SOLFLIS_TMY_LICENSE_{name}": value})
