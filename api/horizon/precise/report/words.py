"""The words of the report in two languages, and numbers and foreign text as it writes them."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

from api.reports.text import lined_up, plain, written

Language = Literal["nb", "en"]

_NBSP = "\N{NO-BREAK SPACE}"
# A number and its unit stay together.
_BEFORE_UNIT = re.compile(r"(?<=[\d}]) (?=(?:%|m|km|ms)\b|%)")


@cache
def words(language: Language) -> Mapping[str, Any]:
    """Return the texts of `words.toml` in a language."""
    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    texts: dict[str, Any] = tomllib.loads(_BEFORE_UNIT.sub(_NBSP, text))[language]
    return texts


class Writer:
    """Writes values of an answer in a language."""

    def __init__(self, language: Language) -> None:
        self.words = words(language)
        self._point = "," if language == "nb" else "."

    def number(self, value: float) -> str:
        """Return a number with all digits that JSON had."""
        return written(value, self._point)

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
        return lined_up([self.value(value) for value in values], self._point)

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
