"""Publishing small made-up forecast versions through the real writer, for any test that needs a tile."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from catalog.publish import Moment, publish
from catalog.versions import Entry
from kernels import sun
from tiles.grid import FORECAST, Cell
from tiles.product import FILL, Product
from tiles.products.registry import product
from tiles.store import Store
from tiles.writer import Draft

Packed = Mapping[str, NDArray[np.uint16]]
MADE_UP = {"source": "made_up", "data_origin": "simulated"}

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


def made_up_ghi(
    cycle: datetime, hours: int = 66, level: ArrayLike = 700.0, window: tuple[slice, slice] = WINDOW
) -> NDArray[np.float32]:
    """GHI in proportion to the sun's height in a window's cells, (hours, rows, columns)."""
    lat, lon = np.meshgrid(FORECAST.lats[window[0]], FORECAST.lons[window[1]], indexing="ij")
    up = sun.vertical(lat.ravel(), lon.ravel())
    moments = hour_starts(cycle, hours)[:, None] + np.array([0, 1800, 3600])
    height: NDArray[np.float64] = (
        sun.cos_zenith(up, sun.sun_table(moments.ravel())).reshape(hours, 3, *lat.shape).mean(axis=1)
    )
    return (np.asarray(level) * np.clip(height, 0, None)).astype(np.float32)


def everywhere(window: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """The window's packed values on the whole grid, missing elsewhere."""
    packed = np.full((window.shape[0], *FORECAST.shape), FILL, np.uint16)
    packed[:, WINDOW[0], WINDOW[1]] = window
    return packed


def empty_draft(store: Store, cycle: datetime, hours: int = 66) -> Draft:
    """A draft of a forecast without values."""
    provenance = {**MADE_UP, "sources": [], "licence": "none", "attribution": "nobody", "missing_variables": []}
    times = {"time": hour_starts(cycle, hours)}
    return Draft(store, product("forecast"), f"{cycle:%Y-%m-%dT%H}", times, provenance)


def made_up_draft(store: Store, cycle: datetime, *, hours: int = 66, level: float = 700.0, v1: bool = True) -> Draft:
    """A draft that every validator accepts."""
    draft = empty_draft(store, cycle, hours)
    ghi = made_up_ghi(cycle, hours, level)
    values = {"ghi": ghi, "ghi_v1": ghi * np.float32(0.9)} if v1 else {"ghi": ghi}
    values |= {"temp_air": np.full_like(ghi, 4.25), "wind_speed": np.full_like(ghi, 3.5)}
    for name, window in values.items():
        draft.write_packed(name, everywhere(draft.product.variable(name).pack(window)))
    return draft


def publish_made_up(store: Store, cycle: datetime, *, now: datetime | None = None, **options: object) -> Entry:
    """Publish a made-up cycle; see `made_up_draft` for the options."""
    draft = made_up_draft(store, cycle, **options)  # type: ignore[arg-type]
    hours = len(draft.axis("time"))
    moment = Moment(cycle, cycle, cycle + timedelta(hours=hours))
    return publish(draft, moment, now=now or cycle, expected=cover(), report=lambda _: None)


def blocks_of(declared: Product, cells: Mapping[Cell, Mapping[str, Any]]) -> dict[Cell, dict[str, Any]]:
    """Pack the values of some cells into whole blocks, by the corners of these; all else is missing.

    Parameters
    ----------
    declared : Product
    cells : mapping
        The values of each variable in a cell, over the variable's own dimensions.
    """
    rows, columns = declared.grid.shape  # type: ignore[union-attr]
    side, blocks = declared.shard[-1], dict[Cell, dict[str, Any]]()
    for (row, column), values in cells.items():
        top, left = corner = (row // side * side, column // side * side)
        block = blocks.setdefault(corner, {})
        for variable in declared.variables:
            packed = variable.pack(np.asarray(values[variable.name], np.float64))
            empty = np.full((*packed.shape, min(side, rows - top), min(side, columns - left)), FILL, np.uint16)
            block.setdefault(variable.name, empty)[..., row - top, column - left] = packed
    return blocks


def draft_of_blocks(
    store: Store,
    declared: Product,
    version: str,
    axes: Mapping[str, ArrayLike],
    blocks: Mapping[Cell, Packed],
    provenance: Mapping[str, object] = MADE_UP,
) -> Draft:
    """A draft of packed blocks, by their corners."""
    draft = Draft(store, declared, version, {name: np.asarray(axis) for name, axis in axes.items()}, {**provenance})
    for corner, packed in blocks.items():
        for name, values in packed.items():
            draft.write_block(name, corner, values)
    return draft


def publish_at(draft: Draft, moment: datetime, until: datetime | None = None) -> Entry:
    """Publish a draft that is issued and begins at one moment, and ends there if nothing else is said."""
    return publish(draft, Moment(moment, moment, until or moment), now=moment, expected=None, report=lambda _: None)


CYCLE = datetime(2026, 6, 1, 0, tzinfo=UTC)
