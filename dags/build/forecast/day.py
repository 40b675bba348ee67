"""The stitched day: the cycle's own hours, and before them each hour as the best earlier cycle forecast it.

The best is the newest cycle that holds the hour at all: the smallest lead. The day of the cycle before was stitched by
the same rule, so most of the past is read from there in one piece.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.versions import Entry, read_index
from dags.build.context import BuildContext, Report
from dags.build.forecast import forecast as build_forecast
from dags.build.forecast.published import published
from dags.build.provenance import INTERVAL, provenance
from tiles.arrays import read_whole
from tiles.clock import format_partition, iso
from tiles.errors import TileCorrupt
from tiles.grid import FORECAST
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products import forecast
from tiles.products.day import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

HOUR = timedelta(hours=1)


class DayIncomplete(Exception):
    """An hour of the day was forecast by no published cycle; the text names it."""


def build(context: BuildContext) -> Entry:
    """Stitch the day of a published cycle and publish it as a version of `day`.

    Where its first hours are missing the cycle of 00 UTC is built first: on an installation's first day, and after a
    night without it.

    Parameters
    ----------
    context : BuildContext
        Partition: the cycle's hour, `2015-08-24T13`; None: the newest that is published.

    Raises
    ------
    ValueError
        The partition is none, or that forecast is not published.
    SourceError
        The cycle of 00 UTC cannot be had.
    DraftInvalid
        A validator refused the result.
    """
    newest = published(context, forecast.PRODUCT.name)
    try:
        return stitch(context, newest)
    except DayIncomplete as error:
        midnight = format_partition(newest.issued_at.replace(hour=0))
        context.report(f"{error}: the cycle {midnight} is built first")
        build_forecast.build(replace(context, partition=midnight, source=newest.source))
        return stitch(context, newest)


def stitch(context: BuildContext, newest: Entry) -> Entry:
    """Stitch the day of a published forecast, of published cycles alone.

    Raises
    ------
    DayIncomplete
        No published cycle holds the day's first hours.
    DraftInvalid
        A validator refused the result.
    """
    store, report = context.store, context.report
    cycle, version = newest.issued_at, newest.version
    index = read_index(store, forecast.PRODUCT.name)
    midnight = cycle.replace(hour=0)
    best = _best(index.entries, midnight, cycle)
    best |= dict.fromkeys(_hours(cycle, newest.valid_to), newest)
    names = _names(set(best.values()), newest)
    packed, expected = _stitched(store, best, _day_before(store, cycle, report), names, report)
    times = np.array([int(hour.timestamp()) for hour in best], np.int64)
    draft = Draft(store, PRODUCT, version, {"time": times}, _provenance(store, best, names))
    for name, values in packed.items():
        draft.write_packed(name, values)
    moment = Moment(cycle, midnight, newest.valid_to)
    return publish(draft, moment, now=context.clock.now(), expected=expected, report=report)


def _hours(start: datetime, end: datetime) -> list[datetime]:
    return [start + i * HOUR for i in range(round((end - start) / HOUR))]


def _best(entries: tuple[Entry, ...], midnight: datetime, cycle: datetime) -> dict[datetime, Entry]:
    """Return for each hour from midnight to the cycle the newest cycle, not after the hour, that holds it."""
    best: dict[datetime, Entry] = {}
    for hour in _hours(midnight, cycle):
        holding = [e for e in entries if e.issued_at <= hour < e.valid_to and e.valid_from <= hour]
        if not holding:
            raise DayIncomplete(f"no published cycle holds the hour from {iso(hour)}")
        best[hour] = holding[-1]
    return best


def _names(used: set[Entry], newest: Entry) -> tuple[str, ...]:
    """Return the variables of the day: those that every cycle used has."""
    common = set(newest.variables).intersection(*(entry.variables for entry in used))
    return tuple(v.name for v in PRODUCT.variables if v.name in common)


def _day_before(store: Store, cycle: datetime, report: Report) -> tuple[Entry, dict[datetime, str]] | None:
    """Return the newest day of the same date before a cycle, and which forecast each of its past hours is of."""
    for entry in reversed(read_index(store, PRODUCT.name).entries):
        if entry.issued_at < cycle and entry.issued_at.date() == cycle.date():
            try:
                of = Manifest.read(store, entry.manifest).provenance["hours_from"]
            except TileCorrupt as error:
                report(f"without the earlier day {entry.version}: {error}")
                continue
            hours = (entry.valid_from + i * HOUR for i in range(len(of)))
            return entry, dict(zip(hours, of, strict=True))
    return None


def _pieces(
    best: dict[datetime, Entry], day: tuple[Entry, dict[datetime, str]] | None, names: tuple[str, ...]
) -> dict[Entry, list[datetime]]:
    """Return which hours are read from where: from the earlier day all that it took from the very same cycles."""
    before, held = day or (None, {})
    pieces: dict[Entry, list[datetime]] = {}
    for hour, entry in best.items():
        same = before is not None and held.get(hour) == _name(entry) and set(names) <= set(before.variables)
        pieces.setdefault(before if same and before else entry, []).append(hour)
    return pieces


def _name(entry: Entry) -> str:
    """Return what tells one publication of a cycle from another."""
    return f"{entry.version}/{entry.attempt}"


def _stitched(
    store: Store,
    best: dict[datetime, Entry],
    day: tuple[Entry, dict[datetime, str]] | None,
    names: tuple[str, ...],
    report: Report,
) -> tuple[dict[str, NDArray[np.uint16]], NDArray[np.bool_]]:
    """Return the packed variables (hours, n_lat, n_lon), and the cells that the newest cycle covers.

    An earlier day that is damaged is done without.
    """
    pieces = _pieces(best, day, names)
    told = (f"{entry.product} {entry.version} ({len(hours)})" for entry, hours in pieces.items())
    report(f"stitch {len(best)} hours from {', '.join(told)}")
    midnight = next(iter(best))
    packed = {name: np.empty((len(best), *FORECAST.shape), np.uint16) for name in names}
    try:
        for entry, hours in pieces.items():
            manifest = Manifest.read(store, entry.manifest)
            rows, at = ([round((hour - start) / HOUR) for hour in hours] for start in (entry.valid_from, midnight))
            for name in names:
                packed[name][at] = read_whole(store, manifest, name)[rows]
    except TileCorrupt as error:
        if day is None:
            raise
        report(f"without the earlier day: {error}")
        return _stitched(store, best, None, names, report)
    newest: NDArray[np.bool_] = packed["ghi"][-1] != FILL
    broken = np.any([values.max(axis=0) == FILL for values in packed.values()], axis=0)
    for values in packed.values():
        values[:, broken] = FILL  # a cell that one of the cycles lacks has no whole series
    return packed, newest


def _provenance(store: Store, best: dict[datetime, Entry], names: tuple[str, ...]) -> dict[str, Any]:
    used = list(dict.fromkeys(best.values()))
    newest = used[-1]
    of_newest = Manifest.read(store, newest.manifest).provenance
    return provenance(
        [{"name": "forecast", "version": e.version, "attempt": e.attempt, "data_origin": e.data_origin} for e in used],
        source=newest.source,
        cycle_time=iso(newest.issued_at),
        licence=of_newest["licence"],
        attribution=of_newest["attribution"],
        hours_from=[_name(entry) for entry in best.values()],
        missing_variables=[v.name for v in PRODUCT.variables if v.name not in names],
        interval=INTERVAL,
    )
