"""Following the catalogue: new versions, late ones, broken ones, and how old is too old."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from api.data.hydration import HydrationFailed, Hydrator
from catalog.versions import index_key
from tests.api.conftest import Api, MovableClock, Start
from tests.api.fabricated import CYCLE, OSLO_CELL, Cells, entry, hydrate, series, write_index
from tests.support.waiting import until
from tiles.hydrated import HEADER, POINTS, hydrated_dir

OSLO = "/api/forecast?lat=59.91&lon=10.75"
HOUR = timedelta(hours=1)
Looked = Callable[[Api], Awaitable[None]]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A state folder with the hydrated tile of CYCLE, to be changed."""
    hydrate(tmp_path / "own", entry())
    return tmp_path / "own"


def oslo(peak: int) -> Cells:
    return {OSLO_CELL: series(peak)}


async def cycle_time(api: Api) -> str:
    return str((await api.good(OSLO))["cycle_time"])


@pytest.fixture
def looked(store: Path) -> Looked:
    """Wait until all products have been looked at, from the first to the last."""
    hours = count(-1000)

    async def wait(api: Api) -> None:
        for _ in range(2):  # the first time the look may have begun before
            made = entry(CYCLE + next(hours) * HOUR)
            write_index(store, made, product="correction")
            await api.until("/health", lambda a, made=made: a.json["products"]["correction"]["version"] == made.version)

    return wait


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


async def test_nothing_published_then_something(start: Start, own: Path, tmp_path: Path) -> None:
    api = await start(state_folder=own, store_folder=tmp_path / "empty")
    asked = await api.ask(OSLO)
    assert asked.status == 503
    assert asked.json["error"].startswith("No forecast data available")
    write_index(tmp_path / "empty", entry())
    await api.until(OSLO, lambda a: a.status == 200)


async def test_what_cannot_be_hydrated_leaves_the_last_good_one(
    start: Start, own: Path, store: Path, looked: Looked, caplog: pytest.LogCaptureFixture
) -> None:
    api = await start(state_folder=own)
    with caplog.at_level(logging.ERROR, "solflis.api"):
        write_index(store, entry(), entry(CYCLE + HOUR))  # its manifest does not exist
        health = await api.until("/health", lambda a: a.json["products"]["forecast"]["state"] == "corrupt")
        assert await cycle_time(api) == "2026-06-01T00:00:00Z"
        await looked(api)
    forecast = health.json["products"]["forecast"]
    assert (forecast["version"], forecast["newest_version"]) == ("2026-06-01T00", "2026-06-01T01")
    assert health.json["status"] == "degraded"
    lines = [
        record.message
        for record in caplog.records
        if "forecast" in record.message and "cannot be opened" in record.message
    ]
    waits = [int(line.removesuffix(" s").rsplit(" ", 1)[1]) for line in lines]
    assert waits == [2, 4, 8, 16][: len(waits)], "once per attempt, and the next attempt waits"
    assert "manifest" in lines[0]


async def test_what_is_published_but_cannot_be_opened_is_not_called_absent(
    start: Start, tmp_path: Path, store: Path
) -> None:
    api = await start(state_folder=tmp_path / "fresh")  # its manifest does not exist
    error = (await api.ask(OSLO)).json["error"]
    assert error.startswith("No forecast data available")
    assert "cannot be read" in error
    assert "12 timene" not in error


async def test_what_cannot_be_prepared_is_closed_again(start: Start, own: Path, store: Path, looked: Looked) -> None:
    api = await start(state_folder=own)
    broken = entry(CYCLE + HOUR)
    hydrate(own, broken)
    header = hydrated_dir(own, broken.path) / HEADER
    described = json.loads(header.read_bytes())
    del described["variables"]["ghi_v1"]["scale"]
    header.write_text(json.dumps(described))
    write_index(store, entry(), broken)
    await api.until("/health", lambda a: not a.json["products"]["forecast"]["catalog_readable"])
    before = len(list(Path("/proc/self/fd").iterdir()))
    await looked(api)
    await looked(api)
    assert len(list(Path("/proc/self/fd").iterdir())) < before + 5, "files of the tile stay open at every look"
    assert await cycle_time(api) == "2026-06-01T00:00:00Z"


async def test_a_hydration_that_hangs_is_ended(tmp_path: Path) -> None:
    hydrator = Hydrator(str(tmp_path / "tiles"), tmp_path, made_within_s=0.01)
    with pytest.raises(HydrationFailed, match=r"did not end within 0\.01 s"):
        await asyncio.wait_for(hydrator.open(entry()), 60)
    assert hydrator.waits(entry())


async def test_a_broken_newest_version_at_start_gives_way_to_the_one_before(
    start: Start, own: Path, store: Path
) -> None:
    write_index(store, entry(), entry(CYCLE + HOUR))
    api = await start(state_folder=own)
    assert await cycle_time(api) == "2026-06-01T00:00:00Z"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [(lambda index: index.write_bytes(b'{"entries": ['), ""), (Path.unlink, "was there, and is gone")],
    ids=["unreadable", "gone"],
)
async def test_an_index_that_cannot_be_read_is_trouble_and_what_it_listed_is_served(
    start: Start,
    own: Path,
    store: Path,
    looked: Looked,
    caplog: pytest.LogCaptureFixture,
    spoil: Callable[[Path], None],
    said: str,
) -> None:
    api = await start(state_folder=own)
    with caplog.at_level(logging.ERROR, "solflis.api"):
        spoil(store / index_key("forecast"))
        health = await api.until("/health", lambda a: not a.json["products"]["forecast"]["catalog_readable"])
        await looked(api)
    assert (health.json["status"], health.json["products"]["forecast"]["state"]) == ("degraded", "ready")
    assert await cycle_time(api) == "2026-06-01T00:00:00Z"
    [line] = [r.message for r in caplog.records if "cannot be followed" in r.message]
    assert said in line
    write_index(store, entry())
    await api.until("/health", lambda a: a.json["products"]["forecast"]["catalog_readable"])


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
    last = {"2026-06-01T01", "2026-06-01T02"}
    await until(lambda: {path.name for path in (own / "hydrated/forecast").iterdir()} == last)


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
