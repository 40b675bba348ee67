"""`csv`: all 720 points, as a plain table."""

import numpy as np

from api.horizon.formats.common import FileFormat
from api.horizon.profile import AZIMUTHS, HorizonProfile


def write(profile: HorizonProfile) -> bytes:
    """Return the file: `azimuth_deg,elevation_deg`, then the distance, and of level 2 the near field alone."""
    columns = {"azimuth_deg": [f"{one:.1f}" for one in AZIMUTHS], "elevation_deg": _numbers(profile.elevation, 3)}
    columns["distance_m"] = _numbers(profile.distance, 1)
    if profile.near is not None:
        columns["near_horizon_only_deg"] = _numbers(profile.near, 3)
    rows = (",".join(row) for row in zip(*columns.values(), strict=True))
    return "\n".join((",".join(columns), *rows, "")).encode()


def _numbers(values: np.typing.NDArray[np.float64], digits: int) -> list[str]:
    """Print numbers; where there is none, nothing."""
    return ["" if np.isnan(one) else f"{one:z.{digits}f}" for one in values]


FORMAT = FileFormat(value="csv", extension=".csv", media_type="text/csv", write=write)
