"""What is seen in a picture: dots of a colour, text, and where it stands."""

import io
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

# What matplotlib and numpy complain of; not what other tests left open, which may be found at any time.
STRICT = pytest.mark.filterwarnings(
    "error::UserWarning", "error::RuntimeWarning", "error::DeprecationWarning", "default::pytest.PytestWarning"
)

WHOLE = slice(None)


def dots(png: bytes, colour: str, across: slice = WHOLE, down: slice = WHOLE) -> int:
    """Count the dots of a colour in a part of a picture."""
    with Image.open(io.BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB"), dtype=np.int16)
    wanted = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return int((np.abs(pixels[down, across] - wanted).max(axis=2) <= 2).sum())


def written(figure: Figure) -> str:
    """Return all text of a picture, as it is before anything is laid out."""
    texts = "\n".join(text.get_text() for text in figure.findobj(Text) if isinstance(text, Text))
    return texts.replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{NO-BREAK SPACE}", " ")


def extents(figure: Figure) -> dict[tuple[Any, ...], Bbox]:
    """Return where each text of a picture stands, with its badge, dots from below."""
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    drawn = [child for axes in figure.axes for child in (axes, *axes.child_axes)]
    ends = [  # beyond the ends of an axis nothing is drawn
        (label, label.get_position()[k], axis.get_view_interval())
        for axes in drawn
        for k, axis in enumerate((axes.xaxis, axes.yaxis))
        for label in axis.get_ticklabels()
    ]
    beyond = [label for label, at, (low, high) in ends if not low <= at <= high]
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text not in beyond]
    shown = [text for text in texts if text.get_visible() and text.get_text().strip()]
    boxes = [(text.get_text(), (text.get_bbox_patch() or text).get_window_extent()) for text in shown]
    return {(text, *box.bounds): box for text, box in boxes}
