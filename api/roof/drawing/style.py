"""Colours, lines and hatches of the drawing, made to be told apart in grey print too."""

from typing import Any

from api.reports import svg
from api.roof.drawing import texts
from kernels.roof.layout.result import Zone
from kernels.roof.roof import Obstacle, Surface

MODULES, MODULES_EDGE = ("#8fb0d3", "#b3cbe4"), "#16324f"
"""Of modules, and of those that face the other way on east-west racks."""

OBSTACLE: dict[str, Any] = {"fill": "#f3b8a5", "stroke": "#8c2f00", "stroke_width": 1.4}

OUTLINE: tuple[dict[str, Any], dict[str, Any]] = (
    {"stroke": svg.FAINT, "stroke_width": 0.8},
    {"stroke": svg.INK, "stroke_width": 2.0},
)
"""Of the building on the map: beside surfaces, and where there are none."""

EXISTING: dict[str, Any] = {"fill": "#4b4b63", "stroke": "#1d1d2b", "stroke_width": 1.2}
"""Of panels that the roof has already."""

# By kind, in the order in which they are drawn: colour, width and dashes.
EDGES: dict[str, dict[str, Any]] = {
    "gable": {"colour": svg.INK, "width": 1.3},
    "rim": {"colour": svg.INK, "width": 2.0},
    "eave": {"colour": svg.INK, "width": 2.6},
    "wall": {"colour": svg.INK, "width": 2.0, "stroke_dasharray": "1 4"},
    "valley": {"colour": svg.BLUE, "width": 3.0, "stroke_dasharray": "8 6"},
    "hip": {"colour": svg.VERMILLION, "width": 2.6, "stroke_dasharray": "12 5 1 5"},
    "ridge": {"colour": svg.VERMILLION, "width": 4.0},
}

# Fills of south, west, north and east; between them they are mixed.
_FALLS = ((250, 236, 190), (248, 219, 201), (216, 228, 240), (222, 238, 214))
FLAT = "#ececec"

UNINTERPRETED = "ukjent"

# By kind: tint, line, and the d of a hatch in a square of 8.
ZONES: dict[str, tuple[str, str, str]] = {
    "kant": ("#ffffff", "#8a8a8a", "M-2 2L2 -2M0 8L8 0M6 10L10 6"),
    "kant_skraa": ("#ffffff", "#8a8a8a", "M-2 2L2 -2M0 8L8 0M6 10L10 6"),
    "mone": ("#fbe3d6", "#d55e00", "M-2 6L2 10M0 0L8 8M6 -2L10 2"),
    "tilkomst": ("#e2f2e6", "#00704d", "M0 4H8"),
    "gang": ("#eef4fa", "#0072b2", "M4 0V8M0 4H8"),
    "skygge": ("#c9c9c9", "#4d4d4d", "M2 2h1.6M6 6h1.6"),
    UNINTERPRETED: ("#ffffff", "#7a4fa3", "M-1 1L1 -1M0 8L8 0M7 9L9 7M4 0V2M4 6V8"),
    "hindring": ("#fff1cf", "#a36b00", "M-2 6L2 10M0 0L8 8M6 -2L10 2M-2 2L2 -2M0 8L8 0M6 10L10 6"),
}


def colour_of(surface: Surface) -> str:
    """Return the fill of a surface by where it falls to; grey for flat ones."""
    return fall_colour(surface.plane.azimuth) if texts.falls(surface) else FLAT


def fall_colour(azimuth: float) -> str:
    """Return the fill of surfaces that fall to an azimuth, degrees."""
    quarter, share = divmod((azimuth + 180) % 360 / 90, 1)
    first, second = (_FALLS[(int(quarter) + n) % 4] for n in (0, 1))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(first, second, strict=True))


def style_of(zone: Zone) -> str:
    """Return the key of a zone in `ZONES`."""
    return zone.kind if zone.kind in ZONES else "hindring"


def obstacle_look(one: Obstacle) -> dict[str, Any]:
    """Return how an obstacle is drawn: dashed where only an image shows it."""
    if one.kind == "solceller":
        return EXISTING
    return {**OBSTACLE, "stroke_dasharray": "4 2.5"} if one.source == "bilde" else OBSTACLE


def hatches() -> str:
    """Return the definitions of the zones' hatches."""
    return svg.tag("defs", "".join(_hatch(key, *look) for key, look in ZONES.items()))


def _hatch(key: str, tint: str, colour: str, d: str) -> str:
    width = 1.6 if key == "skygge" else 0.8
    ground = svg.tag("rect", width=8, height=8, fill=tint, fill_opacity=0.75)
    lines = svg.tag("path", d=d, fill="none", stroke=colour, stroke_width=width)
    return svg.tag("pattern", ground + lines, id=key, width=8, height=8, patternUnits="userSpaceOnUse")
