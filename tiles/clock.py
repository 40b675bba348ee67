"""The one clock, and the names of hours.

Every process of an installation is given the same clock text, so that version choice, expiry, quota day and
simulator agree on what time it is, in tests and in production alike.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import SupportsInt

HOUR = timedelta(hours=1)
# Satellite images: how often there is one, and how long after its time it is out at the earliest.
IMAGE_EVERY_MIN = 15
IMAGE_OUT_AFTER = timedelta(minutes=15)
_PARTITION = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2})(?::(00)(?::00)?Z?|Z)?\Z", re.ASCII)
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}):(\d{2})(?::00)?Z?\Z", re.ASCII)


def iso(moment: datetime) -> str:
    """Return an aware moment as ISO 8601 UTC to the second, `2015-08-24T00:00:00Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_iso(text: str) -> datetime:
    """Return the aware UTC moment of an ISO 8601 text; one without a zone is UTC.

    Raises
    ------
    ValueError
        The text is no ISO 8601 moment.
    """
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def parse_zoned(text: str) -> datetime:
    """Return the aware UTC moment of an ISO 8601 text that names its zone.

    Raises
    ------
    ValueError
        The text is no ISO 8601 moment, or names no zone.
    OverflowError
        No calendar has the moment in UTC.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text[:40]!r} has no time zone")
    return moment.astimezone(UTC)


def utc(unix: SupportsInt) -> datetime:
    """Return the moment of unix seconds, aware, in UTC."""
    return datetime.fromtimestamp(int(unix), UTC)


def format_partition(hour: datetime) -> str:
    """Return the partition key, which is also the version name, of a cycle hour: `2015-08-24T00`."""
    return hour.astimezone(UTC).strftime("%Y-%m-%dT%H")


def parse_partition(text: str) -> datetime:
    """Return the cycle hour (aware UTC) of a partition key such as `2015-08-24T00`.

    Raises
    ------
    ValueError
        The text is not a whole UTC hour.
    """
    return _parsed(_PARTITION, text, 60, "a cycle: write a whole UTC hour such as 2015-08-24T00")


def format_moment(moment: datetime) -> str:
    """Return the partition key, which is also the version name, of an image's time: `2026-06-21T10:15`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")


def parse_moment(text: str, every_min: int) -> datetime:
    """Return the moment (aware UTC) of a partition key such as `2026-06-21T10:15`.

    Raises
    ------
    ValueError
        The text is no multiple of so many minutes.
    """
    example = f"a UTC time every {every_min} minutes such as 2026-06-21T10:15"
    return _parsed(_MOMENT, text, every_min, f"an image: write {example}")


def _parsed(pattern: re.Pattern[str], text: str, every_min: int, expected: str) -> datetime:
    match = pattern.fullmatch(text.strip())
    try:
        if match is not None and int(match[2] or 0) % every_min == 0:
            return datetime.fromisoformat(f"{match[1]}:{match[2] or '00'}:00+00:00")
    except ValueError:  # a month, day or hour that there is not
        pass
    raise ValueError(f"'{text}' is not {expected}")


def floor_to(moment: datetime, minutes: int) -> datetime:
    """Return the last moment, not after `moment`, at so many minutes (a divisor of 60) of the UTC hour."""
    hour = floor_hour(moment)
    return hour + timedelta(minutes=(moment.astimezone(UTC) - hour) // timedelta(minutes=minutes) * minutes)


def floor_hour(moment: datetime) -> datetime:
    """Return the start of the UTC hour that holds a moment."""
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


@dataclass(frozen=True)
class Clock:
    """What time it is: real time, shifted, or frozen.

    Parameters
    ----------
    start : datetime or None
        The moment that the clock showed at `anchor`; None for real time.
    anchor : datetime or None
        The real moment at which it showed `start`; None for a frozen clock.
    """

    start: datetime | None = None
    anchor: datetime | None = None

    @classmethod
    def parse(cls, text: str | None) -> "Clock":
        """Read `SOLFLIS_CLOCK`: empty (real time), `T` (starts now at T and ticks), `T!` (frozen at T).

        The form `T@A`, which showed T at the real moment A, is what `text` hands to child processes.

        Raises
        ------
        ValueError
            The text is none of these.
        """
        if not text:
            return cls()
        try:
            if text.endswith("!"):
                return cls(parse_iso(text[:-1]))
            start, _, anchor = text.partition("@")
            return cls(parse_iso(start), parse_iso(anchor) if anchor else datetime.now(UTC))
        except ValueError as error:
            raise ValueError(
                f"'{text}' is not a clock: write a moment such as 2015-08-24T03:00:00Z, with '!' behind to freeze it"
            ) from error

    @property
    def is_real(self) -> bool:
        """Whether this is real time."""
        return self.start is None

    def now(self) -> datetime:
        """Return the current moment, aware UTC."""
        if self.start is None:
            return datetime.now(UTC)
        if self.anchor is None:
            return self.start
        return self.start + (datetime.now(UTC) - self.anchor)

    def text(self) -> str:
        """Return the text that gives another process this very clock."""
        if self.start is None:
            return ""
        if self.anchor is None:
            return f"{self.start.isoformat()}!"
        return f"{self.start.isoformat()}@{self.anchor.isoformat()}"
