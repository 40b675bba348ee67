"""What a drawing shows."""

from dataclasses import dataclass
from typing import Any

import shapely
from shapely import Polygon

from kernels.roof.layout.result import Layout, SurfaceLayout
from kernels.roof.layout.rules import Module, Rules
from kernels.roof.roof import Roof, Surface

_SLIVER_M = 0.1
"""Half of the width from which an uninterpreted part is shown."""

_GAP_M = 0.01
"""Between surfaces that count as touching."""


@dataclass(frozen=True)
class Scene:
    """A roof, its layout, and what is said about them. All positions are m to true east and true north of a point.

    Parameters
    ----------
    roof : Roof
    layout : Layout
    module : Module
    title : str
        Such as the address.
    sources : tuple of str
        Heights, outline and images with their dates.
    warnings : tuple of str
        Norwegian.
    simulated : bool
        Made from simulated heights: marked all over the drawing.
    lat, lon : float
        Of the local frame's origin, degrees.
    date : str
        Of the drawing.
    rules : Rules
        By which the modules are laid out: the widths of zones.
    """

    roof: Roof
    layout: Layout
    module: Module
    title: str
    sources: tuple[str, ...]
    warnings: tuple[str, ...]
    simulated: bool
    lat: float
    lon: float
    date: str
    rules: Rules

    def extent(self) -> Any:
        """Return what all surfaces cover; the outline where there are none."""
        shapes = [surface.polygon.buffer(_GAP_M, join_style="mitre") for surface in self.roof.surfaces]
        whole = shapely.union_all(shapes)
        # of corners a tenth of a millimetre off a line GEOS leaves nothing
        return whole.buffer(-_GAP_M, join_style="mitre") or whole if shapes else self.roof.outline

    def uninterpreted(self) -> Any:
        """Return the parts of the building that no surface and no obstacle explains, without slivers."""
        known = [self.extent(), *(one.polygon for one in self.roof.obstacles)]
        if not self.roof.surfaces:
            return Polygon()
        left = self.roof.outline.difference(shapely.union_all(known))
        wide = left.buffer(-_SLIVER_M, join_style="mitre").buffer(1.05 * _SLIVER_M, join_style="mitre")
        return wide.intersection(left)

    def pairs(self) -> list[tuple[Surface, SurfaceLayout]]:
        """Return each surface with its modules."""
        return list(zip(self.roof.surfaces, self.layout.surfaces, strict=True))

    def kwp(self, laid: SurfaceLayout) -> float:
        """Return the power of a surface's modules, kWp."""
        return laid.count * self.module.wp / 1000
