"""The picture of a horizon: what can be seen in it, at every season and latitude."""

import io
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pvlib
import pytest
from PIL import Image

from api.horizon.picture import NEAR, TERRAIN, chart, draw, limits, paths
from api.horizon.profile import AZIMUTHS
from api.horizon.sun_paths import pictured
from api.pictures.canvas import ALARM, HEIGHT, WIDTH
from tests.api.horizon.formats.conftest import made_up_profile
from tests.support.pictures import dots, extents, written

OSLO, TROMSO, NORTH_CAPE = {"lat": 59.91, "lon": 10.75}, {"lat": 69.65, "lon": 18.96}, {"lat": 71.17, "lon": 25.78}
FLAT, WALL = np.zeros(720), np.full(720, 60.0)
ENDS = "In less than 0.1 % of all directions of all places of this version the heights end before 150 km"
HOUSE = np.where(np.abs(AZIMUTHS - 180) < 15, 40.0, -2.0)


def data(**more: Any) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(orjson.dumps(pictured(made_up_profile(**more))))
    return found


def panel(picture: bytes, colour: str) -> int:
    """Count the dots of a colour below the legend and above the notes."""
    return dots(picture, colour, down=slice(170, 556))


def said_in(**more: Any) -> str:
    return written(chart(data(**more)))


def test_it_is_a_png_of_the_size_said_and_the_same_for_the_same_data() -> None:
    picture = draw(data())
    with Image.open(io.BytesIO(picture)) as image:
        assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))
    assert draw(data()) == picture


def test_a_higher_horizon_covers_more_and_near_things_have_a_tone_of_their_own() -> None:
    low, high = draw(data(elevation=FLAT)), draw(data(elevation=np.full(720, 15.0)))
    assert panel(high, TERRAIN) > 3 * panel(low, TERRAIN)
    assert max(panel(low, NEAR), panel(high, NEAR)) < 300, "only where letters fade"
    near = draw(data(elevation=np.maximum(HOUSE, 0), near=HOUSE, tier="rooftop", dom_year=2021))
    assert panel(near, NEAR) > 3000
    assert panel(near, NEAR) < panel(draw(data(elevation=WALL, near=WALL, tier="rooftop")), NEAR)


def test_what_it_says_of_the_place() -> None:
    said = said_in(**OSLO)
    for words in ("59.9100°", "10.7500°", "Ground 60 m", "eye 1.5 m", "terrain model of 2019", "tile H33-029-054"):
        assert words in said
    assert "surface model" not in said
    assert "surface model of 2021" in said_in(tier="rooftop", dom_year=2021, near=HOUSE)
    nothing = said_in(ground_z=None, observer_z=None, dtm_year=None, tile_key=None)
    assert "terrain model of unknown year" in nothing
    assert "height not known" in nothing


def test_the_near_field_alone_is_said_and_shows_no_far_terrain() -> None:
    alone = data(tier="rooftop", elevation=HOUSE, near=HOUSE, tile_key=None, near_alone_m=500.0)
    said = written(chart(alone))
    assert "Near field (500 m) alone" in said
    assert "Terrain" not in said
    assert panel(draw(alone), TERRAIN) < 300, "only where letters fade"
    both = said_in(tier="rooftop", elevation=HOUSE, near=HOUSE)
    assert "alone" not in both
    assert "Terrain\n" in both


def test_where_the_terrain_ends_is_said() -> None:
    assert "heights end before 150 km: what stands beyond is missing" in said_in(ends=ENDS)
    assert "missing" not in said_in()


def test_simulated_is_said_large_and_only_where_it_is() -> None:
    badges = [dots(draw(data(data_origin=origin)), ALARM) for origin in ("live", "simulated")]
    assert (badges[0], badges[1] > 2000) == (0, True)


