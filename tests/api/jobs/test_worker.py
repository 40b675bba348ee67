"""The worker: each job runs to its end or fails with a reason, whatever becomes of processes and the database."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest
import pytest_asyncio

from api.core import problems
from api.core.errors import ApiError
from api.jobs.queue import Job
from api.jobs.results import Results
from api.jobs.worker import Worker
from tests.api.jobs.conftest import Queue
from tests.support.database import SQLITE_MOSTLY
from tests.support.job_functions import KINDS
from tiles.store import NotFound

Work = Callable[[], AbstractAsyncContextManager[None]]
of_both = pytest.mark.parametrize("database_url", SQLITE_MOSTLY, indirect=True)


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


@of_both
async def test_jobs_run_and_their_results_are_read_by_id(worked: Queue) -> None:
    jobs = [await worked.ask(content=str(number).encode()) for number in range(5)]
    assert [await result(worked, job) for job in jobs] == [b"0", b"1", b"2", b"3", b"4"]
    assert {job.state for job in await worked.jobs.listing()} == {"done"}


@of_both
async def test_a_job_that_cannot_be_done_fails_with_its_own_reason(worked: Queue) -> None:
    error = await why(worked, await worked.ask("refuse"))
    expected = problems.MISSING("panel")
    assert (error.status, error.parameter) == (expected.status, "panel")
    assert (error.text("nb"), error.text("en")) == (expected.text("nb"), expected.text("en"))


@of_both
@pytest.mark.parametrize("kind", ["fail", "full"])
async def test_an_unexpected_error_fails_the_job_and_leaves_no_result(worked: Queue, kind: str) -> None:
    job = await worked.ask(kind)
    error = await why(worked, job)
    assert (error.status, error.text()) == (502, problems.JOB_FAILED.nb)
    with pytest.raises(NotFound):
        Results(worked.settings.results_address).get(f"{job.id}/1", "echo")


@of_both
async def test_a_process_that_dies_costs_a_run_and_three_the_job(worked: Queue) -> None:
    once, always = await worked.ask("die", b"once"), await worked.ask("die", b"always")
    assert await result(worked, once) == b"once"
    assert (await worked.now(once)).runs == 2
    assert (await why(worked, always)).status == 502
    assert (await worked.now(always)).runs == 3


@of_both
async def test_a_run_that_takes_too_long_fails(worked: Queue) -> None:
    assert (await why(worked, await worked.ask("late"))).status == 502
    assert await result(worked, await worked.ask()) == b"1"


@of_both
async def test_a_job_that_asks_for_a_later_run_gets_it(worked: Queue) -> None:
    job = await worked.ask("later")
    assert await result(worked, job) == b"1"
    assert (await worked.now(job)).runs == 2


@of_both
async def test_progress_shows_and_a_cancelled_job_makes_room(worked: Queue) -> None:
    job = await worked.ask("hang")
    while (shown := await worked.now(job)).phrase != "hanging":
        await asyncio.sleep(0.05)
    assert shown.progress == 0.5
    assert await worked.jobs.cancel(job.id)
    assert await result(worked, await worked.ask()) == b"1"


@of_both
async def test_a_worker_that_is_stopped_leaves_its_job_to_the_next(queue: Queue) -> None:
    job = await queue.ask("hang")
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        while (await queue.now(job)).state != "running":
            await asyncio.sleep(0.05)
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        assert await result(queue, job) == b"1"


@of_both
async def test_results_of_expired_jobs_are_removed(queue: Queue) -> None:
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        job = await queue.ask()
        await result(queue, job)
        done = await queue.now(job)
    queue.clock.moment = done.expires_at
    results = Results(queue.settings.results_address)
    async with Worker(queue.settings, kinds=KINDS).lifespan():
        while await queue.jobs.listing():
            await asyncio.sleep(0.05)
        while True:  # the row goes before the files
            try:
                results.get(str(done.result), "echo")
            except NotFound:
                break
            await asyncio.sleep(0.05)
