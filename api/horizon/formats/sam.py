"""`export_e`: SAM's table of beam losses by azimuth and altitude. Orientation: as its library reads it."""

import numpy as np

from api.horizon.formats.common import FileFormat
from api.horizon.profile import HorizonProfile
from kernels.horizon.tables import beam_losses

_PARTS = 1000
"""A loss is printed in tenths of a per cent."""
_PRINTED = np.array([f"{one / 10:g}" for one in range(_PARTS + 1)], dtype=object)


def write(profile: HorizonProfile) -> bytes:
    """Return the file: azimuths 0 (north) to 360 in the first row, altitudes in the first column, losses in %."""
    parts = np.rint(beam_losses(profile.elevation) * _PARTS).astype(int)
    lines = [("", *map(str, range(parts.shape[1])))]
    lines += [(str(altitude), *row) for altitude, row in enumerate(_PRINTED[parts])]
    return "".join(f"{','.join(line)}\n" for line in lines).encode()


FORMAT = FileFormat(
    value="export_e",
    extension=".csv",
    media_type="text/csv",
    write=write,
    tool="SAM",
    aliases=("sam",),
)
