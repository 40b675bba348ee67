"""A forecast cycle as every source hands it over: canonical arrays, step by step."""

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin
from catalog.sources.netcdf import NetcdfFile
from catalog.sources.steps import Field, Variable, read_steps

_PARTS = {"wind_x": "wind_speed", "wind_y": "wind_speed"}


@dataclass
class Cycle:
    """One cycle of one upstream model, open for one pass through its fields.

    Attributes
    ----------
    source : name of the source module
    reference_time : the cycle's hour, aware UTC
    times : (n_instants,) unix seconds, hourly and complete, the first is the cycle's hour
    proj4 : projection of x and y
    x, y : (nx,), (ny,) m, ascending and evenly spaced cell centres
    lat, lon : (ny, nx) degrees of the cell centres
    altitude : (ny, nx) m above sea level, or None
    missing_variables : those of "cloud", "temp_air", "wind_speed", "altitude" that the upstream lacks
    data_origin : "simulated" where a file's global attribute of that name says so
    """

    source: str
    reference_time: datetime
    times: NDArray[np.int64]
    proj4: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    lat: NDArray[np.float64]
    lon: NDArray[np.float64]
    altitude: NDArray[np.float32] | None
    missing_variables: tuple[str, ...]
    data_origin: DataOrigin
    _files: Sequence[NetcdfFile] = field(repr=False)
    _variables: Mapping[str, Variable] = field(repr=False)
    _steps: Generator[dict[str, Field], None, None] | None = field(default=None, init=False, repr=False)
    _complete: bool = field(default=False, init=False, repr=False)

    def instants(self, wanted: Collection[str] | None = None) -> Iterator[dict[str, Field]]:
        """Yield one dict of (ny, nx) float32 arrays per instant of `times`, in order; once.

        Only the `wanted` ones are read, where that is given.

        "ghi_acc" is shortwave accumulated since the cycle's hour (W s/m2), always there;
        "cloud" (0-1), "temp_air" (degC) and "wind_speed" (m/s) where the source has them. NaN is missing. The
        arrays are the caller's own.

        Raises
        ------
        SourceError where the upstream breaks off, is replaced midway, is corrupt or too slow.
        """
        if self._steps is not None:
            raise RuntimeError("the fields of a cycle are read once; open it again")
        chosen = {v.name: key for key, v in self._variables.items() if wanted is None or _PARTS.get(key, key) in wanted}
        for file in self._files:
            file.restart_hash()
        self._steps = read_steps([v for v in self._variables.values() if v.name in chosen], self.times.size)
        for step in self._steps:
            fields = {chosen[name]: values for name, values in step.items()}
            if "wind_x" in fields:
                fields["wind_speed"] = np.hypot(fields.pop("wind_x"), fields.pop("wind_y"))
            yield fields
        self._complete = True

    def inputs(self) -> list[dict[str, Any]]:
        """Return what was read, per file: {"url", "bytes", "etag", "sha256"}; only after the last instant.

        The hash is over the field data in the order read: stored bytes, or numbers where HDF5 decoded.
        """
        if not self._complete:
            raise RuntimeError("the inputs of a cycle are known once all its instants were read")
        return [file.receipt() for file in self._files]

    def close(self) -> None:
        """End the reading; call it before the files close."""
        if self._steps is not None:
            self._steps.close()


class OpenCycle(Protocol):
    """What every source module offers as `open_cycle`."""

    def __call__(
        self, url: str, partition: datetime, *, user_agent: str, deadline_s: float
    ) -> AbstractContextManager[Cycle]:
        """Open the cycle of hour `partition` (aware UTC) under a base URL or folder."""
        ...
