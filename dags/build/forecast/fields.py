"""The fields of one hour of a forecast, on the source's grid and brought to the 0.03 degree grid."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import pairwise
from types import TracebackType

import numpy as np
import pyproj
from numpy.typing import NDArray

from catalog.sources.cycle import Cycle
from dags.build.climate import normals as climate
from kernels import clearsky, cloud, deaccumulate, regrid, sun
from kernels import correction as correct
from tiles.grid import FORECAST, RegularGrid

Field = NDArray[np.float32]
HOUR_S = 3600
THREADS = 2
# An hour in which the sun's centre stays this far below the horizon is night: packing noise is not light.
NIGHT_SINE = np.sin(np.radians(-2.0))


class HourFields:
    """Runs through a cycle's instants and gives each hour's fields on the target grid. A context manager.

    Parameters
    ----------
    cycle : Cycle
    table : CorrectionTable
        Of v2.3b.
    models : tuple of str
        The tile's variables that are wanted.
    grid : RegularGrid
    """

    def __init__(
        self, cycle: Cycle, table: correct.CorrectionTable, models: tuple[str, ...], grid: RegularGrid = FORECAST
    ) -> None:
        self.models, self.shape = models, grid.shape
        self._times, self._table = cycle.times, table
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="hour")
        lats, lons = np.meshgrid(*grid.axes, indexing="ij")
        to_source = pyproj.Transformer.from_crs(4326, pyproj.CRS.from_proj4(cycle.proj4), always_xy=True)
        target_x, target_y = to_source.transform(lons, lats)
        whole = regrid.plan(cycle.lat, cycle.lon, cycle.x, cycle.y, target_x, target_y, grid.lat0, grid.lon0, grid.step)
        # of MET Nordic's 4.2 million cells, 1.6 million feed any target: the others are left out from here on
        self._used, self._plan = regrid.compact(whole)
        self.covered: NDArray[np.bool_] = self._plan.covered.reshape(self.shape)
        altitude = None if cycle.altitude is None else self._of_source(cycle.altitude)
        self._source_sky = sky_over(
            cycle.lat.reshape(-1)[self._used], cycle.lon.reshape(-1)[self._used], altitude, cycle.reference_time
        )
        # only interpolated targets need a clear sky of their own
        between = self._plan.bilinear
        on_target = None if cycle.altitude is None else self._regridded(cycle.altitude).reshape(-1)[between]
        self._between_sky = sky_over(
            lats.reshape(-1)[between], lons.reshape(-1)[between], on_target, cycle.reference_time
        )
        self._up = sun.vertical(lats[self.covered], lons[self.covered]).astype(np.float32)
        self._parts = _parts(self._used.size)
        self._highest, self._rate, self._gcs, self._sine, self._ghi, self._v1 = (
            np.empty(self._used.size, np.float32) for _ in range(6)
        )
        self._between_gcs, self._between_sine = (np.empty(between.size, np.float32) for _ in range(2))
        self._target_gcs = np.zeros(lats.size, np.float32)
        self._cloud: Field | None = None
        self._ends: dict[str, Field] = {}

    def __enter__(self) -> "HourFields":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown()

    def start(self, instant: dict[str, Field]) -> None:
        """Take the cycle's first instant.

        Raises
        ------
        AccumulationError
            Its accumulated shortwave cannot be.
        """
        first = self._of_source(instant["ghi_acc"])
        refused = deaccumulate.start(first, self._highest)
        if refused >= 0:
            raise self._refusal(first, refused, 0)
        self._cloud = self._of_source(instant["cloud"]) if "ghi_v1" in self.models else None
        self._ends = {name: self._regridded(instant[name]) for name in self._end_means()}

    def advance(self, hour: int, instant: dict[str, Field]) -> dict[str, Field]:
        """Take the instant at the end of an hour; return the hour's fields, (n_lat, n_lon) each, NaN where missing.

        Raises
        ------
        AccumulationError
            The accumulated shortwave has a new base, or cannot be.
        """
        start = int(self._times[hour])
        lead = correct.at_lead(self._table, hour + 0.5)
        accumulated = self._of_source(instant["ghi_acc"])
        clouds = self._of_source(instant["cloud"]) if self._cloud is not None else None

        def on_source(part: slice) -> int:
            refused = deaccumulate.advance(self._highest[part], accumulated[part], HOUR_S, self._rate[part])
            if refused >= 0:
                return int(part.start) + refused
            sky = self._source_sky.part(part.start, part.stop)
            clearsky.hour_mean(sky, start, self._gcs[part], self._sine[part])
            correct.correct(self._rate[part], self._gcs[part], self._sine[part], lead, self._ghi[part])
            if clouds is not None and self._cloud is not None:
                mean = (self._cloud[part] + clouds[part]) * np.float32(0.5)
                cloud.ghi_under_cloud(self._gcs[part], mean, self._v1[part])
            return -1

        refused = [cell for cell in self._pool.map(on_source, self._parts) if cell >= 0]
        if refused:
            raise self._refusal(accumulated, min(refused), hour + 1)
        clearsky.hour_mean(self._between_sky, start, self._between_gcs, self._between_sine)
        self._target_gcs[self._plan.bilinear] = self._between_gcs
        fields = self._on_target(instant, self._is_night(start))
        self._cloud = clouds
        return fields

    def _on_target(self, instant: dict[str, Field], night: NDArray[np.bool_]) -> dict[str, Field]:
        jobs: dict[str, Callable[[], Field]] = {"ghi": lambda: self._irradiance(self._ghi, night)}
        if "ghi_v1" in self.models:
            jobs["ghi_v1"] = lambda: self._irradiance(self._v1, night)
        for name in self._end_means():
            jobs[name] = lambda name=name: self._end_mean(name, instant[name])  # type: ignore[misc]
        running = {name: self._pool.submit(job) for name, job in jobs.items()}
        return {name: future.result() for name, future in running.items()}

    def _irradiance(self, ghi: Field, night: NDArray[np.bool_]) -> Field:
        out = np.empty(self.shape, np.float32)
        regrid.regrid_ghi(self._plan, ghi, self._gcs, self._target_gcs, out)
        out[night & ~np.isnan(out)] = 0  # a missing cell stays missing
        return out

    def _end_mean(self, name: str, field: Field) -> Field:
        end = self._regridded(field)
        mean = (self._ends[name] + end) * np.float32(0.5)
        self._ends[name] = end
        return mean

    def _regridded(self, field: Field) -> Field:
        out = np.empty(self.shape, np.float32)
        regrid.regrid(self._plan, self._of_source(field), out)
        return out

    def _of_source(self, field: Field) -> Field:
        """Return the cells of a source field that feed any target."""
        return field.reshape(-1).take(self._used)

    def _refusal(self, accumulated: Field, cell: int, step: int) -> deaccumulate.AccumulationError:
        error = deaccumulate.refusal(self._highest, accumulated, cell, step)
        error.cell = int(self._used[cell])
        return error

    def _end_means(self) -> list[str]:
        return [name for name in self.models if not name.startswith("ghi")]

    def _is_night(self, start: int) -> NDArray[np.bool_]:
        moments = sun.sun_table(start + np.array([0, HOUR_S // 2, HOUR_S]))
        night = np.zeros(self.shape, bool)
        night[self.covered] = sun.cos_zenith(self._up, moments).max(axis=0) < NIGHT_SINE
        return night


def sky_over(
    lat: NDArray[np.float64], lon: NDArray[np.float64], altitude: Field | None, day: datetime
) -> clearsky.CellGeometry:
    """Prepare the clear sky; where the source gives no height, the relief map does."""
    relief = climate.altitude(lat, lon)
    height = relief if altitude is None else np.where(np.isfinite(altitude), altitude, relief)
    return clearsky.prepare(lat, lon, np.clip(height, 0, 5000), climate.linke_turbidity(lat, lon, day))


def _parts(size: int) -> list[slice]:
    edges = np.linspace(0, size, THREADS + 1).astype(int)
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]
