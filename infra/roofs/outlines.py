"""Outlines of buildings from GeoJSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import shapely
from pyproj import CRS
from shapely import Polygon

from catalog.sources.errors import Origin
from catalog.sources.point_cloud import horizontal
from infra.roofs.frame import WGS84


class OutlineFile(NamedTuple):
    """Outlines of buildings by their ids, and their CRS; None where the file names none."""

    polygons: Mapping[str, Polygon]
    crs: Any


def read_outlines(path: Path) -> OutlineFile:
    """Return the outlines of a GeoJSON; ids are the property `id`, the feature's own, or its number from 1.

    Raises
    ------
    SourceError
        It cannot be read.
    """
    origin = Origin("roof", path.name)
    try:
        document = orjson.loads(path.read_bytes())
        found: dict[str, Polygon] = {}
        for n, feature in enumerate(document["features"], 1):
            about = feature.get("properties") or {}
            name = str(about.get("id") or feature.get("id") or n)
            shape = shapely.make_valid(shapely.force_2d(shapely.from_geojson(orjson.dumps(feature["geometry"]))))
            parts = [part for part in shapely.get_parts(shape) if isinstance(part, Polygon) and part.area > 0]
            for k, part in enumerate(parts):
                found[name if k == 0 else f"{name}#{k + 1}"] = Polygon(part.exterior)
        told = ((document.get("crs") or {}).get("properties") or {}).get("name")
        crs = horizontal(CRS.from_user_input(told)) if told else None
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RuntimeError,
        shapely.errors.ShapelyError,
    ) as error:
        raise origin.error(f"cannot be read as a GeoJSON of polygons: {error}") from error
    if not found:
        raise origin.error("holds no polygons")
    if crs is None and np.abs(np.concatenate([each.bounds for each in found.values()])).max() <= 180:
        crs = CRS.from_epsg(WGS84)
    return OutlineFile(found, crs)
