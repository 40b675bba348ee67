"""`binary`: 720 little-endian float16, degrees, nothing else."""

from api.horizon.formats.common import FileFormat
from api.horizon.profile import HorizonProfile


def write(profile: HorizonProfile) -> bytes:
    """Return the file, 1440 bytes."""
    return profile.elevation.astype("<f2").tobytes()


FORMAT = FileFormat(
    value="binary",
    extension=".bin",
    media_type="application/octet-stream",
    write=write,
    tiers=("terrain",),
)
