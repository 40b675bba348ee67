"""`solflis simulator`."""

import click

from infra.commands.common import naming_the_error
from infra.settings import Settings


@click.command(short_help="Serve simulated upstream files on loopback.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Port on loopback; SOLFLIS_SIMULATOR_PORT or 8082 when not given.",
)
@click.option(
    "--spacing-km",
    type=click.FloatRange(min=0, max=1000, min_open=True),
    help="Grid spacing of the model files it makes; SOLFLIS_SIMULATOR_SPACING_KM when not given.",
)
@click.option(
    "--bias",
    metavar="LOW,HIGH,PER_HOUR",
    help="Factors on the forecasts' radiation, sun low and high, and their change per hour of lead; none by default.",
)
def command(port: int | None, spacing_km: float | None, bias: str | None) -> None:
    """Serve simulated upstream files on loopback, in the authorities' own protocols.

    Point SOLFLIS_MET_NORDIC_URL and SOLFLIS_AROME_METCOOP_URL at it, or let `solflis up` do so.

    \b
    Examples:
      solflis simulator
      SOLFLIS_CLOCK=2026-06-21T06:00:00Z solflis simulator --port 9002 --spacing-km 20
    """
    settings = Settings.from_environment()
    from infra.simulator.bias import Bias
    from infra.simulator.server import main

    with naming_the_error():
        planted = None if bias is None else Bias.parse(bias)
    main(
        host="127.0.0.1",
        port=port or settings.simulator_port,
        clock=settings.clock,
        state_dir=settings.state / "simulator",
        spacing_km=spacing_km or settings.simulator_spacing_km,
        bias=planted,
        archive_spacing_km=settings.simulator_archive_spacing_km,
        areas=[(area.lat, area.lon) for area in settings.areas],
    )
