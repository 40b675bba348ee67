"""Roofs and their modules from files: what `solflis roof` and the tests of real roofs call."""

import logging
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from pyproj import Transformer
from shapely import Polygon

from catalog.sources.errors import Origin
from infra.roofs.frame import LocalFrame
from infra.roofs.heights import MARGIN_M, CloudHeights, RasterHeights, require_ground
from infra.roofs.outlines import read_outlines
from kernels.roof.analysis import analyse
from kernels.roof.layout.layout import lay_out
from kernels.roof.layout.result import Layout
from kernels.roof.layout.rules import Module, Options, Rules
from kernels.roof.roof import Roof, Surface

_CLOUDS = (".las", ".laz")
_LEVEL = 3.0  # tilt below which a direction means nothing, degrees

log = logging.getLogger("solflis.roof")


@dataclass(frozen=True)
class FoundRoof:
    """The roof of one building.

    Parameters
    ----------
    id : str
    roof : Roof
        In `frame`, as `layout`.
    layout : Layout
    module : Module
    frame : LocalFrame
    cell : float
        Of the heights, m.
    seconds : float
        For heights, roof and layout.
    """

    id: str
    roof: Roof
    layout: Layout
    module: Module
    frame: LocalFrame
    cell: float
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Return it with rings in the file's CRS."""
        counts = {laid.surface: laid.count for laid in self.layout.surfaces}
        return {
            "id": self.id, "lat": round(self.frame.lat, 7), "lon": round(self.frame.lon, 7), "form": self.roof.form,
            "height": round(self.roof.height, 2), "axis": round(self.roof.axis, 1), "cell": round(self.cell, 3),
            "warnings": [] if self.roof.surfaces else ["uten_flater"],
            "modules": sum(counts.values()), "kwp": round(self.layout.kwp, 2),
            "planes": [self._plane(one, counts[one.number]) for one in self.roof.surfaces],
            "obstacles": [
                {"kind": one.kind, "height": one.height, "source": one.source, "surface": one.surface,
                 "ring": self._ring(one.polygon)} for one in self.roof.obstacles
            ],
            "seconds": round(self.seconds, 3),
        }  # fmt: skip

    def _plane(self, one: Surface, modules: int) -> dict[str, Any]:
        azimuth = one.plane.azimuth if one.plane.tilt >= _LEVEL else None
        return {
            "number": one.number, "tilt": round(one.plane.tilt, 2),
            "azimuth_true": None if azimuth is None else round(azimuth, 2) % 360,
            "azimuth_grid": None if azimuth is None else round(self.frame.azimuth_grid(azimuth), 2),
            "area_plan": round(one.polygon.area, 2), "area_slope": round(one.area, 2),
            "confidence": round(one.confidence, 3), "residual": round(one.residual, 3), "modules": modules,
            "ring": self._ring(one.polygon),
        }  # fmt: skip

    def _ring(self, polygon: Polygon) -> list[list[float]]:
        ring = self.frame.native(np.array(polygon.exterior.coords))
        rounded: list[list[float]] = np.round(ring, 8 if np.abs(ring).max() < 360 else 2).tolist()
        return rounded


def beside(path: Path) -> tuple[Path | None, Path | None]:
    """Return the ground and the outlines that lie beside a surface: `<place>_dtm*.tif`, `<place>_outlines.geojson`."""
    place = re.split(r"_(?:dsm|dom)", path.stem, maxsplit=1, flags=re.IGNORECASE)[0]
    grounds, outlines = sorted(path.parent.glob(f"{place}_dtm*.tif")), path.parent / f"{place}_outlines.geojson"
    return next(iter(grounds), None), outlines if outlines.is_file() else None


def roofs_of(path: Path, ground: Path | None, outlines: Path | None, only: str | None = None) -> Iterator[FoundRoof]:
    """Yield the roofs of the buildings that a file of heights covers; how many it does not cover is logged.

    Parameters
    ----------
    path : Path
        GeoTIFF of the surface, or point cloud.
    ground : Path or None
        GeoTIFF; None for class 2 of a point cloud.
    outlines : Path or None
        GeoJSON, in its own CRS or the heights'; None where there is none.
    only : str, optional
        Id of one building.

    Raises
    ------
    SourceError
        A file cannot be read, is of another place, has no such building, or has no outlines.
    """
    heights = CloudHeights(path, ground) if path.suffix.lower() in _CLOUDS else RasterHeights(path, ground)
    if outlines is None:
        raise Origin("roof", path.name).error("has no outlines beside it: name a GeoJSON with --outlines")
    read = read_outlines(outlines)
    polygons = dict(read.polygons)
    if read.crs is not None and read.crs != heights.crs:
        move = Transformer.from_crs(read.crs, heights.crs, always_xy=True).transform
        polygons = {name: shapely.transform(each, move, interleaved=False) for name, each in polygons.items()}
    if only is not None and only not in polygons:
        known = ", ".join([*list(polygons)[:8], *(["and so on"] if len(polygons) > 8 else [])])
        raise Origin("roof", outlines.name).error(f"holds no building {only}, but {known}")
    names = _covered(polygons if only is None else {only: polygons[only]}, heights.extent, outlines.name, path.name)
    if ground is not None:
        require_ground(ground, heights.crs, [polygons[name] for name in names])
    if isinstance(heights, CloudHeights):
        heights.read(tuple(shapely.total_bounds([polygons[name] for name in names]).tolist()))
    shapes = list(polygons.values())
    tree = shapely.STRtree(shapes)
    for name in names:
        start = time.perf_counter()
        middle = polygons[name].centroid
        frame = LocalFrame.at(heights.crs, middle.x, middle.y)
        outline = _moved(polygons[name], frame)
        box = outline.buffer(MARGIN_M).bounds
        wide = shapely.transform(shapely.box(*box), frame.native)
        others = [_moved(shapes[n], frame) for n in tree.query(wide) if shapes[n] is not polygons[name]]
        field = heights.field(frame, box)
        roof = analyse(field, outline, others)
        module = Module()
        layout = lay_out(roof, module, Options(), Rules(), latitude=frame.lat)
        yield FoundRoof(name, roof, layout, module, frame, field.cell, time.perf_counter() - start)


def _covered(polygons: Mapping[str, Polygon], extent: Polygon, outlines: str, heights: str) -> list[str]:
    """Return the names of the outlines that heights reach.

    Raises
    ------
    SourceError
        There are none.
    """
    found = [name for name, each in polygons.items() if extent.intersects(each)]
    if not found:
        raise Origin("roof", outlines).error(f"has outlines of another place: {heights} reaches none of them")
    if len(found) < len(polygons):
        log.warning("%d of %d buildings are left out: %s does not reach them", len(polygons) - len(found),
                    len(polygons), heights)  # fmt: skip
    return found


def _moved(polygon: Polygon, frame: LocalFrame) -> Polygon:
    return shapely.transform(polygon, frame.local)
