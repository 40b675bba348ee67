"""The queue: one job for a question, the oldest first, and what becomes of jobs whose worker is lost."""

import asyncio
import gc
from datetime import timedelta
from pathlib import Path

import pytest

from api.core import problems
from api.core.errors import ApiError
from api.data.plants import store
from api.database.tables import job as table
from api.jobs.kinds import KINDS as OWN_KINDS
from api.jobs.leases import REMEMBERED
from api.jobs.queue import question_of, reason_of
from tests.api.jobs.conftest import Queue
from tests.support.database import KINDS as DATABASES
from tests.support.database import sqlite_locked
from tests.support.plants import made_plant, writing

of_both = pytest.mark.parametrize("database_url", DATABASES, indirect=True)


async def test_a_question_is_answered_by_one_job_whose_life_begins_anew(queue: Queue) -> None:
    first = await queue.ask(question="roof")
    queue.clock.moment += timedelta(days=6)
    second = await queue.ask(question="roof")
    assert second.id == first.id
    assert second.expires_at == queue.clock.moment + timedelta(days=7)
    assert (await queue.ask(question="another roof")).id != first.id


@of_both
async def test_of_several_who_ask_at_once_all_get_the_same_job(queue: Queue) -> None:
    jobs = await asyncio.gather(*(queue.ask(question="roof") for _ in range(8)))
    assert len({job.id for job in jobs}) == 1


async def test_a_job_is_found_by_its_question(queue: Queue) -> None:
    question = question_of("echo", "roof")
    assert await queue.jobs.find("echo", question) is None
    job = await queue.ask(question="roof")
    found = await queue.jobs.find("echo", question)
    assert found is not None
    assert found.id == job.id


async def test_a_job_that_failed_answers_nobody(queue: Queue) -> None:
    failed = await queue.ask(question="roof")
    assert await queue.leases.failed(await queue.taken(), reason_of(problems.JOB_FAILED()))
    assert (await queue.ask(question="roof")).id != failed.id


@of_both
async def test_a_job_that_has_expired_answers_nobody_and_is_removed(queue: Queue) -> None:
    job = await queue.ask(question="roof")
    assert await queue.done(await queue.taken())
    queue.clock.moment += timedelta(days=8)
    assert await queue.jobs.get(job.id) is None
    assert (await queue.ask(question="roof")).id != job.id
    assert await queue.leases.expired() == [job.id], "its files can be found"
    await queue.leases.empty(job.id)
    assert await queue.jobs.is_past(job.id, job.kind), "whoever asks for it can be told that it has expired"
    queue.clock.moment += REMEMBERED
    assert await queue.leases.expired() == []
    assert not await queue.jobs.is_past(job.id, job.kind)


@of_both
async def test_a_queued_job_knows_its_place_which_jobs_with_a_process_of_their_own_do_not_change(queue: Queue) -> None:
    await queue.jobs_of(OWN_KINDS).ask("mail", b"?" * 32, b"", b"somebody")
    running, first, second = [await queue.ask() for _ in range(3)]
    await queue.taken()
    assert [await queue.jobs.place(job) for job in (running, first, second)] == [(0, 2), (0, 2), (1, 2)]


@of_both
async def test_a_job_that_waits_long_is_there_until_it_is_done_and_then_as_long_as_its_kind_says(queue: Queue) -> None:
    job = await queue.ask("brief", question="roof")
    queue.clock.moment += timedelta(hours=23)
    assert (await queue.ask("brief", question="roof")).id == job.id
    queue.clock.moment += timedelta(hours=23)
    assert await queue.leases.expired() == []
    assert await queue.done(await queue.taken())
    for _ in range(2):
        assert (await queue.now(job)).expires_at == queue.clock.moment + timedelta(minutes=15)
        queue.clock.moment += timedelta(minutes=10)
        assert (await queue.ask("brief", question="roof")).id == job.id
    failing = await queue.ask("brief")
    assert await queue.leases.failed(await queue.taken(), reason_of(problems.JOB_FAILED()))
    assert (await queue.now(failing)).expires_at == queue.clock.moment + timedelta(minutes=15)


async def test_a_full_queue_refuses_and_says_when_to_come_back(queue: Queue) -> None:
    for _ in range(5):
        await queue.ask()
    with pytest.raises(ApiError) as refused:
        await queue.ask()
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "30")
    await queue.taken()
    await queue.ask()
    await queue.ask("many")  # of another kind


