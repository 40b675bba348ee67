"""Small made-up versions of `station_forecast`, and a stub of Frost that observed whatever a test says."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment
from catalog.sources.frost import ELEMENT, Station
from catalog.versions import Entry
from dags.build.context import BuildContext
from dags.build.correction import correction
from dags.build.correction.stations import Listed
from dags.build.forecast.fields import sky_over
from kernels import clearsky
from kernels.correction import CorrectionTable
from tests.support.http_server import serving
from tests.support.tiles import hour_starts, publish_at
from tiles.clock import Clock, format_partition
from tiles.products.station_forecast import PRODUCT
from tiles.store import Store
from tiles.writer import Draft

Field = NDArray[np.float32]
HOURS = 66
STATIONS = tuple(
    Station(900_001 + i, f"MADE UP {i}", lat, lon, 100.0)
    for i, (lat, lon) in enumerate([(58.1, 6.6), (59.9, 10.7), (60.4, 5.3), (63.4, 10.4), (67.3, 14.4), (69.7, 18.9)])
)


def clear_sky(
    stations: Sequence[Station], hours: NDArray[np.int64], day: datetime | None = None
) -> tuple[Field, Field]:
    """Clear sky (W/m2, turbidity of a day) and sine of the sun's height, (hours, stations)."""
    lat, lon = (np.array([getattr(s, name) for s in stations]) for name in ("lat", "lon"))
    cells = sky_over(lat, lon, None, day or datetime.fromtimestamp(int(hours[0]), UTC))
    gcs, sine = (np.empty((hours.size, len(stations)), np.float32) for _ in range(2))
    for row, start in enumerate(hours.tolist()):
        clearsky.hour_mean(cells, start, gcs[row], sine[row])
    return gcs, sine


def publish_cycle(
    store: Store,
    cycle: datetime,
    raw: Field,
    *,
    stations: Sequence[Station] = STATIONS,
    ghi: Field | None = None,
    v1: Field | None = None,
    sky: tuple[Field, Field] | None = None,
) -> Entry:
    """Publish a cycle whose uncorrected forecast is `raw`, (66, stations) W/m2; `ghi` is the same where not given."""
    times = hour_starts(cycle, raw.shape[0])
    gcs, sine = sky or clear_sky(stations, times)
    listed = Listed(tuple(stations), cycle, "http://frost", "simulated").to_json()
    about = {"source": "met_nordic", "data_origin": "simulated", "forecast_origin": "simulated", "sources": []}
    axes = {"time": times, "station": np.array([s.number for s in stations])}
    draft = Draft(store, PRODUCT, format_partition(cycle), axes, {**about, "stations": listed})
    fields = {"ghi_raw": raw, "ghi": raw if ghi is None else ghi, "gcs": gcs, "sine": sine}
    for name, values in (fields if v1 is None else {**fields, "ghi_v1": v1}).items():
        draft.write(name, values)
    return publish_at(draft, cycle, cycle + timedelta(hours=raw.shape[0]))


def publish_table(
    store: Store, factor: float, version: str, *, source: str = "met_nordic", origin: str = "simulated"
) -> Entry:
    """Publish a correction table of one factor, of a day."""
    edges = (correction.ELEVATION_EDGES, correction.KC_EDGES, correction.LEAD_EDGES)
    table = CorrectionTable(np.full([len(e) - 1 for e in edges], factor), *(np.array(e) for e in edges))
    day = datetime.fromisoformat(f"{version}T00:00:00+00:00")
    covers, said = Moment(day, day, day + timedelta(days=1)), {"source": source, "data_origin": origin, "sources": []}
    context = BuildContext(store.url, Clock.parse("2026-06-21T03:00:00Z!"))
    return correction.publish_table(context, table, version, covers, said)


Observe = Callable[[int, int], float | None]
"""What a station measured in an hour: (number, start of the hour in unix seconds) -> W/m2."""


def frost_stub(observe: Observe, origin: str = "simulated") -> AbstractContextManager[str]:
    """Serve `/observations` of Frost, stamps at the end of the hour; yields the base address."""

    def respond(_: str, asked: dict[str, list[str]], __: Any) -> tuple[int, dict[str, str], bytes]:
        start, end = (datetime.fromisoformat(t) for t in asked["referencetime"][0].split("/"))
        names = asked["sources"][0].split(",")
        values = [
            (name, stamp, observe(int(name.removeprefix("SN")), stamp - 3600))
            for stamp in range(int(start.timestamp()), int(end.timestamp()), 3600)
            for name in names
        ]
        rows = [row(name, stamp, value) for name, stamp, value in values if value is not None]
        return answered(rows, data_origin=origin) if rows else (412, {}, b"{}")

    return serving(respond)


def answered(rows: list[dict[str, Any]], **more: Any) -> tuple[int, dict[str, str], bytes]:
    """A good answer with these rows."""
    counts = {"currentItemCount": len(rows), "itemsPerPage": len(rows), "offset": 0, "totalItemCount": len(rows)}
    return 200, {}, json.dumps({**counts, **more, "data": rows}).encode()


def row(source_id: str, stamp: int, value: Any, **changed: Any) -> dict[str, Any]:
    """An entry of a Frost answer; `changed` goes into the observation."""
    observation = {
        "elementId": ELEMENT, "value": value, "unit": "W/m2", "timeOffset": "PT0H", "timeResolution": "PT1H",
        "timeSeriesId": 0, "qualityCode": 0, **changed,
    }  # fmt: skip
    moment = f"{datetime.fromtimestamp(stamp, UTC):%Y-%m-%dT%H:%M:%S}.000Z"
    return {"sourceId": f"{source_id}:0", "referenceTime": moment, "observations": [observation]}
