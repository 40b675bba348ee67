"""Pictures by WMTS 1.0.0: tiles of a layer, joined and resampled to a window in UTM 33.

The address names the layer, `https://host/wmts?LAYER=ortofoto`, and may say TILEMATRIXSET, STYLE and FORMAT. One whose
path ends with `.xml` is that of the capabilities, which then hold the tiles' own address (`ResourceURL`, on the same
host). Sets of tiles in UTM 33 are read, else those in web mercator.
"""

import math
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree as Xml

import httpx
import numpy as np
from numpy.typing import NDArray

from catalog.sources.errors import NotYetAvailable, Origin
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline
from catalog.sources.land_cover import EPSG, Bounds
from catalog.sources.pictures import Pixels, decode
from catalog.sources.wfs import local, parsed

_SYSTEMS = (EPSG, 3857)
_FORMATS = ("image/png", "image/jpeg")
_OWN = ("SERVICE", "REQUEST", "VERSION", "LAYER", "TILEMATRIXSET", "STYLE", "FORMAT")
_SCALED_M = 0.28e-3  # side of a pixel at scale 1
_MOST_TILES, _MOST_SIDE, _CAPABILITIES_BYTES, _TILE_BYTES = 400, 512, 20_000_000, 2_000_000


class Matrix(NamedTuple):
    """Tiles of one scale.

    Parameters
    ----------
    name : str
    pixel : float
        m.
    corner : (float, float)
        West and north of all tiles, m.
    size : (int, int)
        Of a tile, pixels.
    tiles : (int, int)
        Columns and rows.
    """

    name: str
    pixel: float
    corner: tuple[float, float]
    size: tuple[int, int]
    tiles: tuple[int, int]

    def span(self, axis: int, low: float, high: float) -> range:
        """Return the columns (0) or rows (1) of tiles between two distances from the corner, m."""
        side = self.pixel * self.size[axis]
        return range(max(0, int(low // side)), max(0, min(self.tiles[axis], math.ceil(high / side))))

    def place(self, column: int, row: int) -> tuple[float, float]:
        """Return west and north of a tile, m."""
        wide, high = (self.pixel * side for side in self.size)
        return self.corner[0] + column * wide, self.corner[1] - row * high


class Layer(NamedTuple):
    """How tiles of a layer are asked for: parameters, or their address; `epsg` of their coordinates."""

    params: dict[str, str]
    epsg: int
    matrices: tuple[Matrix, ...]
    template: str | None

    def question(self, service: str, matrix: Matrix, column: int, row: int) -> tuple[str, dict[str, str]]:
        """Return the address of a tile and its parameters."""
        place = {"TILEMATRIX": matrix.name, "TILEROW": str(row), "TILECOL": str(column)}
        if self.template is None:
            return service, self.params | place
        address = self.template
        for name in ("Style", "TileMatrixSet", "TileMatrix", "TileRow", "TileCol"):
            address = address.replace(f"{{{name}}}", quote((self.params | place)[name.upper()]))
        return address, {}


def window(
    origin: Origin, url: str, bounds: Bounds, shape: tuple[int, int], client: httpx.Client, deadline: Deadline
) -> Pixels:
    """Return a window (west, south, east, north, m in UTM 33) in rows and columns.

    Raises
    ------
    SourceError
        It cannot be had, or the layer has no tiles of a kind that is read.
    """
    from rasterio import Affine  # only here, as in `pictures`
    from rasterio.warp import Resampling, reproject, transform_bounds

    def read(address: str, params: dict[str, str], most: int) -> bytes:
        return fetch(origin.source, address, client, deadline, max_bytes=most, params=params | more).body or b""

    service, given = url.partition("?")[0], dict(httpx.URL(url).params)
    own = {name.upper(): value for name, value in given.items() if name.upper() in _OWN}
    more = {name: value for name, value in given.items() if name.upper() not in _OWN}
    by_address = service.endswith(".xml")
    params = {} if by_address else {"SERVICE": "WMTS", "VERSION": "1.0.0", "REQUEST": "GetCapabilities"}
    layer = _layer(origin, read(service, params, _CAPABILITIES_BYTES), own, service if by_address else None)
    pixel = (bounds[2] - bounds[0]) / shape[1]
    west, south, east, north = transform_bounds(EPSG, layer.epsg, *bounds)
    matrix = _matrix(layer, (east - west) / shape[1])
    columns = matrix.span(0, west - matrix.corner[0], east - matrix.corner[0])
    rows = matrix.span(1, matrix.corner[1] - north, matrix.corner[1] - south)
    if not 0 < len(columns) * len(rows) <= _MOST_TILES:
        raise origin.error(f"has {len(columns) * len(rows)} tiles there: 1 to {_MOST_TILES} are read")
    joined, tags = _joined(
        origin, matrix, columns, rows,
        lambda column, row: read(*layer.question(service, matrix, column, row), _TILE_BYTES),
    )  # fmt: skip
    left, top = matrix.place(columns[0], rows[0])
    pixels = np.zeros((4, *shape), np.uint8)
    reproject(
        joined, pixels, src_transform=Affine(matrix.pixel, 0, left, 0, -matrix.pixel, top), src_crs=layer.epsg,
        dst_transform=Affine(pixel, 0, bounds[0], 0, -pixel, bounds[3]), dst_crs=EPSG, resampling=Resampling.bilinear,
    )  # fmt: skip
    return Pixels(pixels[:3], pixels[3] > 127, tags)


def _joined(
    origin: Origin, matrix: Matrix, columns: range, rows: range, read: Callable[[int, int], bytes]
) -> tuple[NDArray[np.uint8], dict[str, str]]:
    """Return colours and opacity (4, rows, columns) of tiles, and what they say of themselves."""
    (wide, high), tags = matrix.size, dict[str, str]()
    joined = np.zeros((4, len(rows) * high, len(columns) * wide), np.uint8)
    for row, column in product(rows, columns):
        try:
            body = read(column, row)
        except NotYetAvailable:  # beyond what was photographed
            continue
        tile = decode(origin, body, (high, wide), ("PNG", "JPEG"))
        if len(tile.bands) < 3:
            raise origin.error("answered a picture without colours")
        i, j = (row - rows[0]) * high, (column - columns[0]) * wide
        joined[:3, i : i + high, j : j + wide] = tile.bands[:3]
        joined[3, i : i + high, j : j + wide] = 255 * tile.seen
        tags |= tile.tags
    return joined, tags


def _matrix(layer: Layer, pixel: float) -> Matrix:
    """Return the coarsest matrix whose pixels are as fine as that, m of its system; else the finest."""
    fine = [one for one in layer.matrices if one.pixel <= 1.01 * pixel]
    finest = min(layer.matrices, key=lambda one: one.pixel)
    return max(fine, key=lambda one: one.pixel, default=finest)


def _layer(origin: Origin, body: bytes, own: dict[str, str], capabilities: str | None) -> Layer:
    """Return the layer of the parameters `own`, by the capabilities; their address where tiles have their own."""
    try:
        root = parsed(body)
        contents = _all(root, "Contents")[0]
        sets = {_text(one, "Identifier"): one for one in _all(contents, "TileMatrixSet")}
        layer = next(one for one in _all(contents, "Layer") if _text(one, "Identifier") == own["LAYER"])
        named = [_text(link, "TileMatrixSet") for link in _all(layer, "TileMatrixSetLink")]
        systems = {name: int(_text(sets[name], "SupportedCRS").rpartition(":")[2]) for name in named}
        chosen = min(
            (name for name in named if systems[name] in _SYSTEMS and own.get("TILEMATRIXSET", name) == name),
            key=lambda name: _SYSTEMS.index(systems[name]),
        )
        media = own.get("FORMAT") or next(one for one in _FORMATS if one in _texts(layer, "Format"))
        styles = sorted(_all(layer, "Style"), key=lambda one: one.get("isDefault") != "true")
        style = own.get("STYLE") or (_text(styles[0], "Identifier") if styles else "")
        matrices = tuple(_matrix_of(one) for one in _all(sets[chosen], "TileMatrix"))
        resources = [one for one in _all(layer, "ResourceURL") if one.get("format") == media]
        template = resources[0].attrib["template"] if capabilities else None
        if not matrices:
            raise LookupError(chosen)
    except (Xml.ParseError, LookupError, StopIteration, ValueError) as error:
        raise origin.error("has no such layer in UTM 33 or web mercator, as PNG or JPEG") from error
    if template and httpx.URL(template).host != httpx.URL(str(capabilities)).host:
        raise origin.error("keeps its tiles on another host")
    params = {"SERVICE": "WMTS", "VERSION": "1.0.0", "REQUEST": "GetTile", "LAYER": own["LAYER"]}
    params |= {"STYLE": style, "FORMAT": media, "TILEMATRIXSET": chosen}
    return Layer(params, systems[chosen], matrices, template)


def _matrix_of(element: Xml.Element) -> Matrix:
    west, north = map(float, _text(element, "TopLeftCorner").split())
    size, tiles = (
        (int(_text(element, f"{name}Width")), int(_text(element, f"{name}Height"))) for name in ("Tile", "Matrix")
    )
    pixel = float(_text(element, "ScaleDenominator")) * _SCALED_M
    if not (0 < pixel < math.inf and 0 < min(size) <= max(size) <= _MOST_SIDE and math.isfinite(west + north)):
        raise ValueError
    return Matrix(_text(element, "Identifier"), pixel, (west, north), size, tiles)


def _all(parent: Any, name: str) -> list[Xml.Element]:
    return [one for one in parent if local(one) == name]


def _texts(parent: Any, name: str) -> list[str]:
    return [(one.text or "").strip() for one in _all(parent, name)]


def _text(parent: Any, name: str) -> str:
    return _texts(parent, name)[0]
