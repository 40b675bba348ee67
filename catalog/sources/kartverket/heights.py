"""Kartverket's national height models as GeoTIFF by WCS: the ground (`dtm`) and what stands on it too (`dom`).

How sure we are. Public clients that ask the real service agree on: the two addresses, WCS 1.0.0 with `COVERAGE`, `CRS`,
`BBOX`, `WIDTH`, `HEIGHT` and `FORMAT=GeoTIFF` (2.0.1 with `subset` is answered 400), the coverages `nhm_dtm_topo_25833`
and `nhm_dom_topo_25833`, one band of float32 with row 0 in the north, cells that are areas, bounds exactly those asked
for, resampling by the server to any size, about 2 s for 1000 x 1000 cells, 9 s for 2000 x 2000 and nothing for
3000 x 3000. They found no tag for nodata but 3.4e38 in its place, and the sea beside the land as 0.0 within some mm.
Not confirmed: whether the file tells its date (TIFFTAG_DATETIME is read where there is one), where the sea ends and
nodata begins, and what an exception looks like. What differs from this is refused with a sentence, never guessed.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, Literal, NamedTuple

import httpx
import numpy as np
from numpy.typing import NDArray

from catalog.sources.data_origin import DataOrigin, origin_of
from catalog.sources.errors import Origin, beginning, words_of
from catalog.sources.fetch import fetch
from catalog.sources.http import Deadline, make_client, without_credentials

NAME = "kartverket_wcs"
EPSG = 25833

Model = Literal["dtm", "dom"]
_COVERAGES: Mapping[Model, str] = {"dtm": "nhm_dtm_topo_25833", "dom": "nhm_dom_topo_25833"}

# More cells to a side are put together from several answers: beyond, the service is slow and then silent.
MOST_CELLS = 1024
LOWEST, HIGHEST = -100.0, 2600.0
# Every marker of nodata in use lies below it, or is 3.4e38.
_NO_HEIGHT = -1000.0
_NO_NUMBER = 1e30
_SLACK = 0.01  # of a cell: bounds are text on the way there
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
# Of a tile or strip, to a side: small files may unpack to gigabytes, a block at a time.
_LARGEST_BLOCK = 2048
_TYPES = ("float32", "float64", "int16", "int32")


@dataclass(frozen=True)
class Heights:
    """Heights of a window.

    Parameters
    ----------
    z : float32 (rows, columns)
        m above sea (NN2000); row 0 is the southernmost; NaN where there are none. The sea is as the source has it: 0
        or NaN.
    west, south : float
        Corner of the first cell, m in UTM 33 (EPSG:25833).
    cell : float
        m.
    year : int or None
        Of the data; None where the source does not say.
    data_origin : {"live", "simulated"}
    input : mapping
        What was read: address without query, bytes and SHA-256.
    """

    z: NDArray[np.float32]
    west: float
    south: float
    cell: float
    year: int | None
    data_origin: DataOrigin
    input: Mapping[str, str | int]


class Box(NamedTuple):
    """A part of the plane, m in UTM 33."""

    west: float
    south: float
    east: float
    north: float


def window(
    url: str,
    model: Model,
    west: float,
    south: float,
    east: float,
    north: float,
    cell: float,
    *,
    user_agent: str,
    deadline: Deadline | float,
) -> Heights:
    """Return the heights of a window, however many answers that takes.

    Parameters
    ----------
    url : str
        The service, http or https, without `/wcs.hoyde-...`.
    model : {"dtm", "dom"}
        The ground, or the surface with houses and trees.
    west, south, east, north : float
        Bounds, m in UTM 33: whole cells apart.
    cell : float
        m; the server resamples where that is not 1.
    user_agent : str
        Names the caller.
    deadline : Deadline or float
        For all of it; a number is seconds from now.

    Raises
    ------
    SourceError
        The heights cannot be had, or the answer is something else.
    ValueError
        The bounds are no whole cells apart.
    """
    rows, columns = _shape(Box(west, south, east, north), cell)
    until = deadline if isinstance(deadline, Deadline) else Deadline(deadline)
    service = f"{url.rstrip('/')}/wcs.hoyde-{model}-nhm-{EPSG}"
    z = np.empty((rows, columns), dtype=np.float32)
    parts: list[Heights] = []
    digest = hashlib.sha256()
    with make_client(user_agent) as client:
        for row, column in product(_spans(rows), _spans(columns)):
            box = Box(
                west + column.start * cell, south + row.start * cell, west + column.stop * cell, south + row.stop * cell
            )
            body = _ask(service, model, box, z[row, column].shape, client, until)
            parts.append(read(body, service, box, cell))
            z[row, column] = parts[-1].z
            digest.update(body)
    years = {part.year for part in parts if part.year is not None}
    about: dict[str, str | int] = {
        "url": str(parts[0].input["url"]),
        "bytes": sum(int(part.input["bytes"]) for part in parts),
        "sha256": digest.hexdigest(),
    }
    origin = origin_of(*(part.data_origin for part in parts))
    return Heights(z, west, south, cell, min(years, default=None), origin, about)


def _ask(
    service: str, model: Model, box: Box, shape: tuple[int, ...], client: httpx.Client, deadline: Deadline
) -> bytes:
    """Return the answer for one piece of at most `MOST_CELLS` to a side."""
    rows, columns = shape
    params = {
        "SERVICE": "WCS",
        "VERSION": "1.0.0",
        "REQUEST": "GetCoverage",
        "COVERAGE": _COVERAGES[model],
        "CRS": f"EPSG:{EPSG}",
        "BBOX": ",".join(f"{edge:.10g}" for edge in box),
        "WIDTH": str(columns),
        "HEIGHT": str(rows),
        "FORMAT": "GeoTIFF",
    }
    # uncompressed, with tiles that reach over the edge
    most = 8 * (columns + 512) * (rows + 512)
    return fetch(NAME, service, client, deadline, max_bytes=most, params=params).body or b""


def read(body: bytes, url: str, box: Box, cell: float) -> Heights:
    """Return what an answer holds.

    Parameters
    ----------
    body : bytes
    url : str
        For sentences.
    box : Box
        What was asked for.
    cell : float
        m.

    Raises
    ------
    SourceError
        It is no GeoTIFF of exactly this, or its heights are those of no land; one sentence says why.
    """
    origin = Origin(NAME, without_credentials(url))
    if not body.startswith(_TIFF):
        raise origin.error(f"answered no GeoTIFF: {words_of(body)}")
    raw, nodata, tags = _decoded(origin, body, box, cell)
    z = raw.astype(np.float32)
    with np.errstate(invalid="ignore"):
        missing = ~np.isfinite(z) | (z < _NO_HEIGHT) | (z > _NO_NUMBER)
        if nodata is not None:
            missing |= z == np.float32(nodata)
        absurd = ~missing & ((z < LOWEST) | (z > HIGHEST))
    if 2 * np.count_nonzero(absurd) > np.count_nonzero(~missing):
        odd = z[absurd]
        raise origin.error(f"gives heights of {odd.min():g} to {odd.max():g} m: this is no land of ours")
    z[missing | absurd] = np.nan
    about: dict[str, str | int] = {"url": origin.url, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
    year = year_of(tags.get("TIFFTAG_DATETIME"))
    return Heights(z, box.west, box.south, cell, year, origin_of(tags.get("data_origin")), about)


def _decoded(
    origin: Origin, body: bytes, box: Box, cell: float
) -> tuple[NDArray[Any], float | None, Mapping[str, str]]:
    """Return the band (row 0 south), the value that is no height, and the file's tags."""
    # only here: it costs a process some 40 MB that a worker of the API has not
    import rasterio
    from rasterio.errors import RasterioError

    try:
        # no other driver: some of GDAL's follow addresses that stand in a file
        with rasterio.MemoryFile(body) as file, file.open(driver="GTiff") as raster:
            _require(origin, raster, box, cell)
            return raster.read(1)[::-1], raster.nodata, raster.tags()
    except RasterioError as error:
        raise origin.error(f"answered a GeoTIFF that cannot be read: {beginning(str(error))}") from error


