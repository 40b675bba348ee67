"""Common look of all pictures: the figure, its letters and lines, axes, warnings. Only pictures import it."""

import io
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont
from matplotlib.ft2font import FT2Font, LoadFlags

from api.pictures.figures import THIN, number

_FONT = "DejaVu Sans"
WIDTH, HEIGHT = 1000, 640
DPI = 100
INK, FAINT, GRID, ALARM = "#222222", "#5c5c5c", "#dddddd", "#b00020"
BETWEEN = "   ·   "
_MARGIN = 20
# Of warnings: one line for each there can be.
_SIZE, _STEP, _MOST = 9, 16, 5
_INDENT = 18
_ROOM = WIDTH - 2 * _MARGIN - _INDENT
# Of a text that a caller may have sent no more is looked at; the lines hold less.
_LONGEST = 2000
_SIGN, _UNKNOWN, _CUT = "\N{WARNING SIGN}", "\N{REPLACEMENT CHARACTER}", "\N{HORIZONTAL ELLIPSIS}"

mpl.rcdefaults()  # whatever a matplotlibrc on the machine says
mpl.rcParams.update({"font.family": _FONT, "font.size": 10.5, "hatch.linewidth": 0.8})


def blank() -> Figure:
    """Return an empty figure of WIDTH x HEIGHT."""
    return Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI, facecolor="white")


def png(figure: Figure) -> bytes:
    """Return a figure as PNG; the same figure gives the same bytes."""
    out = io.BytesIO()
    # of the compressions 3 is faster than what is usual by some ms, and no larger here
    figure.savefig(out, format="png", metadata={"Software": None}, pil_kwargs={"compress_level": 3})
    return out.getvalue()


def plain(axes: Axes) -> None:
    """Draw axes with horizontal lines behind everything, a line below, and numbers without ticks."""
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.tick_params(length=0, labelcolor=INK)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)


def legend(axes: Axes, **where: Any) -> None:
    """Draw a legend without a frame, small and dense."""
    axes.legend(**where, frameon=False, fontsize=9.5, handleheight=1.0, handletextpad=0.5)


def heading(
    figure: Figure,
    what: str,
    place: tuple[float, float],
    lines: Sequence[Sequence[str]],
    *,
    data_origin: str,
) -> None:
    """Write what is shown of a place, up to three lines below it, and a badge where the data are invented."""
    lat, lon = place
    write(figure, 36, f"{what} at {lat:.4f}°{THIN}N, {lon:.4f}°{THIN}E", size=15, weight="bold")
    styles = ((64, 10, INK), (86, 10, FAINT), (119, 12, INK))
    for parts, (down, size, colour) in zip(lines, styles, strict=False):
        write(figure, down, BETWEEN.join(parts), size=size, colour=colour)
    if data_origin != "live":
        badge = {"boxstyle": "round,pad=0.35", "facecolor": ALARM, "edgecolor": "none"}
        figure.text(0.98, 0.946, "SIMULATED DATA", ha="right", fontsize=12, weight="bold", color="white", bbox=badge)


def foot(figure: Figure, *parts: str, up: float = 14) -> None:
    """Write a line at the foot, so many dots from below."""
    write(figure, HEIGHT - up, BETWEEN.join(parts), size=_SIZE, colour=FAINT)


def write(
    figure: Figure,
    down: float,
    text: str,
    *,
    left: float = _MARGIN,
    size: float = _SIZE,
    weight: str = "normal",
    colour: str = INK,
) -> None:
    """Write a line as it stands, `$` and all, its foot so many dots from the top."""
    at = left / WIDTH, 1 - down / HEIGHT
    figure.text(*at, text, fontsize=size, weight=weight, color=colour, parse_math=False)


def warn(figure: Figure, warnings: Sequence[str]) -> int:
    """Write warnings above the foot; return the room that they take from the axes, dots."""
    lines = laid_out(warnings)
    for i, (begins, line) in enumerate(reversed(lines)):
        down = HEIGHT - 34 - _STEP * i
        if begins:
            write(figure, down, _SIGN)
        write(figure, down, line, left=_MARGIN + _INDENT)
    return _STEP * len(lines)


def laid_out(warnings: Sequence[str]) -> list[tuple[bool, str]]:
    """Return the lines that show warnings, and of each whether it begins one.

    Parameters
    ----------
    warnings : sequence of str
        May hold what a caller sent: letters that the font cannot write are replaced. Those beyond the lines there are
        are counted; those that need more lines than are left end in an ellipsis, as the JSON has all of them.
    """
    shown = list(warnings)
    if len(shown) > _MOST:
        rest = len(shown) - _MOST + 1
        shown[-rest:] = [f"{rest} more warnings are in the JSON of this answer."]
    lines: list[tuple[bool, str]] = []
    for i, text in enumerate(shown, 1):
        left = _MOST - len(lines) - (len(shown) - i)  # a line for each that follows
        lines += [(n == 0, line) for n, line in enumerate(_wrapped(_harmless(text), left))]
    return lines


def _harmless(text: str) -> str:
    """Return a text on one line, from left to right, without what the font cannot write."""
    spelled = unicodedata.normalize("NFC", " ".join(text[:_LONGEST].split()))
    return "".join(letter if _width(letter) else _UNKNOWN for letter in spelled)


def _wrapped(text: str, most: int) -> list[str]:
    """Return a harmless text in at most so many lines, cut between words where there are any."""
    lines: list[str] = []
    while text and len(lines) < most:
        fits = _fitting(text, _ROOM)
        if fits < len(text) and len(lines) == most - 1:
            return [*lines, text[: _fitting(text, _ROOM - _width(_CUT))].rstrip() + _CUT]
        between = text.rfind(" ", fits // 2, fits + 1) if fits < len(text) else -1
        at = between if between > 0 else fits
        lines.append(text[:at])
        text = text[at:].lstrip()
    return lines


def _fitting(text: str, room: float) -> int:
    """Return how many letters of a text so many dots hold."""
    return bisect_right(list(accumulate(map(_width, text))), room)


@cache
def _font() -> FT2Font:
    font = FT2Font(findfont(_FONT))
    font.set_size(_SIZE, DPI)
    return font


@lru_cache(2000)
def _width(letter: str) -> float:
    """Return how many dots wide a letter is; 0 where it is not to be written.

    Those are: what the font lacks, what controls, what is set over its neighbour, what is read from the right, and
    what is higher than a line.
    """
    steers = unicodedata.category(letter)[0] in "CM" or unicodedata.bidirectional(letter) in ("R", "AL", "AN")
    if steers or not _font().get_char_index(ord(letter)):
        return 0.0
    # in whole dots, as it is drawn: up to a tenth off the width it was designed with
    drawn = _font().load_char(ord(letter), LoadFlags.DEFAULT)
    _, low, _, high = drawn.bbox
    dots: float = drawn.horiAdvance / 64
    return dots if low >= -3 * 64 and high <= (_STEP - 4) * 64 else 0.0
