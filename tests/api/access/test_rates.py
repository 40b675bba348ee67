"""Rate limits: exact over processes, all rules or none, on a file and on Redis; a store that is away and comes back."""

import asyncio
import multiprocessing
import shutil
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fakeredis import TcpFakeServer

from api.access.callers import Clients
from api.access.rates import FILE, Rates
from api.access.secret import Secret
from api.core import problems
from api.core.errors import ApiError
from api.core.settings import LOOPBACK

SECRET = Secret(b"of these tests")


@asynccontextmanager
async def rates_in(where: Path | str, secret: Secret = SECRET) -> AsyncIterator[Rates]:
    """Count in a store."""
    rates = Rates(where, secret, Clients(LOOPBACK))
    async with rates.lifespan():
        yield rates


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
    async with rates_in(where) as made:
        yield made


async def _granted(rates: Rates, times: int, rules: tuple[str, ...], *who: str) -> int:
    granted = 0
    for _ in range(times):
        try:
            await rates.hit((rule, who) for rule in rules)
        except ApiError as error:
            if error.problem is not problems.TOO_MANY:
                raise
            continue
        granted += 1
    return granted


async def test_what_is_stored_depends_on_the_secret(rates: Rates, where: Path | str) -> None:
    assert await _granted(rates, 2, ("1/hour",), "192.0.2.1") == 1
    for secret, left in ((SECRET, 0), (Secret(b"another"), 1)):
        async with rates_in(where, secret) as other:
            assert await _granted(other, 2, ("1/hour",), "192.0.2.1") == left


async def test_a_refused_hit_takes_from_no_rule(rates: Rates) -> None:
    rules = ("2/hour", "4/day")
    assert await _granted(rates, 10, rules, "a") == 2
    assert await _granted(rates, 10, ("4/day",), "a") == 2  # as many as are left: refusals took none
    assert await _granted(rates, 1, ("1/hour",), "b") == 1
    with pytest.raises(ApiError):
        await rates.hit([("5/hour", ("c",)), ("1/hour", ("b",))])
    assert await _granted(rates, 10, ("5/hour",), "c") == 5


@pytest.mark.slow
async def test_in_no_second_are_more_than_the_rule_allows(rates: Rates) -> None:
    """Whenever the second begins: windows that stand fail here."""
    granted: list[tuple[float, float]] = []
    deadline = time.monotonic() + 10
    while len(granted) < 6:
        assert time.monotonic() < deadline
        before = time.monotonic()
        if await _granted(rates, 1, ("2/second",), "a"):
            granted.append((before, time.monotonic()))
    # From the question of the first of three to the answer to the third lies all but their travelling.
    assert all(third[1] - first[0] >= 1 for first, third in zip(granted, granted[2:], strict=False))


def _hammer(where: Path | str, barrier: Any, results: Any) -> None:
    async def hammer() -> int:
        async with rates_in(where) as rates:
            await asyncio.to_thread(barrier.wait)
            return sum(await asyncio.gather(*(_granted(rates, 20, ("50/hour", "60/day"), "a") for _ in range(2))))

    results.put(asyncio.run(hammer()))


async def test_processes_together_get_exactly_what_the_rule_says(where: Path | str, rates: Rates) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(3), context.Queue()
    processes = [context.Process(target=_hammer, args=(where, barrier, results)) for _ in range(3)]
    for process in processes:
        process.start()
    granted = [await asyncio.to_thread(results.get, True, 60) for _ in processes]
    for process in processes:
        await asyncio.to_thread(process.join, 30)
    assert sum(granted) == 50
    assert await _granted(rates, 20, ("60/day",), "a") == 10


async def test_hits_past_their_window_are_deleted(tmp_path: Path) -> None:
    async with rates_in(tmp_path) as rates:
        await _granted(rates, 20, ("5/second",), "first")
    with sqlite3.connect(tmp_path / FILE) as connection:
        [(ends,)] = connection.execute("SELECT max(expires) FROM hit")
        while time.time() <= ends:
            await asyncio.sleep(0.05)
        async with rates_in(tmp_path) as rates:
            await rates.hit([("5/second", ("last",))])
        [[key, *_]] = connection.execute("SELECT * FROM hit")
    assert "last" not in key
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


async def _assert_away(rates: Rates) -> None:
    """Ask ten times at once: each is refused soon, not one after the other."""
    begun = time.monotonic()
    outcomes = await asyncio.gather(*(rates.hit([("100/hour", ("a",))]) for _ in range(10)), return_exceptions=True)
    assert time.monotonic() - begun < 5
    for outcome in outcomes:
        assert isinstance(outcome, ApiError), outcome
        assert outcome.problem is problems.NO_RATES
        assert "Retry-After" in outcome.headers


async def test_a_file_that_another_process_locks(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE, isolation_level=None) as other:  # new: its journal cannot be changed either
        other.execute("BEGIN IMMEDIATE")
        async with rates_in(tmp_path) as rates:
            await _assert_away(rates)
            other.execute("ROLLBACK")
            await rates.hit([("100/hour", ("a",))])


async def test_a_folder_that_is_gone_and_a_file_that_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    async with rates_in(folder) as rates:
        for _ in range(2):  # the second file is new: nothing is counted in it yet
            assert await _granted(rates, 2, ("1/hour",), "a") == 1
            shutil.rmtree(folder)
        folder.write_text("no folder")
        await _assert_away(rates)
        folder.unlink()
        folder.mkdir()
        (folder / FILE).write_text("no database, but text that is long enough to look like one. " * 100)
        await _assert_away(rates)
        (folder / FILE).unlink()
        await rates.hit([("1/hour", ("a",))])


async def test_redis_gone_and_back(caplog: pytest.LogCaptureFixture) -> None:
    async with AsyncExitStack() as stack:
        with redis_server() as port:
            rates = await stack.enter_async_context(rates_in(f"redis://someone:s3cr3t@127.0.0.1:{port}/0"))
            await rates.hit([("1/hour", ("a",))])
        await _assert_away(rates)
        assert "rate limits cannot be counted" in caplog.text
        assert "s3cr3t" not in caplog.text
        with redis_server(port):
            await rates.hit([("1/hour", ("a",))])
            await stack.aclose()


async def test_a_redis_that_hangs() -> None:
    connections = list[asyncio.StreamWriter]()
    server = await asyncio.start_server(lambda _, writer: connections.append(writer), "127.0.0.1", 0)
    async with rates_in(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0") as rates:
        await _assert_away(rates)
    server.close()
    for connection in connections:
        connection.close()


@pytest.mark.parametrize("address", ["localhost:6379", "http://127.0.0.1", "memory://"])
def test_what_is_no_redis(address: str) -> None:
    with pytest.raises(ValueError, match="SOLFLIS_RATE_STORE"):
        Rates(address, SECRET, Clients(LOOPBACK))
