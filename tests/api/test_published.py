"""Following the catalogue: new versions, late ones, broken ones, and how old is too old."""

import asyncio
import json
import logging
from datetime import timedelta
from pathlib import Path

import pytest

from api.hydration import HydrationFailed, Hydrator
from catalog.versions import index_key
from tests.api.conftest import HALF_PAST_TWO, Api, MovableClock, Start
from tests.api.fabricated import CYCLE, OSLO_CELL, Cells, entry, hydrate, series, write_index
from tiles.hydrated import HEADER, POINTS, hydrated_dir

OSLO = "/api/forecast?lat=59.91&lon=10.75"
HOUR = timedelta(hours=1)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A state folder with the hydrated tile of CYCLE, to be changed."""
    hydrate(tmp_path / "own", entry())
    return tmp_path / "own"


def oslo(peak: int) -> Cells:
    return {OSLO_CELL: series(peak)}


async def cycle_time(api: Api) -> str:
    asked = await api.ask(OSLO)
    assert asked.status == 200, asked.text
    return str(asked.json["cycle_time"])


async def looks(api: Api, count: int = 3) -> None:
    """Wait until the catalogue has been looked at a few times: the index's modification is seen by then."""
    await asyncio.sleep(0.05 * count + 0.05)


async def test_a_new_version_is_followed_and_no_request_fails(start: Start, own: Path, store: Path) -> None:
    api = await start(state_folder=own)
    newer = entry(CYCLE + HOUR)
    hydrate(own, newer, oslo(6000))
    seen: list[tuple[str, float]] = []

    async def asking() -> None:
        while not seen or seen[-1][0] != "2026-06-01T01:00:00Z":
            asked = await api.ask(OSLO)
            assert asked.status == 200
            seen.append((asked.json["cycle_time"], asked.json["peak_ghi_wm2"]))

    task = asyncio.gather(asking(), asking())
    await api.ask(OSLO)
    write_index(store, entry(), newer)
    await asyncio.wait_for(task, 60)
    assert set(seen) == {("2026-06-01T00:00:00Z", 500.0), ("2026-06-01T01:00:00Z", 600.0)}


async def test_a_new_attempt_at_the_same_version_is_followed(start: Start, own: Path, store: Path) -> None:
    api = await start(state_folder=own)
    etag = (await api.ask(OSLO)).headers["ETag"]
    again = entry(attempt="20260601T020000-bbbb")
    hydrate(own, again, oslo(7000))
    write_index(store, again)
    asked = await api.until(OSLO, lambda a: a.json["peak_ghi_wm2"] == 700)
    assert asked.headers["ETag"] != etag
    assert asked.json["cycle_time"] == "2026-06-01T00:00:00Z"


async def test_an_older_version_changes_nothing(start: Start, own: Path, store: Path) -> None:
    api = await start(state_folder=own)
    before = await api.ask(OSLO)
    older = entry(CYCLE - HOUR)
    hydrate(own, older, oslo(100))
    write_index(store, older, entry())
    await looks(api)
    assert (await api.ask(OSLO)).text == before.text


async def test_a_version_counts_when_the_clock_gets_there(start: Start, own: Path, store: Path) -> None:
    clock = MovableClock()
    later = entry(CYCLE + 3 * HOUR)
    hydrate(own, later)
    write_index(store, entry(), later)
    api = await start(state_folder=own, clock=clock)
    assert await cycle_time(api) == "2026-06-01T00:00:00Z"
    clock.moment = CYCLE + 3 * HOUR
    await api.until(OSLO, lambda a: a.json["cycle_time"] == "2026-06-01T03:00:00Z")


async def test_twelve_hours_are_the_end_without_any_look(start: Start, own: Path) -> None:
    clock = MovableClock(CYCLE + 12 * HOUR)
    api = await start(state_folder=own, clock=clock)
    asked = await api.ask(OSLO)
    assert (asked.status, asked.json["cycle_age_hours"]) == (200, 12.0)
    clock.moment += timedelta(seconds=1)
    for path in (OSLO, f"{OSLO}&model=v1", "/api/forecast/latest"):
        asked = await api.ask(path)
        assert asked.status == 503
        assert asked.json["error"].startswith("No forecast data available")
        assert asked.headers["Retry-After"] == "120"


