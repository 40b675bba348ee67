"""Labels with their places on the sheet, and what is taken there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import shapely
from shapely import Polygon, affinity

from api.roof.drawing.view import PLAN

Spot = tuple[float, float]

CLEAR = 2.0
"""Between labels."""


class Label(NamedTuple):
    """A label with its place on the sheet.

    Parameters
    ----------
    kind : {"surface", "dimension", "obstacle"}
    x, y : float
        Middle.
    size : (float, float)
    lines : tuple of str
    angle : float
        Clockwise, degrees.
    number : int or None
        Of the surface.
    arrow : bool
        With the surface's fall arrow.
    to : (float, float) or None
        End of a leader line.
    side : (float, float, float, float) or ()
        Ends of a dimension line.
    """

    kind: Literal["surface", "dimension", "obstacle"]
    x: float
    y: float
    size: tuple[float, float]
    lines: tuple[str, ...]
    angle: float = 0.0
    number: int | None = None
    arrow: bool = False
    to: Spot | None = None
    side: tuple[float, ...] = ()

    @property
    def shape(self) -> Any:
        """Its rectangle with its lines."""
        if self.to is not None:
            return self.box.union(shapely.LineString([(self.x, self.y), self.to]))
        return self.box.union(shapely.LineString([self.side[:2], self.side[2:]])) if self.side else self.box

    @property
    def box(self) -> Polygon:
        """The rectangle that it fills."""
        (wide, high), x, y = self.size, self.x, self.y
        shape = shapely.box(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        return affinity.rotate(shape, self.angle, origin=(x, y)) if self.angle else shape


@dataclass
class Board:
    """What is taken on the sheet."""

    roof: Any
    obstacles: Sequence[Any]
    labels: list[Label] = field(default_factory=list)
    taken: list[Any] = field(default_factory=list)

    def add(self, label: Label) -> None:
        """Take a label's room, and that of its lines."""
        self.labels.append(label)
        self.taken.append(label.shape.buffer(CLEAR))

    def try_each(self, labels: Iterator[Label], own: Any = None) -> None:
        """Add the first of some labels that has room."""
        for label in labels:
            if self.has_room(label, own):
                self.add(label)
                return

    def has_room(self, label: Label, own: Any = None) -> bool:
        """Say whether a label lies on the plan, clear of the others, of obstacles and, for dimensions, of the roof."""
        box, shape = label.box, label.shape
        if not shapely.box(*PLAN).covers(shape):
            return False
        if self.touches(label):
            return False
        if label.kind == "dimension":
            return not shape.intersects(self.roof)
        return not any(box.intersects(one) for one in self.obstacles if one is not own)

    def touches(self, label: Label) -> bool:
        """Say whether a label lies on another one."""
        return bool(self.taken) and bool(shapely.intersects(label.shape, np.array(self.taken, dtype=object)).any())
