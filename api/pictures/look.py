"""What all pictures look like: letters, colours, and the lines around a chart.

It does not import matplotlib, which only a group's `picture.py` does: figures are handed over.
"""

import io
from typing import Any

from api.pictures.figures import THIN

FONT = "DejaVu Sans"
SETTINGS: Any = {"font.family": FONT, "font.size": 10.5, "hatch.linewidth": 0.8}
"""For `rcParams`, after `rcdefaults`: whatever a matplotlibrc on the machine says."""
WIDTH, HEIGHT = 1000, 640
DPI = 100
MARGIN = 20
INK, FAINT, GRID, ALARM = "#222222", "#5c5c5c", "#dddddd", "#b00020"
BETWEEN = "   ·   "


def write(
    figure: Any,
    down: float,
    text: str,
    *,
    left: float = MARGIN,
    size: float,
    weight: str = "normal",
    colour: str = INK,
) -> None:
    """Write a line as it stands, `$` and all, its foot so many dots from the top."""
    at = left / WIDTH, 1 - down / HEIGHT
    figure.text(*at, text, fontsize=size, weight=weight, color=colour, parse_math=False)


def simulated(figure: Any) -> None:
    """Say in the upper right corner that the data are invented."""
    badge = {"boxstyle": "round,pad=0.35", "facecolor": ALARM, "edgecolor": "none"}
    figure.text(0.98, 0.946, "SIMULATED DATA", ha="right", fontsize=12, weight="bold", color="white", bbox=badge)


def place(lat: float, lon: float) -> str:
    """Return a position as headings have it."""
    return f"{lat:.4f}°{THIN}N, {lon:.4f}°{THIN}E"


def png(figure: Any) -> bytes:
    """Return a figure as PNG; the same figure gives the same bytes."""
    out = io.BytesIO()
    # of the compressions 3 is faster than what is usual by some ms, and no larger here
    figure.savefig(out, format="png", metadata={"Software": None}, pil_kwargs={"compress_level": 3})
    return out.getvalue()
