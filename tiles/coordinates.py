"""The coordinates of a tile: its axes, where its cells lie in degrees, and its projection."""

from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray
from pyproj import CRS
from zarr.codecs import BloscCodec

from tiles.grid import UtmGrid
from tiles.product import Dimension, Product

# Of a projected grid with more cells (100 m), positions in degrees would weigh more than what is built there.
_MOST_POSITIONS = 1_000_000


def positions_of(product: Product) -> tuple[str, ...]:
    """Return the names of the arrays that tell where each cell lies in degrees; none where the axes do."""
    grid = product.grid
    if grid is None or grid.epsg == 4326 or grid.shape[0] * grid.shape[1] > _MOST_POSITIONS:
        return ()
    return ("lat", "lon")


def coordinate(
    group: zarr.Group,
    name: str,
    values: NDArray[Any],
    attributes: dict[str, Any],
    dims: tuple[str, ...] = (),
    compressors: Any = None,
) -> None:
    """Write a coordinate whole, as one chunk; by default the values of the dimension of that name."""
    array = group.create_array(
        name,
        shape=values.shape,
        chunks=values.shape,
        dtype=values.dtype,
        compressors=compressors,
        dimension_names=dims or (name,),
        attributes=attributes,
    )
    array[...] = values


def bounds_of(product: Product) -> tuple[str, ...]:
    """Return the names of the arrays that tell where intervals of time begin and end (CF `bounds`)."""
    return tuple(f"{d.name}_bnds" for d in product.dimensions if d.bounds)


def dimension_coordinate(group: zarr.Group, dimension: Dimension, values: NDArray[Any]) -> None:
    """Write the values of a dimension of the product's own, and their intervals where they have any."""
    attributes: dict[str, Any] = {"long_name": dimension.long_name, "units": dimension.units}
    for key in ("standard_name", "comment"):
        if getattr(dimension, key):
            attributes[key] = getattr(dimension, key)
    if " since " in dimension.units:
        attributes["calendar"] = "proleptic_gregorian"
    if dimension.labels:
        attributes |= {"flag_values": list(range(len(dimension.labels))), "flag_meanings": " ".join(dimension.labels)}
    if dimension.bounds:
        attributes["bounds"] = f"{dimension.name}_bnds"
    coordinate(group, dimension.name, values.astype(dimension.dtype), attributes)
    if dimension.bounds:
        ends = values[:, None].astype(np.float64) + np.array(dimension.bounds)
        coordinate(group, attributes["bounds"], ends, {}, (dimension.name, "bnds"))


def grid_coordinates(group: zarr.Group, product: Product) -> None:
    """Write the axes and the projection of a product's grid, and on a small projected one the cells' positions."""
    grid = product.grid
    assert grid is not None  # noqa: S101 - the caller asked
    geographic = grid.epsg == 4326
    described = (
        [("latitude", "degrees_north"), ("longitude", "degrees_east")]
        if geographic
        else [("projection_y_coordinate", "m"), ("projection_x_coordinate", "m")]
    )
    for name, values, (standard_name, units) in zip(grid.dims, grid.axes, described, strict=True):
        about = {"standard_name": standard_name, "long_name": f"{standard_name} of the cell's centre", "units": units}
        coordinate(group, name, values, about)
    mapping: dict[str, Any] = {"grid_mapping_name": "latitude_longitude"}
    if not geographic:
        mapping = CRS.from_epsg(grid.epsg).to_cf()
    mapping["epsg_code"] = f"EPSG:{grid.epsg}"
    group.create_array("crs", shape=(), dtype="int32", fill_value=0, attributes=mapping)
    if positions_of(product):
        _positions(group, product)


def _positions(group: zarr.Group, product: Product) -> None:
    grid = product.grid
    assert isinstance(grid, UtmGrid)  # noqa: S101 - it has positions
    lat, lon = grid.positions
    packed = [BloscCodec(cname="lz4", clevel=5, shuffle="bitshuffle", typesize=8)]
    for name, values, standard_name, units in (("lat", lat, "latitude", "north"), ("lon", lon, "longitude", "east")):
        about = {"standard_name": standard_name, "long_name": f"{standard_name} of the cell's centre"}
        about |= {"units": f"degrees_{units}", "grid_mapping": "crs"}
        coordinate(group, name, values, about, grid.dims, packed)
