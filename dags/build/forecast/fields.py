"""The fields of one hour of a forecast, on the source's grid and brought to the 0.03 degree grid."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import pairwise

import numpy as np
import pyproj
from numpy.typing import NDArray

from catalog.sources.cycle import Cycle
from dags.build.climate import normals as climate
from kernels import clearsky, cloud, deaccumulate, regrid, sun
from kernels import correction as correct
from tiles.grid import FORECAST

Field = NDArray[np.float32]
HOUR_S = 3600
THREADS = 2
# An hour in which the sun's centre stays this far below the horizon is night: packing noise is not light.
NIGHT_SINE = np.sin(np.radians(-2.0))


class SourceHours:
    """Brings cells of a source through a cycle's hours: shortwave, clear sky, v2.3b and v1.

    Parameters
    ----------
    cycle : Cycle
    table : CorrectionTable
        Of v2.3b.
    cells : int (cells,)
        Which they are, row * columns + column.
    pool : ThreadPoolExecutor, optional
        Shares them out.

    Attributes
    ----------
    ghi_raw, gcs, sine, ghi, ghi_v1 : float32 (cells,)
        Of the last hour: shortwave and clear sky, W/m2, sine of the sun's height, and both models, W/m2.
    """

    def __init__(
        self,
        cycle: Cycle,
        table: correct.CorrectionTable,
        cells: NDArray[np.integer],
        pool: ThreadPoolExecutor | None = None,
    ) -> None:
        self._times, self._table, self._cells = cycle.times, table, cells
        lat, lon = (field.reshape(-1)[cells] for field in (cycle.lat, cycle.lon))
        altitude = None if cycle.altitude is None else cycle.altitude.reshape(-1)[cells]
        self._sky = sky_over(lat, lon, altitude, cycle.reference_time)
        edges = np.linspace(0, cells.size, THREADS + 1 if pool else 2).astype(int).tolist()
        self._parts, self._map = [slice(a, b) for a, b in pairwise(edges)], pool.map if pool else map
        self._highest, self.ghi_raw, self.gcs, self.sine, self.ghi, self.ghi_v1 = (
            np.empty(cells.size, np.float32) for _ in range(6)
        )
        self._cloud: Field | None = None

    def start(self, accumulated: Field, clouds: Field | None) -> None:
        """Take the cycle's first instant, of these cells.

        Raises
        ------
        AccumulationError
            Its accumulated shortwave cannot be.
        """
        self._require(deaccumulate.start(accumulated, self._highest), accumulated, 0)
        self._cloud = clouds

    def advance(self, hour: int, accumulated: Field, clouds: Field | None) -> None:
        """Take the instant at the end of an hour, of these cells.

        Raises
        ------
        AccumulationError
            The accumulated shortwave has a new base, or cannot be.
        """
        start, lead = int(self._times[hour]), correct.at_lead(self._table, hour + 0.5)

        def calculate(part: slice) -> int:
            refused = deaccumulate.advance(self._highest[part], accumulated[part], HOUR_S, self.ghi_raw[part])
            if refused >= 0:
                return int(part.start) + refused
            clearsky.hour_mean(self._sky.part(part.start, part.stop), start, self.gcs[part], self.sine[part])
            correct.correct(self.ghi_raw[part], self.gcs[part], self.sine[part], lead, self.ghi[part])
            if clouds is not None and self._cloud is not None:
                mean = (self._cloud[part] + clouds[part]) * np.float32(0.5)
                cloud.ghi_under_cloud(self.gcs[part], mean, self.ghi_v1[part])
            return -1

        refused = [cell for cell in self._map(calculate, self._parts) if cell >= 0]
        self._require(min(refused, default=-1), accumulated, hour + 1)
        self._cloud = clouds

    def _require(self, refused: int, accumulated: Field, step: int) -> None:
        if refused >= 0:
            error = deaccumulate.refusal(self._highest, accumulated, refused, step)
            error.cell = int(self._cells[refused])
            raise error


class HourFields:
    """Runs through a cycle's instants and gives each hour's fields on the target grid.

    Parameters
    ----------
    cycle : Cycle
    table : CorrectionTable
        Of v2.3b.
    models : tuple of str
        The tile's variables that are wanted.
    pool : ThreadPoolExecutor
        Of `THREADS` threads.
    """

    def __init__(
        self, cycle: Cycle, table: correct.CorrectionTable, models: tuple[str, ...], pool: ThreadPoolExecutor
    ) -> None:
        grid = FORECAST
        self.models, self.shape, self._times, self._pool = models, grid.shape, cycle.times, pool
        lats, lons = np.meshgrid(*grid.axes, indexing="ij")
        to_source = pyproj.Transformer.from_crs(4326, pyproj.CRS.from_proj4(cycle.proj4), always_xy=True)
        target_x, target_y = to_source.transform(lons, lats)
        whole = regrid.plan(cycle.lat, cycle.lon, cycle.x, cycle.y, target_x, target_y, grid.lat0, grid.lon0, grid.step)
        # of MET Nordic's 4.2 million cells, 1.6 million feed any target: the others are left out from here on
        self._used, self._plan = regrid.compact(whole)
        self._source = SourceHours(cycle, table, self._used, self._pool)
        self.covered: NDArray[np.bool_] = self._plan.covered.reshape(self.shape)
        # only interpolated targets need a clear sky of their own
        between = self._plan.bilinear
        on_target = None if cycle.altitude is None else self._regridded(cycle.altitude).reshape(-1)[between]
        self._between_sky = sky_over(
            lats.reshape(-1)[between], lons.reshape(-1)[between], on_target, cycle.reference_time
        )
        self._up = sun.vertical(lats[self.covered], lons[self.covered]).astype(np.float32)
        self._between_gcs, self._between_sine = (np.empty(between.size, np.float32) for _ in range(2))
        self._target_gcs = np.zeros(lats.size, np.float32)
        self._ends: dict[str, Field] = {}

    def start(self, instant: dict[str, Field]) -> None:
        """Take the cycle's first instant; errors are those of `SourceHours.start`."""
        self._source.start(*self._of_sky(instant))
        self._ends = {name: self._regridded(instant[name]) for name in self._end_means()}

    def advance(self, hour: int, instant: dict[str, Field]) -> dict[str, Field]:
        """Take the instant at the end of an hour; return the hour's fields, (n_lat, n_lon) each, NaN where missing.

        Errors are those of `SourceHours.advance`.
        """
        start = int(self._times[hour])
        self._source.advance(hour, *self._of_sky(instant))
        clearsky.hour_mean(self._between_sky, start, self._between_gcs, self._between_sine)
        self._target_gcs[self._plan.bilinear] = self._between_gcs
        night = np.zeros(self.shape, bool)
        night[self.covered] = is_night(self._up, start)
        return self._on_target(instant, night)

    def _of_sky(self, instant: dict[str, Field]) -> tuple[Field, Field | None]:
        """Return accumulated shortwave, and the cloud cover where v1 is wanted."""
        clouds = self._of_source(instant["cloud"]) if "ghi_v1" in self.models else None
        return self._of_source(instant["ghi_acc"]), clouds

    def _on_target(self, instant: dict[str, Field], night: NDArray[np.bool_]) -> dict[str, Field]:
        jobs: dict[str, Callable[[], Field]] = {"ghi": lambda: self._irradiance(self._source.ghi, night)}
        if "ghi_v1" in self.models:
            jobs["ghi_v1"] = lambda: self._irradiance(self._source.ghi_v1, night)
        for name in self._end_means():
            jobs[name] = lambda name=name: self._end_mean(name, instant[name])  # type: ignore[misc]
        running = {name: self._pool.submit(job) for name, job in jobs.items()}
        return {name: future.result() for name, future in running.items()}

    def _irradiance(self, ghi: Field, night: NDArray[np.bool_]) -> Field:
        out = np.empty(self.shape, np.float32)
        regrid.regrid_ghi(self._plan, ghi, self._source.gcs, self._target_gcs, out)
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

    def _end_means(self) -> list[str]:
        return [name for name in self.models if not name.startswith("ghi")]


def is_night(up: Field, start: int) -> NDArray[np.bool_]:
    """Return where an hour is night; `up` are the verticals of cells, see `sun.vertical`."""
    moments = sun.sun_table(start + np.array([0, HOUR_S // 2, HOUR_S]))
    return np.asarray(sun.cos_zenith(up, moments).max(axis=0) < NIGHT_SINE)


def sky_over(
    lat: NDArray[np.float64], lon: NDArray[np.float64], altitude: Field | None, day: datetime
) -> clearsky.CellGeometry:
    """Prepare the clear sky; where the source gives no height, the relief map does."""
    relief = climate.altitude(lat, lon)
    height = relief if altitude is None else np.where(np.isfinite(altitude), altitude, relief)
    return clearsky.prepare(lat, lon, np.clip(height, 0, 5000), climate.linke_turbidity(lat, lon, day))
