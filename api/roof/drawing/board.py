"""Labels with their places on the sheet, and what is taken there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import shapely
from shapely import Polygon, STRtree, affinity

from api.roof.drawing.view import PLAN

Spot = tuple[float, float]

CLEAR = 2.0
"""Between labels."""

_TICK, _WITNESS = 4.0, 5.0
"""What a witness line reaches beyond the dimension line; its distance from the roof."""


class Label(NamedTuple):
    """A label with its place on the sheet.

    Parameters
    ----------
    kind : {"surface", "dimension", "obstacle", "letter"}
        `letter`: of an obstacle's row in the table.
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
    off : float
        From the roof to the dimension line.
    ends : float
        Of a dimension line, where others may touch or cross it.
    """

    kind: Literal["surface", "dimension", "obstacle", "letter"]
    x: float
    y: float
    size: tuple[float, float]
    lines: tuple[str, ...]
    angle: float = 0.0
    number: int | None = None
    arrow: bool = False
    to: Spot | None = None
    side: tuple[float, ...] = ()
    off: float = 0.0
    ends: float = 6.0

    @property
    def box(self) -> Polygon:
        """The rectangle that it fills."""
        (wide, high), x, y = self.size, self.x, self.y
        shape = shapely.box(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        return affinity.rotate(shape, self.angle, origin=(x, y)) if self.angle else shape

    @property
    def leader(self) -> Any:
        """The line from its box to what it names; empty without one."""
        if self.to is None:
            return shapely.LineString()
        return shapely.LineString([(self.x, self.y), self.to]).difference(self.box)

    @property
    def dimension(self) -> Any:
        """The dimension line."""
        return shapely.LineString(np.array(self.side).reshape(2, 2))

    @property
    def middle(self) -> Any:
        """The dimension line without its ends."""
        step = self.ends * self._along
        return shapely.LineString(np.array(self.side).reshape(2, 2) + np.array([step, -step]))

    @property
    def witnesses(self) -> list[Any]:
        """The lines from the roof's corners to the ends of the dimension line and a little further."""
        out = np.array([self._along[1], -self._along[0]])
        ends = np.array(self.side).reshape(2, 2)
        return [shapely.LineString([end - (self.off - _WITNESS) * out, end + _TICK * out]) for end in ends]

    @property
    def _along(self) -> Any:
        step = np.subtract(self.side[2:], self.side[:2])
        return step / np.hypot(*step)


@dataclass
class Board:
    """What is taken on the sheet.

    Parameters
    ----------
    roof : Polygon or MultiPolygon
        The building.
    obstacles : sequence of Polygon
    modules : STRtree
    """

    roof: Any
    obstacles: Sequence[Any]
    modules: STRtree
    labels: list[Label] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    leaders: list[Any] = field(default_factory=list)
    dimensions: list[Any] = field(default_factory=list)
    witnesses: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Keep the roof without its rim, which witness lines may touch."""
        self._inner = self.roof.buffer(-CLEAR)
        shapely.prepare([self.roof, self._inner])

    def add(self, label: Label) -> None:
        """Take a label's room, and that of its lines."""
        self.labels.append(label)
        self.boxes.append(label.box.buffer(CLEAR))
        if label.to is not None:
            self.leaders.append(label.leader)
        if label.side:
            self.dimensions.append(label.middle)
            self.witnesses += label.witnesses

    def try_each(self, labels: Iterator[Label], own: Any = None) -> bool:
        """Add the first of some labels that has room, and say whether one had."""
        for label in labels:
            if self.has_room(label, own):
                self.add(label)
                return True
        return False

    def has_room(self, label: Label, own: Any = None) -> bool:
        """Say whether a label lies on the plan and hides nothing; of obstacles, it may lie on its own."""
        box = label.box
        if not shapely.box(*PLAN).covers(box) or self.touches(label):
            return False
        if label.kind == "dimension":
            lines = [label.dimension, *label.witnesses]
            return not (self.roof.intersects(box) or any(self._inner.intersects(line) for line in lines))
        if self.modules.query(box, predicate="intersects").size:
            return False
        return not any(box.intersects(one) for one in self.obstacles if one is not own)

    def touches(self, label: Label) -> bool:
        """Say whether a label or its lines lie on another one; leader lines may cross dimension lines."""
        if _hits(label.box, self.boxes, self.dimensions, self.witnesses, self.leaders):
            return True
        if label.to is not None and _hits(label.leader, self.boxes, self.leaders):
            return True
        if not label.side:
            return False
        if _hits(label.middle, self.boxes, self.dimensions, self.witnesses, self.leaders):
            return True
        return any(_hits(line, self.boxes, self.dimensions) for line in label.witnesses)


def _hits(shape: Any, *others: list[Any]) -> bool:
    return any(bool(shapely.intersects(shape, np.array(some, dtype=object)).any()) for some in others if some)
