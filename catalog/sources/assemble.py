"""From open files to a checked `Cycle`: what the sources of one family share."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from catalog.sources.axes import Grid, instant, read_grid, read_hours, read_times
from catalog.sources.cycle import Cycle
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.steps import Field, Variable, read_steps
from catalog.sources.units import CONVERSIONS, conversion

SHORTWAVE = "integral_of_surface_downwelling_shortwave_flux_in_air_wrt_time"
_WIND = "wind_speed_10m"
_COMPONENTS = ("x_wind_10m", "y_wind_10m")
_SAME_PLACE_DEG = 1e-3


class _Member:
    """One file of a cycle with its grid and the step at which the cycle begins in it."""

    def __init__(self, file: NetcdfFile, grid: Grid, n_times: int, first: int) -> None:
        self.file, self.grid, self.n_times, self.first = file, grid, n_times, first

    def variable(self, name: str, kind: str) -> Variable:
        """Return a field of this file in our units, its shape checked against time, y and x."""
        origin = self.file.origin
        units = self.file.text("units", name)
        change = conversion(kind, units)
        if change is None:
            known = ", ".join(CONVERSIONS[kind])
            raise origin.error(f"has {name} in units that are not understood: {units!r} (known: {known})")
        layout = self.file.layout(name)
        places = (self.grid.y.size, self.grid.x.size)
        names = self.file.horizontal(name)
        if names not in (("y", "x"), ("", "")):
            raise origin.error(f"has a wrong grid: {name} lies on ({', '.join(names)}), not on (y, x)")
        if layout.shape[1:] != places:
            raise origin.error(f"has a wrong grid: {name} is {layout.shape[1:]}, y and x are {places}")
        if layout.shape[0] not in (1, self.n_times):
            raise origin.error(f"has {layout.shape[0]} steps of {name} and {self.n_times} times")
        packing = self.file.packing(name).then(*change)
        first = self.first if layout.shape[0] > 1 else 0
        return Variable(name, self.file, layout, packing, self.grid.order, first)

    def series(self, name: str, kind: str) -> Variable:
        """Return a field that must have every time step."""
        variable = self.variable(name, kind)
        if variable.layout.shape[0] != self.n_times:
            raise self.file.origin.error(f"has one step of {name} and {self.n_times} times")
        return variable


def assemble(
    source: str,
    licence: str,
    attribution: str,
    files: Sequence[NetcdfFile],
    partition: datetime,
    opening: ExitStack,
) -> Cycle:
    """Check the files of one cycle against each other and the hour asked for; the first holds the shortwave.

    `opening` holds what must be closed; it passes to the cycle where nothing was refused.

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
    members = [_Member(main, grid, times.size, 0)]
    members += [_join(file, grid, times) for file in files[1:]]
    variables = {"ghi_acc": members[0].series(SHORTWAVE, "accumulated")}
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
        lat=grid.lat,
        lon=grid.lon,
        altitude=altitude,
        missing_variables=tuple(missing),
        data_origin=_data_origin(files),
        licence=licence,
        attribution=attribution,
        _read=lambda wanted: _instants(files, _chosen(variables, wanted), times.size),
        _receipts=lambda: [file.receipt() for file in files],
        _resources=opening.pop_all(),
    )


def _instants(files: Sequence[NetcdfFile], variables: dict[str, Variable], n: int) -> Iterator[dict[str, Field]]:
    for file in files:
        file.restart_hash()
    names = {v.name: quantity for quantity, v in variables.items()}
    for step in read_steps(list(variables.values()), n):
        fields = {names[name]: values for name, values in step.items()}
        if "wind_x" in fields:
            fields["wind_speed"] = np.hypot(fields.pop("wind_x"), fields.pop("wind_y"))
        yield fields


def _chosen(variables: dict[str, Variable], wanted: Collection[str] | None) -> dict[str, Variable]:
    if wanted is None:
        return variables
    parts = {"wind_x": "wind_speed", "wind_y": "wind_speed"}
    return {name: variable for name, variable in variables.items() if parts.get(name, name) in wanted}


def _find(members: Sequence[_Member], quantity: str, name: str, kind: str) -> dict[str, Variable]:
    return next(({quantity: m.series(name, kind)} for m in members if m.file.has(name)), {})


def _components(members: Sequence[_Member]) -> dict[str, Variable]:
    for member in members:
        if all(member.file.has(name) for name in _COMPONENTS):
            x, y = (member.series(name, "speed") for name in _COMPONENTS)
            return {"wind_x": x, "wind_y": y}
    return {}


def _altitude(members: Sequence[_Member]) -> NDArray[np.float32] | None:
    for name, kind in (("altitude", "length"), ("surface_geopotential", "geopotential")):
        for member in reversed(members):
            if member.file.has(name):
                return member.variable(name, kind).read(0)
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


def _join(file: NetcdfFile, grid: Grid, times: NDArray[np.int64]) -> _Member:
    """Check that another file is on the same grid, and find where its times meet the first file's."""
    held = read_hours(file)
    lacking = np.setdiff1d(times, held)
    if lacking.size:
        raise file.origin.error(f"lacks the time step {instant(lacking[0])} that the cycle's first file has")
    mapped = next((name for name in ("air_temperature_2m", *_COMPONENTS, _WIND) if file.has(name)), None)
    if mapped is None:
        raise file.origin.error("lacks temperature and wind")
    own = read_grid(file, mapped)
    if own.lat.shape != grid.lat.shape or not (
        np.allclose(own.lat, grid.lat, rtol=0, atol=_SAME_PLACE_DEG)
        and np.allclose(own.lon, grid.lon, rtol=0, atol=_SAME_PLACE_DEG)
    ):
        raise file.origin.error("has a wrong grid: it is not that of the cycle's first file")
    return _Member(file, own, held.size, int(np.searchsorted(held, times[0])))


def _data_origin(files: Sequence[NetcdfFile]) -> Literal["live", "simulated"]:
    return "simulated" if any(file.text("data_origin") == "simulated" for file in files) else "live"
