"""For GIS that does not read sharded Zarr 3 (GDAL before 3.13): one step of a variable as cloud-optimized GeoTIFF."""

from datetime import datetime
from pathlib import Path

import numpy as np
import zarr

from catalog.versions import read_index
from tiles.arrays import read_whole
from tiles.clock import iso
from tiles.manifest import Manifest
from tiles.products.registry import product as declared
from tiles.store import Store
from tiles.writer import read_array


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
        Start of the hour; every hour as one band each when absent.
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
    import rasterio
    from rasterio.transform import from_origin

    declaration = declared(product)
    index = read_index(store, product)
    entry = index.get(version) if version else index.newest(now)
    if entry is None or declaration.grid is None:
        raise KeyError(f"there is no {version or 'version'} of '{product}' to export")
    packing = declaration.variable(variable)
    group = zarr.open_group(store.zarr(entry.path, read_only=True), mode="r")
    if variable not in entry.variables:
        raise KeyError(f"{product} {entry.version} has no '{variable}'; it has {', '.join(entry.variables)}")
    times = read_array(group, "time")
    chosen = range(len(times)) if hour is None else _at(times, hour)
    manifest = Manifest.read(store, entry.manifest)
    packed = read_whole(store, manifest, variable)[list(chosen)]
    if not path.resolve().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.resolve().parent} to write {path.name} to")
    rows, columns = declaration.grid.axes
    step_y, step_x = rows[1] - rows[0], columns[1] - columns[0]
    with rasterio.open(
        path,
        "w",
        driver="COG",
        dtype="float32",
        nodata=np.nan,
        crs=f"EPSG:{declaration.grid.epsg}",
        compress="deflate",
        count=len(packed),
        height=packed.shape[1],
        width=packed.shape[2],
        transform=from_origin(columns[0] - step_x / 2, rows[-1] + step_y / 2, step_x, step_y),
    ) as out:
        out.update_tags(
            product=product,
            version=entry.version,
            variable=variable,
            units=packing.units,
            data_origin=entry.data_origin,
            comment=packing.comment,
        )
        for band, (at, values) in enumerate(zip(chosen, packed, strict=True), start=1):
            out.write(packing.unpack(values)[::-1].astype(np.float32), band)
            out.set_band_description(band, f"{variable} {np.datetime64(int(times[at]), 's')}Z")
    return f"{path}: {variable} of {product} {entry.version} ({entry.data_origin} data), {len(packed)} bands"


def _at(times: "np.ndarray[tuple[int], np.dtype[np.int64]]", hour: datetime) -> list[int]:
    found = np.flatnonzero(times == int(hour.timestamp()))
    if not found.size:
        raise KeyError(f"{iso(hour)} is not in the version; it runs from {np.datetime64(int(times[0]), 's')}Z, hourly")
    return [int(found[0])]
