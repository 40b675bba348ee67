"""Satellite images: the right window, the right moment, and one sentence for everything that is none."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from catalog.sources import geostationary, meteosat
from catalog.sources.errors import NotYetAvailable, SourceError
from catalog.sources.meteosat import Image, Window
from tests.support.http_files import FileServer
from tests.support.images import NOMINAL, plane, write
from tests.support.netcdf import attribute, drop, replace
from tests.support.reading import sentence_of

WINDOW = Window(55.0, 72.0, 0.0, 34.0)


def read(url: Path | str, nominal: datetime = NOMINAL, window: Window = WINDOW) -> Image:
    return meteosat.read_image(str(url), nominal, window, user_agent="test", deadline_s=10)


def sentence(url: Path, kind: type[SourceError] = SourceError) -> str:
    return sentence_of("meteosat", lambda: read(url), kind)


@pytest.mark.parametrize("storage", [None, {}, {"chunks": (1, 5, 201)}])
def test_a_window_runs_from_south_to_north_and_west_to_east(tmp_path: Path, storage: dict[str, Any] | None) -> None:
    write(tmp_path, storage=storage)
    image = read(tmp_path)
    for axis, low, high in ((image.lats, 55, 72), (image.lons, 0, 34)):
        assert axis[0] <= low <= axis[1] < axis[-2] <= high <= axis[-1]
    expected = plane(image.lats[:, None], image.lons)
    np.testing.assert_allclose(image.ghi[image.seen], expected[image.seen], atol=0.06)
    assert image.data_origin == "simulated"
    assert image.nominal == NOMINAL


def test_the_scan_reaches_norway_twelve_minutes_after_the_time_in_the_name(tmp_path: Path) -> None:
    """The half-hour of this source: the scan begins in the south, at the nominal time."""
    write(tmp_path)
    image = read(tmp_path)
    late = image.scanned - NOMINAL.timestamp()
    assert 690 < late.min() < late.max() < 750
    assert (np.diff(late) > 0).all(), "the north is scanned last"
    assert abs(np.interp(60, image.lats, late) - 715) < 5


def test_the_scan_line_is_that_of_the_projection() -> None:
    """Against PROJ's geostationary view: 3712 lines of 83.84 microradians, 0.2 s each, from 10 s on."""
    import pyproj

    lat, lon = np.array([57.0, 60, 65, 69, 0, -60]), np.array([4.0, 10, 14, 18, 0, 20])
    _, y = pyproj.Proj("+proj=geos +h=35785831 +lon_0=0 +a=6378169 +b=6356583.8 +sweep=y")(lon, lat)
    line = 1856 + np.array(y) / 35_785_831 / 83.8427e-6
    np.testing.assert_allclose(geostationary.scanned_after_s(lat, lon), 10 + 0.2 * line, atol=0.05)


def test_the_edge_of_the_disc_is_not_seen(tmp_path: Path) -> None:
    write(tmp_path)
    image = read(tmp_path)
    northernmost = [image.lats[image.seen[:, np.abs(image.lons - lon).argmin()]].max() for lon in (4, 26)]
    assert 68.6 <= northernmost[0] <= 69.5
    assert 66.4 <= northernmost[1] <= 67.3
    assert np.isnan(image.ghi[~image.seen]).all(), "the file has values there"


def test_missing_pixels_stay_missing(tmp_path: Path) -> None:
    write(tmp_path, values=lambda lat, lon: np.where(lat > 60, np.nan, 300))
    image = read(tmp_path)
    assert np.isnan(image.ghi[image.lats > 60.1]).all()
    np.testing.assert_allclose(image.ghi[image.lats < 59.9], 300)


def test_only_the_window_is_fetched(tmp_path: Path) -> None:
    noise = np.random.default_rng(0)
    path = write(
        tmp_path,
        values=lambda lat, lon: 100 + 500 * noise.random(lat.shape),
        step=0.1,
        storage={"chunks": (1, 160, 400), "compression": "gzip"},
        edit=lambda file: file["DSSF_TOT"].write_direct(noise.integers(0, 9000, (1, 1601, 1601)).astype("i2")),
    )
    with FileServer(tmp_path) as server:
        read(server.url, window=Window(57, 60, 5, 12))
        asked = [r.headers.get("Range", "") for r in server.requests]
    spans = [list(map(int, r.removeprefix("bytes=").split("-"))) for r in asked if r]
    assert sum(b - a + 1 for a, b in spans) < path.stat().st_size / 4


def test_a_late_image_is_not_yet_available(tmp_path: Path) -> None:
    write(tmp_path, NOMINAL - timedelta(minutes=15))
    sentence(tmp_path, NotYetAvailable)


_AXIS = np.linspace(-80, 80, 201)
WRONG: dict[str, tuple[Callable[[h5py.File], Any], str]] = {
    "another image": (replace("time", [NOMINAL.timestamp() - 900]), "holds the image of 2026-06-21T10:00Z, not of"),
    "no time": (drop("time"), "has no time"),
    "no irradiance": (drop("DSSF_TOT"), "lacks the required variable DSSF_TOT"),
    "rows missing": (
        lambda file: (
            replace("lat", _AXIS[::-1][:100])(file),
            replace("DSSF_TOT", np.zeros((1, 100, 201), "i2"))(file),
        ),
        "has a wrong grid: lat runs from 80",
    ),
    "fewer rows than latitudes": (replace("DSSF_TOT", np.zeros((1, 100, 201), "i2")), "has a wrong grid: DSSF_TOT is"),
    "shifted": (replace("lon", _AXIS + 2), "has a wrong grid: lon runs from -78"),
    "other units": (attribute("DSSF_TOT", "units", "kW/m2"), "units that are not understood: 'kW/m2'"),
    "negative": (attribute("DSSF_TOT", "add_offset", -300.0), "outside 0 to 1500"),
}


@pytest.mark.parametrize(("edit", "says"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_image_of_that_time_is_refused(tmp_path: Path, edit: Callable[[h5py.File], Any], says: str) -> None:
    write(tmp_path, edit=edit)
    assert says in sentence(tmp_path)


def test_a_time_that_names_no_image_is_the_callers_mistake(tmp_path: Path) -> None:
    for wrong in (datetime(2026, 6, 21, 10, 15), datetime(2026, 6, 21, 10, 7, tzinfo=UTC)):
        with pytest.raises(ValueError, match="quarter of an hour"):
            read(tmp_path, wrong)
