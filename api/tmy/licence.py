"""The licence of downloads: its version, its last day, and whether it has expired."""

from dataclasses import dataclass
from datetime import date, datetime

HEADER = "X-Tmy-License"


@dataclass(frozen=True)
class Licence:
    """The licence that downloads come with.

    Parameters
    ----------
    version : str
    last_day : date
        By UTC; it holds on that day, and no more on the next.
    """

    version: str
    last_day: date

    def expired(self, now: datetime) -> bool:
        """Return whether it no longer holds at a moment in UTC."""
        return now.date() > self.last_day

    def sentence(self, now: datetime) -> str:
        """Return what files and answers say of it."""
        text = f"Licensed for projects designed on or before {self.last_day.isoformat()}"
        return f"{text}; this licence has expired" if self.expired(now) else text

    def headers(self, now: datetime) -> dict[str, str]:
        """Return the header of every TMY answer."""
        expired = str(self.expired(now)).lower()
        return {HEADER: f"{self.version}; last-day={self.last_day.isoformat()}; expired={expired}"}
