"""A morning's snow: the season with the days ahead, and what it leaves of production, published together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from catalog.publish import Moment, prepare, release
from catalog.sources.errors import SourceError
from catalog.versions import Entry
from dags.areas import Area
from dags.build import cells as on_grid
from dags.build.borders import land, municipality, municipality_borders
from dags.build.snow import snow_factors
from dags.build.snow.authority import Authority
from dags.build.snow.nearest_cells import land_of
from dags.build.snow.season import Season
from dags.build.snow.snow_outlook import Making, mask_of
from dags.partition import parse_day
from tiles.clock import Clock, iso
from tiles.errors import TileError
from tiles.store import Store

Report = Callable[[str], None]


@dataclass(frozen=True)
class Ask:
    """What is to be built.

    Parameters
    ----------
    partition : str
        The date on whose morning it is, `2026-11-23`.
    url, kartverket_url : str
        Of the snow authority, and of the borders.
    areas : tuple of Area
        None of them is the whole country; the cells that stand for municipalities are built in any case.
    """

    partition: str
    url: str = field(repr=False)
    kartverket_url: str = field(repr=False)
    areas: tuple[Area, ...] = ()


def build(ask: Ask, *, store: Store, clock: Clock, report: Report) -> Entry:
    """Publish outlook and factors of a morning; only the days that are new are asked for of cells that were there.

    Parameters
    ----------
    ask : Ask
    store : Store
    clock : Clock
    report : callable
        Takes one line of progress.

    Returns
    -------
    Entry
        Of the outlook.

    Raises
    ------
    ValueError
        The partition is no day, or lies ahead of the clock.
    SourceError
        The authority cannot be asked, or has no data.
    DraftInvalid
        A validator refused a draft.
    """
    season = Season(parse_day(ask.partition))
    if season.issued_at > clock.now():
        raise ValueError(f"the snow of {season.today} is not observed before 06 UTC of it: it is {iso(clock.now())}")
    land.ensure(url=ask.kartverket_url, store=store, clock=clock, report=report)
    borders = municipality.ensure(url=ask.kartverket_url, store=store, clock=clock, report=report)
    _publish_borders(ask.kartverket_url, store, clock, report)
    by_cell = municipality.read(store, borders)
    references = snow_factors.reference_cells(by_cell.number, on_grid.land_share(store, clock))
    standing = {cell for cells in references.values() for cell in cells}
    wanted = (on_grid.land(store, clock) & on_grid.inside(ask.areas)) | mask_of(standing)
    with Authority(ask.url, season.today) as authority:
        making = Making(store, season, authority, partial(land_of, ask.kartverket_url), report, standing)
        making.make(wanted)
        report(f"snow_daily: {authority.requests} requests to nve_gts")
        said = making.provenance(authority.requests)
    making.draft.describe(said)
    moment = Moment(season.issued_at, season.begins_at, season.ends_at)
    ready = [prepare(making.draft, moment, now=clock.now(), expected=None, report=report)]
    factors = snow_factors.draft(store, season, making.series, references, by_cell, borders, said)
    ready.append(prepare(factors, moment, now=clock.now(), expected=None, report=report))
    entries = [release(prepared, report) for prepared in ready]
    return entries[0]


def _publish_borders(url: str, store: Store, clock: Clock, report: Report) -> None:
    """Publish the borders that sites are looked up in, where there are none yet; no morning waits for them."""
    try:
        municipality_borders.ensure(url=url, store=store, clock=clock, report=report)
    except (SourceError, TileError, ValueError) as error:
        report(f"the borders of the municipalities are not published: {error}")
