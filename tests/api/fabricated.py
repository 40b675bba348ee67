"""Hydrated tiles and indexes made by hand, without builder and Zarr: what the API finds when all went well.

Cells are zero but for those given. The files are sparse, so that a national tile costs next to nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from catalog.versions import Entry, Index, index_key
from tiles.clock import format_partition
from tiles.grid import FORECAST, Cell
from tiles.hydrated import FORMAT, HEADER, POINTS, checksums, hydrated_dir

CYCLE = datetime(2026, 6, 1, 0, tzinfo=UTC)
OSLO = (59.91, 10.75)
OSLO_CELL = FORECAST.cell_at(*OSLO)
MISSING_CELL = FORECAST.cell_at(70.0, 20.0)
DAMAGED_CELL = FORECAST.cell_at(65.0, 14.0)
HOURS = 66
SCALE = 0.1
WEATHER = ("ghi", "ghi_v1", "temp_air", "wind_speed")
UNITS = {"temp_air": "degC", "wind_speed": "m s-1"}
SCALES = {"temp_air": 0.01, "wind_speed": 0.01}
OFFSETS = {"temp_air": -100.0}

Cells = Mapping[Cell, "np.ndarray"]


def entry(
    cycle: datetime = CYCLE,
    *,
    attempt: str = "20260601T000000-aaaa",
    variables: tuple[str, ...] = ("ghi", "ghi_v1"),
    source: str = "met_nordic",
    data_origin: str = "simulated",
    product: str = "forecast",
    hours_before: int = 0,
) -> Entry:
    """An entry of a product's index; a day has hours before its cycle."""
    version = format_partition(cycle)
    path = f"{product}/{version}/{attempt}"
    return Entry(
        product=product, version=version, attempt=attempt, issued_at=cycle,
        valid_from=cycle - timedelta(hours=hours_before),
        valid_to=cycle + timedelta(hours=HOURS), schema=1, path=f"{path}.zarr", manifest=f"{path}.manifest.json",
        source=source, data_origin=data_origin, variables=variables, published_at=cycle,
    )  # fmt: skip


def series(peak: int = 5000) -> np.ndarray:
    """A packed series (0.1 W/m2) with nights of zero."""
    return np.array([max(0, round(peak * np.sin((h % 24 - 4) / 16 * np.pi))) for h in range(HOURS)], "<u2")


def temperature(hours: int = HOURS) -> np.ndarray:
    """Air temperature of every cell that is given, degC: warmest at 15 UTC."""
    return np.round(12 + 6 * np.cos((np.arange(hours) - 15) / 12 * np.pi), 2)


def wind(hours: int = HOURS) -> np.ndarray:
    """Wind speed of every cell that is given, m/s."""
    return np.round(3 + 2 * np.sin(np.arange(hours) / 7), 2)


def _variable(name: str, ghi: np.ndarray) -> np.ndarray:
    if name == "temp_air":
        return np.rint((temperature(len(ghi)) - OFFSETS[name]) / SCALES[name])
    if name == "wind_speed":
        return np.rint(wind(len(ghi)) / SCALES[name])
    return ghi // (2 if name == "ghi_v1" else 1)


def usual_cells() -> dict[Cell, np.ndarray]:
    """Oslo with sun, one cell missing, one damaged."""
    return {
        OSLO_CELL: series(),
        MISSING_CELL: np.full(HOURS, 65535, "<u2"),
        DAMAGED_CELL: np.full(HOURS, 65534, "<u2"),
    }


def hydrate(state: Path, made: Entry, cells: Cells | None = None, damaged_shards: tuple[str, ...] = ()) -> Path:
    """Write the hydrated tile of an entry; `ghi_v1` is half of `ghi`."""
    hours = (made.valid_to - made.valid_from) // timedelta(hours=1)
    data = np.zeros((*FORECAST.shape, len(made.variables), hours), "<u2")
    described = {}
    for place, name in enumerate(made.variables):
        converted: dict[int, np.ndarray] = {}
        for cell, packed in (usual_cells() if cells is None else cells).items():
            if id(packed) not in converted:  # a national tile has few shapes
                converted[id(packed)] = np.where(packed >= 65534, packed, _variable(name, packed)).astype("<u2")
            data[(*cell, place)] = converted[id(packed)]
        peak = max((int(np.max(one, where=one < 65534, initial=0)) for one in converted.values()), default=0)
        described[name] = {
            "units": UNITS.get(name, "W m-2"), "scale": SCALES.get(name, SCALE), "offset": OFFSETS.get(name, 0.0),
            "min": 0.0, "max": round(peak * SCALE, 6),
        }  # fmt: skip
    start = int(made.valid_from.timestamp())
    times = [start + 3600 * h for h in range(hours)]
    return write_hydrated(state, made, data, times, described, damaged_shards)


def write_hydrated(
    state: Path,
    made: Entry,
    data: np.ndarray,
    times: list[int],
    described: Mapping[str, Mapping[str, object]],
    damaged_shards: tuple[str, ...] = (),
) -> Path:
    """Write a hydrated tile: uint16 (rows, columns, variables, times), and what the header says of the variables."""
    folder = hydrated_dir(state, made.path)
    folder.mkdir(parents=True)
    _write_sparse(folder / POINTS, data.data.cast("B"))
    header = {
        "format": FORMAT, "product": made.product, "version": made.version, "attempt": made.attempt, "schema": 1,
        "shape": [*data.shape[:2], len(times)], "n_times": len(times), "times": times, "variables": described,
        "checksums": checksums(data), "damaged": list(damaged_shards), "provenance": {},
    }  # fmt: skip
    (folder / HEADER).write_text(json.dumps(header))
    return folder


def turbidity_entry() -> Entry:
    """An entry of the climatology."""
    path = "turbidity/climatology/20260101T000000-aaaa"
    return replace(
        entry(datetime(1990, 1, 1, tzinfo=UTC)), product="turbidity", version="climatology", path=f"{path}.zarr",
        manifest=f"{path}.manifest.json", variables=("linke_turbidity",), data_origin="live",
    )  # fmt: skip


def hydrate_turbidity(state: Path) -> Path:
    """Write a hydrated climatology: 3 everywhere."""
    data = np.full((*FORECAST.shape, 1, 12), 300, "<u2")
    described = {"linke_turbidity": {"units": "1", "scale": 0.01, "offset": 0.0}}
    return write_hydrated(state, turbidity_entry(), data, list(range(1, 13)), described)


def alter(state: Path, product: str = "forecast") -> None:
    """Change every number of a product's hydrated file where it lies."""
    [path] = (state / "hydrated" / product).rglob(POINTS)
    numbers = np.memmap(path, "<u2", "r+")
    numbers ^= 4
    numbers.flush()


def _write_sparse(path: Path, data: memoryview) -> None:
    block = 1 << 20
    with path.open("wb") as file:
        for offset in range(0, len(data), block):
            part = data[offset : offset + block]
            if np.frombuffer(part, "u1").any():
                file.seek(offset)
                file.write(part)
        file.truncate(len(data))


def write_index(store: Path, *entries: Entry, product: str = "forecast") -> None:
    """Publish: replace the index by one of these entries."""
    index = Index(())
    for one in entries:
        index = index.with_entry(one)
    path = store / index_key(product)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_bytes(index.to_bytes())
    new.replace(path)
