"""`solflis up`."""

import click

from infra.settings import Settings


@click.command(short_help="Run everything here: simulator, Airflow, API.")
def command() -> None:
    """Run everything on this machine: simulator, Airflow and API; build the first forecast.

    Upstreams whose address is not set are simulated. Ctrl-C or SIGTERM stops everything within 10 s.

    \b
    Examples:
      solflis up
      SOLFLIS_PORT=9080 SOLFLIS_STATE=/tmp/second solflis up
      SOLFLIS_HOST=0.0.0.0 solflis up    # reached from other machines too
      SOLFLIS_CLOCK=2026-06-21T06:00:00Z solflis up
    """
    from infra.up.supervisor import Supervisor

    raise SystemExit(Supervisor(Settings.from_environment()).run())