async def test_too_old_at_start_is_not_served(start: Start, own: Path) -> None:
    api = await start(state_folder=own, clock=MovableClock(CYCLE + 12 * HOUR + timedelta(seconds=1)))
    assert (await api.ask(OSLO)).status == 503


async def test_nothing_published_then_something(start: Start, own: Path, tmp_path: Path) -> None:
    api = await start(state_folder=own, store_folder=tmp_path / "empty")
    asked = await api.ask(OSLO)
    assert asked.status == 503
    assert asked.json["error"].startswith("No forecast data available")
    write_index(tmp_path / "empty", entry())
    await api.until(OSLO, lambda a: a.status == 200)


async def test_what_cannot_be_hydrated_leaves_the_last_good_one(
    start: Start, own: Path, store: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.hydration._FIRST_WAIT_S", 60.0)
    api = await start(state_folder=own)
    with caplog.at_level(logging.ERROR, "solflis.api"):
        write_index(store, entry(), entry(CYCLE + HOUR))  # its manifest does not exist
        health = await api.until("/health", lambda a: a.json["products"]["forecast"]["state"] == "corrupt")
        assert await cycle_time(api) == "2026-06-01T00:00:00Z"
        await looks(api, 10)
    forecast = health.json["products"]["forecast"]
    assert (forecast["version"], forecast["newest_version"]) == ("2026-06-01T00", "2026-06-01T01")
    assert health.json["status"] == "degraded"
    lines = [
        record.message
        for record in caplog.records
        if "forecast" in record.message and "cannot be opened" in record.message
    ]
    assert len(lines) == 1, "once per attempt, and the next attempt waits"
    assert "manifest" in lines[0]


async def test_what_is_published_but_cannot_be_opened_is_not_called_absent(
    start: Start, tmp_path: Path, store: Path
) -> None:
    api = await start(state_folder=tmp_path / "fresh")  # its manifest does not exist
    error = (await api.ask(OSLO)).json["error"]
    assert error.startswith("No forecast data available")
    assert "lar seg ikke lese" in error
    assert "12 timene" not in error


async def test_what_cannot_be_prepared_is_closed_again(start: Start, own: Path, store: Path) -> None:
    api = await start(state_folder=own)
    broken = entry(CYCLE + HOUR)
    hydrate(own, broken)
    header = hydrated_dir(own, broken.path) / HEADER
    described = json.loads(header.read_bytes())
    del described["variables"]["ghi_v1"]  # the index says that it is there
    header.write_text(json.dumps(described))
    write_index(store, entry(), broken)
    await api.until("/health", lambda a: not a.json["products"]["forecast"]["catalog_readable"])
    before = len(list(Path("/proc/self/fd").iterdir()))
    await looks(api, 20)
    assert len(list(Path("/proc/self/fd").iterdir())) < before + 5, "files of the tile stay open at every look"
    assert await cycle_time(api) == "2026-06-01T00:00:00Z"


async def test_a_hydration_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.hydration._MADE_WITHIN_S", 0.01)
    hydrator = Hydrator(str(tmp_path / "tiles"), tmp_path)
    with pytest.raises(HydrationFailed, match=r"did not end within 0\.01 s"):
        await asyncio.wait_for(hydrator.open(entry()), 60)
    assert hydrator.waits(entry())


async def test_a_process_that_cannot_be_started_is_tried_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/there/is/no/python")
    hydrator = Hydrator(str(tmp_path / "tiles"), tmp_path)
    with pytest.raises(HydrationFailed, match="next attempt in 2 s"):
        await hydrator.open(entry())


async def test_a_broken_newest_version_at_start_gives_way_to_the_one_before(
    start: Start, own: Path, store: Path
) -> None:
    write_index(store, entry(), entry(CYCLE + HOUR))
    api = await start(state_folder=own)
    assert await cycle_time(api) == "2026-06-01T00:00:00Z"


async def test_an_unreadable_index_leaves_the_last_good_one(
    start: Start, own: Path, store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    api = await start(state_folder=own)
    with caplog.at_level(logging.ERROR, "solflis.api"):
        (store / index_key("forecast")).write_bytes(b'{"entries": [')
        health = await api.until("/health", lambda a: not a.json["products"]["forecast"]["catalog_readable"])
        await looks(api, 5)
    assert health.json["status"] == "degraded"
    assert await cycle_time(api) == "2026-06-01T00:00:00Z"
    assert len([r for r in caplog.records if "cannot be followed" in r.message]) == 1
    write_index(store, entry())
    await api.until("/health", lambda a: a.json["products"]["forecast"]["catalog_readable"])


async def test_a_hydrated_file_that_was_altered_is_not_opened(start: Start, own: Path) -> None:
    file = hydrated_dir(own, entry().path) / POINTS
    with file.open("r+b") as opened:
        opened.seek(1000)
        opened.write(b"\x01")
    api = await start(state_folder=own)  # it is made anew, which fails here: there is no manifest
    assert (await api.ask(OSLO)).status == 503


async def test_a_file_cut_short_under_an_open_tile_is_503_and_logged(
    start: Start, own: Path, caplog: pytest.LogCaptureFixture
) -> None:
    api = await start(state_folder=own)
    with (hydrated_dir(own, entry().path) / POINTS).open("r+b") as opened:
        opened.truncate(10)
    with caplog.at_level(logging.ERROR, "solflis.api"):
        asked = await api.ask(OSLO)
    assert asked.status == 503
    assert asked.json["error"].startswith("No forecast data available")
    assert any("damaged cell" in record.message for record in caplog.records)


async def test_the_last_two_hydrated_versions_are_kept(start: Start, own: Path, store: Path) -> None:
    api = await start(state_folder=own)
    entries = [entry()]
    for hours in (1, 2):
        entries.append(entry(CYCLE + hours * HOUR))
        hydrate(own, entries[-1], oslo(5000 + hours))
        write_index(store, *entries)
        await api.until(OSLO, lambda a, e=entries[-1]: a.json["cycle_time"].startswith(e.version))
    there = sorted(path.name for path in (own / "hydrated" / "forecast").iterdir())
    for _ in range(100):
        if there == ["2026-06-01T01", "2026-06-01T02"]:
            break
        await asyncio.sleep(0.02)
        there = sorted(path.name for path in (own / "hydrated" / "forecast").iterdir())
    assert there == ["2026-06-01T01", "2026-06-01T02"]


async def test_waits_double_after_failures(tmp_path: Path) -> None:
    hydrator = Hydrator(str(tmp_path / "tiles"), tmp_path)
    made = entry()
    assert not hydrator.waits(made)
    with pytest.raises(Exception, match="next attempt in 2 s"):
        await hydrator.open(made)
    assert hydrator.waits(made)
    assert hydrator.failed(made)
    with pytest.raises(Exception, match="next attempt in 4 s"):
        await hydrator.open(made)


async def test_prune_spares_new_attempts_and_what_is_not_hydrated(tmp_path: Path) -> None:
    kept, old, other = entry(), entry(attempt="20260601T000000-0000"), entry(CYCLE - HOUR)
    newer = (entry(attempt="20260601T000001-aaaa"), entry(CYCLE + HOUR))
    for made in (kept, old, other, *newer):
        hydrated_dir(tmp_path, made.path).mkdir(parents=True)
    making = hydrated_dir(tmp_path, kept.path).with_name(".new.tmp")
    making.mkdir()
    Hydrator("unused", tmp_path).prune("forecast", [kept])
    assert hydrated_dir(tmp_path, kept.path).is_dir()
    assert making.is_dir()
    assert not hydrated_dir(tmp_path, old.path).exists()
    assert not hydrated_dir(tmp_path, other.path).exists()
    assert all(hydrated_dir(tmp_path, made.path).is_dir() for made in newer), "another worker's"
    Hydrator("unused", tmp_path).prune("nothing", [kept])


async def test_clock_of_the_fixture() -> None:
    assert MovableClock().now() == HALF_PAST_TWO
