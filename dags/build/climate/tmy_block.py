"""One block of typical years: cell by cell from the archive through the kernels into what is stored."""

from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
from numpy.typing import NDArray

from dags.build.cells import block_array, rows_columns
from dags.build.climate import normals as climate
from dags.build.climate.archive_reading import Archive, ground_of
from dags.build.climate.station_bias import Biases
from kernels.tmy.bias_field import Sites, interpolate
from kernels.tmy.cell import CellProducts, Place, Series, TypicalYear, cell_products
from kernels.tmy.ensemble import SOLARMODEL
from kernels.tmy.sunlight import Sky
from tiles.building import Corner
from tiles.grid import NORWAY3KM, Cell
from tiles.product import FILL, Product
from tiles.products.registry import product
from tiles.products.tmy import HOURS, MADE_OF
from tiles.products.tmy_stats import ANNUAL
from tiles.products.tmy_stats import PRODUCT as STATS

Packed = dict[str, dict[str, NDArray[np.uint16]]]
_NAMES = tuple(MADE_OF)


class BlockMaker:
    """Makes blocks.

    Parameters
    ----------
    archive : Archive
    sky : Sky
    bias : Biases
    """

    def __init__(self, archive: Archive, sky: Sky, bias: Biases) -> None:
        self._archive, self._sky, self._bias = archive, sky, bias

    def block(self, corner: Corner, cells: Sequence[int]) -> Packed:
        """Return what is stored of a block, by product and variable.

        Parameters
        ----------
        corner : (int, int)
        cells : sequence of int
            Of the block, counted row by row.

        Raises
        ------
        ValueError
            An hour of the archive is missing or impossible; the text names it.
        TileCorrupt
            The archive is damaged.
        """
        packed: Packed = {
            name: {v.name: block_array((HOURS,), corner, FILL) for v in product(name).variables} for name in _NAMES
        }
        packed[STATS.name] = {v.name: block_array(_shape(STATS, v.name), corner, FILL) for v in STATS.variables}
        for row, column in zip(*rows_columns(corner, cells), strict=True):
            cell = int(row), int(column)
            inside = cell[0] - corner[0], cell[1] - corner[1]
            self._store(cell, inside, packed)
        return packed

    def _store(self, cell: Cell, inside: Cell, packed: Packed) -> None:
        series, altitude = self._archive.series(cell), ground_of(self._archive, cell)
        lat, lon = NORWAY3KM.centre(cell)
        bias, stations = self._bias_at(lat, lon, altitude, series)
        place = Place(lat, lon, altitude, climate.linke_turbidity_of_months(lat, lon))
        try:
            made = cell_products(self._sky, place, series, bias)
        except ValueError as error:
            raise ValueError(f"cell {cell} at {lat:.3f} N {lon:.3f} E: {error}") from error
        years = {
            "ens_tmy30": made.ensemble,
            "reanalysis_tmy30": made.reanalysis30,
            "reanalysis_tmy18": made.reanalysis18,
            "solarmodel_tmy30": made.solarmodel,
        }
        for name, year in years.items():
            if year is not None:
                for variable in product(name).variables:
                    values = getattr(year, variable.name)
                    packed[name][variable.name][(slice(None), *inside)] = variable.pack(values)
        told = _statistics(years, made, stations, altitude)
        for name, values in told.items():
            packed[STATS.name][name][(..., *inside)] = STATS.variable(name).pack(values)

    def _bias_at(self, lat: float, lon: float, altitude: float, series: Series) -> tuple[NDArray[np.float64], int]:
        """Return the bias of what the ensemble is here, (12,), and from how many stations it is."""
        model = "reanalysis" if np.isnan(series.ghi_solarmodel).all() else "ensemble"
        bias, stations = interpolate(Sites([lat], [lon], [altitude]), self._bias.sites, self._bias.bias[model])
        return bias[0], int(stations[0])


def _shape(declared: Product, name: str) -> tuple[int, ...]:
    over = declared.variable(name).over
    return tuple(d.size for d in declared.dimensions if over is None or d.name in over)


def _statistics(
    years: dict[str, TypicalYear | None], made: CellProducts, stations: int, altitude: float
) -> dict[str, NDArray[np.float64]]:
    """Return the variables of `tmy_stats` of a cell, NaN for a product that does not exist there."""
    annual = np.full((len(years), len(ANNUAL) + 2), np.nan)
    months = np.full((3, len(years), 12), np.nan)
    for number, year in enumerate(years.values()):
        if year is not None:
            mean, std, *exceeded = astuple(year.statistics)
            annual[number] = year.annual_ghi_tmy, mean, *exceeded, std, year.annual_dni_tmy
            months[:, number] = year.monthly_percentiles["p50"], year.monthly_percentiles["p90"], year.selected_years
    names = [*(f"annual_ghi_{name}" for name in ANNUAL), "annual_ghi_std", "annual_dni_tmy"]
    return {
        **{name: annual[:, i] for i, name in enumerate(names)},
        "monthly_ghi_p50": months[0],
        "monthly_ghi_p90": months[1],
        "selected_year": months[2],
        "bias_correction": made.applied,
        "bias_stations": np.array(float(stations)),
        "weight_solarmodel": np.array(0.0 if made.solarmodel is None else SOLARMODEL),
        "altitude": np.array(altitude),
    }
