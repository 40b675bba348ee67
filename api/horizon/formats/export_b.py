"""`export_b`: a horizon for PV*SOL. Layout: its help on shading, of files `.hor`."""

import numpy as np

from api.horizon.formats.bins import whole_degrees
from api.horizon.formats.declaration import Format
from api.horizon.profile import HorizonProfile

_FROM_SOUTH = range(-180, 180)
_END = "\r\n"


def write(profile: HorizonProfile) -> bytes:
    """Return the file: azimuth from south and height, a space between; it has no room for any word.

    TRAP: heights are whole degrees, as in every example there is. A point could be read as what parts thousands.
    """
    heights = np.floor(whole_degrees(profile.elevation) + 0.5).astype(int)
    rows = (f"{azimuth} {height}" for azimuth, height in zip(_FROM_SOUTH, heights, strict=True))
    return _END.join((*rows, "")).encode()


FORMAT = Format(
    value="export_b",
    extension=".hor",
    media_type="text/plain",
    write=write,
    tool="PV*SOL",
    aliases=("pvsol",),
    unverified="whether PV*SOL reads decimals is not documented: heights are whole degrees",
)
