"""`solflis build`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from dags.workflows import BUILD_ALL, WORKFLOWS
from infra.commands.common import naming_the_error
from infra.settings import Settings

if TYPE_CHECKING:
    from dags.build.context import BuildContext

# What a shell says of a command that Ctrl-C ended.
_OF_CTRL_C = 130
_ROWS = "\n".join(f"  {row.name:<21}{row.description}" for row in WORKFLOWS.values())
_HELP = f"""Build and publish PRODUCT by the builder that the DAG uses, without Airflow.

\b
Products:
{_ROWS}
  {"all":<21}{", ".join(BUILD_ALL[:6])},
  {"":<21}{", ".join(BUILD_ALL[6:])}: for one area, then for the others.

{", ".join(row.name for row in WORKFLOWS.values() if row.by_area)} are built for the areas of SOLFLIS_AREAS and what is
built already; SOLFLIS_AREAS=norway is the whole country. snow_daily is built also for the cells by which forecasts know
the snow of each municipality. --path and --year are for terrain alone.

horizon is made of the terrain, so build terrain first. For the areas of the demo each takes half a minute to two on 2
cores.

\b
Examples:
  solflis build all
  solflis build forecast
  solflis build nowcast --partition 2026-06-21T10:15
  SOLFLIS_AROME_METCOOP_URL=./files \\
    solflis build forecast --source arome_metcoop --partition 2015-08-24T00
  solflis build skill --partition 2026-06-20
  solflis build climate_archive --source era5 --partition 2018-10--2018-12
  solflis build terrain --source file --path oslo.tif --year 2019
"""


@click.command(short_help="Build and publish one product, without Airflow.", help=_HELP)
@click.argument("product", metavar="PRODUCT", type=click.Choice([*WORKFLOWS, "all"]))
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
    """Build and publish one product, or all."""
    settings = Settings.from_environment()
    if product != "terrain" and (paths or year is not None):
        raise click.ClickException("--path and --year are of the terrain: solflis build terrain --path X.tif")
    if product == "all" and (partition or source):
        raise click.ClickException("`solflis build all` builds the latest of each product: it takes no options")
    from dags.build.context import BuildContext
    from dags.build.executor import ExecutorSettings

    begun = time.monotonic()

    def report(line: str) -> None:
        click.echo(f"{time.monotonic() - begun:7.1f} s  {line}")

    with naming_the_error(settings.simulator_port):
        context = BuildContext(
            settings.store,
            settings.clock,
            partition=partition,
            source=source,
            addresses=settings.source_urls,
            areas=settings.areas,
            paths=paths,
            year=year,
            executor=ExecutorSettings.from_environment(),
            report=report,
            logs=str(settings.state / "logs"),
            log_days=settings.log_days,
        )
        if product == "all":
            _build_all(replace(context, source=settings.forecast_source))
            return
        row = WORKFLOWS[product]
        build = row.resolve()
        with _telling_what_is_kept(by_blocks=hasattr(build, "make_group")):
            entry = build(replace(context, source=source or row.source(settings.forecast_source)))
    if entry is not None:
        report(f"{product} {entry.version} ({entry.data_origin} data) is published in {settings.store}")


def _build_all(context: "BuildContext") -> None:
    from infra.build_all import build_all, live_lines

    try:
        with _telling_what_is_kept(by_blocks=True):
            build_all(context, live_lines())
    finally:
        click.echo()
    click.echo("everything answers for these areas")


@contextmanager
def _telling_what_is_kept(*, by_blocks: bool) -> Iterator[None]:
    """Say after Ctrl-C what the next build need not do again."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "the blocks that are finished are kept, and the same command goes on with the others"
        click.echo(f"stopped: {kept if by_blocks else 'nothing is published'}", err=True)
        raise SystemExit(_OF_CTRL_C) from None
