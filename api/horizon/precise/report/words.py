"""The words of the report in two languages, and numbers and foreign text as it writes them."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Literal

Language = Literal["nb", "en"]

_NBSP = "\N{NO-BREAK SPACE}"
# A number and its unit stay together.
_BEFORE_UNIT = re.compile(r"(?<=[\d}]) (?=(?:%|m|km|ms)\b|%)")
_FIGURE_SPACE, _PUNCTUATION_SPACE = "\N{FIGURE SPACE}", "\N{PUNCTUATION SPACE}"
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


@cache
def words(language: Language) -> Mapping[str, Any]:
    """Return the texts of `words.toml` in a language."""
    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    texts: dict[str, Any] = tomllib.loads(_BEFORE_UNIT.sub(_NBSP, text))[language]
    return texts


def plain(text: str) -> str:
    """Return foreign text in one line, of letters that the report's font has; long words can be broken."""
    known = "".join(c if c in _LETTERS else _UNKNOWN for c in unicodedata.normalize("NFC", " ".join(text.split())))
    return " ".join(_breakable(word) for word in known.split(" "))


def _breakable(word: str) -> str:
    if len(word) <= _LONGEST:
        return word
    return _BREAK.join(word[at : at + _STEP] for at in range(0, len(word), _STEP))


class Writer:
    """Writes values of an answer in a language."""

    def __init__(self, language: Language) -> None:
        self.words = words(language)
        self._point = "," if language == "nb" else "."

    def number(self, value: float) -> str:
        """Return a number with all digits that JSON had."""
        text = repr(value)
        text = format(Decimal(text), "f") if "e" in text else text
        return text.replace(".", self._point)

    def short(self, value: float) -> str:
        """Return a number without zeros at its end, for sentences; all digits are written elsewhere."""
        return f"{value:g}".replace(".", self._point)

    def rounded(self, value: float, digits: int) -> str:
        """Return a number with so many decimals, for the eye; what is exact is written elsewhere."""
        return f"{round(value, digits) + 0.0:.{digits}f}".replace(".", self._point)

    def percent(self, value: float) -> str:
        """Return a share in percent for sentences; one that is too small to show is not told as nothing."""
        if 0 < value < 0.05:
            return str(self.words["less"].format(self.rounded(0.1, 1)))
        return self.rounded(value, 1)

    def value(self, value: Any) -> str:
        """Return a number, a text of somebody else's, or that there is none."""
        if value is None:
            return str(self.words["none"])
        return plain(value) if isinstance(value, str) else self.number(value)

    def column(self, values: Sequence[Any]) -> list[str]:
        """Return values with their points below each other, where they are set to the right in digits of one width."""
        texts = [self.value(value) for value in values]
        decimals = [len(after) if point else -1 for _, point, after in (t.partition(self._point) for t in texts)]
        most = max(decimals, default=-1)
        return [text + self._filler(most, own) for text, own in zip(texts, decimals, strict=True)]

    @staticmethod
    def _filler(most: int, own: int) -> str:
        point = _PUNCTUATION_SPACE if own < 0 <= most else ""
        return point + _FIGURE_SPACE * (most - max(own, 0) if most > 0 else 0)

    def direction(self, azimuth: float) -> str:
        """Return the name of the nearest of eight directions."""
        return str(self.words["directions"][round(azimuth / 45) % 8])

    def date(self, moment: datetime) -> str:
        """Return a date and time in words."""
        month = self.words["months"][moment.month - 1]
        time = {"hour": f"{moment.hour:02d}", "minute": f"{moment.minute:02d}"}
        return str(self.words["date"].format(day=moment.day, month=month, year=moment.year, **time))

    def day(self, month: int, day: int) -> str:
        """Return a day of a year in words."""
        return str(self.words["day"].format(day=day, month=self.words["months"][month - 1]))
