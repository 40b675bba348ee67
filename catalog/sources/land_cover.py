"""Land cover of a window, whatever the source: one table of codes, and polygons put on a grid."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin
from catalog.sources.errors import Origin

UNKNOWN, BUILT_UP, TRANSPORT, FARMLAND, FOREST, OPEN, MIRE, ICE, LAKE, SEA = 0, 11, 12, 20, 30, 50, 60, 70, 81, 82
"""Codes: those of AR5, with all farmland as one; 0 where nothing is known."""

EPSG = 25833
Codes = NDArray[np.uint8]
Bounds = tuple[float, float, float, float]
"""West, south, east, north, m in UTM 33."""

_SQLITE = b"SQLite format 3\0"


class Cover(NamedTuple):
    """Land cover of a window.

    Parameters
    ----------
    codes : uint8 (rows, columns)
        At the cells' centres; row 0 is the southernmost.
    data_origin : {"live", "simulated"}
    input : mapping
        What was read: address without query or file, bytes and SHA-256 where they were counted.
    """

    codes: Codes
    data_origin: DataOrigin
    input: Mapping[str, str | int]


def shape_of(bounds: Bounds, cell: float) -> tuple[int, int]:
    """Return rows and columns of a window."""
    west, south, east, north = bounds
    return round((north - south) / cell), round((east - west) / cell)


def burn(polygons: Iterable[tuple[Any, int]], bounds: Bounds, cell: float) -> Codes:
    """Return polygons (GeoJSON or of shapely) on a grid by their codes, later ones over earlier ones."""
    from rasterio import Affine
    from rasterio.features import rasterize

    west, _, _, north = bounds
    transform = Affine(cell, 0, west, 0, -cell, north)
    pairs = [(polygon, code) for polygon, code in polygons if code != UNKNOWN]
    if not pairs:
        return np.zeros(shape_of(bounds, cell), np.uint8)
    burnt = rasterize(pairs, shape_of(bounds, cell), fill=UNKNOWN, transform=transform, dtype=np.uint8)
    return np.ascontiguousarray(burnt[::-1])


def path_of(url: str) -> str | None:
    """Return the path that an address is, or that it names as `file://`; None of a service."""
    path = url.removeprefix("file://")
    return None if "://" in path else path


def of_geopackages(
    origin: Origin,
    path: str,
    bounds: Bounds,
    cell: float,
    *,
    fields: Sequence[str] = (),
    table: Mapping[int, int] | None = None,
    called: Sequence[str] = (),
) -> Codes:
    """Return the polygons of a GeoPackage, or of all in a folder, on a grid.

    Parameters
    ----------
    origin : Origin
    path : str
    bounds, cell
    fields : sequence of str
        Names under which a layer may hold the class; layers without any are left out. Empty: every polygon is 1.
    table : mapping of int to int, optional
        From classes to codes.
    called : sequence of str
        Parts of layers' names: other layers of a file are left out if one has such a name.

    Raises
    ------
    SourceError
        There is no such file, it cannot be read, or none of its layers has polygons with a class.
    """
    codes = np.zeros(shape_of(bounds, cell), np.uint8)
    for layer in layers_of(origin, path, bounds, fields=fields, called=called, required=bool(fields)):
        classes = [(table or {}).get(_whole(one[0]), UNKNOWN) if fields else 1 for one in layer.values]
        found = burn(zip(layer.shapes, classes, strict=True), bounds, cell)
        codes = np.where(found != UNKNOWN, found, codes)
    return codes


class PolygonLayer(NamedTuple):
    """Polygons of a layer of a GeoPackage.

    Parameters
    ----------
    shapes : list
        Of shapely, in UTM 33.
    values : list of tuple
        Of each, the fields that were asked for and are there, then its number in the layer.
    fields : tuple of str
        Which these are, in small letters.
    """

    shapes: list[Any]
    values: list[tuple[Any, ...]]
    fields: tuple[str, ...]


def layers_of(
    origin: Origin, path: str, bounds: Bounds, *, fields: Sequence[str], called: Sequence[str], required: bool = False
) -> list[PolygonLayer]:
    """Return the layers of polygons of a GeoPackage, or of all in a folder; parameters as of `of_geopackages`.

    With `required`, layers without any of `fields` are left out, and of others only the first is read.

    Raises
    ------
    SourceError
        There is no such file, it cannot be read, or there is no such layer.
    """
    place = Path(path)
    files = sorted(place.glob("*.gpkg")) if place.is_dir() else [place]
    names = [(file, layer) for file in files for layer in _layers(origin, file, called)]
    found = [layer for name in names if (layer := _polygons(origin, *name, fields, bounds, required)) is not None]
    if not found:
        about = f" and {' or '.join(fields)}" if required else ""
        raise origin.error(f"holds no *.gpkg with polygons{about}")
    return found


def _layers(origin: Origin, file: Path, called: Sequence[str]) -> list[str]:
    """Return the layers of a GeoPackage that hold polygons; with a part of a name, those called so if there are any."""
    import pyogrio

    try:
        with file.open("rb") as opened:
            # no other driver: some of GDAL's follow addresses that stand in a file
            if opened.read(len(_SQLITE)) != _SQLITE:
                raise origin.error(f"cannot be read as a GeoPackage: {file.name} is none")
        # of a layer of kind "Unknown" each feature has its own
        layers = [(str(name), str(kind)) for name, kind in pyogrio.list_layers(file)]
        names = [name for name, kind in layers if "Polygon" in kind or kind == "Unknown"]
    except (OSError, pyogrio.errors.DataSourceError) as error:
        raise origin.error(f"cannot be read as a GeoPackage: {error}") from error
    return [name for name in names if any(part in name.lower() for part in called)] or names


def _polygons(
    origin: Origin, file: Path, layer: str, fields: Sequence[str], bounds: Bounds, required: bool
) -> PolygonLayer | None:
    """Return the polygons of a layer; None where a field is required and there is none."""
    import pyogrio
    import shapely
    from pyproj import Transformer
    from pyproj.exceptions import ProjError

    try:
        about = pyogrio.read_info(file, layer=layer)
        columns = [str(name) for name in about["fields"] if str(name).lower() in fields]
        if required:
            columns = columns[:1]
            if not columns:
                return None
        back = Transformer.from_crs(about["crs"], EPSG, always_xy=True)
        within = back.transform_bounds(*bounds, direction="INVERSE")
        told, numbers, geometry, values = pyogrio.raw.read(
            file, layer=layer, columns=columns, bbox=within, force_2d=True, return_fids=True
        )
        shapes = shapely.from_wkb(geometry)
    except (OSError, ValueError, ProjError, pyogrio.errors.DataSourceError, shapely.errors.ShapelyError) as error:
        raise origin.error(f"cannot be read as a GeoPackage: {error}") from error
    shapes = shapely.transform(shapes, lambda xy: np.column_stack(back.transform(xy[:, 0], xy[:, 1])))
    names = tuple(str(name).lower() for name in told["fields"])
    rows = zip(*values, numbers, strict=True)
    pairs = [(shape, row) for shape, row in zip(shapes, rows, strict=True) if shape is not None and shape.area > 0]
    return PolygonLayer([shape for shape, _ in pairs], [row for _, row in pairs], names)


def _whole(value: Any) -> int:
    """Return a class, which may be text; -1 where it is missing."""
    text = str(value).strip().removesuffix(".0")
    return int(text) if text.isdecimal() else -1
