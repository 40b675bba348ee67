"""SAM's own library takes `export_e` as it is meant: what lies below the horizon loses its beam, nothing else."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.horizon.formats.registry import FORMATS
from api.horizon.profile import AZIMUTHS
from api.tmy.formats.registry import FORMATS as TMY_FORMATS
from kernels import sun
from kernels.position import apparent
from tests.api.horizon.formats.conftest import made_up_profile
from tests.kernels.pv.years import PLACES, made_up
from tests.support.typical_year import typical_year

NAME = "south coast"
HOURS = 8760


@pytest.fixture(scope="module")
def beam(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The part of the beam that PVWatts lets through, by UTC hour, (8760,)."""
    import PySAM.Pvwattsv8

    place = PLACES[NAME]
    weather = tmp_path_factory.mktemp("sam") / "weather.csv"
    year = typical_year(**made_up(NAME), lat=place.lat, lon=place.lon, elevation_m=place.altitude)
    Path(weather).write_bytes(TMY_FORMATS["tool_d"].write(year))
    rows = FORMATS["export_e"].write(made_up_profile()).decode().splitlines()
    table = [[float(cell or 0) for cell in row.split(",")] for row in rows]
    model = PySAM.Pvwattsv8.default("PVWattsNone")
    model.SolarResource.solar_resource_file = str(weather)
    model.SystemDesign.assign({"tilt": 0, "azimuth": 180, "array_type": 1})
    model.Shading.assign({"shading_en_azal": 1, "shading_azal": table})
    model.execute(0)
    # Its first row is the hour that begins at 23:00 UTC.
    return np.roll(np.array(model.Outputs.shad_beam_factor), -1)


def test_the_hill_in_the_east_hides_mornings_and_no_evening(beam: Any) -> None:
    place, horizon = PLACES[NAME], made_up_profile().elevation
    start = np.datetime64("2001-01-01T00:30", "s").astype(int)
    moments = start + 3600 * np.arange(HOURS)
    elevation = sun.elevation(place.lat, place.lon, moments)
    _, azimuth = apparent(sun.sun_table(moments), place.lat, place.lon, place.altitude)
    beyond = np.interp(azimuth, AZIMUTHS, horizon, period=360)
    slope = np.abs(np.interp(azimuth + 2, AZIMUTHS, horizon, period=360) - beyond)
    clear = (np.abs(azimuth - 200.5) > 4) & (slope < 3) & (elevation > 3)
    hidden, seen = clear & (elevation < beyond - 4), clear & (elevation > np.maximum(beyond, 0) + 4)
    assert hidden.sum() > 200
    assert seen.sum() > 2000
    assert (beam[hidden] < 0.01).mean() > 0.99
    assert (beam[seen] > 0.99).mean() > 0.99
    morning, evening = clear & (np.abs(azimuth - 90) < 15), clear & (np.abs(azimuth - 270) < 15)
    assert beam[morning & (elevation < 20)].max() < 0.01 < 0.99 < beam[evening].min()
