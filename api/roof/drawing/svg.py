"""The drawing as SVG: a sheet in landscape with the plan, figures and sources."""

from collections.abc import Iterator

import numpy as np

from api.reports import svg as draw
from api.reports.metrics import shortened, width, wrapped
from api.roof.drawing import labels, texts
from api.roof.drawing.block import LEFT, RIGHT
from api.roof.drawing.column import column
from api.roof.drawing.plan import plan
from api.roof.drawing.scene import Scene
from api.roof.drawing.style import hatches
from api.roof.drawing.view import HEIGHT, MARGIN, PLAN, WIDTH, view_of

_TITLE, _SIZE = 28.0, 13.0
_FONTS = "Libertinus Serif, Linux Libertine O, Linux Libertine, Georgia, Times New Roman, Times, serif"
_FOOT = HEIGHT - 50


def svg(scene: Scene) -> str:
    """Return the drawing; the same scene gives the same text."""
    paper = draw.tag("rect", width=WIDTH, height=HEIGHT, fill=draw.PAPER)
    view = view_of(scene)
    placed = labels.place(scene, view)
    used = frozenset(label.lines[0] for label in placed if label.kind == "letter")
    parts = [paper, hatches(), *plan(scene, view, placed), *_head(scene), column(scene, used), *_foot(scene)]
    return draw.drawing(WIDTH, HEIGHT, [draw.tag("g", "".join(parts), font_family=_FONTS)])


def _head(scene: Scene) -> Iterator[str]:
    """Yield title, place and date; the banner of simulated data."""
    w = texts.words()
    room = (560 if scene.simulated else WIDTH - 2 * MARGIN) - MARGIN
    lat, lon = (texts.number(degrees, 5) for degrees in (scene.lat, scene.lon))
    place, drawn = w["place"].format(lat=lat, lon=lon), w["drawn"].format(date=texts.foreign(scene.date))
    title, below = texts.foreign(scene.title), f"{place} · {drawn}"
    if all(f"{degrees:.5f}" in title for degrees in (scene.lat, scene.lon)):
        title, below = place, drawn
    title = shortened(title, _TITLE, room, bold=True)
    yield draw.text(MARGIN, 54, title, _TITLE, text_anchor="start", font_weight=600)
    yield draw.text(MARGIN, 78, below, 15, text_anchor="start", fill=draw.FAINT)
    yield draw.line(np.array([[MARGIN, 92.0], [RIGHT, 92.0]]), draw.INK, 1.4)
    yield draw.line(np.array([[(PLAN[2] + LEFT) / 2, 104.0], [(PLAN[2] + LEFT) / 2, _FOOT - 28]]), draw.GRID, 1.0)
    if scene.simulated:
        left = 610.0
        yield draw.tag("rect", x=left, y=26, width=RIGHT - left, height=54, fill=draw.VERMILLION)
        yield draw.text(left + 20, 63, w["simulated"], 30, text_anchor="start", font_weight=600, fill=draw.PAPER)
        at = left + 34 + width(w["simulated"], 30, bold=True)
        yield draw.text(at, 61, w["simulated_why"], 18, text_anchor="start", fill=draw.PAPER)


def _foot(scene: Scene) -> Iterator[str]:
    """Yield what to check on site, and the sources."""
    w = texts.words()
    yield draw.line(np.array([[MARGIN, _FOOT - 20], [RIGHT, _FOOT - 20]]), draw.INK, 1.0)
    sources = " · ".join(texts.foreign(source) for source in scene.sources)
    entries = [(w["check"], w["check_what"], 1, draw.VERMILLION), (w["sources"], sources, 2, draw.INK)]
    y = _FOOT
    for name, words, most, colour in entries:
        yield draw.text(MARGIN, y, name, _SIZE, text_anchor="start", font_weight=600, fill=colour)
        at = MARGIN + width(name, _SIZE, bold=True) + 6
        for line in wrapped(words, _SIZE, RIGHT - at, most):
            yield draw.text(at, y, line, _SIZE, text_anchor="start")
            y += 16
