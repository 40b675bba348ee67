"""Three months of real ERA5 around Finse: the file's own numbers, by the right hours."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import netcdf_file

from catalog.sources.climate_archive import ArchiveMonth, open_month
from kernels.sun import cos_zenith, sun_table, vertical

FOLDER = "era5_finse"
CELLS = np.arange(70)


def opened(shared_data: Path, month: int = 10) -> AbstractContextManager[ArchiveMonth]:
    return open_month("era5", str(shared_data / FOLDER), 2018, month, user_agent="test", deadline_s=30)


def stored(shared_data: Path, name: str) -> NDArray[np.float64]:
    """Return a variable of October as another reader has it, (time, cells), rows from south to north."""
    with netcdf_file(shared_data / FOLDER / "SURF_201810.nc", mmap=False) as file:
        held: Any = file.variables[name]
        values = held.data.astype(np.float64) * held.scale_factor + held.add_offset
    return values[:, ::-1].reshape(744, 70)


def test_the_real_weather_is_read_in_our_units(shared_data: Path) -> None:
    with opened(shared_data) as month:
        assert (month.proj4, month.data_origin) == ("EPSG:4326", "live")
        assert month.variables == ("ghi", "temp_air", "rel_hum", "mslp")
        assert month.missing_variables == ("wind_speed",)
        values, heights = month.read(CELLS), month.altitude(CELLS)
    assert heights is not None
    np.testing.assert_allclose(heights, stored(shared_data, "z")[0] / 9.80665, atol=0.01)
    kelvin, dew = stored(shared_data, "t2m"), stored(shared_data, "d2m")
    np.testing.assert_allclose(values["temp_air"], kelvin - 273.15, atol=1e-4)
    # over water, by another formula (Buck 1981)
    pressures = [6.1121 * np.exp((18.678 - t / 234.5) * t / (257.14 + t)) for t in (dew - 273.15, kelvin - 273.15)]
    np.testing.assert_allclose(values["rel_hum"], np.minimum(100 * pressures[0] / pressures[1], 100), atol=0.3)
    # reduced to sea level the mountains vanish: neighbours 700 m apart in height differ by a few hPa
    surface = stored(shared_data, "sp") / 100
    assert np.ptp(surface[0]) > 50
    assert np.ptp(values["mslp"], axis=1).max() < 12
    assert 960 < values["mslp"].min() < values["mslp"].max() < 1050


def test_an_hour_in_which_the_sun_is_down_has_no_light(shared_data: Path) -> None:
    """Were the stamps off by half an hour, some would have more than 1 W/m2."""
    with opened(shared_data) as month:
        ghi = month.read(CELLS, ["ghi"])["ghi"]
        lat, lon = (values.ravel() for values in np.meshgrid(month.y, month.x, indexing="ij"))
    moments = month.hours[:, None] + np.arange(0, 3601, 300)
    # refraction and the sun's radius lift it by less than a degree
    up = cos_zenith(vertical(lat, lon), sun_table(moments.ravel())).reshape(*moments.shape, lat.size).max(axis=1)
    dark = up < np.sin(np.radians(-1.0))
    assert dark.any()
    assert ghi[dark].max() < 0.02
