"""The queue of jobs, on SQLite and PostgreSQL.

`overhead`: cost of a job that does nothing, with one worker; then of one that writes a durable result. `killed`: 1,000
jobs of a tenth of a second by four worker processes, one of which is killed every two seconds and started again.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from api.access.secret import load_secret
from api.core.settings import Settings
from api.database.database import Database
from api.database.engine import address
from api.jobs.bell import make_bell
from api.jobs.queue import Job, Jobs, question_of
from api.jobs.results import Results
from tests.support.database import Postgres, in_url
from tests.support.job_functions import KINDS

JOBS, KILL_EVERY_S = 1000, 2.0
CASES = (
    ("overhead", "nothing", 1, False),
    ("with a durable result", "many", 1, False),
    ("killed", "sleep", 4, True),
)


@asynccontextmanager
async def queue(settings: Settings) -> AsyncIterator[Jobs]:
    """Yield the queue of a new database."""
    url = address(settings.database, settings.state)
    database = Database(url, load_secret(None, settings.state), durable=False)
    await database.prepare()
    bell = make_bell(url, settings.state)
    async with bell.lifespan():
        yield Jobs(database, bell, settings.clock, KINDS)
    await database.engine.dispose()


async def ask(jobs: Jobs, kind: str) -> list[Job]:
    """Queue the jobs; each is to give back its number."""
    return [await jobs.ask(kind, question_of(kind, number), b"%d" % number, b"bench") for number in range(JOBS)]


def start(environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start a worker."""
    command = [sys.executable, "-m", "tests.support.job_worker"]
    return subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)


async def run(settings: Settings, environment: Mapping[str, str], kind: str, workers: int, *, kill: bool) -> str:
    """Run all jobs, and return what came of them."""
    async with queue(settings) as jobs:
        asked = await ask(jobs, kind)
        running = [start(environment) for _ in range(workers)]
        begun, killed, at = time.monotonic(), 0, time.monotonic()
        try:
            while not kill and (await jobs.queued())[kind][0] == JOBS:
                await asyncio.sleep(0.01)  # what a worker takes to start is no overhead
                begun = time.monotonic()
            while (await jobs.queued())[kind][0] or not all(one.has_ended for one in await jobs.listing(JOBS)):
                await asyncio.sleep(0.05)
                if kill and time.monotonic() - at > KILL_EVERY_S:
                    os.kill(running[killed % workers].pid, signal.SIGKILL)
                    running[killed % workers].wait()
                    running[killed % workers] = start(environment)
                    killed, at = killed + 1, time.monotonic()
            seconds = time.monotonic() - begun
        finally:
            for one in running:
                one.terminate()
                one.wait()
        ended = {job.id: job for job in await jobs.listing(JOBS)}
        results = Results(settings.results_address)
        whole = sum(
            kind == "nothing" or results.get(str(ended[job.id].result), "echo") == b"%d" % number
            for number, job in enumerate(asked)
            if ended[job.id].state == "done"
        )
        runs = Counter(job.runs for job in ended.values())
    took = f"{JOBS} jobs in {seconds:.1f} s ({seconds / JOBS * 1e3:.2f} ms a job)"
    return f"{took}, {killed} killed: {whole} whole, runs {dict(runs)}"


def measure(folder: Path, seconds: float = 0.0, old: str = "") -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix="pg") as postgres:
        server = Postgres(Path(postgres))
        try:
            for name, kind, workers, kill in CASES:
                for database in ("sqlite", "postgresql"):
                    state = folder / f"{name}-{database}"
                    address_ = f"sqlite:///{state}/jobs.sqlite" if database == "sqlite" else in_url(server.make())
                    settings = Settings(store=str(folder / "tiles"), state=state, database=address_)
                    ours = {"STATE": str(state), "STORE": settings.store, "DATABASE": address_}
                    environment = {f"SOLFLIS_{key}": value for key, value in ours.items()}
                    line = asyncio.run(run(settings, environment, kind, workers, kill=kill))
                    print(f"{name}, {database}: {line}", flush=True)
        finally:
            server.stop()
