"""Foreign text and numbers as reports write them."""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal

# What the report's font has of Latin, Greek and Cyrillic letters and of signs. No marks that change the direction of
# writing, and no combining ones, which could pile up. PDF/UA forbids letters without a glyph.
_KNOWN = (
    (0x20, 0x7E), (0xA0, 0xAC), (0xAE, 0x2E4), (0x384, 0x38A), (0x38E, 0x3A1), (0x3A3, 0x3CE), (0x400, 0x477),
    (0x2010, 0x2015), (0x2018, 0x2022), (0x2026, 0x2026), (0x2030, 0x2033), (0x2039, 0x203A), (0x2070, 0x2070),
    (0x2074, 0x2079), (0x2080, 0x2089), (0x20AC, 0x20AC), (0x2122, 0x2122), (0x2190, 0x2193), (0x2212, 0x2212),
    (0x2248, 0x2248), (0x2260, 0x2260), (0x2264, 0x2265),
)  # fmt: skip
_LETTERS = frozenset(chr(code) for first, last in _KNOWN for code in range(first, last + 1))
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
# A longer word may be broken at every so many letters, where nothing is written.
_LONGEST, _STEP, _BREAK = 24, 8, "\N{ZERO WIDTH SPACE}"
_FIGURE_SPACE, _PUNCTUATION_SPACE = "\N{FIGURE SPACE}", "\N{PUNCTUATION SPACE}"

SYMBOL = re.compile(r"\b([ckIvqLxz])_(b0|min|[a-zIHSB0])(?![A-Za-z0-9_])")
"""A symbol of the standards, written as `c_o` or `v_b0`: a letter and its subscript."""


def written(value: float, point: str = ",") -> str:
    """Return a number with all digits that JSON had, by default with a decimal comma."""
    text = repr(value)
    text = format(Decimal(text), "f") if "e" in text else text
    return text.replace(".", point)


def plain(text: str) -> str:
    """Return foreign text in one line, of letters that the report's font has; long words can be broken."""
    known = "".join(c if c in _LETTERS else _UNKNOWN for c in unicodedata.normalize("NFC", " ".join(text.split())))
    return " ".join(_breakable(word) for word in known.split(" "))


def without_breaks(text: str) -> str:
    """Return text of `plain` without the places where long words may be broken: SVG does not wrap."""
    return text.replace(_BREAK, "")


def _breakable(word: str) -> str:
    if len(word) <= _LONGEST:
        return word
    return _BREAK.join(word[at : at + _STEP] for at in range(0, len(word), _STEP))


def lined_up(texts: Sequence[str], point: str = ",") -> list[str]:
    """Return numbers with their points below each other, where they are set to the right in digits of one width."""
    decimals = [len(after) if found else -1 for _, found, after in (text.partition(point) for text in texts)]
    most = max(decimals, default=-1)
    return [text + _filler(most, own) for text, own in zip(texts, decimals, strict=True)]


def _filler(most: int, own: int) -> str:
    space = _PUNCTUATION_SPACE if own < 0 <= most else ""
    return space + _FIGURE_SPACE * (most - max(own, 0) if most > 0 else 0)
