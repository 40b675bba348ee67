"""`solflis plants`."""

import click


@click.group(short_help="Calibrate plants.")
def command() -> None:
    """See to the registered plants in the API's database (SOLFLIS_DATABASE).

    \b
    Examples:
      solflis plants calibrate
      solflis plants calibrate --all --dry-run
    """


@command.command("calibrate", short_help="Keep forecasts of plants' places, and calibrate plants.")
@click.option("--all", "everybody", is_flag=True, help="Also plants without new measurements.")
@click.option("--dry-run", is_flag=True, help="Store nothing; print a line for each plant.")
def calibrate(everybody: bool, dry_run: bool) -> None:
    """Keep the forecasts of the last days for plants' places, then calibrate the plants with new measurements.

    The workflow `calibration` runs it every night. A plant that cannot be calibrated stops no other; the exit code is
    then 1.
    """
    import asyncio
    import sys

    from api.core.settings import Settings, SettingsError
    from api.database.current import make_current
    from api.database.engine import DatabaseError, address
    from api.observing import logs
    from api.plants.nightly import run
    from infra.commands.common import naming_the_error

    try:
        with naming_the_error():
            settings = Settings.from_environment()
            asyncio.run(make_current(address(settings.database, settings.state)))
            logs.install(sys.stderr)
            failed = run(settings, click.echo, everybody=everybody, dry_run=dry_run)
    except (SettingsError, DatabaseError) as error:
        raise click.ClickException(str(error)) from error
    if failed:
        raise click.ClickException(f"{failed} plants could not be calibrated: see the lines above")
