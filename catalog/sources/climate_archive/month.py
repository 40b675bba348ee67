"""One monthly file of an archive, open: what it has, and all its hours of a few cells."""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import Any

import httpx
import numpy as np
from numpy.typing import NDArray

from catalog.sources.climate_archive.archives import ARCHIVES, WEATHER, Archive
from catalog.sources.climate_archive.stamps import read_stamps
from catalog.sources.data_origin import origin_of
from catalog.sources.errors import SourceError
from catalog.sources.grid import check_places, read_degrees, read_field, read_grid
from catalog.sources.http import Deadline, make_client
from catalog.sources.locate import open_first
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.registry import SOURCES

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]

_HOUR_S = 3600.0
_MAGNUS_A, _MAGNUS_B = 17.625, 243.04
_LAPSE_K_M, _EXPONENT, _ZERO_K = 0.0065, 5.257, 273.15
# lowest and highest that can be, and between what it is clipped: packing leaves -0.01 W/m2 at night, 100.3 % in fog
_BOUNDS: dict[str, tuple[float, float, float, float]] = {
    "ghi": (-5.0, 1500.0, 0.0, np.inf),
    "temp_air": (-90.0, 60.0, -np.inf, np.inf),
    "rel_hum": (-1.0, 105.0, 0.0, 100.0),
    "wind_speed": (-0.1, 110.0, 0.0, np.inf),
    "mslp": (870.0, 1090.0, -np.inf, np.inf),
}


class ArchiveMonth:
    """A month of an archive; not for several threads at once.

    Attributes
    ----------
    archive : Archive
    proj4 : str
        Projection of x and y; EPSG:4326 where they are longitude and latitude.
    x, y : float64 (nx,), (ny,)
        Cell centres, ascending, evenly spaced.
    hours : int64 (n,)
        Starts of the hours whose mean radiation the file gives, unix seconds, hourly and complete. A file that stamps
        the ends of hours begins with the last hour of the month before.
    instants : int64 (m,)
        Moments of temperature and the others, unix seconds; none for a solar model.
    variables, missing_variables : tuple of str
        Of ghi, temp_air, rel_hum, wind_speed, mslp: what the file has, and what such an archive should have besides.
    data_origin : {"live", "simulated"}
    """

    def __init__(self, file: NetcdfFile, archive: Archive, year: int, month: int) -> None:
        self.archive, self._file = archive, file
        if not file.has(archive.ghi):
            hint = f" ({archive.instead})" if archive.instead else ""
            raise file.origin.error(f"lacks the required variable {archive.ghi}{hint}")
        self.hours, self._stamps = read_stamps(file, archive, year, month)
        if archive.grid == "degrees":
            self._grid = read_degrees(file)
        else:
            self._grid = read_grid(file, archive.ghi)
            check_places(file, self._grid)
        self.proj4, self.x, self.y = self._grid.proj4, self._grid.x, self._grid.y
        self.instants = self._stamps if archive.kind == "reanalysis" else np.empty(0, np.int64)
        self._ways = self._find_ways()
        self.variables = ("ghi", *(name for name in WEATHER if name in self._ways))
        wanted = WEATHER if archive.kind == "reanalysis" else ()
        self.missing_variables = tuple(name for name in wanted if name not in self._ways)
        self.data_origin = origin_of(file.text("data_origin"))
        self._check_sum()
        file.restart_hash()  # of the numbers read from here on

    def _find_ways(self) -> dict[str, tuple[str, ...]]:
        """Return from which quantities of the file each part of the weather comes."""
        ways = {
            "temp_air": (("temp_air",),),
            "rel_hum": (("rel_hum",), ("dew_point", "temp_air")),
            "wind_speed": (("wind_speed",), ("wind_x", "wind_y")),
            "mslp": (("mslp",), ("pressure", "temp_air", "altitude")),
        }
        found = {
            name: next((way for way in several if all(map(self._named, way))), ()) for name, several in ways.items()
        }
        return {name: way for name, way in found.items() if way}

    def _named(self, quantity: str) -> str | None:
        return next((name for name in self.archive.fields.get(quantity, {}) if self._file.has(name)), None)

    def _check_sum(self) -> None:
        name = self.archive.ghi
        if self.archive.needs_sum and "time: sum" not in (self._file.text("cell_methods", name) or ""):
            raise self._file.origin.error(
                f"does not say over what {name} was accumulated: cell_methods must have 'time: sum', the sum over the "
                "hour that ends at the stamp"
            )

    def read(self, points: NDArray[np.int64], variables: Collection[str] | None = None) -> dict[str, Floats]:
        """Return the month at cells, read by ranges: only the stored pieces that hold them.

        Parameters
        ----------
        points : int64 (n_points,)
            Cells j * nx + i.
        variables : collection of str, optional
            Of `self.variables`; all of them where none are named.

        Returns
        -------
        dict of str to float32 (n, n_points) or (m, n_points)
            ghi (W/m2, mean over the hour), temp_air (degC), rel_hum (%), wind_speed (m/s), mslp (hPa). NaN is missing.

        Raises
        ------
        SourceError
            A piece cannot be had or is corrupt, a unit is not understood, or a value is impossible.
        """
        wanted = self.variables if variables is None else [name for name in self.variables if name in variables]
        held: dict[str, Doubles] = {}
        answer: dict[str, Floats] = {}
        for name in wanted:
            values = self._radiation(points) if name == "ghi" else self._weather(name, points, held)
            answer[name] = self._possible(name, values)
        return answer

    def altitude(self, points: NDArray[np.int64]) -> Floats | None:
        """Return the height of the cells' ground, m, float32 (n_points,), or None where the file has none."""
        if self._named("altitude") is None:
            return None
        return np.asarray(self._quantity("altitude", points)[0], dtype=np.float32)

    def receipt(self) -> dict[str, Any]:
        """Return what was read: url, bytes of the file, etag, sha256 of what was read, bytes_read."""
        return {**self._file.receipt(), "bytes_read": self._file.bytes_read}

    def _radiation(self, points: NDArray[np.int64]) -> Doubles:
        values = self._variable(self.archive.ghi, self.archive.ghi_kind, points)
        return values / _HOUR_S if self.archive.ghi_kind == "accumulated" else values

    def _weather(self, name: str, points: NDArray[np.int64], held: dict[str, Doubles]) -> Doubles:
        """Return one part of the weather; what several parts come from is read once, and `held`."""
        for quantity in self._ways[name]:
            if quantity not in held:
                held[quantity] = self._quantity(quantity, points)
        parts = [held[quantity] for quantity in self._ways[name]]
        if len(parts) == 1:
            return parts[0] * 100 if name == "rel_hum" else parts[0]
        if name == "rel_hum":
            return _humidity(parts[1], parts[0])
        if name == "wind_speed":
            return np.hypot(*parts)
        return _sea_level_pressure(parts[0], parts[1], parts[2][0])

    def _quantity(self, quantity: str, points: NDArray[np.int64]) -> Doubles:
        name = self._named(quantity) or ""
        return self._variable(name, self.archive.fields[quantity][name], points)

    def _variable(self, name: str, kind: str, points: NDArray[np.int64]) -> Doubles:
        """Return a variable of the file at cells in our units, (time, n_points)."""
        file, grid = self._file, self._grid
        storage, packing = read_field(file, name, kind, grid.names, grid.shape)
        steps, is_still = self._stamps.size, kind in ("length", "geopotential")
        if storage.shape[0] != steps and not (is_still and storage.shape[0] == 1):
            raise file.origin.error(f"has {storage.shape[0]} steps of {name} and {steps} times")
        return packing.unpack_exact(file.cells(storage, *grid.in_file(points), 1 if is_still else None))

    def _possible(self, name: str, values: Doubles) -> Floats:
        lowest, highest, floor, ceiling = _BOUNDS[name]
        with np.errstate(invalid="ignore"):
            wrong = np.argwhere((values < lowest) | (values > highest))
        if wrong.size:
            worst = float(values[tuple(wrong[0])])
            hint = "; was it accumulated over more than an hour?" if name == "ghi" and worst > highest else ""
            raise self._file.origin.error(
                f"has an impossible {name}: {worst:g}, beyond {lowest:g} to {highest:g}{hint}"
            )
        return np.clip(values, floor, ceiling).astype(np.float32)


