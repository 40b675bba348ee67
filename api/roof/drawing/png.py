"""The drawing as PNG."""

from api.reports import typesetting
from api.roof.drawing.scene import Scene
from api.roof.drawing.svg import svg
from api.roof.drawing.view import WIDTH


def png(scene: Scene) -> bytes:
    """Return the drawing of `svg` as PNG, a pixel for each of its units."""
    return typesetting.png(svg(scene), int(WIDTH))
