"""Learning the correction of v2.3b from past forecasts at stations and what was observed there.

Of the days of the last two months, every third is kept from the learning and judges the table: it is published only
where it is better there than the table that counts now. Where that one is worse than none, ones are published.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment
from catalog.sources import frost
from catalog.sources.frost import Observations
from catalog.sources.registry import SOURCES
from catalog.versions import Entry
from dags.build.context import BuildContext, NothingToBuild
from dags.build.correction import correction
from dags.build.correction.station_reading import StationForecast, covering, observed, read
from kernels.correction import LOWEST_CLEAR_SKY, CorrectionTable, identity_table
from kernels.correction_fit import Pairs, corrected, fit, held_out
from kernels.verification import sums
from tiles.clock import floor_hour, iso

LEARN_FROM = timedelta(days=60)
LOWEST_GAIN = 0.002
"""By how much of the RMSE a table must be better than the one that counts: less is chance."""
HIGHEST_INDEX, HIGHEST_BEYOND = 1.6, 50.0
"""No sky gives more over an hour than this share of the clear sky's and so many W/m2 more: what does is an instrument's
fault, and a table learned from it would make forecasts that no validator lets pass."""
MOST_CYCLES = 480
"""Cycles that are learned from, spread evenly: those an hour apart say nearly the same."""
FEWEST_DAYS, FEWEST_STATIONS, FEWEST_PAIRS = 9, 3, 1000
_DAY_S = 86_400


@dataclass(frozen=True)
class _Material:
    """Pairs with the day and station of each, the versions they are of, and where all came from."""

    pairs: Pairs
    days: NDArray[np.int64]
    stations: NDArray[np.int64]
    versions: tuple[str, ...]
    observations: Observations


def build(context: BuildContext, *, learn_from: timedelta = LEARN_FROM) -> Entry:
    """Learn a table from a source's past forecasts, and publish it where it is better on days it has not seen.

    Parameters
    ----------
    context : BuildContext
        Source: whose forecasts. Partition `identity`: the table of ones is published; there is no other.
    learn_from : timedelta
        How far back.

    Raises
    ------
    ValueError
        Another partition is asked for.
    NothingToBuild
        Too few days, stations or pairs; real forecasts with simulated observations or the other way round; or no
        table was better.
    SourceError
        The observations cannot be had.
    """
    if context.partition == correction.IDENTITY:
        return correction.build_identity(context)
    context.refuse_partition(f"a correction is learned from the last two months; or it is '{correction.IDENTITY}'")
    source, now, report = context.require_source(*SOURCES), context.clock.now(), context.report
    material = _collect(context, source, now - learn_from)
    pairs, held = material.pairs, held_out(material.days)
    origin = material.observations.data_origin
    table_now, in_force = correction.current(context, source, origin)
    edges = (correction.ELEVATION_EDGES, correction.KC_EDGES, correction.LEAD_EDGES)
    report(f"learn from {len(pairs) - held.sum()} of {len(pairs)} pairs, judge on {held.sum()} of other days")
    candidates = {"learned": fit(pairs.where(~held), *edges), "ones": identity_table(*edges)}
    judged = pairs.where(held)
    figures = {name: _figures(table, judged) for name, table in {**candidates, "in_force": table_now}.items()}
    for line in _table(figures, in_force.version):
        report(line)
    kind = "learned" if _better(figures["learned"], figures["ones"]) else "ones"
    before = figures["in_force"]
    if not _better(figures[kind], before):
        raise NothingToBuild(
            f"no correction is published: on {np.unique(material.days[held]).size} days that it has not seen, the "
            f"table learned has an RMSE of {figures['learned']['rmse']:.2f} W/m2, the one in force "
            f"({in_force.version}) {before['rmse']:.2f}, none {figures['ones']['rmse']:.2f}"
        )
    provenance = _provenance(source, material, held, figures, kind, in_force)
    version, moment = f"{now:%Y-%m-%d}", Moment(now, *_period(material.days))
    return correction.publish_table(context, candidates[kind], version, moment, provenance)


def _collect(context: BuildContext, source: str, since: datetime) -> _Material:
    now = context.clock.now()
    entries, end = covering(context.store, source, since, now, now), floor_hour(now)
    if not entries or entries[0].issued_at >= end:
        raise NothingToBuild(f"there is nothing to learn from: no station_forecast of {source} has come to pass yet")
    forecasts = [read(context.store, entry) for entry in entries[:: -(-len(entries) // MOST_CYCLES)]]
    start = max(floor_hour(since), entries[0].issued_at)
    truth = observed(context, forecasts, start, end)
    context.report(
        f"{len(forecasts)} of {len(entries)} cycles of {source}, {truth.stations.size} stations, {iso(start)} to "
        f"{iso(end)}"
    )
    pieces = [_paired(forecast, truth) for forecast in forecasts]
    columns = [np.concatenate(column) for column in zip(*pieces, strict=True)]
    material = _Material(Pairs(*columns[:5]), columns[5], columns[6], tuple(f.version for f in forecasts), truth)
    counts = {"days": material.days, "stations": material.stations}
    found = {name: np.unique(values).size for name, values in counts.items()} | {"pairs": len(material.pairs)}
    needed = {"days": FEWEST_DAYS, "stations": FEWEST_STATIONS, "pairs": FEWEST_PAIRS}
    if any(found[name] < least for name, least in needed.items()):
        have, need = (", ".join(f"{n} {name}" for name, n in numbers_.items()) for numbers_ in (found, needed))
        raise NothingToBuild(f"there is too little to learn from yet: {have} in daylight; at least {need} are needed")
    return material


def _paired(forecast: StationForecast, observed: Observations) -> tuple[NDArray[Any], ...]:
    """Return ghi, gcs, observed, sine, lead, day and station of the forecast's daylit hours that were observed.

    What was observed and cannot be is left out.
    """
    rows = (forecast.times - observed.hours[0]) // 3600
    seen = (rows >= 0) & (rows < observed.hours.size)
    columns = np.searchsorted(observed.stations, forecast.stations)
    truth = observed.ghi[np.ix_(rows[seen], columns)]
    ghi, gcs, sine = (forecast.fields[name][seen] for name in ("ghi_raw", "gcs", "sine"))
    lead, day = (np.broadcast_to(v[seen, None], ghi.shape) for v in (forecast.leads, forecast.times // _DAY_S))
    station = np.broadcast_to(forecast.stations, ghi.shape)
    can_be = truth <= HIGHEST_INDEX * gcs + HIGHEST_BEYOND  # NaN compares false
    there = np.isfinite(ghi) & can_be & (gcs >= LOWEST_CLEAR_SKY)
    return tuple(values[there] for values in (ghi, gcs, truth, sine, lead, day, station))


def _figures(table: CorrectionTable, pairs: Pairs) -> dict[str, float]:
    group = np.zeros(len(pairs), np.intp)
    total = sums(corrected(table, pairs), pairs.observed, pairs.gcs, group, 1)
    values = {"rmse": total.rmse(), "mae": total.mae(), "bias": total.bias(), "nmae": total.nmae()}
    return {name: round(float(value[0]), 4) for name, value in values.items()}


def _better(figures: dict[str, float], than: dict[str, float]) -> bool:
    return figures["rmse"] < than["rmse"] * (1 - LOWEST_GAIN)


def _table(figures: dict[str, dict[str, float]], in_force: str) -> list[str]:
    names = {"learned": "learned", "ones": "without correction", "in_force": f"in force ({in_force})"}
    rows = [
        f"  {names[which]:<28}{of['rmse']:9.2f}{of['mae']:9.2f}{of['bias']:9.2f}{100 * of['nmae']:9.1f}"
        for which, of in figures.items()
    ]
    return [f"  {'on days not seen':<28}{'RMSE':>9}{'MAE':>9}{'bias':>9}{'nMAE %':>9}", *rows]


def _period(days: NDArray[np.int64]) -> tuple[datetime, datetime]:
    first, last = int(days.min()), int(days.max()) + 1
    return datetime.fromtimestamp(first * _DAY_S, UTC), datetime.fromtimestamp(last * _DAY_S, UTC)


def _provenance(
    source: str,
    material: _Material,
    held: NDArray[np.bool_],
    figures: dict[str, dict[str, float]],
    kind: str,
    in_force: Entry,
) -> dict[str, Any]:
    (start, end), observed = _period(material.days), material.observations

    def days(which: NDArray[np.bool_]) -> list[str]:
        return [str(day) for day in np.unique(material.days[which]).astype("datetime64[D]")]

    return {
        "source": source,
        "data_origin": observed.data_origin,
        "sources": [
            {"name": "station_forecast", "source": source, "first": material.versions[0], "last": material.versions[-1],
             "cycles": len(material.versions)},
            {**SOURCES[frost.NAME].named(observed.data_origin), "dropped": dict(observed.dropped)},
        ],
        "comment": "Learned from pairs of forecast and observation." if kind == "learned" else
            "All ones: on days not seen, nothing learned was better, and the table in force was worse than none.",
        "period": [iso(start), iso(end)],
        "days_learned_from": days(~held),
        "days_judged_on": days(held),
        "stations": np.unique(material.stations).tolist(),
        "pairs": {"learned_from": int((~held).sum()), "judged_on": int(held.sum())},
        "replaces": in_force.version,
        "judged": {"without_correction": figures["ones"], "replaced": figures["in_force"], "this": figures[kind]},
    }  # fmt: skip
