"""`solflis jobs`."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from api.jobs.queue import Job, Jobs

_T = TypeVar("_T")


@click.group(short_help="List, show, retry and cancel jobs.")
def command() -> None:
    """List, show, retry and cancel the jobs of the API, in its database (SOLFLIS_DATABASE).

    \b
    Examples:
      solflis jobs ls
      solflis jobs show 5f0c1a9d3b7e2468ace013
      solflis jobs retry 5f0c1a9d3b7e2468ace013
      solflis jobs cancel 5f0c1a9d3b7e2468ace013
    """


@command.command("ls", short_help="List jobs, the newest first.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="At most so many.")
def listing(limit: int) -> None:
    """List jobs, the newest first."""
    jobs = _do(lambda queue: queue.listing(limit))
    if not jobs:
        click.echo("there are no jobs", err=True)
        return
    rows = [("ID", "KIND", "STATE", "RUNS", "PROGRESS", "CREATED", "ENDED"), *map(_row, jobs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@command.command("show", short_help="Show all that is known of a job.")
@click.argument("job_id", metavar="ID")
def show(job_id: str) -> None:
    """Show all that is known of a job, but its input."""
    job = _do(lambda queue: queue.get(job_id))
    if job is None:
        raise click.ClickException(f"there is no job {job_id}")
    told = job._asdict() | {"reason": job.error().text("en") if job.reason else None}
    for name, value in told.items():
        click.echo(f"{name:<11} {'' if value is None else value}".rstrip())


@command.command("retry", short_help="Give a failed job one more run.")
@click.argument("job_id", metavar="ID")
def retry(job_id: str) -> None:
    """Give a failed job one more run, unless another answers the same question by now."""
    if not _do(lambda queue: queue.retry(job_id)):
        raise click.ClickException(f"job {job_id} has not failed, or another job answers the same question")
    click.echo(f"{job_id} is queued")


@command.command("cancel", short_help="Stop a job that waits or runs.")
@click.argument("job_id", metavar="ID")
def cancel(job_id: str) -> None:
    """Let a job fail that waits or runs; its worker stops within some seconds."""
    if not _do(lambda queue: queue.cancel(job_id)):
        raise click.ClickException(f"job {job_id} neither waits nor runs")
    click.echo(f"{job_id} is cancelled")


def _row(job: "Job") -> tuple[str, ...]:
    moments = ("" if one is None else f"{one:%Y-%m-%d %H:%M:%S}" for one in (job.created_at, job.ended_at))
    return (job.id, job.kind, job.state, str(job.runs), f"{100 * job.progress:.0f} %", *moments)


def _do(work: "Callable[[Jobs], Awaitable[_T]]") -> _T:
    """Do something with the queue."""
    from api.core.errors import ApiError
    from infra.accounts import Accounts, on_accounts

    async def on_queue(accounts: Accounts) -> _T:
        return await work(accounts.jobs)

    try:
        return on_accounts(on_queue, lambda made: click.echo(made, err=True))
    except ApiError as error:
        raise click.ClickException(error.text("en")) from error
