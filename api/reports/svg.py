"""Drawings as SVG, in points: what the charts of the report have in common."""

import base64
from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.reports.text import SYMBOL

Floats = NDArray[np.float64]

INK, FAINT, GRID, PAPER = "#1a1a1a", "#565656", "#d9d9d9", "#ffffff"
TERRAIN, NEAR, SKY = "#c3c3c3", "#6b6b6b", "#f4f8fb"
# Okabe and Ito's colours, which the colour-blind tell apart; in grey print from light to dark.
ORANGE, VERMILLION, BLUE, SKY_BLUE = "#e69f00", "#d55e00", "#0072b2", "#56b4e9"
FONT = "Libertinus Serif"

_LOWER, _SMALLER = 0.22, 0.72

BADGE = 5.6
"""Radius of an object's number."""
BADGE_GAP = 2 * BADGE + 1.5


def drawing(width: float, height: float, parts: Iterable[str]) -> str:
    """Return an SVG of so many points."""
    size = f'width="{width:g}pt" height="{height:g}pt" viewBox="0 0 {width:g} {height:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}">{"".join(parts)}</svg>'


def tag(name: str, content: str = "", **attributes: Any) -> str:
    """Return an element; attributes are named with _ for -, numbers get two digits."""
    given = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def _value(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else escape(str(value))


def text(x: float, y: float, words: str, size: float = 7.5, **attributes: Any) -> str:
    """Return words, their baseline at y, in the middle of x where nothing else is said."""
    look = {"text_anchor": "middle", "fill": INK, **attributes}
    return tag("text", _lowered(words, size), x=x, y=y, font_size=size, **look)


def _lowered(words: str, size: float) -> str:
    """Return the content of a text, whose subscripts are lowered; what follows is raised again."""
    between, *symbols = SYMBOL.split(words)
    found, raised = [escape(between)], ""
    for letter, low, after in zip(symbols[::3], symbols[1::3], symbols[2::3], strict=True):
        found[-1] += letter
        found.append(tag("tspan", low, dy=size * _LOWER, font_size=size * _SMALLER))
        if after:
            found.append(f'<tspan dy="{-size * _LOWER:.2f}">{escape(after)}')
            raised += "</tspan>"
    return "".join(found) + raised


def haloed(x: float, y: float, words: str, size: float = 7.5, **attributes: Any) -> str:
    """Return words with a white edge, to be read on lines and areas."""
    edge = {"stroke": PAPER, "stroke_width": max(2.2, round(0.29 * size, 2)), "stroke_linejoin": "round", "fill": PAPER}
    return text(x, y, words, size, **{**attributes, **edge}) + text(x, y, words, size, **attributes)


def points(xy: Floats) -> str:
    """Return the d of a path through (n, 2) points; a NaN lifts the pen."""
    found, down = [], False
    for x, y in xy.round(2).tolist():
        if x != x or y != y:  # NaN
            down = False
            continue
        found.append(f"{'L' if down else 'M'}{x:g} {y:g}")
        down = True
    return "".join(found)


def line(xy: Floats, colour: str, width: float, **attributes: Any) -> str:
    """Return a line through (n, 2) points."""
    look = {"fill": "none", "stroke": colour, "stroke_width": width, "stroke_linejoin": "round", **attributes}
    return tag("path", d=points(xy), **look) if len(xy) else ""


def badge(number: int, x: float, y: float, radius: float = BADGE) -> str:
    """Return the number of an object in a dark disc."""
    disc = tag("circle", cx=x, cy=y, r=radius, fill=INK, stroke=PAPER, stroke_width=1.0)
    larger = radius / BADGE
    return disc + text(x, y + 2.4 * larger, str(number), round(7.2 * larger, 2), fill=PAPER, font_weight=600)


def panel(x: float, y: float, azimuth: float) -> str:
    """Return the panel's sign, seen from above: a plate, and an arrow to where it faces; north is up."""
    shape = tag(
        "path", d="M-7 0H7V-3.6H-7Z M0 -3.6V-14 M-3 -11L0 -15.5L3 -11", fill=VERMILLION, stroke_linejoin="round"
    )
    where = f"translate({x:.2f} {y:.2f}) rotate({azimuth:.2f})"
    edge = tag("g", shape, stroke=PAPER, stroke_width=3.2)
    return tag("g", edge + tag("g", shape, stroke=VERMILLION, stroke_width=1.3), transform=where)


def image(png: bytes, x: float, y: float, size: float, **attributes: Any) -> str:
    """Return a square picture, its corner in the north-west at (x, y)."""
    data = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return tag("image", x=x, y=y, width=size, height=size, href=data, **attributes)


def scale_bar(y: float, length: float, words: str, size: float = 7.5) -> str:
    """Return a scale bar in the south-west, its foot at y, with the distance that it shows."""
    bar = tag("path", d=f"M4 {y - 4:g}v4h{length:g}v-4", fill="none", stroke=INK, stroke_width=1.0)
    return bar + text(4 + length / 2, y - 4, words, size)
