"""The outgoing model, chosen in four ways, on both sides of its last day."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.api.conftest import Start, frozen
from tests.api.fabricated import entry, hydrate, write_index

LAST_SECOND = datetime(2026, 11, 18, 23, 59, 59, tzinfo=UTC)
SUNSET = datetime(2026, 11, 19, tzinfo=UTC)
CYCLE = datetime(2026, 11, 18, 18, tzinfo=UTC)
WAYS = ("model=v1", "v23b=false", "v23b=0", "corrected=true", "corrected=1", "fresh=true", "fresh=1&model=v23b")
OTHERS = ("", "model=v23b", "v23b=true", "corrected=false", "fresh=0")


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("state")
    hydrate(folder, entry(CYCLE))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    write_index(tmp_path / "tiles", entry(CYCLE))
    return tmp_path / "tiles"


async def test_before_the_sunset_v1_is_served(start: Start) -> None:
    api = await start(clock=frozen(LAST_SECOND))
    plain = (await api.ask("/api/forecast?lat=59.91&lon=10.75")).json
    for way in WAYS:
        asked = await api.ask(f"/api/forecast?lat=59.91&lon=10.75&{way}")
        assert asked.status == 200
        assert (asked.json["model"], asked.json["data_mode"]) == ("production_v1", "v1"), way
        assert asked.json["peak_ghi_wm2"] == plain["peak_ghi_wm2"] / 2
        assert asked.headers["Sunset"] == "Thu, 19 Nov 2026 00:00:00 GMT"


async def test_from_the_sunset_on_the_choice_is_ignored_and_answered_with_the_header(start: Start) -> None:
    api = await start(clock=frozen(SUNSET))
    plain = (await api.ask("/api/forecast?lat=59.91&lon=10.75")).json
    for way in WAYS:
        asked = await api.ask(f"/api/forecast?lat=59.91&lon=10.75&{way}")
        assert asked.status == 200
        assert asked.json == plain, way
        assert asked.headers["Sunset"] == "Thu, 19 Nov 2026 00:00:00 GMT"
    etag = asked.headers["ETag"]
    again = await api.ask("/api/forecast?lat=59.91&lon=10.75&model=v1", headers={"If-None-Match": etag})
    assert (again.status, again.headers["Sunset"]) == (304, "Thu, 19 Nov 2026 00:00:00 GMT")


@pytest.mark.parametrize("now", [LAST_SECOND, SUNSET])
async def test_the_default_is_unaffected(start: Start, now: datetime) -> None:
    api = await start(clock=frozen(now))
    for other in OTHERS:
        asked = await api.ask(f"/api/forecast?lat=59.91&lon=10.75&{other}")
        assert (asked.status, asked.json["model"], asked.json["data_mode"]) == (200, "production_v2_3b", "v23b")
        assert "Sunset" not in asked.headers


@pytest.mark.parametrize("now", [LAST_SECOND, SUNSET])
async def test_other_models_are_refused_on_both_sides(start: Start, now: datetime) -> None:
    api = await start(clock=frozen(now))
    assert (await api.ask("/api/forecast?lat=59.91&lon=10.75&model=v7")).status == 400


async def test_a_source_without_cloud_has_no_v1(start: Start, tmp_path: Path) -> None:
    made = entry(CYCLE, variables=("ghi",), source="arome_metcoop")
    hydrate(tmp_path / "state", made)
    write_index(tmp_path / "bare", made)
    api = await start(clock=frozen(LAST_SECOND), state_folder=tmp_path / "state", store_folder=tmp_path / "bare")
    assert (await api.ask("/api/forecast?lat=59.91&lon=10.75")).status == 200
    for path in ("/api/forecast?lat=59.91&lon=10.75&model=v1", "/api/forecast/latest"):
        asked = await api.ask(path)
        assert asked.status == 503
        assert asked.json["error"].startswith("No forecast data available")
        assert "production_v1" in asked.json["error"]
        assert "arome_metcoop" in asked.json["error"]


async def test_v1_comes_from_the_newest_cycle_that_has_it(start: Start, tmp_path: Path) -> None:
    older, newer = entry(CYCLE), entry(CYCLE + timedelta(hours=1), variables=("ghi",), source="arome_metcoop")
    for made in (older, newer):
        hydrate(tmp_path / "state", made)
    write_index(tmp_path / "both", older, newer)
    api = await start(clock=frozen(LAST_SECOND), state_folder=tmp_path / "state", store_folder=tmp_path / "both")
    cycles = [
        (await api.ask(path)).json["cycle_time"]
        for path in ("/api/forecast?lat=60&lon=10", "/api/forecast?lat=60&lon=10&model=v1", "/api/forecast/latest")
    ]
    assert cycles == ["2026-11-18T19:00:00Z", "2026-11-18T18:00:00Z", "2026-11-18T18:00:00Z"]


@pytest.mark.parametrize("now", [LAST_SECOND, SUNSET])
async def test_a_point_without_data_says_the_sunset_too(start: Start, now: datetime) -> None:
    api = await start(clock=frozen(now))
    asked = await api.ask("/api/forecast?lat=70&lon=20&model=v1")
    assert (asked.status, asked.headers["Sunset"]) == (503, "Thu, 19 Nov 2026 00:00:00 GMT")
    assert "Sunset" not in (await api.ask("/api/forecast?lat=70&lon=20")).headers
