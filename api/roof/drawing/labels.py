"""Places for the plan's labels: none overlaps another, and each hides as little as can be."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely

from api.reports.metrics import width
from api.roof.drawing import dimensions, surface_labels, texts
from api.roof.drawing.board import Board, Label
from api.roof.drawing.dimensions import SMALL
from api.roof.drawing.obstacles import letters
from api.roof.drawing.scene import Scene
from api.roof.drawing.view import View

LETTER = 15.0
"""Font size of letters."""

_MOST_OBSTACLES, _NAMED_OBSTACLES = 150, 30
"""Obstacles that get a label; from how few on it names the kind."""


def place(scene: Scene, view: View) -> list[Label]:
    """Return the labels of surfaces, outer edges and obstacles; what finds no place is left out, but for surfaces."""
    board = board_of(scene, view)
    left = surface_labels.place_inside(board, scene, view)
    for side in dimensions.sides(board.roof, view):
        if not board.try_each(dimensions.along(side)):
            board.try_each(dimensions.along(side, crossing=True))
    surface_labels.place_outside(board, left, scene, view)
    rows = letters(scene)
    pairs = zip(scene.roof.obstacles, board.obstacles, strict=True)
    # the legend names panels
    order = sorted((pair for pair in pairs if pair[0].kind != "solceller"), key=lambda pair: -(pair[0].height or 0))
    for one, shape in order[:_MOST_OBSTACLES]:
        words = texts.obstacle(one, named=len(order) <= _NAMED_OBSTACLES)
        found = not words or board.try_each(_around(words, shape), own=shape)
        if not found and (letter := rows.get((one.kind, one.source))):
            board.try_each(_letters(letter, shape), own=shape)
    return board.labels


def board_of(scene: Scene, view: View) -> Board:
    """Return the sheet without labels."""
    obstacles = [shapely.transform(one.polygon, view.page) for one in scene.roof.obstacles]
    building = shapely.union_all([scene.extent().buffer(0.05), scene.uninterpreted().buffer(0.05)]).buffer(-0.05)
    modules = [shapely.polygons(view.page(laid.modules)) for laid in scene.layout.surfaces]
    tree = shapely.STRtree(np.concatenate(modules) if modules else [])
    return Board(shapely.transform(building, view.page), obstacles, tree)


def _around(words: str, shape: Any) -> Iterator[Label]:
    """Yield places for an obstacle's label: on it, then around it, ever farther off with a leader line."""
    if not words:
        return
    wide, high = width(words, SMALL) + 4, SMALL + 1
    x0, y0, x1, y1 = shape.bounds
    middle = shape.representative_point().coords[0]
    inside = Label("obstacle", middle[0], middle[1], (wide, high), (words,))
    if shape.covers(inside.box):
        yield inside
    for gap in (3.0, 12.0, 24.0, 40.0):
        right, left = x1 + gap + wide / 2, x0 - gap - wide / 2
        below, above = y1 + gap + high / 2, y0 - gap - high / 2
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        sides = [(right, y), (left, y), (x, above), (x, below)]
        corners = [(right, above), (right, below), (left, above), (left, below)]
        for spot in sides + corners:
            yield Label("obstacle", spot[0], spot[1], (wide, high), (words,), to=middle if gap > 3 else None)


def _letters(letter: str, shape: Any) -> Iterator[Label]:
    """Yield places for an obstacle's letter: on it where it fits, else beside it, at last over it."""
    wide, high = width(letter, LETTER, bold=True) + 2, LETTER - 3
    (x0, y0, x1, y1), (x, y) = shape.bounds, shape.representative_point().coords[0]
    over = Label("letter", x, y, (wide, high), (letter,))
    if shape.covers(over.box):
        yield over
    left, right, above, below = x0 - wide / 2 - 1, x1 + wide / 2 + 1, y0 - high / 2 - 1, y1 + high / 2 + 1
    for spot in ((right, y), (left, y), (x, above), (x, below)):
        yield Label("letter", *spot, (wide, high), (letter,))
    yield over
