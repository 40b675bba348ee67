"""The answer as GeoJSON: RFC 7946, true directions, flat properties."""

import math
from typing import Any

import orjson
import pytest
from pyproj import Geod

from api.terrain.geojson import geojson
from tests.api.terrain.report import made


@pytest.fixture(scope="module")
def answer() -> dict[str, Any]:
    return made.site(v_b0=22.5, bekreftelser=[3])[0]


@pytest.fixture(scope="module")
def collection(answer: dict[str, Any]) -> dict[str, Any]:
    return dict(orjson.loads(geojson(answer)))


def test_the_site_and_72_sectors_are_features_with_their_sources(
    answer: dict[str, Any], collection: dict[str, Any]
) -> None:
    assert collection["type"] == "FeatureCollection"
    assert [one["geometry"]["type"] for one in collection["features"]] == ["Point", *["Polygon"] * 72]
    assert (collection["data_origin"], collection["kilder"]) == (answer["data_origin"], answer["kilder"])
    assert collection["features"][0]["geometry"]["coordinates"] == [answer["lon"], answer["lat"]]
    assert collection["features"][0]["properties"]["c_o_maks"] == answer["resultat"]["c_o_maks"]


def test_the_properties_are_the_answers_and_hold_no_objects(answer: dict[str, Any], collection: dict[str, Any]) -> None:
    for one, feature in zip(answer["sektorer"], collection["features"][1:], strict=True):
        properties = feature["properties"]
        assert not [name for name, value in properties.items() if isinstance(value, dict | list)]
        form, wind = one["terrengform"], one["vind"]
        wanted = {name: one[name] for name in ("sektor", "kategori", "bekreftet")}
        wanted |= {name: form[name] for name in ("form", "c_o", "H_m", "L_H_m", "x_m")}
        wanted |= {name: wind[name] for name in ("c_e", "v_m_ms", "q_p_pa")}
        assert {name: properties[name] for name in wanted} == wanted


def test_sectors_are_closed_counterclockwise_and_reach_10_km_to_their_side_of_true_north(
    answer: dict[str, Any], collection: dict[str, Any]
) -> None:
    site, earth = (answer["lon"], answer["lat"]), Geod(ellps="WGS84")
    for one, feature in zip(answer["sektorer"], collection["features"][1:], strict=True):
        (ring,) = feature["geometry"]["coordinates"]
        assert ring[0] == ring[-1] == list(site)
        area, _ = earth.polygon_area_perimeter(*zip(*ring, strict=True))
        assert area == pytest.approx(math.pi * 10_000**2 / 72, rel=0.01)  # above 0: counterclockwise
        reached = [earth.inv(*site, *corner) for corner in (ring[1], ring[-2])]
        assert [distance for _, _, distance in reached] == pytest.approx([10_000, 10_000], rel=3e-3)
        edges = [(azimuth - one["retning_deg"] + 180) % 360 - 180 for azimuth, _, _ in reached]
        assert edges == pytest.approx([2.5, -2.5], abs=0.1)
