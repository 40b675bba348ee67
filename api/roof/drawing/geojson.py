"""Modules, zones and surfaces as GeoJSON."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import orjson
import shapely
from numpy.typing import NDArray

from api.roof.drawing import texts
from api.roof.drawing.scene import Scene

Floats = NDArray[np.float64]
_Item = tuple[Any, Mapping[str, Any]]

_DIGITS = 8
"""Of degrees: 1 mm."""


def collections(scene: Scene, to_wgs84: Callable[[Floats], Floats]) -> dict[str, Any]:
    """Return the roof as FeatureCollections.

    Parameters
    ----------
    scene : Scene
    to_wgs84 : callable
        From positions (n, 2) in the local frame to longitude and latitude, degrees.

    Returns
    -------
    dict
        `moduler`; `utelukkelser`: obstacles, and what stays free or shaded because of them; `frie_soner`: what the
        rules keep free; `takflater`.
    """
    return {
        "moduler": _collection(_modules(scene), to_wgs84),
        "utelukkelser": _collection([*_obstacles(scene), *_zones(scene, by_rules=False)], to_wgs84),
        "frie_soner": _collection(_zones(scene, by_rules=True), to_wgs84),
        "takflater": _collection(_surfaces(scene), to_wgs84),
    }


def _modules(scene: Scene) -> Iterable[_Item]:
    for laid in scene.layout.surfaces:
        polygons = (
            (polygon, group) for group in laid.groups for polygon in shapely.polygons(group.modules)
        )  # fmt: skip
        for n, (polygon, group) in enumerate(polygons, 1):
            yield polygon, {
                "id": f"{laid.surface}-{n}", "flate": laid.surface, "wp": scene.module.wp,
                "helning_grader": round(group.tilt, 1), "fallretning_grader": round(group.azimuth, 1) % 360,
            }  # fmt: skip


def _obstacles(scene: Scene) -> Iterable[_Item]:
    for one in scene.roof.obstacles:
        height = None if one.height is None else round(one.height, 2)
        yield one.polygon, {
            "type": one.kind, "del": "hindring", "kilde": one.source, "areal_m2": round(one.polygon.area, 2),
            "hoyde_m": height, "flate": one.surface,
        }  # fmt: skip


def _zones(scene: Scene, *, by_rules: bool) -> Iterable[_Item]:
    for zone in scene.layout.zones:
        if (zone.source == "regler") == by_rules:
            yield zone.polygon, {
                "type": zone.kind, "del": "sone", "kilde": zone.source, "areal_m2": round(zone.area, 2),
                "flate": zone.surface,
            }  # fmt: skip


def _surfaces(scene: Scene) -> Iterable[_Item]:
    for surface, laid in scene.pairs():
        fall = round(surface.plane.azimuth, 1) % 360 if texts.falls(surface) else None
        yield surface.polygon, {
            "id": surface.number, "type": "flat" if surface.is_flat else "skraa", "areal_m2": round(surface.area, 2),
            "helning_grader": round(surface.plane.tilt, 1), "fallretning_grader": fall,
            "moduler": laid.count, "kwp": round(scene.kwp(laid), 3), "sikkerhet": round(surface.confidence, 2),
        }  # fmt: skip


def _collection(items: Iterable[_Item], to_wgs84: Callable[[Floats], Floats]) -> dict[str, Any]:
    """Return shapes in the local frame as features, exterior rings counter-clockwise."""
    items = list(items)
    if not items:
        return {"type": "FeatureCollection", "features": []}
    shapes = np.array([shape for shape, _ in items], dtype=object)
    shapes = shapely.transform(shapes, lambda xy: np.asarray(to_wgs84(xy)).round(_DIGITS))
    geometries = orjson.loads(f"[{','.join(shapely.to_geojson(shapely.orient_polygons(shapes)))}]")
    features = [
        {"type": "Feature", "geometry": geometry, "properties": dict(properties)}
        for geometry, (_, properties) in zip(geometries, items, strict=True)
    ]
    return {"type": "FeatureCollection", "features": features}