def test_polar_day_and_night_are_said() -> None:
    for place in (TROMSO, NORTH_CAPE):
        said = said_in(elevation=FLAT, **place)
        assert "21 Dec: the sun does not rise" in said
        assert "21 Jun: the sun does not set, seen 24.0 h" in said
    said = said_in(elevation=FLAT, **OSLO)
    assert "does not" not in said
    assert "hidden all the time" not in said
    assert said_in(elevation=WALL, **OSLO).count("hidden all the time") == 3


@pytest.mark.parametrize("place", [OSLO, TROMSO, NORTH_CAPE])
def test_the_paths_are_those_of_the_sun(place: dict[str, float]) -> None:
    """Against the true sun by other formulas: at full hours, UTC+1, of the four days; refraction lifts it a little."""
    for day in data(elevation=FLAT, **place)["sun"]:
        month, number = day["date"]
        midnight = np.datetime64(f"2025-{month:02d}-{number:02d}T00:00", "s").astype(int) - 3600
        hours, azimuths, elevations = np.array(day["hours"]).reshape(-1, 3).T
        moments = pd.to_datetime(midnight + 3600 * hours, unit="s", utc=True)
        spa = pvlib.solarposition.get_solarposition(moments, place["lat"], place["lon"])
        lifted = elevations - spa["elevation"]
        assert ((lifted > -0.02) & (lifted < 0.65)).all()
        np.testing.assert_allclose(azimuths, spa["azimuth"], atol=0.05)
        noon = 90 - place["lat"] + {3: -0.2, 6: 23.44, 9: 0.1, 12: -23.44}[month]
        assert day["highest"] == pytest.approx(noon, abs=0.6)
        assert np.all(np.diff(day["azimuth"]) > 0)


def test_hours_seen_are_those_above_the_horizon() -> None:
    free, hilly = (
        data(elevation=FLAT, **OSLO)["sun"],
        data(elevation=np.where(AZIMUTHS < 180, 60.0, 0.0), **OSLO)["sun"],
    )
    for open_sky, afternoon in zip(free, hilly, strict=True):
        assert open_sky["seen_h"] == open_sky["up_h"] == afternoon["up_h"]
        assert afternoon["seen_h"] == pytest.approx(open_sky["up_h"] / 2, abs=0.1)


@pytest.mark.parametrize("elevation", [FLAT, WALL, np.full(720, -9.9), np.full(720, 89.0)])
@pytest.mark.parametrize("place", [OSLO, NORTH_CAPE])
def test_the_scale_holds_both_horizon_and_sun(elevation: Any, place: dict[str, float]) -> None:
    answer = data(elevation=elevation, **place)
    low, high = limits(np.array(answer["elevation"]), paths(answer["sun"]))
    assert -10 <= low < min(0.0, float(elevation.min()) + 0.1)
    assert max(float(elevation.max()), *(day["highest"] for day in answer["sun"])) < high <= 91
    assert draw(answer)


def test_a_low_horizon_still_shows_under_a_high_sun() -> None:
    """Two degrees are more than a tenth of the height, where an even scale would give them a thirtieth."""
    figure = chart(data(elevation=np.full(720, 2.0), **OSLO))
    [axes] = figure.axes
    (_, low), (_, two), (_, top) = (axes.transData.transform((0, y)) for y in (0, 2, axes.get_ylim()[1]))
    assert (two - low) / (top - low) > 0.09


def test_no_text_lies_outside() -> None:
    longest = data(
        **NORTH_CAPE, tier="rooftop", near=HOUSE, dom_year=2021, ground_z=-1234.5, observer_z=2500.55, ends=ENDS
    )
    unknown = longest | {"dtm_year": None, "dom_year": None, "ground_z": None}
    for answer in (longest, unknown, unknown | {"tile_key": None, "near_alone_m": 500.0}):
        for (text, *_), box in extents(chart(answer)).items():
            assert 0 <= box.x0 <= box.x1 <= WIDTH, text
            assert 0 <= box.y0 <= box.y1 <= HEIGHT, text
