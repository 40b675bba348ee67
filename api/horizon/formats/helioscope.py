"""`export_c`: a horizon for HelioScope, as SunEye writes obstruction elevations.

Layout: HelioScope's help on horizon files, for the labels and that numbers begin in line 12; SAM's reader of the same
files, for `begin data` before the labels and 361 rows.
"""

from api.horizon.formats.common import FileFormat, remarks
from api.horizon.profile import HorizonProfile
from kernels.horizon.tables import whole_degrees

_LABELS = (
    "Compass Heading (0-360; North=0; East=90)",
    "Southerly Oriented Azimuth (-180 to +180; south=0; East=-90)",
    "Average Elevation (0-90) Session",
    "Maximum Elevation (0-90) Session",
)
_LABELS_IN_LINE = 11


def write(profile: HorizonProfile) -> bytes:
    """Return the file, whole degrees from north to north."""
    name, *comments = remarks(profile)
    head = [
        "Session Obstruction Elevations 1.0",
        f'Session Name:,"{name}"',
        f"Latitude:,{profile.lat:.5f}",
        f"Longitude:,{profile.lon:.5f}",
        "Mag Dec:,0",
        "Time Zone:,GMT+01:00",
        *(f'"{one}"' for one in comments),
    ]
    head += [""] * (_LABELS_IN_LINE - 2 - len(head))
    heights = [f"{one:.1f}" for one in whole_degrees(profile.elevation)]
    rows = (f"{n},{n - 180},{height},{height}" for n, height in enumerate((*heights, heights[0])))
    labels = ",".join(f'"{label}"' for label in _LABELS)
    return "".join(f"{line}\r\n" for line in (*head, "begin data", labels, *rows)).encode()


FORMAT = FileFormat(
    value="export_c",
    extension=".csv",
    media_type="text/csv",
    write=write,
    tool="HelioScope",
    aliases=("helioscope",),
    unverified="no public document shows the first ten lines; of the labels HelioScope names two",
)