@of_both
async def test_the_oldest_job_is_taken_first_and_none_twice(queue: Queue) -> None:
    asked = [(await queue.ask()).id for _ in range(5)]
    taken = await asyncio.gather(*(queue.leases.take() for _ in range(6)))
    assert sorted(lease.id for lease in taken if lease) == sorted(asked)
    first, second = [await queue.ask() for _ in range(2)]
    assert [(await queue.taken()).id, (await queue.taken()).id] == [first.id, second.id]


async def test_a_job_waits_for_the_one_that_it_follows(queue: Queue) -> None:
    first = await queue.ask()
    mail = await queue.ask(after=first.id)
    lease = await queue.taken()
    assert lease.id == first.id
    assert await queue.leases.take() is None
    await queue.done(lease)
    assert (await queue.taken()).id == mail.id


async def test_a_job_that_asks_for_a_later_run_waits(queue: Queue) -> None:
    await queue.ask()
    await queue.leases.again(await queue.taken(), delay_s=60)
    assert await queue.leases.take() is None


async def test_jobs_of_a_kind_that_newer_code_knows_are_left_alone(queue: Queue) -> None:
    await queue.ask("many")
    assert await queue.leases_of({}).take() is None


@of_both
async def test_a_lease_that_runs_out_is_taken_again_twice_and_then_the_job_fails(queue: Queue) -> None:
    job = await queue.ask()
    for runs in (1, 2, 3):
        assert (await queue.taken()).runs == runs
        await queue.leases.watch(lapses_s=0)  # sees it
        await queue.leases.watch(lapses_s=0)  # and sees that nobody has renewed it
    ended = await queue.now(job)
    assert ended.state == "failed"
    with pytest.raises(ApiError) as failed:
        await queue.jobs.wait(ended)
    assert (failed.value.status, failed.value.problem.code) == (502, "BACKEND_ERROR")
    assert failed.value.text() == problems.JOB_FAILED.nb


async def test_a_lease_that_is_renewed_does_not_run_out(queue: Queue) -> None:
    await queue.ask()
    lease = await queue.taken()
    for _ in range(3):
        await queue.leases.watch(lapses_s=0)
        assert await queue.leases.renew(lease, 0.5, "half")
    assert await queue.leases.take() is None


async def test_a_clock_that_jumps_ends_no_lease(queue: Queue) -> None:
    await queue.ask()
    lease = await queue.taken()
    await queue.leases.watch(lapses_s=60)
    queue.clock.moment += timedelta(days=365)
    await queue.leases.watch(lapses_s=60)
    queue.clock.moment -= timedelta(days=730)
    await queue.leases.watch(lapses_s=60)
    assert await queue.leases.renew(lease, 0.5, "half")


async def test_a_worker_that_has_lost_its_job_changes_nothing(queue: Queue) -> None:
    job = await queue.ask()
    lost = await queue.taken()
    await queue.leases.again(lost)
    current = await queue.taken()
    assert not await queue.leases.renew(lost, 0.9, "lost")
    assert not await queue.done(lost)
    assert not await queue.leases.failed(lost, reason_of(problems.JOB_FAILED()))
    assert not await queue.leases.again(lost)
    assert await queue.done(current)
    assert (await queue.now(job)).result == current.result


async def test_a_cancelled_job_fails_for_that_reason_and_its_worker_learns_it(queue: Queue) -> None:
    waiting, running = await queue.ask(), await queue.ask()
    lease = await queue.taken()
    assert lease.id == waiting.id
    for job in (waiting, running):
        assert await queue.jobs.cancel(job.id)
        assert not await queue.jobs.cancel(job.id)
        with pytest.raises(ApiError, match="avbrutt"):
            await queue.jobs.wait(job)
    assert not await queue.leases.renew(lease, 0.5, "half")


async def test_a_failed_job_is_retried_unless_another_answers_its_question(queue: Queue) -> None:
    job = await queue.ask(question="roof")
    assert not await queue.jobs.retry(job.id)
    await queue.jobs.cancel(job.id)
    assert await queue.jobs.retry(job.id)
    assert (await queue.now(job)).state == "queued"
    await queue.jobs.cancel(job.id)
    await queue.ask(question="roof")
    assert not await queue.jobs.retry(job.id)


@of_both
async def test_whoever_waits_is_woken_when_the_job_ends(queue: Queue) -> None:
    job = await queue.ask()
    waiting = asyncio.create_task(queue.jobs.wait(job))
    lease = await queue.taken()
    await queue.done(lease)
    assert (await asyncio.wait_for(waiting, 5)).result == lease.result


async def test_what_waits_is_counted_by_kind(queue: Queue) -> None:
    await queue.ask()
    queue.clock.moment += timedelta(seconds=90)
    await queue.ask()
    queued = await queue.jobs.queued()
    assert queued["echo"] == (2, 90.0)
    assert queued["many"] == (0, 0.0)


