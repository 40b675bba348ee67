"""A plant's calibration as a stored object, and its application to modelled production."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.plants.output import sun_angles
from kernels.plants.position_factors import Table, beam_weight

Floats = NDArray[np.float64]
Method = Literal["ingen", "klarvaer", "solposisjon"]
Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Calibration:
    """What the measurements of a plant changed in its model; plain numbers, JSON and back.

    Attributes
    ----------
    method : str
        "ingen" (no factor), "klarvaer" (one factor from clear days), "solposisjon" (by sun position and month).
    factor : float
        Of the first step; 1 where it is not applied.
    preliminary : bool
        The method is that of the first step.
    clip_w : float or None
        Limit of the inverter, W; applied whatever the method.
    sun : (12, 36) or None
        Added to `factor` by elevation (0, 5 .. 55) and azimuth (0, 10 .. 350); see `position_factors.Table`.
    month : (12,) or None
        Added to `factor` from January to December.
    snow : (12,) or None
        Multiplies production from January to December.
    reason : str
        Key of the sentence that says why this method: see the package's README.
    values : dict
        Its numbers.
    figures : dict
        Of the fit, see the package's README.
    """

    method: Method = "ingen"
    factor: float = 1.0
    preliminary: bool = False
    clip_w: float | None = None
    sun: Rows | None = None
    month: tuple[float, ...] | None = None
    snow: tuple[float, ...] | None = None
    reason: str = "no_data"
    values: dict[str, float] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as dicts, lists, numbers and texts."""
        out = asdict(self)
        out["sun"] = None if self.sun is None else [list(row) for row in self.sun]
        out["month"], out["snow"] = (None if row is None else list(row) for row in (self.month, self.snow))
        return out

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Calibration":
        """Return what `to_json` gave; fields that are absent have their defaults, and others are ignored."""
        known = {name: content[name] for name in cls.__dataclass_fields__ if name in content}
        if known.get("sun") is not None:
            known["sun"] = tuple(tuple(row) for row in known["sun"])
        for name in ("month", "snow"):
            if known.get(name) is not None:
                known[name] = tuple(known[name])
        return cls(**known)

    def table(self) -> Table | None:
        """Return the factors of the second step."""
        if self.sun is None or self.month is None:
            return None
        return Table(np.array(self.sun), np.array(self.month))


def apply(
    calibration: Calibration,
    watts: ArrayLike,
    hour_starts: NDArray[np.int64],
    lat: float,
    lon: float,
    snow: bool = True,
    clear: ArrayLike | None = None,
) -> Floats:
    """Return modelled production as calibrated.

    Parameters
    ----------
    calibration : Calibration
    watts : (m, n)
        Of the plant's arrays, mean W over hours.
    hour_starts : int64 (n,)
        Unix seconds; in any order, with any gaps.
    lat, lon : float
        Degrees.
    snow : bool
        Whether to apply the monthly snow factor; not where `watts` already has snow.
    clear : (n,), optional
        Clear-sky production of all arrays, W. With it, factors of the sun's position act on the beam that the weather
        leaves; without, as under a clear sky.

    Returns
    -------
    float64 (m, n)
        The factor of each hour is the same for all arrays; then the limit holds for their sum. NaN stays NaN.
    """
    out = np.array(watts, dtype=np.float64)
    table = calibration.table()
    if table is not None:
        beam = np.ones(len(hour_starts))
        if clear is not None:
            beam = beam_weight(out.sum(axis=0), np.asarray(clear, np.float64))
        out *= table.factors(calibration.factor, beam, *sun_angles(lat, lon, hour_starts), hour_starts)
    elif calibration.factor != 1:
        out *= calibration.factor
    if snow and calibration.snow is not None:
        out *= np.array(calibration.snow)[months_of(hour_starts)]
    if calibration.clip_w is not None:
        total = out.sum(axis=0)
        out *= np.where(total > calibration.clip_w, calibration.clip_w / np.maximum(total, 1e-9), 1.0)
    return out


def months_of(hour_starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the month of hours in UTC, 0 for January."""
    months: NDArray[np.int64] = (
        np.asarray(hour_starts).astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) % 12
    )
    return months
