"""PNG, DXF and GeoJSON of a drawing."""

import io
import struct

import numpy as np
import pytest
import shapely
from ezdxf import recover
from shapely.geometry import shape

from api.roof.drawing.dxf import dxf
from api.roof.drawing.geojson import collections
from api.roof.drawing.png import png
from tests.api.roof.drawing.drawings import made_scene, scene_of
from tests.kernels.roof.layout import scenes

THINGS = [scenes.thing(5, 5, 3, 2, "pipe", 1.2), scenes.thing(25, 5, 2, 2, "overlys", None, "bilde")]


def read(scene):
    document, audit = recover.read(io.BytesIO(dxf(scene)))
    return document, audit


def polygons(document, layer):
    return [
        shapely.Polygon([p[:2] for p in line.get_points()])
        for line in document.modelspace().query(f'LWPOLYLINE[layer=="{layer}"]')
    ]


def test_png_of_a_scene_is_1600_pixels_wide_and_the_same_each_time():
    picture = png(made_scene(4))
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24]) == (1600, 1131)
    assert png(made_scene(4)) == picture


@pytest.mark.parametrize("seed", range(8))
def test_dxf_passes_the_audit(seed):
    _, audit = read(made_scene(seed))
    assert not audit.errors
    assert not audit.fixes


def test_dxf_has_every_module_in_metres():
    scene = scene_of(scenes.turned(scenes.flat(40, 20, THINGS), 12))
    document, _ = read(scene)
    found = polygons(document, "MODULER")
    wanted = shapely.polygons(np.concatenate([laid.modules for laid in scene.layout.surfaces]))
    assert document.header["$INSUNITS"] == 6
    assert len(found) == len(wanted) > 100
    assert all(shapely.equals_exact(a, b, 1e-6) for a, b in zip(found, wanted, strict=True))


def test_dxf_has_surfaces_zones_obstacles_ridges_and_dimensions_on_their_layers():
    document, _ = read(scene_of(scenes.gable(16, 12, obstacles=THINGS[:1])))
    layers = {entity.dxf.layer for entity in document.modelspace()}
    assert layers >= {"TAKFLATER", "MONE_GRAT_KIL", "MODULER", "HINDRINGER", "MAL", "TEKST", "SONER_KANT_SKRAA"}
    assert {round(one.get_measurement(), 6) for one in document.modelspace().query("DIMENSION")} == {12.0, 16.0}


def test_dxf_names_its_origin_and_simulated_data():
    document, _ = read(scene_of(scenes.gable(), simulated=True))
    said = " ".join(one.dxf.text for one in document.modelspace().query("TEXT"))
    assert "59,912730° N, 10,746090° Ø" in said
    assert "SIMULERT" in said
    document, _ = read(scene_of(scenes.gable()))
    assert "SIMULERT" not in " ".join(one.dxf.text for one in document.modelspace().query("TEXT"))


def degrees(xy):
    return np.stack([10 + xy[:, 0] / 55_800, 60 + xy[:, 1] / 111_400], axis=1)


def test_geojson_has_modules_surfaces_and_zones_in_degrees():
    scene = scene_of(scenes.flat(40, 20, THINGS))
    found = collections(scene, degrees)
    assert set(found) == {"moduler", "utelukkelser", "frie_soner", "takflater"}
    assert len(found["moduler"]["features"]) == scene.layout.count
    ring = found["moduler"]["features"][0]["geometry"]["coordinates"][0]
    assert np.abs(np.array(ring) - [10, 60]).max() < 0.001
    zones = len(found["utelukkelser"]["features"]) + len(found["frie_soner"]["features"])
    assert zones == len(scene.layout.zones) + len(scene.roof.obstacles)
    assert {one["properties"]["kilde"] for one in found["frie_soner"]["features"]} == {"regler"}
    one = found["takflater"]["features"][0]["properties"]
    assert (one["id"], one["type"], one["areal_m2"], one["moduler"]) == (1, "flat", 800.0, scene.layout.count)
    assert one["fallretning_grader"] is None
    module = found["moduler"]["features"][0]["properties"]
    assert (module["flate"], module["fallretning_grader"]) == (1, round(scene.layout.surfaces[0].groups[0].azimuth, 1))
    assert {each["properties"]["flate"] for each in found["frie_soner"]["features"]} == {1}


def test_geojson_rings_are_counter_clockwise():
    found = collections(made_scene(33), degrees)
    for collection in found.values():
        for feature in collection["features"]:
            for part in shapely.get_parts(shape(feature["geometry"])):
                assert part.exterior.is_ccw


def test_geojson_of_a_roof_without_modules_is_empty_collections():
    found = collections(scene_of(scenes.gable(1.5, 1.5)), degrees)
    assert found["moduler"] == {"type": "FeatureCollection", "features": []}