def _require(origin: Origin, raster: Any, box: Box, cell: float) -> None:
    """Refuse, before a cell is read, what is not the window that was asked for, or too large to unpack."""
    rows, columns = _shape(box, cell)
    (dtype,), (block,) = set(raster.dtypes), set(raster.block_shapes)
    epsg = raster.crs and raster.crs.to_epsg()
    off = np.abs(np.subtract(raster.bounds, box)).max()
    upright = raster.transform.b == raster.transform.d == 0 and raster.transform.e < 0
    same = (raster.width, raster.height, raster.count, epsg) == (columns, rows, 1, EPSG) and off <= _SLACK * cell
    if not (same and upright and dtype in _TYPES and max(block) <= _LARGEST_BLOCK):
        cells = f"{raster.width} x {raster.height} cells of {dtype} in {raster.count} bands"
        cells += f", blocks of {block[1]} x {block[0]}"
        edges = ", ".join(f"{edge:.10g}" for edge in raster.bounds)
        raise origin.error(f"answered {cells}, {beginning(str(raster.crs))}, {edges}: something else was asked for")


def year_of(text: str | None) -> int | None:
    """Return the year of a TIFFTAG_DATETIME; None where it says none."""
    match = re.match(r"(19|20)\d\d", text or "", re.ASCII)
    return int(match[0]) if match else None


def _shape(box: Box, cell: float) -> tuple[int, int]:
    rows, columns = (box.north - box.south) / cell, (box.east - box.west) / cell
    shape = round(rows), round(columns)
    if min(shape) < 1 or max(abs(rows - shape[0]), abs(columns - shape[1])) > _SLACK:
        raise ValueError(f"{tuple(box)} is no window of whole cells of {cell:g} m")
    return shape


def _spans(count: int) -> list[slice]:
    """Return the rows (columns) of each answer, as even as can be."""
    pieces = -(-count // MOST_CELLS)
    edges = [count * i // pieces for i in range(pieces + 1)]
    return [slice(start, stop) for start, stop in pairwise(edges)]