async def test_a_job_whose_predecessor_failed_is_never_run(queue: Queue) -> None:
    failing = await queue.ask()
    await queue.ask(after=failing.id)
    await queue.jobs.cancel(failing.id)
    await queue.ask(after=failing.id)
    assert await queue.leases.take() is None
    await queue.jobs.retry(failing.id)
    await queue.done(await queue.taken())
    await queue.taken()


@of_both
async def test_the_next_job_is_taken_with_the_end_of_the_one_before(queue: Queue) -> None:
    first, second = await queue.ask(), await queue.ask()
    lease = await queue.taken()
    assert lease.id == first.id
    ours, following = await queue.leases.done(lease, then_take=True)
    assert ours
    assert following is not None
    assert following.id == second.id
    assert (await queue.leases.done(following, then_take=True))[1] is None


async def test_a_lease_that_was_renewed_a_moment_ago_is_left_alone(queue: Queue) -> None:
    await queue.ask()
    lease = await queue.taken()
    assert await queue.leases.renew(lease, 0.5, "half")
    assert not await queue.leases.again(lease, 0.0, table.c.lease == 0)
    assert await queue.leases.renew(lease, 0.6, "more")


def lock(file: Path) -> None:
    """Lock a file within 5 s."""
    with sqlite_locked(file):
        pass


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_whoever_leaves_in_the_middle_leaves_the_database_free(queue: Queue, tmp_path: Path) -> None:
    gc.disable()  # which would hide a cursor that is left open
    try:
        for ticks in range(1, 61):
            asking = asyncio.create_task(queue.ask("many"))
            for _ in range(ticks):
                await asyncio.sleep(0.0001)
            asking.cancel()
            await asyncio.wait([asking])
            await asyncio.to_thread(lock, tmp_path / "solflis.sqlite")
    finally:
        gc.enable()
    assert len(await queue.jobs.listing()) == 60, "what was begun is done"


async def test_a_worker_that_ends_costs_no_job_a_run(queue: Queue) -> None:
    job = await queue.ask()
    for _ in range(4):
        assert await queue.leases.give_back(await queue.taken())
    assert await queue.leases.again(await queue.taken()) == "queued"
    assert (await queue.now(job)).runs == 1


async def test_a_retried_job_lives_as_long_as_a_new_one_and_one_that_was_done_is_not_retried(queue: Queue) -> None:
    job = await queue.ask()
    await queue.jobs.cancel(job.id)
    queue.clock.moment += timedelta(days=6.9)
    assert await queue.jobs.retry(job.id)
    assert (await queue.now(job)).expires_at == queue.clock.moment + timedelta(days=7)
    await queue.done(await queue.taken())
    await queue.jobs.forget(job)
    assert not await queue.jobs.retry(job.id)


async def test_a_job_that_was_removed_from_the_queue_is_not_found_while_its_files_go(queue: Queue) -> None:
    job = await queue.ask(question="roof")
    await queue.done(await queue.taken())
    queue.clock.moment += timedelta(days=7)
    assert await queue.leases.expired() == [job.id]
    queue.clock.moment -= timedelta(seconds=2)  # that of the process which asks
    assert await queue.jobs.find("echo", question_of("echo", "roof")) is None
    with pytest.raises(ApiError, match="mislyktes"):
        await queue.jobs.wait(await queue.now(job))


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_stall_of_writes_ends_no_lease(queue: Queue, tmp_path: Path) -> None:
    await queue.ask()
    lease = await queue.taken()
    await queue.leases.watch(lapses_s=0)
    with sqlite_locked(tmp_path / "solflis.sqlite"), pytest.raises(ApiError):
        await queue.leases.watch(lapses_s=0)  # reads that nobody has renewed it, and cannot write
    await queue.leases.watch(lapses_s=0)
    assert await queue.leases.renew(lease, 0.5, "half")


@of_both
async def test_the_jobs_of_a_plant_are_deleted_with_it(queue: Queue) -> None:
    plant, database_url = made_plant(), str(queue.settings.database)
    with writing(database_url) as connection:
        store.add(connection, plant)
    running, queued, other = await queue.ask(plant=plant.id), await queue.ask(plant=plant.id), await queue.ask()
    lease = await queue.taken()
    with writing(database_url) as connection:
        assert set(store.delete(connection, [plant.id])) == {running.id, queued.id}
    assert [await queue.jobs.get(job.id) for job in (running, queued)] == [None, None]
    assert not await queue.leases.renew(lease, 0.5, "")
    assert not await queue.done(lease)
    assert (await queue.taken()).id == other.id
