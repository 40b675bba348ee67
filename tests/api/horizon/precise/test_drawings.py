"""What the report draws: relief, sky dome, panorama and bars, each the right way round."""

import io
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from api.horizon.precise.report import dome, labels, months, panorama, relief_map, sun
from api.horizon.precise.report.relief import PIXELS, REACH_M, UNKNOWN, Relief, shaded
from api.reports.pictures import png
from kernels import utm
from tests.api.horizon.precise import made

COMPASS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]


def tower(place: tuple[float, float], azimuth: float, distance: float) -> Relief:
    """Flat land with a tower of 30 m in a true direction."""
    x, y = map(float, utm.forward(*place))
    lat, lon = place
    north, east = distance * math.cos(math.radians(azimuth)), distance * math.sin(math.radians(azimuth))
    at = utm.forward(lat + north / 111_500, lon + east / (111_700 * math.cos(math.radians(lat))))
    column, row = round(float(at[0]) - x) + 200, round(float(at[1]) - y) + 200
    z = np.zeros((401, 401), np.float32)
    z[row - 3 : row + 4, column - 3 : column + 4] = 30
    return Relief(z, 1.0, x, y)


@pytest.mark.parametrize("azimuth", [0.0, 90.0, 225.0])
def test_true_north_is_up_where_the_map_s_north_is_14_degrees_off(azimuth: float) -> None:
    grey = shaded(tower(made.VADSO, azimuth, 100.0)).astype(float)
    inside = np.hypot(*(np.indices(grey.shape) + 0.5 - PIXELS / 2)) < 0.95 * PIXELS / 2
    row, column = (np.mean(at) + 0.5 for at in np.nonzero(inside & (np.abs(grey - np.median(grey[inside])) > 20)))
    scale = PIXELS / (2 * REACH_M)
    east, north = (column - PIXELS / 2) / scale, (PIXELS / 2 - row) / scale
    assert math.hypot(east, north) == pytest.approx(100, abs=3)
    off = (math.degrees(math.atan2(east, north)) - azimuth + 180) % 360 - 180
    assert abs(off) < 1.5


def test_the_light_comes_from_the_north_west() -> None:
    y, x = np.mgrid[-150:151, -150:151].astype(np.float32)
    grey = shaded(Relief(np.maximum(0, 80 - np.hypot(x, y)), 1.0, *map(float, utm.forward(*made.OSLO)))).astype(int)
    quarter = PIXELS // 2 - PIXELS // 8, PIXELS // 2 + PIXELS // 8
    assert grey[quarter[0], quarter[0]] > grey[quarter[0], quarter[1]] + 30 > grey[quarter[1], quarter[1]] + 60


@pytest.mark.filterwarnings("error")
def test_unknown_heights_are_white_and_hide_nothing_of_what_is_known() -> None:
    x, y = map(float, utm.forward(*made.OSLO))
    assert (shaded(Relief(np.full((301, 301), np.nan, np.float32), 1.0, x, y)) == UNKNOWN).all()
    z = np.zeros((301, 301), np.float32)
    z[:150] = np.nan
    grey = shaded(Relief(z, 1.0, x, y))
    assert (grey[: PIXELS // 2 - 20, PIXELS // 2] < UNKNOWN).all()
    assert (grey[PIXELS // 2 + 20 :, PIXELS // 2] == UNKNOWN).all()


def test_a_png_is_read_by_others_as_it_was() -> None:
    image = pytest.importorskip("PIL.Image")
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    with image.open(io.BytesIO(png(grey))) as opened:
        assert (np.asarray(opened) == grey).all()


def test_numbers_of_objects_lie_on_nothing() -> None:
    crowd, other = np.tile([[50.0, 50.0]], (8, 1)), [50.0, 62.0]
    found = labels.spread(crowd, 12.0, (0.0, 0.0), (100.0, 100.0), [other])
    between = np.hypot(*(found[:, None] - np.vstack([found, other])[None]).transpose(2, 0, 1))
    assert between[~np.eye(8, 9, dtype=bool)].min() > 11.8
    assert found.min() >= 0
    assert found.max() <= 100
    lone = np.array([[20.0, 30.0], [80.0, 30.0]])
    assert labels.spread(lone, 12.0, (0, 0), (100, 100)) == pytest.approx(lone, abs=0.01)


def test_only_objects_that_cost_something_are_numbered_ten_at_most() -> None:
    assert len(labels.numbered(made.objects(40))) == 10
    free = [{**one, "yield_loss_pct": 0.0} for one in made.objects(3)]
    assert not labels.numbered(free)


def test_the_sun_behind_a_wall_is_not_seen_and_over_the_sea_it_is() -> None:
    low, high = (sun.paths(made.result(elevation_deg=[e] * 720)) for e in (-2.0, 80.0))
    assert [path.seen.all() for path in low] == [True] * 3
    assert not any(path.seen.any() for path in high)
    assert low[0].up_h > low[1].up_h > low[2].up_h
    assert [hour for hour, _, _ in low[2].hours] == [10, 11, 12, 13, 14, 15]


def test_the_panel_s_plane_rises_behind_it_by_its_tilt() -> None:
    azimuth, elevation = sun.panel_plane(180.0, 35.0)
    behind = {round(a % 360, 1): e for a, e in zip(azimuth, elevation, strict=True) if not math.isnan(a)}
    assert behind[0.0] == pytest.approx(35.0)
    assert behind[90.0] == pytest.approx(0.0, abs=1e-6)
    assert 180.0 not in behind


def test_the_dome_has_north_up_and_east_to_the_right() -> None:
    north, east, zenith = dome.place(np.array([0.0, 90.0, 0.0]), np.array([0.0, 0.0, 90.0]))
    assert north[0] == pytest.approx(zenith[0])
    assert north[1] < zenith[1]
    assert east[0] > zenith[0]
    assert east[1] == pytest.approx(zenith[1])


@pytest.mark.parametrize("place", [made.OSLO, made.NORTH_CAPE])
def test_drawings_are_whole_svg_in_the_report_s_font(place: tuple[float, float]) -> None:
    told = made.result(lat=place[0], lon=place[1], panel_az_deg=360.0)
    suns = sun.paths(told)
    drawings = (
        dome.draw(told, suns, COMPASS),
        panorama.draw(told, suns, COMPASS, ["<June>", "&", "December"]),
        months.draw(told["monthly"], ["m"] * 12, ["1 %"] * 12),
        relief_map.draw(told, made.relief(*place), COMPASS),
    )
    for drawing in drawings:
        assert "nan" not in re.sub(r"base64,[^\"]*", "", drawing).lower()
        assert ET.fromstring(drawing).get("font-family") == "Libertinus Serif"


def test_bars_of_months_are_as_high_as_their_energy() -> None:
    told = made.result()["monthly"]
    drawn = ET.fromstring(months.draw(told, ["m"] * 12, ["1 %"] * 12))
    heights = [float(rect.get("height", "")) for rect in drawn.iter() if rect.tag.endswith("rect")]
    whole, with_shade = np.array(heights[0::3]), np.array(heights[2::3])
    poa_open, poa = (np.array([month[name] for month in told]) for name in ("poa_open_kwh_m2", "poa_kwh_m2"))
    assert whole / whole[0] == pytest.approx(poa_open / poa_open[0], rel=0.01)
    assert with_shade / whole == pytest.approx(poa / poa_open, abs=0.005)
