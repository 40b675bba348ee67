"""The worker: each job runs to its end or fails with a reason, whatever becomes of processes and the database."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from api.core import problems
from api.core.errors import ApiError
from api.jobs.kinds import KINDS as OWN_KINDS
from api.jobs.queue import Job
from api.jobs.results import Results
from api.jobs.worker import Worker
from api.observing.metrics import Metrics
from tests.api.jobs.conftest import Queue
from tests.support.database import sqlite_locked
from tests.support.job_functions import KINDS
from tests.support.mailbox import mail_server

MAIL = OWN_KINDS["mail"]
_LETTER = b'{"to": "kari@example.com", "subject": "Hei", "text": "Hei"}'


@pytest_asyncio.fixture
async def worked(queue: Queue) -> AsyncIterator[Queue]:
    """A queue with a worker that takes one job at a time."""
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        yield queue


async def result(queue: Queue, job: Job) -> bytes:
    ended = await asyncio.wait_for(queue.jobs.wait(job), 30)
    assert ended.result is not None
    return await asyncio.to_thread(Results(queue.settings.results_address).get, ended.result, "echo")


async def why(queue: Queue, job: Job) -> ApiError:
    with pytest.raises(ApiError) as failed:
        await asyncio.wait_for(queue.jobs.wait(job), 30)
    return failed.value


async def count(queue: Queue, state: str) -> int:
    return [job.state for job in await queue.jobs.listing()].count(state)


def counted(queue: Queue) -> str:
    metrics = Metrics(queue.settings.job_metrics)
    try:
        return metrics.text({}, True).decode()
    finally:
        metrics.close()


async def test_jobs_run_and_their_results_are_read_by_id(worked: Queue) -> None:
    jobs = [await worked.ask(content=str(number).encode()) for number in range(5)]
    assert [await result(worked, job) for job in jobs] == [b"0", b"1", b"2", b"3", b"4"]
    assert {job.state for job in await worked.jobs.listing()} == {"done"}


async def test_a_job_that_cannot_be_done_fails_with_its_own_reason(worked: Queue) -> None:
    error = await why(worked, await worked.ask("refuse"))
    expected = problems.MISSING("panel")
    assert (error.status, error.parameter) == (expected.status, "panel")
    assert (error.text("nb"), error.text("en")) == (expected.text("nb"), expected.text("en"))


async def test_an_unexpected_error_fails_the_job_and_the_worker_goes_on(worked: Queue) -> None:
    for kind in ("fail", "full", "away"):
        job = await worked.ask(kind)
        error = await why(worked, job)
        assert (error.status, error.text()) == (502, problems.JOB_FAILED.nb), kind
        assert (await worked.now(job)).result is None
    assert await result(worked, await worked.ask()) == b"1"


async def test_a_process_that_dies_costs_a_run(worked: Queue) -> None:
    job = await worked.ask("die", b"once")
    assert await result(worked, job) == b"once"
    assert (await worked.now(job)).runs == 2


@pytest.mark.slow
async def test_three_processes_that_die_cost_the_job(worked: Queue) -> None:
    job = await worked.ask("die", b"always")
    assert (await why(worked, job)).status == 502
    assert (await worked.now(job)).runs == 3


async def test_a_run_that_takes_too_long_costs_a_run(worked: Queue) -> None:
    job = await worked.ask("late")
    assert (await why(worked, job)).status == 502
    assert (await worked.now(job)).runs == 2
    while 'solflis_job_runs_total{kind="late",outcome="failed"} 1.0' not in counted(worked):
        await asyncio.sleep(0.01)  # the row first
    assert await result(worked, await worked.ask()) == b"1"


async def test_a_job_that_asks_for_a_later_run_gets_it(worked: Queue) -> None:
    job = await worked.ask("later")
    assert await result(worked, job) == b"1"
    assert (await worked.now(job)).runs == 2


async def test_progress_shows_and_a_cancelled_job_makes_room(worked: Queue) -> None:
    job = await worked.ask("hang")
    while (shown := await worked.now(job)).phrase != "hanging":
        await asyncio.sleep(0.05)
    assert shown.progress == 0.5
    assert await worked.jobs.cancel(job.id)
    assert await result(worked, await worked.ask()) == b"1"


async def test_a_worker_that_is_stopped_leaves_its_job_to_the_next(queue: Queue) -> None:
    job = await queue.ask("hang")
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        while (await queue.now(job)).state != "running":
            await asyncio.sleep(0.05)
    async with Worker(queue.settings, kinds=KINDS | {"hang": KINDS["echo"]}).lifespan():
        assert await result(queue, job) == b"1"
    assert (await queue.now(job)).runs == 1


@pytest.mark.slow
async def test_a_worker_that_is_stopped_at_any_moment_leaves_no_job_behind(queue: Queue) -> None:
    for _ in range(900):
        await queue.ask("nothing")
    for after_ms in range(8):
        async with Worker(queue.settings, kinds=KINDS).lifespan():
            done = await count(queue, "done")
            while await count(queue, "done") == done:
                await asyncio.sleep(0.01)
            await asyncio.sleep(after_ms / 1000)
        assert await count(queue, "running") == 0, after_ms


async def test_results_of_expired_jobs_are_removed(queue: Queue) -> None:
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        job = await queue.ask()
        await result(queue, job)
        done = await queue.now(job)
    folder = Path(queue.settings.results_address)
    (folder / str(done.result) / "echo#1").write_bytes(b"what a killed run left")
    queue.clock.moment = done.expires_at
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        while list(folder.iterdir()):
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("other_is_apart", [False, True])
async def test_a_mail_server_that_hangs_holds_up_no_other_job(queue: Queue, other_is_apart: bool) -> None:
    apart = {"hang": KINDS["hang"]._replace(apart=True), "echo": KINDS["echo"]._replace(apart=other_is_apart)}
    async with Worker(queue.settings, kinds=KINDS | apart).lifespan():
        hanging = await queue.ask("hang")
        while (await queue.now(hanging)).state != "running":
            await asyncio.sleep(0.05)
        assert await result(queue, await queue.ask()) == b"1"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_database_that_is_away_when_a_run_ends_costs_no_result(queue: Queue, tmp_path: Path) -> None:
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        job = await queue.ask("sleep")
        while (await queue.now(job)).state != "running":
            await asyncio.sleep(0.01)
        with sqlite_locked(tmp_path / "solflis.sqlite"):
            await asyncio.sleep(2.0)
        assert await result(queue, job) == b"1"
        assert (await queue.now(job)).runs == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_mail_that_the_server_does_not_take_is_tried_again_later(queue: Queue) -> None:
    with mail_server() as away:
        pass
    smtp = {"smtp": f"smtp://127.0.0.1:{away.port}", "mail_from": "solflis@example.com"}
    async with Worker(replace(queue.settings, **smtp), kinds={"mail": MAIL}).lifespan():  # type: ignore[arg-type]
        job = await queue.jobs_of({"mail": MAIL}).ask("mail", b"?" * 32, _LETTER, b"somebody")
        while (mail := await queue.now(job)).runs == 0 or mail.state != "queued":
            await asyncio.sleep(0.05)
    assert await queue.leases_of({"mail": MAIL}).take() is None, "not at once"
