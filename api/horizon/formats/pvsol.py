"""`export_b`: a horizon for PV*SOL. Layout: its help on shading, of files `.hor`."""

import numpy as np

from api.horizon.formats.common import FileFormat
from api.horizon.profile import HorizonProfile
from kernels.horizon.tables import whole_degrees


def write(profile: HorizonProfile) -> bytes:
    """Return the file: azimuth from south and height, a space between; it has no room for any word.

    TRAP: heights are whole degrees, as in every example there is. A point could be read as what parts thousands.
    """
    heights = np.floor(whole_degrees(profile.elevation) + 0.5).astype(int)
    return "".join(f"{azimuth} {height}\r\n" for azimuth, height in enumerate(heights, -180)).encode()


FORMAT = FileFormat(
    value="export_b",
    extension=".hor",
    media_type="text/plain",
    write=write,
    tool="PV*SOL",
    aliases=("pvsol",),
    unverified="whether PV*SOL reads decimals is not documented: heights are whole degrees",
)
