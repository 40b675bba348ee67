"""Numbers and names as answers print them."""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

# A spreadsheet takes a text that begins so for a formula; some also part cells at a semicolon or a tab.
_FORMULA = re.compile(r"(^|[;\t\r])(\s*[=+\-@＝＋－＠])")

_LETTERS = str.maketrans({"ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "–": "-", "—": "-", '"': "'", ";": ","})


def degrees(value: float) -> str:
    """Return a coordinate or an angle with at most four decimals."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def plain(text: str) -> str:
    """Return a text as one line of ASCII without semicolons and double quotes, which end a field in some format."""
    spelled = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    # A space for control characters and ends of lines; nothing for accents, which now stand by themselves.
    spaced = "".join(" " if unicodedata.category(letter) in ("Cc", "Zl", "Zp") else letter for letter in spelled)
    return " ".join(spaced.encode("ascii", "ignore").decode().split())


def rounded(value: float, digits: int) -> float | None:
    """Return a number rounded for an answer, never -0; None for NaN."""
    return None if math.isnan(value) else round(float(value), digits) + 0.0


def flat(part: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what a part of an answer holds, by names that lead to it."""
    for name, value in part.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}_")
        else:
            yield f"{prefix}{name}", value


def cell(value: Any) -> Any:
    """Return a value as a cell holds it: what would be a formula of a text has an apostrophe before it."""
    return _FORMULA.sub(r"\1'\2", value) if isinstance(value, str) else value
