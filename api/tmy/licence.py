"""The licence of downloads, where the operator has set one."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Self

HEADER = "X-Tmy-License"


@dataclass(frozen=True)
class Licence:
    """The licence that downloads come with.

    Parameters
    ----------
    version : str
    last_day : date
        By UTC; it holds on that day, and no more on the next.
    expired : bool
        Whether that day has passed.
    """

    version: str
    last_day: date
    expired: bool = False

    def at(self, now: datetime) -> Self:
        """Return it as it is at a moment in UTC."""
        return replace(self, expired=now.date() > self.last_day)

    @property
    def sentence(self) -> str:
        """Return the fields of files and answers."""
        text = f"Licensed for projects designed on or before {self.last_day.isoformat()}"
        return f"{text}; this licence has expired" if self.expired else text

    @property
    def header(self) -> str:
        """The value of the header of every answer."""
        return f"{self.version}; last-day={self.last_day.isoformat()}; expired={str(self.expired).lower()}"
