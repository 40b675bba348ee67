"""Contents set as PDF by a template of typst, and drawings rendered as PNG."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

import orjson
import typst

# What typst remembers of a report, 20 MB, it forgets after ten more: it would be 220 MB. Ten empty ones take 10 ms.
_FORGOTTEN_AFTER = 10
_EMPTY = Path(__file__).with_name("empty.typ")
_DRAWING = Path(__file__).with_name("drawing.typ")
# Of the page of drawing.typ, points.
_DRAWING_WIDTH, _POINTS_PER_INCH = 1000, 72


def pdf(template: Path, contents: Mapping[str, Any], timestamp: int) -> bytes:
    """Return a report.

    Parameters
    ----------
    template : Path
        It reads `json(bytes(sys.inputs.contents))`: what it shows is text, never markup.
    contents : mapping
        Text, numbers as text, and drawings as SVG.
    timestamp : int
        Its date, s since 1970.

    Returns
    -------
    bytes
        PDF/UA-1; the same arguments give the same bytes.
    """
    text = orjson.dumps(contents).decode()
    made = _compiler(template).compile(
        format="pdf", sys_inputs={"contents": text}, pdf_standards="ua-1", timestamp=timestamp
    )
    _forget()
    return cast("bytes", made)


def png(drawing: str, width: int) -> bytes:
    """Return an SVG as PNG, with the reports' fonts.

    Parameters
    ----------
    drawing : str
    width : int
        Pixels.
    """
    made = _compiler(_DRAWING).compile(
        format="png", ppi=_POINTS_PER_INCH * width / _DRAWING_WIDTH, sys_inputs={"drawing": drawing}
    )
    _forget()
    return cast("bytes", made)


def _forget() -> None:
    for _ in range(_FORGOTTEN_AFTER):
        _compiler(_EMPTY).compile(format="svg")


@cache
def _compiler(template: Path) -> typst.Compiler:
    """Return the compiler of a template, which keeps its fonts."""
    return typst.Compiler(template, root=template.parent, ignore_system_fonts=True)
