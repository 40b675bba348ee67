"""`export_a`: a horizon for PVsyst. Layout: its help on importing horizons, of a text file with two columns."""

from textwrap import shorten

from api.horizon.formats.common import FileFormat, name_of, remarks
from api.horizon.profile import HorizonProfile
from kernels.horizon.tables import whole_degrees

_LONGEST_NAME = 200


def write(profile: HorizonProfile) -> bytes:
    """Return the file: what has letters is a comment; azimuth from south, clockwise, so that east is negative."""
    lines = [
        # PVsyst takes this line for the name of its profile
        shorten(f"Latitude {profile.lat:.4f}, Longitude {profile.lon:.4f} {name_of(profile)}", _LONGEST_NAME),
        *remarks(profile),
        "Azimuth (0 south, clockwise, east negative)\tHeight (degrees)",
        *(f"{azimuth}\t{height:.1f}" for azimuth, height in enumerate(whole_degrees(profile.elevation), -180)),
    ]
    return "".join(f"{line}\r\n" for line in lines).encode()


FORMAT = FileFormat(
    value="export_a",
    extension=".hor",
    media_type="text/plain",
    write=write,
    tool="PVsyst",
    aliases=("pvsyst",),
    unverified="at import PVsyst asks where north is and which way azimuths go: here south is 0, and west is positive",
)
