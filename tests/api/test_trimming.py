"""What is kept goes when it is old, also where nobody asks any more; trouble with one folder spares the others."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from aiohttp import web

from api.trimming import Trimming
from catalog import bounded
from tests.api.conftest import Start


def test_what_is_too_old_or_too_much_goes_the_oldest_first(tmp_path: Path) -> None:
    now = time.time()
    for name, age in (("old", 100), ("first", 30), ("second", 20), ("third", 10)):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (now - age, now - age))
    (tmp_path / "locks").mkdir()
    bounded.trim(tmp_path, 2 * bounded.room(1), 60)
    assert {path.name for path in tmp_path.iterdir()} == {"second", "third", "locks"}
    bounded.trim(tmp_path / "none", 0, 0)


async def test_trouble_with_one_folder_spares_the_others(caplog: pytest.LogCaptureFixture) -> None:
    done = asyncio.Event()
    loop = asyncio.get_running_loop()

    def away() -> None:
        raise PermissionError(13, "not allowed")

    lifespan = Trimming(away, lambda: loop.call_soon_threadsafe(done.set) and None).lifespan(web.Application())
    await anext(lifespan)
    await asyncio.wait_for(done.wait(), 10)
    assert "cannot be trimmed: not allowed" in caplog.text
    with pytest.raises(StopAsyncIteration):
        await anext(lifespan)


@pytest.mark.parametrize("folder", ["answers", "readthrough/locationforecast"])
async def test_the_application_looks_after_both_of_its_folders(start: Start, tmp_path: Path, folder: str) -> None:
    kept = tmp_path / "own" / folder / "old"
    kept.parent.mkdir(parents=True)
    kept.touch()
    os.utime(kept, (0, 0))
    await start(state_folder=tmp_path / "own")
    deadline = time.monotonic() + 10
    while kept.exists():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
