"""Rate limits: exact over processes, all rules or none, on a file and on Redis; a store that is away and comes back."""

import asyncio
import multiprocessing
import shutil
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fakeredis import TcpFakeServer

from api.access.rate_store import Window
from api.access.rates import _WAIT_S, FILE, Rates
from api.access.secret import Secret
from api.errors import TooMany, Unavailable

SECRET = Secret(b"of these tests")


class _Server(TcpFakeServer):
    request_queue_size = 128  # all clients come at once


@contextmanager
def redis_server(port: int = 0) -> Iterator[int]:
    """Run a Redis in a thread; yield its port."""
    server = _Server(("127.0.0.1", port))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()  # which waits until every connection is closed
        thread.join()


@pytest.fixture(params=["file", "redis"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """A place to count in."""
    if request.param == "file":
        yield tmp_path / "state"
    else:
        with redis_server() as port:
            yield f"redis://127.0.0.1:{port}/0"


@pytest_asyncio.fixture
async def rates(where: Path | str) -> AsyncIterator[Rates]:
    """Rate limits on either store."""
    made = Rates(where, SECRET)
    yield made
    await made.close()


async def _granted(rates: Rates, times: int, rules: tuple[str, ...], *who: str) -> int:
    granted = 0
    for _ in range(times):
        try:
            await rates.hit(rules, *who)
        except TooMany:
            continue
        granted += 1
    return granted


async def test_as_many_as_the_rule_says(rates: Rates) -> None:
    assert await _granted(rates, 5, ("3/hour",), "/api/x", "192.0.2.1") == 3
    assert await _granted(rates, 5, ("3/hour",), "/api/x", "192.0.2.2") == 3
    assert await _granted(rates, 5, ("3/hour",), "/api/y", "192.0.2.1") == 3


async def test_whoever_reads_the_store_cannot_try_addresses(rates: Rates, where: Path | str) -> None:
    """What is stored depends on the secret: with another one, nobody has been counted."""
    assert await _granted(rates, 2, ("1/hour",), "192.0.2.1") == 1
    for secret, left in ((SECRET, 0), (Secret(b"another"), 1)):
        other = Rates(where, secret)
        assert await _granted(other, 2, ("1/hour",), "192.0.2.1") == left
        await other.close()


async def test_the_refusal_says_when_to_come_back(rates: Rates) -> None:
    await rates.hit(("1/hour",), "a")
    with pytest.raises(TooMany) as refused:
        await rates.hit(("1/hour",), "a")
    assert 3595 <= int(refused.value.headers["Retry-After"]) <= 3600
    assert refused.value.text == "For mange forespørsler på kort tid. Prøv igjen om 60 minutter."
    await rates.hit(("1/2seconds",), "b")
    with pytest.raises(TooMany) as refused:
        await rates.hit(("1/2seconds",), "b")
    assert int(refused.value.headers["Retry-After"]) in (1, 2)


async def test_a_refused_hit_takes_from_no_rule(rates: Rates) -> None:
    rules = ("2/hour", "4/day")
    assert await _granted(rates, 10, rules, "a") == 2
    assert await _granted(rates, 10, ("4/day",), "a") == 2  # as many as are left: refusals took none
    assert await _granted(rates, 1, ("1/hour",), "b") == 1
    with pytest.raises(TooMany):
        await rates.hit_all([("5/hour", ("c",)), ("1/hour", ("b",))])
    assert await _granted(rates, 10, ("5/hour",), "c") == 5


async def test_the_store_says_how_many_each_rule_would_take_now(rates: Rates) -> None:
    windows = [Window("brief", 1, 1), Window("long", 3, 3600)]
    store = rates._store
    assert (await store.acquire(windows)).left == (0, 2)
    wait, left = await store.acquire(windows)
    assert (0 < wait <= 1, left) == (True, (0, 2))
    await asyncio.sleep(wait + 0.01)
    assert await store.acquire(windows) == (0, (0, 1))  # what has left the short window is still in the long one


async def test_the_window_moves(rates: Rates) -> None:
    """Never more than two in any second, whenever the seconds begin: windows that stand fail here."""
    granted: list[float] = []
    deadline = time.monotonic() + 2.5
    while time.monotonic() < deadline:
        before = time.monotonic()
        try:
            await rates.hit(("2/second",), "a")
        except TooMany:
            await asyncio.sleep(0.02)
            continue
        granted += [before, time.monotonic()]
        await asyncio.sleep(0.3)
    ends, begins = granted[1::2], granted[0::2]
    assert len(begins) >= 4
    # From the answer to the first of three to the question of the third lies all but their travelling.
    assert all(third_end - first_begin >= 1 for first_begin, third_end in zip(begins, ends[2:], strict=False))


def _hammer(where: Path | str, barrier: Any, results: Any) -> None:
    for patience in ("rate_file.PATIENCE_S", "rate_redis.PATIENCE_S", "rates._WAIT_S"):  # it is not what is tested
        pytest.MonkeyPatch().setattr(f"api.access.{patience}", 60.0)

    async def hammer() -> int:
        rates = Rates(where, SECRET)
        await asyncio.to_thread(barrier.wait)
        granted = await asyncio.gather(*(_granted(rates, 15, ("50/hour", "60/day"), "a") for _ in range(4)))
        await rates.close()
        return sum(granted)

    results.put(asyncio.run(hammer()))


async def test_processes_together_get_exactly_what_the_rule_says(where: Path | str) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(4), context.Queue()
    processes = [context.Process(target=_hammer, args=(where, barrier, results)) for _ in range(4)]
    for process in processes:
        process.start()
    granted = [await asyncio.to_thread(results.get, True, 60) for _ in processes]
    for process in processes:
        await asyncio.to_thread(process.join, 30)
        assert process.exitcode == 0
    assert sum(granted) == 50
    rates = Rates(where, SECRET)
    assert await _granted(rates, 20, ("60/day",), "a") == 10
    await rates.close()


async def test_a_new_file_that_another_worker_makes_just_now(tmp_path: Path) -> None:
    """Workers start together: SQLite then refuses the change to a write-ahead log at once, however long it may wait."""
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    done = threading.Timer(0.3, other.execute, ("COMMIT",))
    done.start()
    rates = Rates(tmp_path, SECRET)
    await rates.hit(("1/hour",), "a")
    done.join()
    other.close()
    await rates.close()


async def test_what_has_passed_is_tidied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr("api.access.rate_file.time.time", lambda: now)
    rates = Rates(tmp_path, SECRET)
    for i in range(20):
        await rates.hit(("5/minute",), str(i))
    now += 61
    await rates.hit(("5/minute",), "last")
    await rates.close()
    file = tmp_path / FILE
    assert file.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM hit").fetchone() == (1,)
        assert "last" not in str(connection.execute("SELECT * FROM hit").fetchall())


async def _away(rates: Rates) -> None:
    """Ask ten times at once: each is refused within two seconds, not one after the other."""
    assert _WAIT_S < 2  # what a busy machine takes longer is its own
    begun = time.monotonic()
    outcomes = await asyncio.gather(*(rates.hit(("100/hour",), "a") for _ in range(10)), return_exceptions=True)
    assert time.monotonic() - begun < 5
    for outcome in outcomes:
        assert isinstance(outcome, Unavailable), outcome
        assert outcome.status == 503
        assert "Retry-After" in outcome.headers


async def test_a_locked_file(tmp_path: Path) -> None:
    rates = Rates(tmp_path, SECRET)
    await rates.hit(("100/hour",), "a")
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    await _away(rates)
    other.execute("ROLLBACK")
    other.close()
    await rates.hit(("100/hour",), "a")
    await rates.close()


async def test_a_folder_that_is_gone_and_a_file_that_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    rates = Rates(folder, SECRET)
    await rates.hit(("1/hour",), "a")
    shutil.rmtree(folder)
    await rates.hit(("1/hour",), "a")  # a new file, in which nothing is counted yet
    other = Rates(folder, SECRET)
    with pytest.raises(TooMany):
        await other.hit(("1/hour",), "a")
    await other.close()
    shutil.rmtree(folder)
    folder.write_text("no folder")
    await _away(rates)
    folder.unlink()
    folder.mkdir()
    (folder / FILE).write_text("no database, but text that is long enough to look like one. " * 100)
    await _away(rates)
    (folder / FILE).unlink()
    await rates.hit(("1/hour",), "a")
    await rates.close()


async def test_redis_gone_and_back(caplog: pytest.LogCaptureFixture) -> None:
    with redis_server() as port:
        rates = Rates(f"redis://someone:s3cr3t@127.0.0.1:{port}/0", SECRET)
        await rates.hit(("1/hour",), "a")
    await _away(rates)
    assert "rate limits cannot be counted" in caplog.text
    assert "s3cr3t" not in caplog.text
    with redis_server(port):
        await rates.hit(("1/hour",), "a")
        await rates.close()


async def test_a_redis_that_hangs() -> None:
    connections = []

    async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    rates = Rates(f"redis://127.0.0.1:{port}/0", SECRET)
    await _away(rates)
    assert connections
    server.close()
    for writer in connections:
        writer.close()
    with redis_server(port):
        await rates.hit(("1/hour",), "a")
        await rates.close()


@pytest.mark.parametrize("address", ["localhost:6379", "http://127.0.0.1", "memory://"])
def test_what_is_no_redis(address: str) -> None:
    with pytest.raises(ValueError, match="SOLFLIS_RATE_STORE"):
        Rates(address, SECRET)
