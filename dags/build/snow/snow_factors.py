"""What snow leaves of production on planes of reference, by municipality."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import origin_of
from catalog.versions import Entry
from dags.build.borders.municipality import ByCell
from dags.build.climate import normals as climate
from dags.build.provenance import code_version, provenance
from dags.build.snow.packing import Packed, days_between
from dags.build.snow.season import DAYS_AHEAD, Season
from kernels.snow.cloudless import cloudless_days
from kernels.snow.cover import cover
from kernels.snow.days import SnowWeather
from kernels.snow.panel import Panel
from tiles.grid import NORWAY3KM, Cell
from tiles.manifest import Manifest
from tiles.products.snow_factors import GEOMETRIES, PRODUCT
from tiles.products.snow_outlook import PRODUCT as OUTLOOK
from tiles.store import Store
from tiles.writer import Draft

MOST_CELLS = 9
"""So many cells stand for a municipality; all of its lowest third, where these are fewer."""
SHARE = 0.5
"""Of a cloudless sky's light, what weighs hours and makes snow slide and melt."""
METHOD = (
    "1 - mean loss over up to nine cells, evenly spread over the lowest third of the municipality's cells of land (by "
    "relief): roofs and panels are where people live. Daily model of snow on modules, roof mounting, each covered part "
    "losing its own share, from the 1 September before."
)
IRRADIATION = (
    f"{SHARE:g} of the light of a cloudless sky, by month and hour, at the municipality's reference cell: no horizon "
    "and no typical year"
)

_MOSTLY = 0.5
_WEATHER = ("new_snow", "new_snow_depth", "snow_depth", "temp_air")
Floats = NDArray[np.float64]


def reference_cells(number: NDArray[np.int64], share: Floats) -> dict[int, list[Cell]]:
    """Return the cells that stand for each municipality: of its lowest third by relief, evenly spread.

    Cells that are mostly water count only in municipalities that have no others.

    Parameters
    ----------
    number : int64 (rows, columns)
        Kommunenummer of each cell, 0 where there is none.
    share : float64 (rows, columns)
        Of each cell that is land.

    Returns
    -------
    dict of int to list of cell
        By number, ascending; cells from south to north.
    """
    rows, columns = np.nonzero(number)
    lat, lon = NORWAY3KM.positions
    height = climate.altitude(lat[rows, columns], lon[rows, columns])
    numbers, is_land = number[rows, columns], share[rows, columns] >= _MOSTLY
    found: dict[int, list[Cell]] = {}
    for one in np.unique(numbers).tolist():
        of_it = np.flatnonzero((numbers == one) & is_land)
        if not of_it.size:
            of_it = np.flatnonzero(numbers == one)
        at = np.stack([rows[of_it], columns[of_it]], axis=1)
        from_middle = np.hypot(*(at - at.mean(axis=0)).T)
        low = np.sort(of_it[np.lexsort((from_middle, height[of_it]))[: -(-of_it.size // 3)]])
        chosen = low[np.unique(np.linspace(0, low.size - 1, min(MOST_CELLS, low.size)).round().astype(np.int64))]
        found[one] = [(int(rows[i]), int(columns[i])) for i in chosen]
    return found


def draft(
    store: Store,
    season: Season,
    series: Mapping[Cell, Packed],
    references: Mapping[int, Sequence[Cell]],
    by_cell: ByCell,
    borders: Entry,
    outlook: Mapping[str, Any],
) -> Draft:
    """Return the factors of a morning, ready to be published.

    Parameters
    ----------
    store : Store
    season : Season
    series : mapping of cell to Packed
        The outlook's series of the reference cells that it holds.
    references : mapping of int to sequence of cell
    by_cell : ByCell
        Names of the municipalities.
    borders : Entry
        Which municipalities these are.
    outlook : mapping
        Provenance of the outlook.
    """
    days = days_between(season.observed, season.today + timedelta(days=DAYS_AHEAD))
    rows: list[Floats] = []
    listed: list[list[Any]] = []
    for number, cells in references.items():
        there = [cell for cell in cells if cell in series]
        if not there:
            continue
        lat, lon, altitude = _place(there, series)
        listed.append([number, by_cell.names[number], round(lat, 4), round(lon, 4), round(altitude), len(there)])
        light = cloudless_days(
            lat, lon, altitude, climate.linke_turbidity_of_months(lat, lon), np.array(GEOMETRIES, np.float64), SHARE
        )
        left = factors(season.days, [_weather(series[cell]) for cell in there], light, lon)
        rows.append(left[:, -days.size :])
    axes = {
        "municipality": np.array([one[0] for one in listed], np.int64),
        "geometry": np.arange(len(GEOMETRIES), dtype=np.int64),
        "day": days,
    }
    kept = ("source", "observed_until", "snow_year_start", "requests", "missing_variables", "code_version", "built_at")
    of_borders = Manifest.read(store, borders.manifest).provenance["sources"]
    said = provenance(
        [*outlook["sources"], *of_borders],
        **{name: outlook[name] for name in kept},
        data_origin=origin_of(outlook["data_origin"], by_cell.data_origin),
        method=METHOD,
        irradiation=IRRADIATION,
        generator=f"Solflis snow_factors ({code_version()})",
        municipality=f"{borders.version}/{borders.attempt}",
        municipalities=listed,
        geometries=[list(plane) for plane in GEOMETRIES],
        days=[np.datetime64(int(day), "D").astype(str) for day in days],
    )
    made = Draft(store, PRODUCT, season.today.isoformat(), axes, said)
    made.write("factor", np.stack(rows))
    return made


def factors(days: NDArray[np.int64], weather: Sequence[SnowWeather], light: Floats, lon: float) -> Floats:
    """Return what snow leaves of production, the mean over cells.

    Parameters
    ----------
    days : int64 (n,)
        From the begin of a snow year, days since 1970-01-01.
    weather : sequence of SnowWeather
        Of each cell.
    light : float64 (n_planes, 12, 24)
        Mean irradiance on each plane, W/m2.
    lon : float
        Degrees east.

    Returns
    -------
    float64 (n_planes, n)
        0 to 1; NaN on days that no cell has data of.
    """
    left = np.full((len(light), days.size), np.nan)
    for plane, (tilt, _) in enumerate(GEOMETRIES):
        covers = [cover(days, one, light[plane], Panel(float(tilt)), lon) for one in weather]
        there = np.array([~one.missing for one in covers])
        lost = np.where(there, [one.loss for one in covers], 0.0).sum(axis=0)
        count = there.sum(axis=0)
        np.divide(count - lost, count, out=left[plane], where=count > 0)
    return np.asarray(np.clip(left, 0.0, 1.0))


def _weather(packed: Packed) -> SnowWeather:
    return SnowWeather(*(OUTLOOK.variable(name).unpack(packed[name]) for name in _WEATHER))


def _place(cells: Sequence[Cell], series: Mapping[Cell, Packed]) -> tuple[float, float, float]:
    """Return latitude, longitude (degrees) and altitude (m) of the cell in the middle of some."""
    middle = np.mean(cells, axis=0)
    nearest = min(cells, key=lambda cell: (cell[0] - middle[0]) ** 2 + (cell[1] - middle[1]) ** 2)
    lat, lon = NORWAY3KM.centre(nearest)
    return lat, lon, float(OUTLOOK.variable("altitude").unpack(series[nearest]["altitude"]))
