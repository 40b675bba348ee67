"""`solflis plants`."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from infra.accounts import Accounts

_T = TypeVar("_T")


@click.group(short_help="List and calibrate plants, and delete those that nobody uses.")
def command() -> None:
    """List and calibrate registered plants, and delete those that nobody uses, in the API's database.

    It is that of SOLFLIS_DATABASE.

    \b
    Examples:
      solflis plants list
      solflis plants calibrate --all --dry-run
      solflis plants retention --dry-run
      solflis plants retention
    """


@command.command("list", short_help="List plants, without their places.")
def listing() -> None:
    """List plants, the oldest first: id, account (0: none), created, last used, hours of measurements."""
    from infra.plant_list import rows

    for one in _do(rows):
        click.echo(f"{one.id}  {one.account:>6}  {one.created_at:%Y-%m-%d}  {one.used_at:%Y-%m-%d}  {one.hours:>7}")


@command.command("retention", short_help="Delete unused plants, tell owners, close uploads.")
@click.option("--dry-run", is_flag=True, help="Only say how many.")
def retention(dry_run: bool) -> None:
    """Delete plants that were not used for 365 days, tell owners 30 days before, close uploads of 14 days.

    The workflow `plants_retention` calls it every night.
    """
    from infra.plant_retention import retain

    done = _do(lambda accounts: retain(accounts, dry_run=dry_run))
    would = "would be " if dry_run else ""
    click.echo(
        f"{done.deleted} plants {would}deleted, {done.told} owners {would}told, {done.expired} uploads {would}closed"
    )


@command.command("calibrate", short_help="Keep forecasts of plants' places, and calibrate plants.")
@click.option("--all", "everybody", is_flag=True, help="Also plants without new measurements.")
@click.option("--dry-run", is_flag=True, help="Store nothing; print a line for each plant.")
def calibrate(everybody: bool, dry_run: bool) -> None:
    """Keep the forecasts of the last days for plants' places, then calibrate the plants with new measurements.

    The workflow `calibration` runs it every night. A plant that cannot be calibrated stops no other; the exit code is
    then 1.
    """
    import asyncio
    import os
    import sys

    from api.core.settings import Settings, SettingsError
    from api.database.current import make_current
    from api.database.engine import DatabaseError, address
    from api.observing import logs
    from api.plants.nightly import run
    from infra.commands.common import naming_the_error
    from infra.up.private import with_private_settings

    try:
        with naming_the_error():
            settings = Settings.from_environment(with_private_settings(os.environ))
            asyncio.run(make_current(address(settings.database, settings.state)))
            logs.install(sys.stderr)
            failed = run(settings, click.echo, everybody=everybody, dry_run=dry_run)
    except (SettingsError, DatabaseError) as error:
        raise click.ClickException(str(error)) from error
    if failed:
        raise click.ClickException(f"{failed} plants could not be calibrated: see the lines above")


def _do(work: "Callable[[Accounts], Awaitable[_T]]") -> _T:
    from infra.accounts import on_accounts

    return on_accounts(work, lambda made: click.echo(made, err=True))
