"""A cycle's forecast at stations: taken from the instants that the forecast is built from, as they pass by.

A station's values are those of the source's nearest cell, before the way to the 0.03 degree grid.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.sources.cycle import Cycle
from catalog.sources.errors import SourceError
from catalog.sources.http import without_credentials
from catalog.sources.registry import FORECAST_SOURCES, SOURCES
from catalog.versions import Entry
from dags.build.cells import nearest_of
from dags.build.context import BuildContext
from dags.build.correction import correction
from dags.build.correction.stations import Listed, listed
from dags.build.forecast.fields import SourceHours, is_night
from dags.build.provenance import INTERVAL, provenance, user_agent
from dags.partition import cycle_of
from kernels import correction as correct
from kernels import deaccumulate, sun
from tiles.clock import format_partition, iso, utc
from tiles.products.station_forecast import PRODUCT
from tiles.writer import Draft

Field = NDArray[np.float32]
Instant = dict[str, Field]
DEADLINE_S = 600.0
NEEDED = ("ghi_acc", "cloud")


class StationCells:
    """Takes the cells nearest to stations out of a cycle's instants.

    Parameters
    ----------
    cycle : Cycle
    listed : Listed
        Stations outside the cycle's domain are left out.

    Attributes
    ----------
    stations : tuple of Station
        Those inside, in the order of all results.
    cells : int64 (stations,)
        The source's cell of each.
    """

    def __init__(self, cycle: Cycle, listed: Listed) -> None:
        self.listed = listed
        self._cycle = cycle
        lat, lon = (np.array([getattr(s, name) for s in listed.stations], np.float64) for name in ("lat", "lon"))
        cells, inside = nearest_of(cycle, lat, lon)
        self.stations = tuple(s for s, there in zip(listed.stations, inside, strict=True) if there)
        self.cells = cells[inside]
        self._taken: dict[str, list[Field]] = {name: [] for name in NEEDED}

    def watch(self, instants: Iterator[Instant]) -> Iterator[Instant]:
        """Yield a cycle's instants as they come, and keep what the stations need of them."""
        for instant in instants:
            for name, taken in self._taken.items():
                if name in instant:
                    taken.append(instant[name].reshape(-1)[self.cells])
            yield instant

    def fields(self, table: correct.CorrectionTable) -> dict[str, Field]:
        """Return the variables of `station_forecast`, (hours, stations) each, once all instants have passed.

        Raises
        ------
        AccumulationError
            The accumulated shortwave has a new base, or cannot be.
        """
        accumulated = self._taken["ghi_acc"]
        clouds: Sequence[Field | None] = self._taken["cloud"] or [None] * len(accumulated)
        source, up = SourceHours(self._cycle, table, self.cells), sun.vertical(*self.positions().T).astype(np.float32)
        source.start(accumulated[0], clouds[0])
        names = ("ghi_raw", "ghi", "gcs", "sine", *(["ghi_v1"] if self._taken["cloud"] else []))
        shape = len(self._cycle.times) - 1, self.cells.size
        out = {name: np.empty(shape, np.float32) for name in names}
        for hour, start in enumerate(self._cycle.times[:-1].tolist()):
            source.advance(hour, accumulated[hour + 1], clouds[hour + 1])
            for name, values in out.items():
                values[hour] = getattr(source, name)
            night = is_night(up, start)
            for name in ("ghi_raw", "ghi"):  # at night, packing noise is not light
                out[name][hour, night & ~np.isnan(out[name][hour])] = 0
        for values in out.values():
            values[:, np.isnan(values).any(axis=0)] = np.nan
        return out

    def positions(self) -> NDArray[np.float64]:
        """Return latitude and longitude of the cells, degrees, (stations, 2)."""
        lat, lon = (field.reshape(-1)[self.cells] for field in (self._cycle.lat, self._cycle.lon))
        return np.stack([lat, lon], axis=1).astype(np.float64)


def publish_cells(
    context: BuildContext, cells: StationCells, cycle: Cycle, table: correct.CorrectionTable, corrected_by: Entry
) -> Entry:
    """Publish what was taken of a cycle as a version of `station_forecast`.

    Raises
    ------
    SourceError
        No station lies in the source's domain, or its values are refused.
    DraftInvalid
        A validator refused the result.
    """
    version = format_partition(cycle.reference_time)
    if not cells.stations:
        raise SourceError(f"{cycle.source} {version}: no station lies in the domain")
    try:
        fields = cells.fields(table)
    except deaccumulate.AccumulationError as error:
        station = cells.stations[cells.cells.tolist().index(error.cell)].name
        raise SourceError(f"{cycle.source} {version}: at {station}, step {error.step}: {error.sentence}") from error
    numbers = np.array([s.number for s in cells.stations], np.int64)
    axes = {"time": cycle.times[:-1], "station": numbers}
    draft = Draft(context.store, PRODUCT, version, axes, _provenance(cells, cycle, corrected_by))
    for name, values in fields.items():
        draft.write(name, values)
    moment = Moment(cycle.reference_time, utc(cycle.times[0]), utc(cycle.times[-1]))
    return publish(draft, moment, now=context.clock.now(), expected=None, report=context.report)


def build(context: BuildContext) -> Entry:
    """Publish a past or present cycle's forecast at stations, without the forecast itself.

    Parameters
    ----------
    context : BuildContext
        Partition: the cycle's hour; None: the latest by the clock.

    Raises
    ------
    ValueError
        The partition or the source is none.
    SourceError
        Frost or the upstream is absent, late, broken, or answers something else.
    """
    stations = listed(context)
    with open_cycle(context) as (cycle, table, corrected_by):
        cells = StationCells(cycle, stations)
        for _ in cells.watch(cycle.instants(NEEDED)):
            pass
        return publish_cells(context, cells, cycle, table, corrected_by)


@contextmanager
def open_cycle(
    context: BuildContext, deadline_s: float = DEADLINE_S
) -> Iterator[tuple[Cycle, correct.CorrectionTable, Entry]]:
    """Open the cycle that a context names, with the correction table that counts for it and the table's version.

    Raises
    ------
    ValueError
        The partition or the source is none.
    SourceError
        The upstream is absent, late, broken, or answers another cycle.
    """
    source = context.require_source(*FORECAST_SOURCES)
    hour, url = cycle_of(context.partition, source, context.clock), context.address(source)
    context.report(f"open {source} {format_partition(hour)} at {without_credentials(url)}")
    with SOURCES[source].open_cycle(url, hour, user_agent=user_agent(), deadline_s=deadline_s) as cycle:
        yield cycle, *correction.current(context, cycle.source, cycle.data_origin)


def source_of(cycle: Cycle) -> dict[str, Any]:
    """Return what the provenance says of a cycle as its source."""
    return {
        **SOURCES[cycle.source].named(cycle.data_origin),
        "cycle": iso(cycle.reference_time),
        "inputs": cycle.inputs(),
    }


def _provenance(cells: StationCells, cycle: Cycle, corrected_by: Entry) -> dict[str, Any]:
    listed = {
        **SOURCES["frost"].named(cells.listed.data_origin),
        "what": "which stations there are",
        "listed_at": iso(cells.listed.listed_at),
    }
    return provenance(
        [source_of(cycle), listed],
        source=cycle.source,
        forecast_origin=cycle.data_origin,
        cycle_time=iso(cycle.reference_time),
        correction_version=corrected_by.version,
        stations=cells.listed.to_json(),
        cells=np.round(cells.positions(), 4).tolist(),
        missing_variables=["ghi_v1"] if "cloud" in cycle.missing_variables else [],
        interval=INTERVAL,
    )
