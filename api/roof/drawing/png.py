"""The drawing as PNG."""

from api.reports import typesetting
from api.roof.drawing.scene import Scene
from api.roof.drawing.svg import svg


def png(scene: Scene, width: int = 1600) -> bytes:
    """Return the drawing of `svg` as PNG, so many pixels wide."""
    return typesetting.png(svg(scene), width)
