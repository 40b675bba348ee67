"""The blocks of which chapters are made, as both templates know them."""

import re
from collections.abc import Sequence
from typing import Any

from api.reports.text import lined_up

Content = dict[str, Any]

_NUMBER = re.compile(r"-?\d+(,\d+)?|–")
# Its rows are of different quantities.
_MIXED = "facts"


def table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], look: str, *, shown: bool = True
) -> Content:
    """Return a table; columns of numbers have their commas below each other.

    Parameters
    ----------
    caption : str
    head : sequence of str
    rows : sequence of sequence of str
    look : str
        Of those that `report.typ` and the styles of `report.html` know.
    shown : bool
        Whether the caption is for the eye too; not where a heading says the same.
    """
    if look != _MIXED:
        columns = (lined_up(one) if all(map(_NUMBER.fullmatch, one)) else one for one in zip(*rows, strict=True))
        rows = list(zip(*columns, strict=True))
    return {"kind": "table", "caption": caption, "head": head, "rows": rows, "look": look, "shown": shown}


def text(words: str, kind: str = "text") -> Content:
    """Return a paragraph: `text`, `small`, or a `note` in a frame."""
    return {"kind": kind, "text": words}


def texts(items: Sequence[str]) -> Content:
    """Return a list."""
    return {"kind": "list", "items": items}


def picture(svg: str, alt: str, caption: str) -> Content:
    """Return a drawing."""
    return {"kind": "picture", "svg": svg, "alt": alt, "caption": caption}


def section(heading: str) -> Content:
    """Return a heading within a chapter."""
    return {"kind": "section", "heading": heading}


def chapter(heading: str, *blocks: Content | None, page: bool = True) -> Content:
    """Return a chapter, on a page of its own where that is said; blocks that are None are left out."""
    return {"heading": heading, "page": page, "blocks": [block for block in blocks if block]}
