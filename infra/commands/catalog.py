"""`solflis catalog`."""

from pathlib import Path

import click

from infra.commands.common import naming_the_error
from infra.settings import Settings
from tiles.clock import parse_partition
from tiles.store import open_store


@click.group(short_help="Look at, check, tidy or export published tiles.")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Look at, check, tidy or export published tiles (SOLFLIS_STORE).

    \b
    Examples:
      solflis catalog ls
      solflis catalog verify forecast
      solflis catalog gc --dry-run
      solflis catalog skill
      solflis catalog export --cog ghi.tif --variable ghi --hour 2026-06-21T10
    """
    ctx.with_resource(naming_the_error())
    ctx.obj = Settings.from_environment()


@command.command("ls", short_help="List the published versions.")
@click.argument("product", required=False)
@click.pass_obj
def listing(settings: Settings, product: str | None) -> None:
    """List the published versions of PRODUCT, or of all; '*' marks the one that is served now."""
    from catalog.listing import listing as lines

    click.echo("\n".join(lines(open_store(settings.store), settings.clock.now(), product)))


@command.command("verify", short_help="Check checksums, schema and links.")
@click.argument("product", required=False)
@click.pass_obj
def verify(settings: Settings, product: str | None) -> None:
    """Check checksums, schema and links of PRODUCT, or of all; exit code 1 when something is wrong."""
    from catalog.verify import verify as problems_of

    problems = problems_of(open_store(settings.store), product, report=click.echo)
    if problems:
        raise click.ClickException("\n".join(problems))
    click.echo("all is as it was written")


@command.command("gc", short_help="Remove what nobody reads any more.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.pass_obj
def gc(settings: Settings, dry_run: bool) -> None:
    """Remove versions past their keep, and drafts that were never published."""
    from catalog.gc import gc as collect

    removed = collect(open_store(settings.store), settings.clock.now(), dry_run=dry_run)
    verb = "would be removed" if dry_run else "removed"
    click.echo("\n".join([*removed, f"{len(removed)} {verb}"]))


@command.command("export", short_help="Write a variable as GeoTIFF.")
@click.option("--cog", "path", required=True, type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
@click.option("--product", default="forecast", show_default=True)
@click.option("--variable", default="ghi", show_default=True)
@click.option("--hour", help="Start of the hour, UTC, such as 2026-06-21T10; all hours as bands when not given.")
@click.option("--version", help="Which version; the one that is served now when not given.")
@click.pass_obj
def export(settings: Settings, path: Path, product: str, variable: str, hour: str | None, version: str | None) -> None:
    """Write a variable as a cloud-optimized GeoTIFF, for GIS that does not read sharded Zarr 3."""
    from catalog.export import export_cog

    moment = None if hour is None else parse_partition(hour)
    store, now = open_store(settings.store), settings.clock.now()
    click.echo(export_cog(store, product, variable, moment, path, now=now, version=version))


@command.command("skill", short_help="Show how good the forecasts of a day were.")
@click.argument("day", required=False)
@click.pass_obj
def skill(settings: Settings, day: str | None) -> None:
    """Show how good the forecasts of DAY (2026-06-20) were at stations, by lead; of the newest day when not given."""
    from catalog.figures import figures

    click.echo("\n".join(figures(open_store(settings.store), settings.clock.now(), day)))
