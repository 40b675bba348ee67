"""Which builder makes which product."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from catalog.sources import frost, kartverket, meteosat, nve_gts
from catalog.sources.registry import SOURCES
from catalog.versions import Entry, read_index
from dags.areas import Area
from dags.build.borders import land, municipality, municipality_borders
from dags.build.climate import climate_archive, tmy
from dags.build.climate import partition as archive_ask
from dags.build.correction import correction, skill, station_forecast
from dags.build.correction import training as correction_training
from dags.build.forecast import day, forecast, nowcast, turbidity
from dags.build.horizon import horizon
from dags.build.snow import snow_daily, snow_history, snowload
from dags.build.snow import yearly as snow_yearly
from dags.build.terrain import kartverket as terrain_kartverket
from dags.build.terrain import selection as terrain_ask
from dags.build.terrain import terrain
from dags.partition import latest_cycle, latest_image, latest_morning
from tiles.clock import Clock, format_moment, format_partition
from tiles.products.tmy import FIRST_YEAR, LAST_YEAR
from tiles.store import Store

DEFAULT_FORECAST_SOURCE = "met_nordic"


@dataclass(frozen=True)
class Request:
    """What somebody asks to be built.

    Parameters
    ----------
    partition, source : str or None
        As given; the builder knows its own defaults.
    urls : mapping of str to str
        Addresses of upstream sources by name, where they differ from the authority's own.
    store : Store
    clock : Clock
    report : callable
        Takes one line of progress.
    areas : tuple of Area
        For which climate products and land are built; none of them is the whole country.
    paths : tuple of str
        Files, folders or patterns of terrain.
    year : int or None
        Of the heights in these files.
    """

    partition: str | None
    source: str | None
    urls: Mapping[str, str]
    store: Store
    clock: Clock
    report: Callable[[str], None]
    areas: tuple[Area, ...] = ()
    paths: tuple[str, ...] = ()
    year: int | None = None


def _forecast(request: Request) -> Entry:
    source = _source(request)
    entry = forecast.build(
        request.partition or format_partition(latest_cycle(source, request.clock.now())),
        source,
        url=request.urls.get(source) or SOURCES[source].default_url,
        store=request.store,
        clock=request.clock,
        report=request.report,
        stations_url=request.urls.get(frost.NAME),
    )
    turbidity.ensure(request.store, request.clock, request.report)  # for the hours beyond the forecast
    return entry


def _station_forecast(request: Request) -> Entry:
    source = _source(request)
    return station_forecast.build(
        request.partition or format_partition(latest_cycle(source, request.clock.now())),
        source,
        url=request.urls.get(source) or SOURCES[source].default_url,
        stations_url=request.urls.get(frost.NAME) or frost.DEFAULT_URL,
        store=request.store,
        clock=request.clock,
        report=request.report,
    )


def _source(request: Request) -> str:
    source = request.source or DEFAULT_FORECAST_SOURCE
    if source not in SOURCES:
        raise ValueError(f"there is no source '{source}'; there are {', '.join(SOURCES)}")
    return source


def _turbidity(request: Request) -> Entry:
    if request.partition not in (None, turbidity.CLIMATOLOGY) or request.source is not None:
        raise ValueError(f"the only turbidity there is is '{turbidity.CLIMATOLOGY}', and it has no source")
    return turbidity.build(store=request.store, clock=request.clock, report=request.report)


def _of_borders(build: Callable[..., Entry], what: str) -> Callable[[Request], Entry]:
    """Return what builds a product of the borders alone."""

    def ask(request: Request) -> Entry:
        if request.partition is not None or request.source not in (None, kartverket.NAME):
            raise ValueError(f"{what} made of the borders of {kartverket.NAME}, without a partition")
        return build(url=_kartverket(request), store=request.store, clock=request.clock, report=request.report)

    return ask


def _yearly_of_snow(build: Callable[..., Entry], what: str) -> Callable[[Request], Entry]:
    """Return what builds a product of all days since 1957."""

    def ask(request: Request) -> Entry:
        if request.partition is not None or request.source not in (None, nve_gts.NAME):
            raise ValueError(f"{what} those of {nve_gts.NAME} to the last 31 August, without a partition")
        asked = snow_yearly.Ask(
            request.store.url, _nve_gts(request), _kartverket(request), request.clock.text(), request.areas
        )
        return build(asked, request.report)

    return ask


def _snow_daily(request: Request) -> Entry:
    if request.source not in (None, nve_gts.NAME):
        raise ValueError(f"the snow of a morning is made of {nve_gts.NAME} alone, not of '{request.source}'")
    ask = snow_daily.Ask(
        request.partition or latest_morning(request.clock.now()).isoformat(),
        _nve_gts(request),
        _kartverket(request),
        request.areas,
    )
    return snow_daily.build(ask, store=request.store, clock=request.clock, report=request.report)


def _nve_gts(request: Request) -> str:
    return request.urls.get(nve_gts.NAME) or nve_gts.DEFAULT_URL


def _climate_archive(request: Request) -> Entry:
    archives = tuple(request.source.split("+")) if request.source else archive_ask.DEFAULT
    asks = [
        archive_ask.Ask(
            partition, archives, request.urls, request.store.url, request.clock.text(), tuple(request.areas)
        )
        for partition in _years(request.partition)
    ]
    return climate_archive.build_years(asks, request.report)


def _years(partition: str | None) -> list[str]:
    """Return the partitions of a year, of a range of years `1991-2025`, or of months; all years for none."""
    text = partition or f"{FIRST_YEAR}-{LAST_YEAR}"
    first, dash, last = text.partition("-")
    if dash and first.isdigit() and last.isdigit() and len(first) == len(last) == 4:
        if int(first) > int(last):
            raise ValueError(f"'{text}' is no range of years: write the first one first, such as 1991-2025")
        return [str(year) for year in range(int(first), int(last) + 1)]
    return [text]


def _tmy(request: Request) -> Entry:
    if request.partition not in (None, tmy.VERSION) or request.source is not None:
        raise ValueError(f"the typical years are those of the archive {tmy.VERSION}; they have no other partition")
    ask = tmy.Ask(
        request.store.url,
        request.urls.get(frost.NAME) or frost.DEFAULT_URL,
        request.clock.text(),
        request.areas,
    )
    return tmy.build(ask, request.report)


def _terrain(request: Request) -> Entry:
    if request.partition is not None:
        raise ValueError("the terrain has no partition: its version is the hour at which its build began")
    layers = terrain_ask.layers_of(
        request.source,
        request.paths,
        request.year,
        request.areas,
        url=request.urls.get(terrain_kartverket.NAME) or terrain_kartverket.DEFAULT_URL,
        store=request.store,
        clock=request.clock,
    )
    return terrain.build(terrain.Ask(request.store.url, request.clock.text(), layers), request.report)


def _horizon(request: Request) -> Entry:
    if request.partition is not None or request.source is not None:
        raise ValueError("horizons are made of the terrain that is published, without a partition or a source")
    return horizon.build(horizon.Ask(request.store.url, request.clock.text(), request.areas), request.report)


def _kartverket(request: Request) -> str:
    return request.urls.get(kartverket.NAME) or kartverket.DEFAULT_URL


def _day(request: Request) -> Entry:
    newest = read_index(request.store, "forecast").newest(request.clock.now())
    if newest is None:
        raise ValueError("no forecast is published that a day could be stitched to: build the forecast first")
    return day.build_from_midnight(
        request.partition or newest.version,
        newest.source,
        url=request.urls.get(newest.source) or SOURCES[newest.source].default_url,
        store=request.store,
        clock=request.clock,
        report=request.report,
    )


def _nowcast(request: Request) -> Entry:
    if request.source not in (None, meteosat.NAME):
        raise ValueError(f"a nowcast is made of {meteosat.NAME} alone, not of '{request.source}'")
    return nowcast.build(
        request.partition or format_moment(latest_image(request.clock.now())),
        url=request.urls.get(meteosat.NAME) or meteosat.DEFAULT_URL,
        store=request.store,
        clock=request.clock,
        report=request.report,
    )


def _correction(request: Request) -> Entry:
    if request.partition == correction.IDENTITY:
        return correction.build_identity(store=request.store, clock=request.clock, report=request.report)
    if request.partition is not None:
        raise ValueError(
            f"a correction is learned from the last two months, without a partition; or it is '{correction.IDENTITY}'"
        )
    return correction_training.build(
        _source(request),
        stations_url=request.urls.get(frost.NAME) or frost.DEFAULT_URL,
        store=request.store,
        clock=request.clock,
        report=request.report,
    )


def _skill(request: Request) -> Entry:
    return skill.build(
        request.partition,
        _source(request),
        stations_url=request.urls.get(frost.NAME) or frost.DEFAULT_URL,
        store=request.store,
        clock=request.clock,
        report=request.report,
    )


BUILDERS: dict[str, Callable[[Request], Entry]] = {
    "forecast": _forecast,
    "day": _day,
    "nowcast": _nowcast,
    "station_forecast": _station_forecast,
    "correction": _correction,
    "skill": _skill,
    "turbidity": _turbidity,
    "land": _of_borders(land.build, "the land is"),
    "climate_archive": _climate_archive,
    "tmy": _tmy,
    "terrain": _terrain,
    "horizon": _horizon,
    "municipality": _of_borders(municipality.build, "the municipalities are"),
    "municipality_borders": _of_borders(municipality_borders.build, "the borders of municipalities are"),
    "snow_history": _yearly_of_snow(snow_history.LINE.build, "the days of snow are"),
    "snowload": _yearly_of_snow(snowload.LINE.build, "the maxima of seasons are"),
    "snow_daily": _snow_daily,
}
