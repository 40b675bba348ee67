"""`export_e`: SAM's table of beam losses by azimuth and altitude. Orientation: as its library reads it."""

import numpy as np

from api.horizon.formats.declaration import Format
from api.horizon.profile import Floats, HorizonProfile

_ALTITUDES = np.arange(91.0)
_PARTS = 1000
"""A loss is printed in tenths of a per cent."""
_PRINTED = np.array([f"{one / 10:g}" for one in range(_PARTS + 1)], dtype=object)


def losses(elevation: Floats) -> Floats:
    """Return the part of each cell of one degree that is below the horizon, (91, 361): altitudes 0-90, azimuths 0-360.

    SAM interpolates between the cells' middles. Of an azimuth half a degree to each side counts, its ends half as
    much; a cell at altitude 0 is its upper half, so that a plain is no obstacle.

    Parameters
    ----------
    elevation : float64 (720,)
        Degrees.
    """
    low = np.maximum(_ALTITUDES - 0.5, 0.0)[:, None]
    high = np.minimum(_ALTITUDES + 0.5, 90.0)[:, None]
    hidden = ((elevation[None, :] - low) / (high - low)).clip(0.0, 1.0)
    west, east = np.roll(hidden, 1, axis=1), np.roll(hidden, -1, axis=1)
    whole = (0.25 * west + 0.5 * hidden + 0.25 * east)[:, ::2]
    round_about: Floats = np.concatenate([whole, whole[:, :1]], axis=1)
    return round_about


def write(profile: HorizonProfile) -> bytes:
    """Return the file: azimuths 0 (north) to 360 in the first row, altitudes in the first column, losses in %."""
    parts = np.rint(losses(profile.elevation) * _PARTS).astype(int)
    lines = [",".join(("", *map(str, range(parts.shape[1]))))]
    lines += [",".join((f"{altitude:.0f}", *row)) for altitude, row in zip(_ALTITUDES, _PRINTED[parts], strict=True)]
    return "\n".join((*lines, "")).encode()


FORMAT = Format(
    value="export_e",
    extension=".csv",
    media_type="text/csv",
    write=write,
    tool="SAM",
    aliases=("sam",),
)
