"""`solflis build`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from infra.commands.common import naming_the_error, read_settings
from infra.settings import Settings

# Products whose builds go on where they were stopped.
BY_BLOCKS = ("climate_archive", "tmy", "terrain", "horizon", "snow_history", "snowload")

# What a shell says of a command that Ctrl-C ended.
_OF_CTRL_C = 130

# Products that are made of the forecasts of one upstream.
OF_A_SOURCE = ("forecast", "station_forecast", "correction", "skill")


@click.command(short_help="Build and publish one product, without Airflow.")
@click.argument("product")
@click.option(
    "--partition",
    help="Cycle (2015-08-24T00), image of a nowcast (2026-06-21T10:15), day of skill (2026-06-20), morning "
    "of snow_daily (2026-11-23): else the latest. "
    "Year or years of the climate archive (1991-2025): else all.",
)
@click.option(
    "--source",
    help="Upstream, met_nordic or arome_metcoop; SOLFLIS_FORECAST_SOURCE when not given. Of the climate_archive "
    "nora3+sarah3 (when not given), nora3 or era5. Of the terrain kartverket (when not given) or file.",
)
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar="X.tif",
    help="For terrain: made of this GeoTIFF, of any projection; a folder or a pattern in quotes too. May be given "
    "again; of files that overlap the last one counts.",
)
@click.option(
    "--year",
    type=click.IntRange(1900, 2200),
    help="For terrain: of the heights in these files, where they do not say it themselves.",
)
def command(product: str, partition: str | None, source: str | None, paths: tuple[str, ...], year: int | None) -> None:
    """Build and publish PRODUCT by the builder that the DAG uses, without Airflow.

    \b
    Products: forecast, day, nowcast, turbidity, station_forecast, skill, correction, land,
    municipality, municipality_borders, climate_archive, tmy, terrain, horizon, snow_daily,
    snow_history, snowload.

    climate_archive, tmy, terrain, horizon, snow_history and snowload are built for the areas of SOLFLIS_AREAS and what
    is built already; SOLFLIS_AREAS=norway is the whole country. snow_daily is built for these areas and for the cells
    by which forecasts know the snow of each municipality. --path and --year are for terrain alone, --partition for
    neither terrain nor horizon nor snow_history nor snowload, and horizon takes no option.

    terrain is the land's heights in cells of 10, 50 and 250 m, from the national model or from your files. horizon is
    how high the land stands around each point of 100 m; it is made of the terrain, so build terrain first. For the
    areas of the demo each takes half a minute to two on 2 cores.

    \b
    Examples:
      solflis build forecast
      solflis build nowcast --partition 2026-06-21T10:15
      SOLFLIS_AROME_METCOOP_URL=./files \\
        solflis build forecast --source arome_metcoop --partition 2015-08-24T00
      solflis build skill --partition 2026-06-20
      solflis build correction
      solflis build land
      solflis build climate_archive
      solflis build climate_archive --source era5 --partition 2018-10--2018-12
      solflis build tmy
      solflis build terrain
      solflis build terrain --source file --path oslo.tif --year 2019
      solflis build horizon
      solflis build snow_daily
      solflis build snow_history
      solflis build snowload
    """
    settings = read_settings()
    from dags.build.registry import BUILDERS, Request
    from tiles.store import open_store

    if product not in BUILDERS:
        names = ", ".join(sorted(BUILDERS))
        raise click.ClickException(f"there is no product '{product}' to build; there are {names}")
    if product != "terrain" and (paths or year is not None):
        raise click.ClickException("--path and --year are of the terrain: solflis build terrain --path X.tif")
    begun = time.monotonic()

    def report(line: str) -> None:
        click.echo(f"{time.monotonic() - begun:7.1f} s  {line}")

    with naming_the_error(), _naming_the_simulator(settings), _telling_what_is_kept(product):
        request = Request(
            partition=partition,
            source=source or (settings.forecast_source if product in OF_A_SOURCE else None),
            urls=settings.source_urls,
            store=open_store(settings.store),
            clock=settings.clock,
            report=report,
            areas=settings.areas,
            paths=paths,
            year=year,
        )
        entry = BUILDERS[product](request)
    names = entry.product
    if product == "terrain":
        from dags.build.terrain.reading import Terrain
        from tiles.products.terrain import name_of

        names = ", ".join(name_of(cell) for cell in Terrain(request.store, entry.version).cells)
    report(f"{names} {entry.version} ({entry.data_origin} data) is published in {settings.store}")


@contextmanager
def _telling_what_is_kept(product: str) -> Iterator[None]:
    """Say after Ctrl-C what the next build need not do again."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "the blocks that are finished are kept, and the same command goes on with the others"
        click.echo(f"stopped: {kept if product in BY_BLOCKS else 'nothing is published'}", err=True)
        raise SystemExit(_OF_CTRL_C) from None


@contextmanager
def _naming_the_simulator(settings: Settings) -> Iterator[None]:
    """Say what to do where the simulator, which plays the upstreams that have no address, does not run."""
    from catalog.sources.errors import SourceError

    try:
        yield
    except SourceError as error:
        if f"//127.0.0.1:{settings.simulator_port}/" not in str(error) or "refused" not in str(error):
            raise
        raise click.ClickException(
            f"{error}. No address is set for that upstream, so the simulator plays it, and that does not run: "
            "`solflis simulator` starts it"
        ) from error
