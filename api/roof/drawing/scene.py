"""What a drawing shows."""

from dataclasses import dataclass
from typing import Any

import shapely

from kernels.roof.layout.result import Layout, SurfaceLayout
from kernels.roof.layout.rules import Module
from kernels.roof.roof import Roof, Surface

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

    def extent(self) -> Any:
        """Return what all surfaces cover; the outline where there are none."""
        shapes = [surface.polygon.buffer(_GAP_M, join_style="mitre") for surface in self.roof.surfaces]
        return shapely.union_all(shapes).buffer(-_GAP_M, join_style="mitre") if shapes else self.roof.outline

    def pairs(self) -> list[tuple[Surface, SurfaceLayout]]:
        """Return each surface with its modules."""
        return list(zip(self.roof.surfaces, self.layout.surfaces, strict=True))

    def kwp(self, laid: SurfaceLayout) -> float:
        """Return the power of a surface's modules, kWp."""
        return laid.count * self.module.wp / 1000
