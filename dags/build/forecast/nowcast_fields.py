"""The fields of a nowcast: what the satellite saw, carried along its motion, and blended into the weather model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import SourceError
from catalog.sources.meteosat import Image, Window
from dags.build.forecast.fields import HOUR_S, sky_over
from dags.build.forecast.nowcast_motion import Motion, Scale, motion_of
from kernels import clearsky, sun
from kernels.motion import march, sample
from tiles.grid import RegularGrid
from tiles.products.nowcast import LOWEST_SUN_DEG

Floats = NDArray[np.float32]
SUBSTEP_S = 900
HIGHEST_INDEX = 1.3
NOTHING_AFTER_S = 4 * HOUR_S
_HIGHEST_CLEARNESS = np.float32(1.2)
# Of an hour's clear-sky energy, the satellite must know so much.
_LEAST_SHARE = 0.75
# Around the grid: from there the clouds of the coming hours come. Nothing comes from beyond the edge of the disc.
_MARGIN_SOUTH, _MARGIN_WEST, _MARGIN_EAST = 2.0, 4.0, 2.0


@dataclass(frozen=True)
class Sky:
    """An image as a clear-sky index.

    Attributes
    ----------
    image : Image
    index : (n_lat, n_lon) float32
        What reached the ground, of what a cloudless sky would let through at that moment; NaN where not known.
    """

    image: Image
    index: Floats


def window_around(grid: RegularGrid) -> Window:
    """Return what is read of an image for a grid."""
    (south, north), (west, east) = ((axis[0], axis[-1]) for axis in grid.axes)
    return Window(south - _MARGIN_SOUTH, north, west - _MARGIN_WEST, east + _MARGIN_EAST)


def sky_of(image: Image) -> Sky:
    """Return an image's clear-sky index, each row by the sun of the moment at which it was scanned."""
    lats, lons = np.meshgrid(image.lats, image.lons, indexing="ij")
    cells = sky_over(lats, lons, None, image.nominal)
    clear, sine = (np.empty(lats.size, np.float32) for _ in range(2))
    width = image.lons.size
    for row, moment in enumerate(image.scanned):
        part = slice(row * width, (row + 1) * width)
        clearsky.instant(cells.part(part.start, part.stop), round(moment), clear[part], sine[part])
    lit = (sine >= np.sin(np.radians(LOWEST_SUN_DEG))).reshape(lats.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        index = np.minimum(image.ghi / clear.reshape(lats.shape), np.float32(HIGHEST_INDEX))
    return Sky(image, np.where(lit, index, np.float32(np.nan)))


def motion_over(skies: Sequence[Sky]) -> Motion:
    """Return how the clouds move over some images, oldest first.

    Raises
    ------
    SourceError
        The images lie on different grids.
    """
    last = skies[-1].image
    for sky in skies:
        same = sky.image.lats.shape == last.lats.shape and sky.image.lons.shape == last.lons.shape
        if not same or not (np.allclose(sky.image.lats, last.lats) and np.allclose(sky.image.lons, last.lons)):
            raise SourceError(f"{last.input['url']} lies on another grid than {sky.image.input['url']}")
    return motion_of(
        [sky.index for sky in skies],
        [float(sky.image.scanned.mean()) for sky in skies],
        Scale.of(last.lats, last.lons),
    )


def satellite_weight(lead_s: Floats) -> Floats:
    """Return how much the satellite counts in an hour whose middle lies so long after the image was seen, 0-1.

    From 1 at the image's own moment linearly to 0 four hours later; `bench_nowcast` says what that is worth.
    """
    return np.asarray(np.clip(1 - lead_s / NOTHING_AFTER_S, 0, 1), np.float32)


class Carried:
    """What the satellite's images say of moments to come, on the cells of a grid.

    Parameters
    ----------
    skies : sequence of Sky
        Oldest first.
    motion : Motion
    grid : RegularGrid
    """

    def __init__(self, skies: Sequence[Sky], motion: Motion, grid: RegularGrid) -> None:
        self._skies, self._motion = skies, motion
        self._lats, self.shape = grid.lats, grid.shape
        image = skies[-1].image
        row = np.interp(grid.lats, image.lats, np.arange(image.lats.size), left=np.nan, right=np.nan)
        column = np.interp(grid.lons, image.lons, np.arange(image.lons.size), left=np.nan, right=np.nan)
        self._start = tuple(a.ravel().astype(np.float32) for a in np.meshgrid(row, column, indexing="ij"))
        self._sky: Sky | None = None
        self._row, self._column = self._start
        self._reached: NDArray[np.float64] = np.zeros(1)

    def seen_at(self, sky: Sky) -> NDArray[np.float64]:
        """Return when an image saw each row of the grid, unix seconds, (n_lat,)."""
        return np.interp(self._lats, sky.image.lats, sky.image.scanned)

    def index_at(self, moment: float) -> Floats:
        """Return the clear-sky index at a moment, (n_lat, n_lon), NaN where the satellite does not know.

        The image that was seen nearest to the moment is carried to it, forward or backward. Cheapest in order of time:
        the cells go on from where they were.
        """
        sky = min(self._skies, key=lambda s: abs(moment - float(s.image.scanned.mean())))
        if sky is not self._sky:
            self._sky, self._reached = sky, np.repeat(self.seen_at(sky), self.shape[1])
            self._row, self._column = (a.copy() for a in self._start)
        seconds = np.broadcast_to(moment - self._reached, self._row.shape).astype(np.float32)
        steps = max(1, math.ceil(float(np.abs(seconds).max()) / SUBSTEP_S))
        march(self._row, self._column, self._motion.row_speed, self._motion.column_speed, seconds, steps)
        self._reached = np.full(1, moment)
        out = np.empty(self._row.size, np.float32)
        sample(sky.index, self._row, self._column, out)
        return out.reshape(self.shape)


@dataclass(frozen=True)
class HourFields:
    """One hour on the grid, (n_lat, n_lon) float32 each.

    Attributes
    ----------
    satellite : W/m2 by the satellite alone, NaN where it does not know
    clearsky : W/m2
    extraterrestrial : W/m2 on a horizontal plane above the atmosphere
    """

    satellite: Floats
    clearsky: Floats
    extraterrestrial: Floats

    def blended(self, model: Floats, lead_s: Floats) -> dict[str, Floats]:
        """Return the hour's variables of the product, NaN where the model has nothing.

        Parameters
        ----------
        model : (n_lat, n_lon) float32
            GHI of v2.3b, W/m2.
        lead_s : (n_lat,) float32
            From the image to the middle of the hour, s.
        """
        known = np.isfinite(self.satellite) & (self.clearsky > 0)
        weight = np.where(known, satellite_weight(lead_s)[:, None], np.float32(0))
        ghi = model + weight * (np.where(weight > 0, self.satellite, model) - model)
        with np.errstate(divide="ignore", invalid="ignore"):
            kt = np.where(self.extraterrestrial > 0, ghi / self.extraterrestrial, np.float32(0))
        fields: dict[str, NDArray[Any]] = {
            "ghi": ghi,
            "clearsky": self.clearsky,
            "kt": np.minimum(kt, _HIGHEST_CLEARNESS),
            "satellite": weight,
        }
        missing = np.isnan(model)
        return {name: np.where(missing, np.nan, values).astype(np.float32) for name, values in fields.items()}


class Hours:
    """Gives the hours of a nowcast, each the mean of its quarters.

    Parameters
    ----------
    carried : Carried
    grid : RegularGrid
    day : datetime
        Whose turbidity counts.
    """

    def __init__(self, carried: Carried, grid: RegularGrid, day: datetime) -> None:
        self._carried = carried
        lats, lons = np.meshgrid(*grid.axes, indexing="ij")
        self._shape = grid.shape
        self._cells = sky_over(lats, lons, None, day)
        self._up = sun.vertical(lats.ravel(), lons.ravel()).astype(np.float32)

    def hour(self, start: int, *, by_satellite: bool = True) -> HourFields:
        """Return the hour that starts at a unix time, without the satellite where that is not wanted."""
        quarters = start + SUBSTEP_S * np.arange(HOUR_S // SUBSTEP_S) + SUBSTEP_S // 2
        table = sun.sun_table(quarters)
        outside = (np.maximum(sun.cos_zenith(self._up, table), 0) * table.e0[:, None]).mean(axis=0)
        clear, sine = (np.empty(self._up.shape[1], np.float32) for _ in range(2))
        total, known, seen = (np.zeros(self._shape, np.float32) for _ in range(3))
        for moment in quarters.tolist():
            clearsky.instant(self._cells, moment, clear, sine)
            cloudless = clear.reshape(self._shape)
            total += cloudless
            if not (by_satellite and cloudless.any()):
                continue
            index = self._carried.index_at(moment)
            there = np.isfinite(index)
            seen += np.where(there, cloudless * index, 0)
            known += np.where(there, cloudless, 0)
        mean = total / np.float32(quarters.size)
        with np.errstate(divide="ignore", invalid="ignore"):
            enough = (known >= np.float32(_LEAST_SHARE) * total) & (known > 0)
            satellite = np.where(enough, seen / known * mean, np.float32(np.nan))
        return HourFields(satellite, mean, outside.reshape(self._shape).astype(np.float32))
