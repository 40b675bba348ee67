"""Lines of text under a heading, for the column beside the plan."""

from dataclasses import dataclass, field

import numpy as np

from api.reports import svg
from api.roof.drawing.view import MARGIN, WIDTH

LEFT, RIGHT = 1184.0, WIDTH - MARGIN
"""Of the column."""

SIZE, LINE, SMALL = 14.0, 18.5, 12.5
"""Font size, line height, and font size of notes."""


@dataclass
class Block:
    """Lines of the column; each yields its SVG for a y, and has a height."""

    parts: list[str] = field(default_factory=list)
    height: float = 0.0

    def write(self, words: str, size: float = SIZE, line: float = LINE, x: float = LEFT, **look: object) -> None:
        """Add a line of text."""
        self.height += line
        self.parts.append(svg.text(x, self.height, words, size, **{"text_anchor": "start", **look}))

    def title(self, words: str) -> None:
        """Add a heading with a rule."""
        self.write(words, 15, 22, font_weight=600)
        self.height += 5
        self.parts.append(svg.line(np.array([[LEFT, self.height], [RIGHT, self.height]]), svg.INK, 0.8))
