"""Publishing small made-up forecast versions through the real writer, for any test that needs a tile."""

from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.versions import Entry
from kernels import sun
from tiles.grid import FORECAST
from tiles.products.registry import product
from tiles.store import Store
from tiles.writer import Draft

# A corner of the grid that ends inside a shard and inside a chunk: Oslo and its surroundings.
WINDOW = (slice(60, 135), slice(190, 260))
OSLO = (59.91, 10.75)


def cover() -> NDArray[np.bool_]:
    """The cells that the made-up source covers."""
    mask = np.zeros(FORECAST.shape, bool)
    mask[WINDOW] = True
    return mask


def hour_starts(cycle: datetime, hours: int = 66) -> NDArray[np.int64]:
    """Starts of the hours of a cycle, unix seconds."""
    return int(cycle.timestamp()) + 3600 * np.arange(hours, dtype=np.int64)


def made_up_ghi(cycle: datetime, hours: int = 66, level: float = 700.0) -> NDArray[np.float32]:
    """GHI in proportion to the sun's height, missing outside the cover; each cell differs a little."""
    lat, lon = np.meshgrid(FORECAST.lats, FORECAST.lons, indexing="ij")
    up = sun.vertical(lat.ravel(), lon.ravel())
    ghi = np.full((hours, *FORECAST.shape), np.nan, np.float32)
    for step, start in enumerate(hour_starts(cycle, hours)):
        height = sun.cos_zenith(up, sun.sun_table(np.array([start, start + 1800, start + 3600]))).mean(axis=0)
        ghi[step][cover()] = (level * np.clip(height, 0, None)).reshape(FORECAST.shape)[cover()]
    return ghi


def made_up_draft(store: Store, cycle: datetime, *, hours: int = 66, level: float = 700.0, v1: bool = True) -> Draft:
    """A draft that every validator accepts."""
    draft = Draft(
        store, product("forecast"), f"{cycle:%Y-%m-%dT%H}", {"time": hour_starts(cycle, hours)},
        {"source": "made_up", "data_origin": "simulated", "licence": "none", "missing_variables": []},
    )
    ghi = made_up_ghi(cycle, hours, level)
    draft.write("ghi", ghi)
    if v1:
        draft.write("ghi_v1", ghi * np.float32(0.9))
    draft.write("temp_air", np.where(np.isnan(ghi), np.nan, np.float32(4.25)))
    draft.write("wind_speed", np.where(np.isnan(ghi), np.nan, np.float32(3.5)))
    return draft


def publish_made_up(store: Store, cycle: datetime, *, now: datetime | None = None, **options: object) -> Entry:
    """Publish a made-up cycle; see `made_up_draft` for the options."""
    draft = made_up_draft(store, cycle, **options)  # type: ignore[arg-type]
    hours = len(draft.axis("time"))
    moment = Moment(cycle, cycle, cycle + timedelta(hours=hours))
    return publish(draft, moment, now=now or cycle, expected=cover(), report=lambda _: None)


CYCLE = datetime(2026, 6, 1, 0, tzinfo=UTC)