@contextmanager
def open_month(
    archive: str,
    url: str,
    year: int,
    month: int,
    *,
    user_agent: str,
    deadline_s: float,
    client: httpx.Client | None = None,
) -> Iterator[ArchiveMonth]:
    """Open the file of a month of an archive under a base URL or folder.

    Parameters
    ----------
    archive : str
        Of `ARCHIVES`.
    url : str
    year, month : int
    user_agent : str
    deadline_s : float
        Seconds that opening and all reading may take.
    client : httpx.Client, optional
        From `make_client`, for who opens many months: it stays open. Its own User-Agent holds.

    Raises
    ------
    NotYetAvailable
        The archive has no file of that month; the text names it.
    SourceError
        Everything else that makes the month unusable.
    """
    about = ARCHIVES[archive]
    if not url:
        setting = SOURCES[archive].setting
        raise SourceError(f"{archive}: no address of its monthly files is set; set {setting} to it or to a folder")
    address = f"{url.rstrip('/')}/{about.filename.format(year=year, month=month)}"
    with nullcontext(client) if client else make_client(user_agent) as asking:
        file = open_first(archive, [address], asking, Deadline(deadline_s))
        with closing(file):
            yield ArchiveMonth(file, about, year, month)


def _humidity(temp_air: Doubles, dew_point: Doubles) -> Doubles:
    """Return relative humidity over water, %.

    Parameters
    ----------
    temp_air, dew_point : float64, same shape
        degC.

    References
    ----------
    Magnus form with the coefficients of Alduchov and Eskridge (1996), J. Appl. Meteor. 35, 601-609.
    """
    exponent = _MAGNUS_A * dew_point / (_MAGNUS_B + dew_point) - _MAGNUS_A * temp_air / (_MAGNUS_B + temp_air)
    return np.asarray(100 * np.exp(exponent))


def _sea_level_pressure(pressure: Doubles, temp_air: Doubles, altitude: Doubles) -> Doubles:
    """Return pressure reduced to sea level, in the unit of `pressure`.

    Parameters
    ----------
    pressure, temp_air : float64 (n_times, n_points)
        At the surface; degC.
    altitude : float64 (n_points,)
        Of that surface, m.

    References
    ----------
    The standard atmosphere's lapse rate of 6.5 K/km: p0 = p (1 - L z / (T + L z))^-5.257.
    """
    rise = _LAPSE_K_M * altitude
    return np.asarray(pressure * (1 - rise / (temp_air + _ZERO_K + rise)) ** -_EXPONENT)
