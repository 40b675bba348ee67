"""Sentences in a picture that somebody else worded: only letters that the font has, in lines that have room for them.

It does not import matplotlib, as `look.py`: the font is handed over.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

from api.pictures.look import HEIGHT, MARGIN, WIDTH, write

SIZE, STEP = 9, 16
MOST = 5
"""Lines of warnings: one for each there can be."""
_SIGN = "\N{WARNING SIGN}"
_INDENT = 18
ROOM = WIDTH - 2 * MARGIN - _INDENT
# Of a text that a caller may have sent no more is looked at; the lines hold less.
_LONGEST = 2000
_UNKNOWN, _CUT = "\N{REPLACEMENT CHARACTER}", "\N{HORIZONTAL ELLIPSIS}"


class Letters:
    """Lays out sentences by the letters of a font.

    Parameters
    ----------
    font : FT2Font
        The picture's, set to `SIZE` and `DPI`.
    how : LoadFlags
        How letters are loaded: by default they are not drawn as wide as they are said to be.
    """

    def __init__(self, font: Any, how: Any) -> None:
        self._font, self._how = font, how
        self.width = lru_cache(2000)(self._measured)

    def warned(self, warnings: Sequence[str], most: int = MOST) -> list[tuple[bool, str]]:
        """Return the lines that show warnings, and of each whether it begins one.

        Parameters
        ----------
        warnings : sequence of str
            May hold what a caller sent. Those beyond the lines there are are counted; those that need more lines than
            are left end in an ellipsis, as the JSON has all of them.
        most : int
        """
        shown = list(warnings)
        if len(shown) > most:
            rest = len(shown) - most + 1
            shown[-rest:] = [f"{rest} more warnings are in the JSON of this answer."]
        lines: list[tuple[bool, str]] = []
        for i, text in enumerate(shown, 1):
            left = most - len(lines) - (len(shown) - i)  # a line for each that follows
            lines += [(n == 0, line) for n, line in enumerate(self.wrapped(self.harmless(text), left))]
        return lines

    def harmless(self, text: str) -> str:
        """Return a text on one line, from left to right, without what the font cannot write."""
        plain = unicodedata.normalize("NFC", " ".join(text[:_LONGEST].split()))
        return "".join(one if self.width(one) else _UNKNOWN for one in plain)

    def wrapped(self, text: str, most: int, room: float = ROOM) -> list[str]:
        """Return a harmless text in at most so many lines of so many dots, cut between words where there are any."""
        lines: list[str] = []
        while text and len(lines) < most:
            fits = self._fitting(text, room)
            if fits < len(text) and len(lines) == most - 1:
                return [*lines, text[: self._fitting(text, room - self.width(_CUT))].rstrip() + _CUT]
            between = text.rfind(" ", fits // 2, fits + 1) if fits < len(text) else -1
            at = between if between > 0 else fits
            lines.append(text[:at])
            text = text[at:].lstrip()
        return lines

    def _fitting(self, text: str, room: float) -> int:
        """Return how many letters of a text so many dots hold."""
        return bisect_right(list(accumulate(map(self.width, text))), room)

    def _measured(self, letter: str) -> float:
        """Return how many dots wide a letter is; 0 where it is not to be written.

        Those are: what the font lacks, what controls, what is set over its neighbour, what is read from the right, and
        what is higher than a line.
        """
        steers = unicodedata.category(letter)[0] in "CM" or unicodedata.bidirectional(letter) in ("R", "AL", "AN")
        if steers or not self._font.get_char_index(ord(letter)):
            return 0.0
        # in whole dots, as it is drawn: up to a tenth off the width it was designed with
        drawn = self._font.load_char(ord(letter), self._how)
        _, low, _, high = drawn.bbox
        dots: float = drawn.horiAdvance / 64
        return dots if low >= -3 * 64 and high <= (STEP - 4) * 64 else 0.0


def write_warned(figure: Any, lines: Sequence[tuple[bool, str]], foot: float = HEIGHT - 34) -> None:
    """Write what `Letters.warned` laid out; the last line's foot so many dots from the top."""
    first = foot - STEP * (len(lines) - 1)
    for i, (begins, line) in enumerate(lines):
        down = first + STEP * i
        if begins:
            write(figure, down, _SIGN, size=SIZE)
        write(figure, down, line, left=MARGIN + _INDENT, size=SIZE)
