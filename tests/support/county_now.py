"""Made-up irradiance and specific production of the counties, through the real writer."""

from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.versions import Entry
from tests.support.tiles import CYCLE, MADE_UP, hour_starts
from tiles.products.county_now import COUNTIES, ENGINE, PRODUCT
from tiles.store import Store
from tiles.writer import Draft


def made_up(hours: int) -> NDArray[np.float64]:
    """Specific power from midnight on, W per kWp, (hours, counties): a bell from 03 to 19 UTC, higher on each day."""
    hour = np.arange(hours)
    bell = np.clip(np.sin(np.pi * (hour % 24 - 3) / 16), 0, None) * (500 + 40 * (hour // 24))
    return bell[:, None] * (1 + np.arange(len(COUNTIES)) / 100)


def publish_counties(
    store: Store,
    cycle: datetime = CYCLE,
    *,
    ahead: int = 66,
    data_origin: str = "simulated",
    now: datetime | None = None,
) -> Entry:
    """Publish the counties of a cycle, from midnight to so many hours ahead."""
    midnight, hours = cycle.replace(hour=0), cycle.hour + ahead
    provenance = {
        **MADE_UP,
        "data_origin": data_origin,
        "sources": [],
        "licence": "none",
        "attribution": "nobody",
        "missing_variables": [],
        "engine": ENGINE,
        "counties": [[number, name, 2, 9] for number, name in COUNTIES.items()],
    }
    axes = {"time": hour_starts(midnight, hours), "county": np.array(list(COUNTIES), np.int64)}
    draft = Draft(store, PRODUCT, f"{cycle:%Y-%m-%dT%H}", axes, provenance)
    draft.write("specific_power", made_up(hours))
    draft.write("ghi", 1.25 * made_up(hours))
    moment = Moment(cycle, midnight, midnight + timedelta(hours=hours))
    return publish(draft, moment, now=now or cycle, expected=None, report=lambda _: None)
