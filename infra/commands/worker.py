"""`solflis worker`."""

import click


@click.command(short_help="Run jobs: the long work that the API queues.")
@click.option("--processes", type=click.IntRange(1, 64), default=1, show_default=True, help="Jobs at once.")
def command(processes: int) -> None:
    """Run the jobs that the API queues in its database, such as horizons of level 3 and mails.

    Give it the settings of the API. Workers on several machines share a PostgreSQL and SOLFLIS_RESULTS; a job whose
    worker dies is run by another within some ten seconds. Ctrl-C or SIGTERM stops it; what runs is queued again.

    \b
    Examples:
      solflis worker
      solflis worker --processes 4
    """
    import asyncio
    import sys

    from api.core.settings import Settings, SettingsError
    from api.database.engine import DatabaseError
    from api.jobs.worker import run
    from api.observing import logs

    logs.install(sys.stderr)
    try:
        asyncio.run(run(Settings.from_environment(), processes))
    except (SettingsError, DatabaseError, OSError) as error:
        raise click.ClickException(str(error)) from error
