"""A morning's snow: the season with the days ahead, and what it leaves of production, published together."""

from catalog.publish import prepare, release
from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.versions import Entry
from dags.build import cells as on_grid
from dags.build.borders import land, municipality, municipality_borders
from dags.build.context import BuildContext
from dags.build.snow import snow_factors
from dags.build.snow.authority import Authority
from dags.build.snow.season import Season
from dags.build.snow.snow_outlook import Making, mask_of
from dags.partition import latest_morning, parse_day
from tiles.clock import iso
from tiles.errors import TileError


def build(context: BuildContext) -> Entry:
    """Publish outlook and factors of a morning; only the days that are new are asked for of cells that were there.

    Parameters
    ----------
    context : BuildContext
        Partition: the date on whose morning it is, `2026-11-23`; None: the last whose snow is out. Areas: none of them
        is the whole country; the cells that stand for municipalities are built in any case.

    Returns
    -------
    Entry
        Of the outlook.

    Raises
    ------
    ValueError
        The partition is no day, or lies ahead of the clock; or the source is not the snow authority.
    SourceError
        The authority cannot be asked, or has no data.
    DraftInvalid
        A validator refused a draft.
    """
    store, clock, report = context.store, context.clock, context.report
    url, partition = context.address(context.require_source(nve_gts.NAME)), context.partition
    season = Season(latest_morning(clock.now()) if partition is None else parse_day(partition))
    if season.issued_at > clock.now():
        raise ValueError(f"the snow of {season.today} is not observed before 06 UTC of it: it is {iso(clock.now())}")
    land.ensure(context)
    borders = municipality.ensure(context)
    _publish_borders(context)
    by_cell = municipality.read(store, borders)
    references = snow_factors.reference_cells(by_cell.number, on_grid.land_share(store, clock))
    standing = {cell for cells in references.values() for cell in cells}
    wanted = (on_grid.land(store, clock) & on_grid.inside(context.areas)) | mask_of(standing)
    with Authority(url, season.today) as authority:
        making = Making(context, season, authority, standing)
        making.make(wanted)
        report(f"snow_daily: {authority.requests} requests to nve_gts")
        said = making.provenance(authority.requests)
    making.draft.describe(said)
    ready = [prepare(making.draft, season.moment, now=clock.now(), expected=None, report=report)]
    factors = snow_factors.draft(store, season, making.series, references, by_cell, borders, said)
    ready.append(prepare(factors, season.moment, now=clock.now(), expected=None, report=report))
    entries = [release(prepared, report) for prepared in ready]
    return entries[0]


def _publish_borders(context: BuildContext) -> None:
    """Publish the borders that sites are looked up in, where there are none yet; no morning waits for them."""
    try:
        municipality_borders.ensure(context)
    except (SourceError, TileError, ValueError) as error:
        context.report(f"the borders of the municipalities are not published: {error}")
