"""How a file writes numbers: decimal comma, thousands, exponents, quotes, and what stands where one is missing."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

MISSING = ("", "--", "-", "NaN", "nan", "null", "N/A", "NULL", "n/a", "#N/A")


class NumberStyle(NamedTuple):
    """How numbers are written."""

    decimal: str = "."
    thousands: str = ""
    exponent: bool = False
    strip: bool = False
    missing: str = ""
    suffix: str = ""

    @property
    def name(self) -> str:
        """Return a word for the traits."""
        parts = [{".": "point", ",": "comma"}[self.decimal]]
        if self.thousands:
            parts.append(
                {" ": "space", "\u00a0": "nbsp", "\u202f": "nnbsp", ".": "dot", ",": "comma", "'": "apostrophe"}[
                    self.thousands
                ]
            )
        if self.exponent:
            parts.append("exponent")
        return "+".join(parts)


def draw_numbers(rng: np.random.Generator, language: str, difficult: bool) -> NumberStyle:
    """Return a style: the language's own in most files, now and then the other's."""
    comma = language not in ("en",)
    if rng.random() < 0.35:
        comma = False
    decimal = "," if comma else "."
    thousands, exponent = "", False
    if difficult:
        kinds = [" ", "\u00a0", ".", "\u202f"] if comma else [" ", ",", "'", "\u00a0"]
        thousands = str(rng.choice(kinds))
        if rng.random() < 0.2:
            thousands, exponent = "", True
    missing = str(rng.choice(MISSING, p=(0.4, 0.1, 0.08, 0.1, 0.06, 0.08, 0.06, 0.04, 0.04, 0.04)))
    return NumberStyle(decimal, thousands, exponent, bool(rng.random() < 0.4), missing)


def formatter(style: NumberStyle, decimals: int) -> Callable[[float], str]:
    """Return a function that writes a number with so many decimals; NaN becomes the style's missing token."""

    def write(value: float) -> str:
        if math.isnan(value):
            return style.missing
        if style.exponent and abs(value) >= 100:
            text = f"{value:.{decimals + int(math.log10(abs(value)))}e}"
        elif style.thousands:
            text = f"{value:,.{decimals}f}".replace(",", "\0")
        else:
            text = f"{value:.{decimals}f}"
        if style.strip and decimals and "e" not in text:
            text = text.rstrip("0").rstrip(".")
        if text == "-0":
            text = "0"
        return text.replace(".", style.decimal).replace("\0", style.thousands) + style.suffix

    if style == NumberStyle(missing=style.missing):
        plain = f"%.{decimals}f"
        return lambda value: style.missing if value != value else plain % value
    return write
