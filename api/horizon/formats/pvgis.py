"""`export_d`: a horizon for PVGIS 5, to upload or to hand to pvlib's `userhorizon`."""

from api.horizon.formats.common import FileFormat
from api.horizon.profile import HorizonProfile
from kernels.horizon.tables import whole_degrees


def write(profile: HorizonProfile) -> bytes:
    """Return the file: 360 heights, a line each, clockwise from north; it has no room for any word.

    TRAP: PVGIS 4 began in the east and went the other way.
    """
    return "".join(f"{height:.1f}\n" for height in whole_degrees(profile.elevation)).encode()


FORMAT = FileFormat(
    value="export_d",
    extension=".csv",
    media_type="text/csv",
    write=write,
    tool="PVGIS",
    aliases=("pvgis",),
    unverified="for PVGIS 5: the one before began in the east and counted the other way",
)
