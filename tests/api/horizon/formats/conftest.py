"""A profile that cannot be taken for itself turned or mirrored."""

import numpy as np
import pytest

from api.horizon.profile import AZIMUTHS, HorizonProfile
from api.horizon.provenance import Source

HILL = 30.0
PEAK_AT, PEAK = 200.5, 12.34


def source(attribution: str) -> Source:
    """Whom heights are from."""
    return {"name": "survey", "licence": "CC BY 4.0", "attribution": attribution, "data_origin": "live"}


def made_up_profile(**more: object) -> HorizonProfile:
    """A hill in the east, a peak half a degree wide in the south-west, and land that falls away elsewhere."""
    elevation = HILL * np.maximum(np.cos(np.radians(AZIMUTHS - 90)), 0) ** 6 - 1.5
    elevation[AZIMUTHS == PEAK_AT] = PEAK
    distance = 2000.0 + 10 * AZIMUTHS
    told: dict[str, object] = {
        "tier": "terrain", "lat": 59.9123456, "lon": 10.7543210, "observer_z": 61.5, "ground_z": 60.0,
        "elevation": elevation, "distance": distance, "data_origin": "simulated", "dtm_year": 2019,
        "tile_key": "H33-029-054", "sources": [source("(c) A survey")], **more,
    }  # fmt: skip
    return HorizonProfile(**told)  # type: ignore[arg-type]


@pytest.fixture
def profile() -> HorizonProfile:
    """The profile."""
    return made_up_profile()
