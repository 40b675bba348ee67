"""What `tmy_stats` holds of a cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from api.data.tmy_products import PRODUCTS, Confidence, ProductName
from tiles.chunked import ChunkedTile
from tiles.grid import Cell
from tiles.products.tmy_stats import ANNUAL, NAMES

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class OfProduct:
    """What is known of one product in a cell.

    Parameters
    ----------
    annual_ghi : mapping of str to (float or None)
        By confidence, kWh/m2; None where there is none.
    annual_ghi_std, annual_dni : float or None
        kWh/m2.
    monthly_p50, monthly_p90 : float64 (12,)
        kWh/m2.
    selected_years : tuple of int (12)
    """

    annual_ghi: Mapping[Confidence, float | None]
    annual_ghi_std: float | None
    annual_dni: float | None
    monthly_p50: Numbers
    monthly_p90: Numbers
    selected_years: tuple[int, ...]


@dataclass(frozen=True)
class Statistics:
    """What is known of a cell.

    Parameters
    ----------
    products : mapping of str to OfProduct
        Those that exist in the cell.
    bias_correction : float64 (12,)
        What was added to the ensemble's monthly mean, W/m2.
    n_stations : int
        Behind it.
    weight_solarmodel : float
        In the ensemble; the reanalysis has the rest.
    elevation : float
        Of the model's ground, m.
    """

    products: Mapping[ProductName, OfProduct]
    bias_correction: Numbers
    n_stations: int
    weight_solarmodel: float
    elevation: float

    @property
    def weights(self) -> dict[str, float]:
        """The ensemble's weights."""
        weight = round(self.weight_solarmodel, 2)
        return {"reanalysis": round(1 - weight, 2), "solarmodel": weight}


def read_statistics(tile: ChunkedTile, cell: Cell) -> Statistics | None:
    """Return what is known of a cell, or None where nothing is built.

    Raises
    ------
    TileError, OSError
        It cannot be read.
    """
    values = partial(tile.values, cell=cell)
    annual = {name: values(f"annual_ghi_{name}") for name in ANNUAL}
    if np.isnan(annual["tmy"]).all():
        return None
    std, dni = values("annual_ghi_std"), values("annual_dni_tmy")
    p50, p90, selected = values("monthly_ghi_p50"), values("monthly_ghi_p90"), values("selected_year")
    products: dict[ProductName, OfProduct] = {}
    for name in PRODUCTS:
        i = NAMES.index(name)
        if not np.isnan(annual["tmy"][i]):
            products[name] = OfProduct(
                annual_ghi={which: _known(of[i]) for which, of in annual.items()},  # type: ignore[misc]
                annual_ghi_std=_known(std[i]),
                annual_dni=_known(dni[i]),
                monthly_p50=p50[i],
                monthly_p90=p90[i],
                selected_years=tuple(int(year) for year in selected[i]),
            )
    return Statistics(
        products=products,
        bias_correction=values("bias_correction"),
        n_stations=int(values("bias_stations")),
        weight_solarmodel=float(values("weight_solarmodel")),
        elevation=float(values("altitude")),
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 3)
