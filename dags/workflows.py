"""The table of workflows: what is built, when, by which function, and what it means when that fails.

The DAGs, `solflis build` and its help, `solflis up`, the README's table and the tests read these rows. Light: commands
import it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any, Literal

from catalog.sources.registry import FORECAST_SOURCES
from dags.partition import SNOW_AT, PartitionKind, key_format

Pool = Literal["timely", "heavy", "waiting"]
POOLS: dict[Pool, tuple[int, str]] = {
    "timely": (2, "forecasts, which are due at once"),
    "heavy": (1, "bound by the CPU"),
    "waiting": (1, "bound by the pace of an authority that is asked one thing at a time"),
}
"""Slots, and what for."""
FORECAST_SOURCE = "SOLFLIS_FORECAST_SOURCE"
"""Stands for the source that this setting names."""
_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True)
class Workflow:
    """A row.

    Parameters
    ----------
    name : str
        Of its DAG, its asset (`solflis://<name>`) and its command (`solflis build <name>`).
    builder : str
        `module:function` beneath `dags.build`, called with a `BuildContext`.
    description : str
        One sentence.
    products : tuple of str
        Published by it.
    cron : str
        UTC; `{cycle_h}` stands for the hours between two cycles of the forecast's source. Empty: by assets or by hand.
    assets : tuple of str
        Workflows of which each publication starts it.
    partition : PartitionKind
    run_offset : int
        Ticks of `cron` from the run's to the partition's.
    until : int
        Last year; after it no run is scheduled, and Airflow's backfill covers the years before. 0: no end.
    pool : Pool
    retries : int
    timeout : timedelta
        Of a task.
    owner : str
    urgency : {"high", "low"}
        Whether somebody should get up when it has failed.
    consequence : str
        What happens if nobody acts.
    sources : tuple of str
        Sources without whose address it cannot run.
    skip_after : timedelta or None
        A partition that its source does not hold is looked for every five minutes; after so long the run is skipped.
        None: it waits for no source, and is retried after 10 minutes (timely: 2), then after twice as long each time.
    blocks : bool
        Whether Airflow runs it as `begin`, groups of blocks and `publish`; else as one task.
    before : str
        `module:function` that makes what its first task needs, given the same context; empty: nothing.
    active_runs : int
    at_start : bool
        Whether `solflis up` runs it at once, without waiting for its time.
    by_area : bool
        Whether it is built for the areas of `SOLFLIS_AREAS` and what is published already.
    """

    name: str
    builder: str
    description: str
    consequence: str
    products: tuple[str, ...] = ()
    cron: str = ""
    assets: tuple[str, ...] = ()
    partition: PartitionKind = "none"
    run_offset: int = 0
    until: int = 0
    pool: Pool = "heavy"
    retries: int = 3
    timeout: timedelta = _HOUR
    owner: str = "operations"
    urgency: Literal["high", "low"] = "low"
    sources: tuple[str, ...] = ()
    skip_after: timedelta | None = None
    blocks: bool = False
    before: str = ""
    active_runs: int = 1
    at_start: bool = False
    by_area: bool = False

    @property
    def when(self) -> str:
        """When it runs, in words."""
        if self.assets:
            return f"when {' or '.join(f'`{name}`' for name in self.assets)} is published"
        if not self.cron or self.until:
            return "on request"
        return f"cron `{self.cron.format(cycle_h='N')}` UTC"

    def resolve(self) -> Any:
        """Import the builder."""
        return imported(self.builder)

    def source(self, forecast_source: str) -> str | None:
        """Return the source that a context names: the forecast's, where it is made of forecasts."""
        return forecast_source if FORECAST_SOURCE in self.sources else None

    def due(self, now: datetime) -> str:
        """Return the key of the last run by schedule that has come at a moment."""
        from croniter import croniter

        ticks = croniter(self.cron, now + _MINUTE / 60)
        tick: datetime = ticks.get_prev(datetime)
        for _ in range(-self.run_offset):
            tick = ticks.get_prev(datetime)
        return tick.strftime(key_format(self.partition))


def imported(place: str) -> Callable[..., Any]:
    """Import `module:function` beneath `dags.build`."""
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"dags.build.{module}"), function)
    return found


def _row(
    builder: str,
    description: str,
    consequence: str,
    name: str = "",
    products: tuple[str, ...] | None = None,
    **others: Any,
) -> Workflow:
    """Return a row, by default called as its builder's module and publishing the product of that name."""
    name = name or builder.rpartition(".")[2]
    products = (name,) if products is None else products
    return Workflow(name, f"{builder}:build", description, consequence, products, **others)


