"""For GIS that does not read sharded Zarr 3 (GDAL before 3.13): a variable as cloud-optimized GeoTIFF."""

from datetime import UTC, datetime
from itertools import product as product_of
from pathlib import Path

import numpy as np
import rioxarray  # noqa: F401 - registers `.rio`
import xarray as xr

from catalog.dataset import open_dataset
from catalog.versions import read_index
from tiles.clock import Clock, iso
from tiles.manifest import Manifest
from tiles.products.registry import product as declared
from tiles.store import Store


def export_cog(
    store: Store,
    product: str,
    variable: str,
    hour: datetime | None,
    path: Path,
    *,
    now: datetime,
    version: str | None = None,
) -> str:
    """Write one step of a variable as a GeoTIFF with overviews, north up, float32, NaN where missing.

    Parameters
    ----------
    store : Store
    product, variable : str
    hour : datetime or None
        Start of the hour; every step as one band each when absent.
    path : Path
    now : datetime
        By the clock; chooses the version when none is named.
    version : str, optional

    Returns
    -------
    str
        One sentence about what was written.

    Raises
    ------
    KeyError
        No such product, version, variable or hour; the text names those that there are.
    TileCorrupt
        The version is damaged; a missing shard would look like missing cells.
    """
    declaration = declared(product)
    index = read_index(store, product)
    entry = index.get(version) if version else index.newest(now)
    if entry is None or declaration.grid is None:
        raise KeyError(f"there is no {version or 'version'} of '{product}' to export")
    if variable not in entry.variables:
        raise KeyError(f"{product} {entry.version} has no '{variable}'; it has {', '.join(entry.variables)}")
    if not path.resolve().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.resolve().parent} to write {path.name} to")
    family = {"product": product} if declaration.family else {}
    values = open_dataset(declaration.family or product, entry.version, store=store, clock=Clock(now), **family)[
        variable
    ]
    values = values.transpose(..., *declaration.grid.dims)
    if hour is not None:
        values = _at(values, hour)
    manifest = Manifest.read(store, entry.manifest)
    for name in manifest.objects:
        if name.startswith(f"{variable}/"):
            manifest.fetch(store, name)
    steps = product_of(*(values[name].values for name in values.dims[:-2]))
    names = [" ".join([variable, *map(_named, step)]) for step in steps]
    bands = xr.DataArray(
        values.data.astype(np.float32).reshape(-1, *values.shape[-2:])[:, ::-1],
        dims=("band", "y", "x"),
        coords={"y": declaration.grid.axes[0][::-1], "x": declaration.grid.axes[1]},
        attrs={"long_name": names},
    )
    tags = {"product": product, "version": entry.version, "variable": variable, "data_origin": entry.data_origin}
    tags |= {key: values.attrs[key] for key in ("units", "comment")}
    bands = bands.rio.write_crs(declaration.grid.epsg).rio.write_nodata(np.nan)
    # never windowed: into a COG that takes 60 s instead of 2
    bands.rio.to_raster(path, driver="COG", compress="deflate", tags=tags)
    return f"{path}: {variable} of {product} {entry.version} ({entry.data_origin} data), {len(names)} bands"


def _at(values: xr.DataArray, hour: datetime) -> xr.DataArray:
    times = values["time"].values if "time" in values.dims else np.array([], "datetime64[s]")
    found = times == np.datetime64(hour.astimezone(UTC).replace(tzinfo=None))
    if not found.any():
        span = f"it runs from {times[0].astype('datetime64[s]')}Z" if times.size else "it has no times"
        raise KeyError(f"{iso(hour)} is not in the version; {span}")
    return values[found]


def _named(step: object) -> str:
    return f"{step.astype('datetime64[s]')}Z" if isinstance(step, np.datetime64) else str(step)
