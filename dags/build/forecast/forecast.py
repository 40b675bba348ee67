"""One cycle of an upstream model to a published forecast.

Hour by hour, so that a national cycle of 4.5 GB never lies in memory: de-accumulate, clear sky, correction (v2.3b),
cloud (V1.5), and the way to the 0.03 degree grid. Each hour's source grid is shared out over threads; the kernels
release the GIL.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.sources import frost
from catalog.sources.cycle import Cycle
from catalog.sources.errors import SourceError
from catalog.versions import Entry
from dags.build.context import BuildContext, Report, silent
from dags.build.correction.station_forecast import DEADLINE_S, StationCells, open_cycle, publish_cells, source_of
from dags.build.correction.stations import listed
from dags.build.forecast import turbidity
from dags.build.forecast.fields import THREADS, HourFields
from dags.build.provenance import INTERVAL, provenance
from kernels.correction import CorrectionTable
from kernels.deaccumulate import AccumulationError
from tiles.clock import format_partition, iso, utc
from tiles.product import FILL
from tiles.products.forecast import PRODUCT
from tiles.writer import Draft

Packed = dict[str, NDArray[np.uint16]]
# Pairs of a source's field and the tile's variable: means of both ends of the hour.
_END_MEANS = ("temp_air", "wind_speed")


def build(context: BuildContext, *, deadline_s: float = DEADLINE_S) -> Entry:
    """Read one cycle of an upstream model and publish it as a version of `forecast`, and at stations beside.

    What is said of stations (`station_forecast`) is of no use to callers: where it cannot be had, a line of the report
    says so, and the forecast is published all the same.

    The climatology of turbidity, which the hours beyond the forecast need, is published with the first one.

    Parameters
    ----------
    context : BuildContext
        Partition: the cycle's hour, `2015-08-24T00`; None: the latest by the clock. Without an address of Frost nothing
        is kept for stations.
    deadline_s : float
        Seconds that all reading may take.

    Raises
    ------
    ValueError
        The partition or the source is none.
    SourceError
        The upstream is absent, late, broken, or answers another cycle.
    DraftInvalid
        A validator refused the result.
    """
    report, stations, cells = context.report, None, None
    if frost.NAME in context.addresses:
        with _of_no_consequence("of this cycle", report):
            stations = listed(context)
    with open_cycle(context, deadline_s) as (cycle, table, corrected_by):
        if stations is not None:
            with _of_no_consequence("of this cycle", report):
                cells = StationCells(cycle, stations)
        fields, packed = _compute(cycle, table, cells, report)
        said = _provenance(cycle, corrected_by, fields)
    report("write draft")
    version = format_partition(cycle.reference_time)
    draft = Draft(context.store, PRODUCT, version, {"time": cycle.times[:-1]}, said)
    for name, values in packed.items():
        values[:, values.max(axis=0) == FILL] = FILL  # a cell that misses any hour misses them all: no series has a gap
        draft.write_packed(name, values)
    moment = Moment(cycle.reference_time, utc(cycle.times[0]), utc(cycle.times[-1]))
    entry = publish(draft, moment, now=context.clock.now(), expected=fields.covered, report=report)
    if cells is not None:
        with _of_no_consequence(version, report):
            publish_cells(replace(context, report=silent), cells, cycle, table, corrected_by)
            report(f"published station_forecast {version} at {len(cells.stations)} stations")
    turbidity.ensure(context)
    return entry


@contextmanager
def _of_no_consequence(version: str, report: Report) -> Iterator[None]:
    """Let what is kept for stations fail with a line of its own: the forecast matters more."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is, the forecast goes out
        report(f"warning: station_forecast {version} is skipped: {error}")


def _compute(
    cycle: Cycle, table: CorrectionTable, cells: StationCells | None, report: Report
) -> tuple[HourFields, Packed]:
    """Run through the cycle's hours; return the packed variables (hours, n_lat, n_lon)."""
    hours = len(cycle.times) - 1
    names = ["ghi", *(["ghi_v1"] if "cloud" not in cycle.missing_variables else [])]
    names += [name for name in _END_MEANS if name not in cycle.missing_variables]
    with ThreadPoolExecutor(THREADS, thread_name_prefix="hour") as pool:
        fields = HourFields(cycle, table, tuple(names), pool)
        packed = {name: np.empty((hours, *fields.shape), np.uint16) for name in names}
        steps = cycle.instants() if cells is None else cells.watch(cycle.instants())
        try:
            fields.start(next(steps))
            for hour, instant in enumerate(steps):
                for name, values in fields.advance(hour, instant).items():
                    packed[name][hour] = _pack(cycle, name, hour, values)
                if (hour + 1) % 12 == 0 or hour + 1 == hours:
                    report(f"computed {hour + 1} of {hours} hours")
        except AccumulationError as error:
            raise SourceError(_refusal(cycle, error)) from error
    return fields, packed


def _pack(cycle: Cycle, name: str, hour: int, values: NDArray[np.float32]) -> NDArray[np.uint16]:
    try:
        return PRODUCT.variable(name).pack(values)
    except ValueError as error:
        start = iso(utc(cycle.times[hour]))
        raise SourceError(f"{cycle.source} {iso(cycle.reference_time)}: in the hour from {start}, {error}") from error


def _refusal(cycle: Cycle, error: AccumulationError) -> str:
    row, column = divmod(error.cell, len(cycle.x))
    return (
        f"{cycle.source} {iso(cycle.reference_time)}: in cell (y {row}, x {column}), near "
        f"{cycle.lat[row, column]:.2f} N {cycle.lon[row, column]:.2f} E, at step {error.step} "
        f"({iso(utc(cycle.times[error.step]))}): {error.sentence}"
    )


def _provenance(cycle: Cycle, corrected_by: Entry, fields: HourFields) -> dict[str, Any]:
    return provenance(
        [source_of(cycle)],
        cycle_time=iso(cycle.reference_time),
        correction_version=corrected_by.version,
        clear_sky={
            "model": "Ineichen & Perez 2002, hour mean of four samples",
            "altitude": "of the source" if cycle.altitude is not None else "relief map of 1/12 degree",
            "turbidity": "Linke climatology, Remund et al. 2003",
        },
        missing_variables=[name for name in ("ghi_v1", *_END_MEANS) if name not in fields.models],
        interval=INTERVAL,
    )