_ROWS = (
    _row(
        "forecast.forecast",
        "Each cycle of the forecast's source, with station forecasts beside it.",
        "the last good cycle is served until it is 12 hours old",
        products=("forecast", "station_forecast", "turbidity"),
        cron="0 */{cycle_h} * * *",
        partition="cycle",
        pool="timely",
        # the source publishes a cycle some time after its hour: looked for for 40 minutes
        retries=8,
        timeout=15 * _MINUTE,
        urgency="high",
        sources=(FORECAST_SOURCE,),
        skip_after=6 * _HOUR,
        at_start=True,
    ),
    _row(
        "forecast.verify",
        "Published forecasts, read back and compared with their manifests.",
        "readers get 503 for what is damaged; run the forecast of that cycle again",
        assets=("forecast",),
        partition="cycle",
        pool="timely",
        retries=2,
        timeout=5 * _MINUTE,
        urgency="high",
        products=(),
    ),
    _row(
        "forecast.day",
        "The UTC day around each forecast; its past hours are those of the best earlier cycle.",
        "daily=true answers from an older cycle's day, then with the ordinary series",
        assets=("forecast",),
        partition="cycle",
        pool="timely",
        timeout=20 * _MINUTE,
        sources=(FORECAST_SOURCE,),
    ),
    _row(
        "forecast.county_now",
        "Irradiance and production per kWp of each county, of each stitched day.",
        "production now is answered from an earlier cycle's day until it is 12 hours old",
        assets=("day",),
        partition="cycle",
        pool="timely",
        timeout=10 * _MINUTE,
        sources=("kartverket",),
    ),
    _row(
        "forecast.nowcast",
        "Satellite images carried along the motion of their clouds and blended into v2.3b; skipped at night.",
        "callers get v2.3b in the nowcast's place, and the answer says so",
        cron="*/15 * * * *",
        partition="image",
        # the run at 10:30 is for the image of 10:15, which is out by then at the earliest
        run_offset=-1,
        pool="timely",
        retries=12,
        timeout=8 * _MINUTE,
        sources=("meteosat",),
        skip_after=_HOUR,
        # a late image does not keep the next one waiting
        active_runs=6,
        at_start=True,
    ),
    _row(
        "correction.training",
        "The table of v2.3b, learned from past forecasts and observations; skipped where it is no better.",
        "the table in force goes on correcting; the next attempt is next week",
        # Mondays, when the evening's observations are in
        cron="40 4 * * 1",
        retries=5,
        sources=(FORECAST_SOURCE, "frost"),
        name="correction",
    ),
    _row(
        "correction.skill",
        "The forecasts of the day before, judged by observations.",
        "the figures of that day are missing until it is run again",
        cron="20 4 * * *",
        partition="day",
        run_offset=-1,
        retries=5,
        sources=(FORECAST_SOURCE, "frost"),
    ),
    _row(
        "snow.snow_daily",
        "Snow of the season and nine days ahead, and its factors for the forecast by municipality.",
        "forecasts go without snow from 36 hours after the last morning that was published, the outlook asks the "
        "authority for each place after four days",
        products=("snow_outlook", "snow_factors"),
        cron=f"{SNOW_AT.minute} {SNOW_AT.hour} * * *",
        partition="morning",
        pool="waiting",
        sources=("nve_gts", "kartverket"),
        at_start=True,
        by_area=True,
    ),
    _row(
        "snow.snow_history",
        "Daily snow since 1957 to the last 31 August, on the 3 km grid.",
        "the history that is published goes on being served; places without one are asked of the authority",
        # in October, when the authority has gone over the summer's and the last winter's values
        cron="0 2 15 10 *",
        pool="waiting",
        sources=("nve_gts", "kartverket"),
        blocks=True,
        by_area=True,
    ),
    _row(
        "snow.albedo",
        "Ground albedo by month, from the days with snow, on the 3 km grid.",
        "plants are calculated with the albedo that is published, or with 0.2",
        assets=("snow_history",),
        blocks=True,
        by_area=True,
    ),
    _row(
        "snow.snowload",
        "The most snow of each season since 1957, on the 1 km grid.",
        "the snow loads of what is published go on being served; places without it are asked of the authority",
        cron="0 2 16 10 *",
        pool="waiting",
        sources=("nve_gts", "kartverket"),
        blocks=True,
        by_area=True,
    ),
    _row(
        "climate.climate_archive",
        "A year (`1991`) of reanalysis and satellite-based solar model, on the 3 km grid.",
        "that year is missing from the archive, and no typical year can be built",
        cron="0 0 1 1 *",
        partition="year",
        until=2025,
        sources=("nora3", "sarah3", "frost", "kartverket"),
        blocks=True,
        by_area=True,
    ),
    _row(
        "climate.tmy",
        "Bias at stations, four typical years and their statistics; skipped while years of the archive are missing.",
        "the typical years that are published go on being served",
        products=("ens_tmy30", "reanalysis_tmy30", "reanalysis_tmy18", "solarmodel_tmy30", "tmy_stats", "station_bias"),
        assets=("climate_archive",),
        sources=("frost",),
        blocks=True,
        by_area=True,
    ),
    _row(
        "terrain.terrain",
        "Heights in cells of 10, 50 and 250 m, from the national model or from files.",
        "the terrain that is published goes on being served",
        products=("terrain_10m", "terrain_50m", "terrain_250m"),
        timeout=6 * _HOUR,
        sources=("kartverket_wcs",),
        by_area=True,
    ),
    _row(
        "horizon.horizon",
        "What terrain hides of the sky in 720 directions, every 100 m; first the terrain of areas that have none.",
        "the horizons that are published go on being served",
        assets=("terrain",),
        sources=("kartverket_wcs",),
        blocks=True,
        before="horizon.required_terrain:ensure_terrain",
        by_area=True,
    ),
    _row(
        "landcover.landcover",
        "Land cover in cells of 10 m, with buildings, around the areas: what terrain categories are told from.",
        "sites without it are assessed with land cover that is fetched when asked for",
        sources=("ar50", "corine", "kartverket_wcs"),
        blocks=True,
        by_area=True,
    ),
    _row(
        "borders.municipality_borders",
        "Borders of the municipalities, by which a point finds its own.",
        "places are looked up in the borders that are published",
        sources=("kartverket",),
    ),
    _row(
        "borders.municipality",
        "The municipality of each cell of the 3 km grid.",
        "snow factors use the municipalities that are published",
        sources=("kartverket",),
    ),
    _row(
        "borders.land",
        "Which cells of the 3 km grid hold land.",
        "climate and snow are built for the land that is published",
        sources=("kartverket",),
    ),
    _row(
        "forecast.turbidity",
        "Linke turbidity by month, a climatology.",
        "hours beyond the forecast have the clear sky of what is published",
    ),
    _row(
        "correction.station_forecast",
        "A cycle at stations alone, to learn from past cycles.",
        "that cycle is neither judged nor learned from",
        partition="cycle",
        sources=(FORECAST_SOURCE, "frost"),
    ),
    _row(
        "plants.calibration",
        "Forecasts of yesterday kept for registered plants, and plants with new measurements calibrated: "
        "`solflis plants calibrate`.",
        "plants are forecast with their last calibration; after five days forecasts of then are lost to it",
        # before housekeeping removes forecasts
        cron="10 3 * * *",
        products=(),
    ),
    _row(
        "housekeeping",
        "Removes versions past their keep, abandoned drafts and old logs.",
        "the disk goes on filling",
        cron="30 3 * * *",
        at_start=True,
        products=(),
    ),
    _row(
        "plants.retention",
        "Deletes plants that were not used for 365 days, 30 days after a mail to their owners, and closes uploads that "
        "nobody confirmed in 14 days.",
        "plants are kept longer than their owners were promised",
        cron="50 3 * * *",
        pool="timely",
        products=(),
        name="plants_retention",
    ),
)
WORKFLOWS = {row.name: row for row in _ROWS}
BUILD_ALL = (
    "forecast", "snow_daily", "land", "municipality", "municipality_borders", "terrain", "horizon", "climate_archive",
    "tmy", "snow_history", "albedo", "snowload",
)  # fmt: skip
"""The order of `solflis build all`: each finds there what it is made of."""


def cron_of(row: Workflow, forecast_source: str) -> str:
    """Return the cron expression of a row, empty where it has none."""
    return row.cron.format(cycle_h=FORECAST_SOURCES[forecast_source])


def table() -> str:
    """Return the rows as the table of dags/README.md."""
    lines = ["| DAG | when | partition | pool | does | if nobody acts |", "|---|---|---|---|---|---|"]
    lines += [
        f"| `{row.name}` | {row.when} | {row.partition} | {row.pool} | {row.description} | {row.consequence} |"
        for row in _ROWS
    ]
    return "\n".join(lines)
