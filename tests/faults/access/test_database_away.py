"""A database that is gone, stands still or is locked: counted routes say so soon, the others go on, and it mends."""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from api.core import problems
from tests.faults.access.conftest import StartWorkers, issue, ready
from tests.support.database import Postgres, in_url, sqlite_locked
from tests.support.hammer import POINT
from tests.support.worker import until

WITHIN_S = 5.0
CLIENT = {"X-Forwarded-For": "198.51.100.7"}
Away = Callable[[], AbstractContextManager[None]]


@contextmanager
def postgres_stopped(server: Postgres) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


@contextmanager
def postgres_frozen(server: Postgres) -> Iterator[None]:
    """Its processes stand still: connections stay, and nothing comes back."""
    processes = server.processes()
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            if process.is_running():
                process.resume()


@contextmanager
def postgres_locked(address: str) -> Iterator[None]:
    with psycopg.connect(address) as connection:
        connection.execute("LOCK TABLE quota_day, account IN ACCESS EXCLUSIVE MODE")
        yield


@pytest.fixture(scope="module")
def mortal() -> Iterator[Postgres]:
    """A PostgreSQL that these tests may stop."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        server = Postgres(Path(folder))
        yield server
        server.stop()


LATER = (pytest.param(away, marks=pytest.mark.slow) for away in (postgres_stopped, postgres_frozen, postgres_locked))


@pytest.fixture(params=[sqlite_locked, *LATER])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Away]:
    """The address of an empty database, and what takes it away."""
    if request.param is sqlite_locked:
        file = tmp_path / "solflis.sqlite"
        return f"sqlite:///{file}", lambda: sqlite_locked(file)
    server: Postgres = request.getfixturevalue("mortal")
    url = in_url(server.make())
    if request.param is postgres_locked:
        return url, lambda: postgres_locked(url.replace("+psycopg", ""))
    return url, lambda: request.param(server)


def timed(url: str, headers: Mapping[str, str] = CLIENT) -> tuple[httpx.Response, float]:
    begun = time.monotonic()
    answer = httpx.get(url, headers=headers, timeout=30)
    return answer, time.monotonic() - begun


def test_counted_routes_answer_503_soon_the_others_go_on_and_it_recovers(
    start_workers: StartWorkers, database: tuple[str, Away]
) -> None:
    address, away = database
    with start_workers(1, address) as running:
        ready(running)
        before, _ = timed(running.url + POINT)
        assert (before.status_code, before.headers["X-Quota-Remaining"]) == (200, "23")
        key = {"X-API-Key": issue(address)}
        with away():
            for headers in (CLIENT, key, CLIENT):
                answer, seconds = timed(running.url + POINT, headers)
                assert answer.status_code == 503, answer.text
                assert answer.json()["error"] == problems.NO_COUNTING.nb
                assert int(answer.headers["Retry-After"]) > 0
                assert "X-Quota-Remaining" not in answer.headers
                assert seconds < WITHIN_S
                others = [timed(f"{running.url}/health") for _ in range(3)]
                assert [answer.status_code for answer, _ in others] == [200] * 3
                assert min(seconds for _, seconds in others) < 1.0  # the best: others use the machine
            assert "solflis_database_up 0.0" in httpx.get(f"{running.url}/metrics").text
        assert until(running.url, POINT, 200, headers=key).headers["X-Quota-Remaining"] == "999"
        after = until(running.url, POINT, 200, headers=CLIENT)
        assert "solflis_database_up 1.0" in httpx.get(f"{running.url}/metrics").text
        assert running.processes[0].poll() is None
        # What was answered with 503 was not charged, or is given back soon: one counts the answers that came.
        used = 2
        while after.headers["X-Quota-Remaining"] != str(24 - used):
            assert used < 20, after.headers["X-Quota-Remaining"]
            time.sleep(0.5)
            after, used = until(running.url, POINT, 200, headers=CLIENT), used + 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_worker_that_starts_without_its_database_waits_for_it(
    start_workers: StartWorkers, kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if kind == "sqlite":
        (tmp_path / "database").write_text("in the way of the folder")
        address, back = f"sqlite:///{tmp_path}/database/solflis.sqlite", (tmp_path / "database").unlink
    else:
        server: Postgres = request.getfixturevalue("mortal")
        address, back = in_url(server.make()), server.start
        server.stop()
    try:
        with start_workers(1, address) as running:
            until(running.url, "/health", 200)
            answer, seconds = timed(running.url + POINT)
            assert (answer.status_code, answer.json()["error"]) == (503, problems.NO_COUNTING.nb)
            assert seconds < WITHIN_S
            back()
            assert until(running.url, POINT, 200, headers=CLIENT).headers["X-Quota-Remaining"] == "23"
    finally:
        if kind == "postgresql":
            server.start()
