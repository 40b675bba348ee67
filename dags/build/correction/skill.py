"""How good the forecasts of a day were: every cycle's forecast of its hours at stations, against what was observed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.figures import table
from catalog.publish import Moment, publish
from catalog.sources import frost
from catalog.sources.frost import Observations
from catalog.sources.registry import SOURCES
from catalog.versions import Entry
from dags.build.context import BuildContext, NothingToBuild
from dags.build.correction.correction import LEAD_EDGES
from dags.build.correction.station_reading import StationForecast, covering, observed, read
from dags.build.correction.stations import Listed
from dags.build.forecast.fields import sky_over
from dags.build.provenance import provenance
from dags.partition import parse_day
from kernels import clearsky
from kernels.verification import Sums, smart_persistence, sums
from tiles.clock import iso
from tiles.products.skill import HIGHEST_NMAE, LOWEST_SKILL, MODELS, PRODUCT
from tiles.writer import Draft

Field = NDArray[np.float32]
DAY = timedelta(days=1)
_VARIABLE = {"v23b": "ghi", "v1": "ghi_v1", "raw": "ghi_raw"}
_CLASSES = len(LEAD_EDGES) - 1


def build(context: BuildContext) -> Entry:
    """Judge the forecasts of a day, and publish the figures as a version of `skill`.

    Parameters
    ----------
    context : BuildContext
        Partition: the UTC day, `2026-06-20`; None: yesterday by the clock. Source: whose forecasts.

    Raises
    ------
    ValueError
        The partition is no day, or one that has not ended.
    NothingToBuild
        Forecasts or observations of that day are lacking, or only one of them is simulated.
    SourceError
        The observations cannot be had.
    """
    store, now, report = context.store, context.clock.now(), context.report
    source = context.require_source(*SOURCES)
    day = (now - DAY).date() if context.partition is None else parse_day(context.partition)
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if start + DAY > now:
        raise ValueError(f"{day} has not ended yet: it is {iso(now)}")
    forecasts = [read(store, entry) for entry in covering(store, source, start, start + DAY, now)]
    if not forecasts:
        raise NothingToBuild(f"no station_forecast of {source} holds an hour of {day}")
    seen = observed(context, forecasts, start - DAY, start + DAY)
    numbers = seen.stations
    report(f"{len(forecasts)} cycles of {source} with hours of {day}, at {numbers.size} stations")
    sky = _clear_sky(numbers, seen.hours, forecasts, start)
    judged = judge(forecasts, seen, sky)
    overall = {model: total.over(1) for model, total in judged.items()}
    if not overall["v23b"].count.any():
        raise NothingToBuild(f"no hour of {day} by daylight has both forecast and observation")
    figures = {model: _figures(total) for model, total in overall.items()}
    for line in table(list(LEAD_EDGES), figures):
        report(line)
    draft = Draft(
        store,
        PRODUCT,
        str(day),
        {"lead": (np.array(LEAD_EDGES[:-1]) + np.array(LEAD_EDGES[1:])) / 2, "station": numbers},
        _provenance(source, forecasts, seen, figures),
    )
    for name, values in _variables(judged).items():
        if name == "pairs" or np.isfinite(values).any():
            draft.write(name, values)
    return publish(draft, Moment(start + DAY, start, start + DAY), now=now, expected=None, report=report)


def judge(forecasts: list[StationForecast], observed: Observations, sky: Field) -> dict[str, Sums]:
    """Add up the errors of every cycle's forecast of the second of two days.

    Parameters
    ----------
    forecasts : list of StationForecast
    observed : Observations
        Of 48 hours: the day before, and the day that is judged.
    sky : float32 (48, stations)
        Clear sky, W/m2.

    Returns
    -------
    dict of Sums
        By model, arrays (classes of lead, stations); a model that no cycle has is absent.
    """
    truth, clear = observed.ghi[24:], sky[24:]
    persistence = smart_persistence(observed.ghi[:24], sky[:24], clear)
    found: dict[str, Sums] = {}
    for forecast in forecasts:
        rows = (forecast.times - observed.hours[24]) // 3600
        seen = (rows >= 0) & (rows < 24)
        columns = np.searchsorted(observed.stations, forecast.stations)
        places = np.ix_(rows[seen], columns)
        lead = np.searchsorted(LEAD_EDGES, forecast.leads[seen], side="right") - 1
        group = np.clip(lead, 0, _CLASSES - 1)[:, None] * observed.stations.size + columns
        for model, name in _VARIABLE.items():
            if name not in forecast.fields:
                continue
            others = [values[places].reshape(-1) for values in (truth, clear, persistence)]
            values = forecast.fields[name][seen].reshape(-1)
            size = (_CLASSES, observed.stations.size)
            added = sums(values, others[0], others[1], group.reshape(-1), size[0] * size[1], others[2])
            shaped = Sums(*(getattr(added, part).reshape(size) for part in Sums.__dataclass_fields__))
            found[model] = found.get(model, Sums.zero(size)) + shaped
    return found


def _variables(judged: dict[str, Sums]) -> dict[str, NDArray[np.float64]]:
    out = {"pairs": judged["v23b"].count}
    for model, total in judged.items():
        out |= {
            f"nmae_{model}": np.minimum(total.nmae(), HIGHEST_NMAE),
            f"bias_{model}": total.bias(),
            f"rmse_{model}": total.rmse(),
            f"skill_{model}": np.maximum(total.skill(), LOWEST_SKILL),
        }
    return out


def _clear_sky(
    numbers: NDArray[np.int64], hours: NDArray[np.int64], forecasts: list[StationForecast], day: datetime
) -> Field:
    """Return the clear sky at the stations themselves, on the relief map's heights, (hours, stations)."""
    places = {s.number: s for f in forecasts for s in Listed.from_json(f.provenance["stations"]).stations}
    lat, lon = (np.array([getattr(places[n], name) for n in numbers.tolist()]) for name in ("lat", "lon"))
    cells, sine = sky_over(lat, lon, None, day), np.empty(numbers.size, np.float32)
    out = np.empty((hours.size, numbers.size), np.float32)
    for row, start in enumerate(hours.tolist()):
        clearsky.hour_mean(cells, start, out[row], sine)
    return out


def _provenance(
    source: str, forecasts: list[StationForecast], observed: Observations, overall: dict[str, Any]
) -> dict[str, Any]:
    stations = SOURCES[frost.NAME].named(observed.data_origin)
    return provenance(
        [
            {"name": "station_forecast", "source": source, "cycles": [f.version for f in forecasts]},
            {**stations, "dropped": dict(observed.dropped)},
        ],
        source=source,
        data_origin=observed.data_origin,
        models=MODELS,
        lead_edges=list(LEAD_EDGES),
        overall=overall,
    )


def _figures(total: Sums) -> dict[str, list[float | None]]:
    values = {"pairs": total.count, "nmae": total.nmae(), "bias": total.bias()}
    values |= {"rmse": total.rmse(), "skill": total.skill()}
    return {
        name: [None if np.isnan(value) else round(float(value), 4) for value in column]
        for name, column in values.items()
    }
