"""A file of MET Nordic's full size in a minute: the simulator's weather on a coarse grid, made smooth.

1796 x 2321 cells x 67 hours of shortwave, cloud, temperature and wind speed as NetCDF4 float32, one chunk
per time step, shuffle and deflate level 2, on MET Nordic's real grid, a cycle of a summer day. Fields
are made on control points and spread by Gaussian weights, so that any process can make any step.
"""

from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import h5netcdf
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from infra.simulator import cf
from infra.simulator.grids import MET_NORDIC
from infra.simulator.netcdf import LAYOUTS, make_cycle_file

CYCLE = datetime(2026, 6, 20, tzinfo=UTC)
STEPS = 67
COARSE_M = 20_000.0
NAMES = [variable.name for variable in LAYOUTS["met_nordic"] if variable.field != "relative_humidity"]

Field = NDArray[np.float32]


def coarse_fields(folder: Path) -> dict[str, Field]:
    """Return each variable as the simulator makes it on the control points, (steps, y, x)."""
    make_cycle_file(folder / "coarse.nc", "met_nordic", CYCLE, COARSE_M / 1000)
    with h5netcdf.File(folder / "coarse.nc") as file:
        return {name: file[name][...].astype(np.float32) for name in NAMES}


def weights(axis: int) -> Field:
    """Return the weights (cells, control points) of x (0) or y (1)."""
    full = MET_NORDIC.axes(1)[axis]
    w = np.exp(-0.5 * ((full[:, None] - MET_NORDIC.axes(COARSE_M / 1000)[axis]) / (0.8 * COARSE_M)) ** 2)
    result: Field = (w / w.sum(axis=1, keepdims=True)).astype(np.float32)
    return result


def make_chunk(coarse: Field) -> bytes:
    """Return one time step of one variable as HDF5 stores it with shuffle and deflate, from its control points."""
    planes = np.ascontiguousarray(weights(1) @ coarse @ weights(0).T).view(np.uint8).reshape(-1, coarse.itemsize)
    compressed: bytes = isal_zlib.compress(np.ascontiguousarray(planes.T).data, 2)
    return compressed


def write(path: Path) -> None:
    """Write the file."""
    fields, (x, y), start = coarse_fields(path.parent), MET_NORDIC.axes(1), CYCLE.timestamp()
    with cf.new_file(path, start, "national cycle of a bench") as (file, stored), ProcessPoolExecutor() as pool:
        cf.add(file, "time", ("time",), start + 3600.0 * np.arange(STEPS), cf.SINCE, standard_name="time")
        cf.add(file, "forecast_reference_time", (), np.float64(start), cf.SINCE)
        cf.add_lambert(file, MET_NORDIC, (x, y), MET_NORDIC.positions(x, y))
        for variable in LAYOUTS["met_nordic"]:
            if variable.name in fields:
                cf.add_field(file, variable, (1, y.size, x.size), ("y", "x"))
                for step, chunk in enumerate(pool.map(make_chunk, fields[variable.name])):
                    stored[variable.name].id.write_direct_chunk((step, 0, 0), chunk)
