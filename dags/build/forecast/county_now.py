"""Irradiance and specific production of each county, from the stitched day of a cycle."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.publish import Moment, publish
from catalog.versions import Entry
from dags.build.borders import land, municipality
from dags.build.cells import land_share
from dags.build.context import BuildContext
from dags.build.forecast.published import published
from dags.build.provenance import INTERVAL, provenance
from dags.build.snow.snow_factors import reference_cells
from kernels.production import simplified
from kernels.sun import sun_table
from tiles.arrays import read_whole
from tiles.clock import iso
from tiles.grid import FORECAST, NORWAY3KM, Cell, OutsideGrid
from tiles.manifest import Manifest
from tiles.product import FILL
from tiles.products import day
from tiles.products.county_now import COUNTIES, ENGINE, PERFORMANCE_RATIO, PRODUCT, ROOFS, TEMP_COEFF
from tiles.store import Store
from tiles.writer import Draft

Floats = NDArray[np.float64]
Packed = NDArray[np.uint16]

METHOD = (
    "mean of the municipalities of the county, each the mean over the forecast cells of up to nine cells of 3 km, "
    "evenly spread over the lowest third of the municipality's land (by relief): where people live. Municipalities "
    f"weigh the same. Engine {ENGINE} in each forecast cell, without horizon, shade and snow, on a reference mix "
    "of roofs that is an assumption and no statistics"
)
_HALF_HOUR_S = 1800


class Weights(NamedTuple):
    """Forecast cells that stand for the built area of counties.

    Parameters
    ----------
    cells : tuple of (row, column)
        Of the forecast grid, each once.
    share : float64 (counties, cells)
        What a cell counts in the mean of a county: each row sums to 1, or to 0 where nothing stands for the county.
    municipalities : int64 (counties,)
        How many municipalities count.
    """

    cells: tuple[Cell, ...]
    share: Floats
    municipalities: NDArray[np.int64]


def build(context: BuildContext) -> Entry:
    """Publish the counties of a published day; the municipalities are published first where there are none.

    Parameters
    ----------
    context : BuildContext
        Partition: the cycle's hour, `2015-08-24T13`; None: the newest day that is published.

    Raises
    ------
    ValueError
        The partition is none, that day is not published, or lacks temperature; or nothing stands for a county.
    SourceError
        The borders of the municipalities cannot be had.
    TileCorrupt
        The day, or the municipalities, are damaged.
    DraftInvalid
        A validator refused the result.
    """
    store, now = context.store, context.clock.now()
    of = published(context, day.PRODUCT.name)
    land.ensure(context)
    borders = municipality.ensure(context)
    manifest = Manifest.read(store, of.manifest)
    ghi, temp_air = _read(store, of, manifest)
    covered = (ghi.max(axis=0) != FILL) & (temp_air.max(axis=0) != FILL)
    weights = weights_of(
        reference_cells(municipality.read(store, borders).number, land_share(store, context.clock)), covered
    )
    if lacking := [f"{number:02d} {COUNTIES[number]}" for number in _without(weights)]:
        raise ValueError(
            f"day {of.version} and municipality {borders.version} have no cell of county {', '.join(lacking)}; where "
            "the municipalities are old: solflis build municipality"
        )
    context.report(f"{len(weights.cells)} cells of {weights.municipalities.sum()} municipalities")
    rows, columns = np.array(weights.cells).T
    times = int(of.valid_from.timestamp()) + 3600 * np.arange(len(ghi), dtype=np.int64)
    of_cells = day.PRODUCT.variable("ghi").unpack(ghi[:, rows, columns])
    warmth = day.PRODUCT.variable("temp_air").unpack(temp_air[:, rows, columns])
    axes = {"time": times, "county": np.array(list(COUNTIES), np.int64)}
    draft = Draft(store, PRODUCT, of.version, axes, _provenance(store, of, manifest, borders, weights))
    draft.write("ghi", of_cells @ weights.share.T)
    draft.write("specific_power", specific_power(weights.cells, times, of_cells, warmth) @ weights.share.T)
    return publish(
        draft, Moment(of.issued_at, of.valid_from, of.valid_to), now=now, expected=None, report=context.report
    )


def weights_of(references: Mapping[int, Iterable[Cell]], covered: NDArray[np.bool_]) -> Weights:
    """Return the forecast cells of the counties, and what each counts.

    Parameters
    ----------
    references : mapping of int to iterable of cell
        Cells of the 3 km grid that stand for each municipality, by its number.
    covered : bool (rows, columns)
        Forecast cells that have a whole series; of municipalities without one nothing counts.
    """
    numbers = list(COUNTIES)
    counted: list[dict[Cell, float]] = [{} for _ in numbers]
    municipalities = np.zeros(len(numbers), np.int64)
    for number, cells in references.items():
        there = [cell for cell in map(_forecast_cell, cells) if cell is not None and covered[cell]]
        if number // 100 not in COUNTIES or not there:
            continue
        county = numbers.index(number // 100)
        municipalities[county] += 1
        for cell in there:
            counted[county][cell] = counted[county].get(cell, 0.0) + 1 / len(there)
    every = tuple(sorted(set().union(*counted)))
    at = {cell: column for column, cell in enumerate(every)}
    share = np.zeros((len(numbers), len(every)))
    for county, counts in enumerate(counted):
        for cell, count in counts.items():
            share[county, at[cell]] = count / municipalities[county]
    return Weights(every, share, municipalities)


def specific_power(cells: Iterable[Cell], times: NDArray[np.int64], ghi: Floats, temp_air: Floats) -> Floats:
    """Return the power of the reference mix of roofs in cells of the forecast grid.

    Parameters
    ----------
    cells : iterable of (row, column)
        n of them.
    times : int64 (hours,)
        Starts of hours, unix seconds.
    ghi, temp_air : float64 (hours, n)
        W/m2, degrees C.

    Returns
    -------
    float64 (hours, n)
        W per kWp.
    """
    sun = sun_table(times + _HALF_HOUR_S)
    watts = [
        simplified(sun, *FORECAST.centre(cell), of_cell, warmth, ROOFS, PERFORMANCE_RATIO, TEMP_COEFF).sum(axis=0)
        for cell, of_cell, warmth in zip(cells, ghi.T, temp_air.T, strict=True)
    ]
    return np.stack(watts, axis=1)


def _read(store: Store, of: Entry, manifest: Manifest) -> tuple[Packed, Packed]:
    if "temp_air" not in of.variables:
        raise ValueError(f"day {of.version} has no temp_air, without which no production is calculated")
    return read_whole(store, manifest, "ghi"), read_whole(store, manifest, "temp_air")


def _forecast_cell(cell: Cell) -> Cell | None:
    try:
        return FORECAST.cell_at(*NORWAY3KM.centre(cell))
    except OutsideGrid:
        return None


def _without(weights: Weights) -> list[int]:
    return [number for number, count in zip(COUNTIES, weights.municipalities, strict=True) if not count]


def _provenance(store: Store, of: Entry, manifest: Manifest, borders: Entry, weights: Weights) -> dict[str, Any]:
    used, said = (of, borders), (manifest.provenance, Manifest.read(store, borders.manifest).provenance)
    counts = zip(
        COUNTIES.items(), weights.municipalities.tolist(), (weights.share > 0).sum(axis=1).tolist(), strict=True
    )
    return provenance(
        [{"name": e.product, "version": e.version, "attempt": e.attempt, "data_origin": e.data_origin} for e in used],
        source="+".join(dict.fromkeys(entry.source for entry in used)),
        cycle_time=iso(of.issued_at),
        **{
            name: "; ".join(dict.fromkeys(one[name] for one in said if name in one))
            for name in ("licence", "attribution")
        },
        method=METHOD,
        engine=ENGINE,
        roofs=[list(roof) for roof in ROOFS],
        performance_ratio=PERFORMANCE_RATIO,
        temp_coeff=TEMP_COEFF,
        counties=[[number, name, municipalities, cells] for (number, name), municipalities, cells in counts],
        missing_variables=[],
        interval=INTERVAL,
    )
