"""From open files to a checked `Cycle`: what the sources of one family share."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.sources.cycle import Cycle
from catalog.sources.data_origin import origin_of
from catalog.sources.grid import Grid, read_field, read_grid, read_places
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.steps import Variable
from catalog.sources.times import instant, read_hours, read_times

SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"
_WIND = "wind_speed_10m"
_COMPONENTS = ("x_wind_10m", "y_wind_10m")
_SAME_PLACE_DEG = 1e-3


class _Member(NamedTuple):
    """One file of a cycle with its grid and the step at which the cycle begins in it."""

    file: NetcdfFile
    grid: Grid
    n_times: int
    first: int

    def variable(self, name: str, kind: str, is_still: bool = False) -> Variable:
        """Return a field of this file in our units, its shape checked against time, y and x."""
        storage, packing = read_field(self.file, name, kind, self.grid.names, self.grid.shape)
        steps = storage.shape[0]
        if steps != self.n_times and not (is_still and steps == 1):
            raise self.file.origin.error(f"has {steps} steps of {name} and {self.n_times} times")
        self.file.check(storage)
        return Variable(name, self.file, storage, packing, self.grid, 0 if is_still else self.first)


def assemble(source: str, files: Sequence[NetcdfFile], partition: datetime) -> Cycle:
    """Check the files of one cycle against each other and the hour asked for; the first holds the shortwave.

    Raises
    ------
    SourceError for everything that makes a cycle unusable.
    """
    main = files[0]
    if not main.has(SHORTWAVE):
        raise main.origin.error(f"lacks the required variable {SHORTWAVE}")
    times = read_hours(main)
    _check_cycle(files, times, partition)
    grid = read_grid(main, SHORTWAVE)
    lat, lon = read_places(main, grid)
    members = [_Member(main, grid, times.size, 0)]
    members += [_join(file, lat, lon, times) for file in files[1:]]
    variables = {"ghi_acc": members[0].variable(SHORTWAVE, "accumulated")}
    variables |= _find(members, "cloud", "cloud_area_fraction", "fraction")
    variables |= _find(members, "temp_air", "air_temperature_2m", "temperature")
    variables |= _find(members, "wind_speed", _WIND, "speed") or _components(members)
    altitude = _altitude(members)
    missing = [name for name in ("cloud", "temp_air", "wind_speed") if name not in variables]
    if "wind_x" in variables:
        missing.remove("wind_speed")
    if altitude is None:
        missing.append("altitude")
    return Cycle(
        source=source,
        reference_time=partition.astimezone(UTC),
        times=times,
        proj4=grid.proj4,
        x=grid.x,
        y=grid.y,
        lat=lat,
        lon=lon,
        altitude=altitude,
        missing_variables=tuple(missing),
        data_origin=origin_of(*(file.text("data_origin") for file in files)),
        _files=files,
        _variables=variables,
    )


def _find(members: Sequence[_Member], quantity: str, name: str, kind: str) -> dict[str, Variable]:
    return next(({quantity: m.variable(name, kind)} for m in members if m.file.has(name)), {})


def _components(members: Sequence[_Member]) -> dict[str, Variable]:
    for member in members:
        if all(member.file.has(name) for name in _COMPONENTS):
            x, y = (member.variable(name, "speed") for name in _COMPONENTS)
            return {"wind_x": x, "wind_y": y}
    return {}


def _altitude(members: Sequence[_Member]) -> NDArray[np.float32] | None:
    for name, kind in (("altitude", "length"), ("surface_geopotential", "geopotential")):
        for member in reversed(members):
            if member.file.has(name):
                return member.variable(name, kind, is_still=True).read(0)
    return None


def _check_cycle(files: Sequence[NetcdfFile], times: NDArray[np.int64], partition: datetime) -> None:
    """Refuse an answer that is another cycle than the one asked for."""
    asked = round(partition.timestamp())
    for file in files:
        if not file.has("forecast_reference_time"):
            continue
        held = read_times(file, "forecast_reference_time")
        if held.size != 1 or held[0] != asked:
            cycles = " and ".join(instant(value) for value in held[:2].tolist())
            raise file.origin.error(f"holds the cycle {cycles}, not {instant(asked)}")
    if times[0] != asked:
        raise files[0].origin.error(f"begins at {instant(times[0])}, so it is not the cycle {instant(asked)}")


def _join(file: NetcdfFile, lat: NDArray[np.float64], lon: NDArray[np.float64], times: NDArray[np.int64]) -> _Member:
    """Check that another file is on the same grid, and find where its times meet the first file's."""
    held = read_hours(file)
    lacking = np.setdiff1d(times, held)
    if lacking.size:
        raise file.origin.error(f"lacks the time step {instant(lacking[0])} that the cycle's first file has")
    mapped = next((name for name in ("air_temperature_2m", *_COMPONENTS, _WIND) if file.has(name)), None)
    if mapped is None:
        raise file.origin.error("lacks temperature and wind")
    own = read_grid(file, mapped)
    places = read_places(file, own)
    if own.shape != lat.shape or not np.allclose(places, (lat, lon), rtol=0, atol=_SAME_PLACE_DEG):
        raise file.origin.error("has a wrong grid: it is not that of the cycle's first file")
    return _Member(file, own, held.size, int(np.searchsorted(held, times[0])))
