"""How a file writes times: ISO, d.m.Y, m/d/Y, month names, 12 hours, offsets, seconds since 1970."""

from collections.abc import Callable
from datetime import datetime

import numpy as np

from tests.support.exports.words import MONTHS, SHORT_MONTHS, WEEKDAYS

Write = Callable[[datetime], str]


def date_writers(language: str) -> dict[str, Write]:
    """Return the ways to write a date."""
    months, short, weekdays = MONTHS[language].split(), SHORT_MONTHS[language].split(), WEEKDAYS[language].split()
    ordinal = "." if language in ("no", "da", "de") else ""
    return {
        "iso": lambda t: f"{t.year}-{t.month:02}-{t.day:02}",
        "dmy": lambda t: f"{t.day:02}.{t.month:02}.{t.year}",
        "dmy2": lambda t: f"{t.day:02}.{t.month:02}.{t.year % 100:02}",
        "dmy1": lambda t: f"{t.day}.{t.month}.{t.year}",
        "dmy/": lambda t: f"{t.day:02}/{t.month:02}/{t.year}",
        "dmy-": lambda t: f"{t.day:02}-{t.month:02}-{t.year}",
        "mdy": lambda t: f"{t.month:02}/{t.day:02}/{t.year}",
        "mdy1": lambda t: f"{t.month}/{t.day}/{t.year}",
        "mdy2": lambda t: f"{t.month:02}/{t.day:02}/{t.year % 100:02}",
        "ymd/": lambda t: f"{t.year}/{t.month:02}/{t.day:02}",
        "ymd.": lambda t: f"{t.year}.{t.month:02}.{t.day:02}",
        "compact": lambda t: f"{t.year}{t.month:02}{t.day:02}",
        "long": lambda t: f"{t.day}{ordinal} {months[t.month - 1]} {t.year}",
        "short": lambda t: f"{t.day:02}-{short[t.month - 1]}-{t.year}",
        "us": lambda t: f"{short[t.month - 1]} {t.day}, {t.year}",
        "weekday": lambda t: f"{weekdays[t.weekday()]} {t.day:02}.{t.month:02}.{t.year}",
    }


CLOCKS: dict[str, Write] = {
    "hm": lambda t: f"{t.hour:02}:{t.minute:02}",
    "hms": lambda t: f"{t.hour:02}:{t.minute:02}:{t.second:02}",
    "hm1": lambda t: f"{t.hour}:{t.minute:02}",
    "h.m": lambda t: f"{t.hour:02}.{t.minute:02}",
    "hms0": lambda t: f"{t.hour:02}:{t.minute:02}:{t.second:02}.000",
    "ampm": lambda t: f"{(t.hour + 11) % 12 + 1}:{t.minute:02} {'AM' if t.hour < 12 else 'PM'}",
    "ampms": lambda t: f"{(t.hour + 11) % 12 + 1:02}:{t.minute:02}:{t.second:02} {'am' if t.hour < 12 else 'pm'}",
    "compact": lambda t: f"{t.hour:02}{t.minute:02}",
}
ORDINARY = {
    "no": ("dmy hm", "dmy hms", "iso hm", "iso hms", "dmy1 hm", "dmy/ hm"),
    "sv": ("iso hm", "iso hms"),
    "da": ("dmy- hm", "dmy hm", "iso hm"),
    "en": ("iso hm", "iso hms", "dmy/ hm", "mdy hm", "mdy1 ampm", "ymd/ hm"),
    "de": ("dmy hm", "dmy hms", "dmy2 hm", "iso hms"),
    "nl": ("dmy- hm", "iso hm", "dmy/ hms"),
    "fr": ("dmy/ hm", "dmy/ hms", "iso hm"),
}
DIFFICULT = {
    "no": ("long hm", "dmy kl. hm", "dmy2 hm", "weekday hm", "dmy h.m", "short hm"),
    "sv": ("long hm", "ymd. hm", "iso h.m"),
    "da": ("long hm", "dmy h.m", "short hm", "dmy kl. h.m"),
    "en": ("us ampm", "mdy2 ampm", "mdy ampms", "short hms", "iso ampm", "long hm", "compact compact"),
    "de": ("long hm", "weekday hm", "short hm", "dmy1 hm1", "dmy2 hms"),
    "nl": ("long hm", "short hm", "weekday hm"),
    "fr": ("long hm", "short hm", "dmy2 hm"),
}
ANYWHERE = ("epoch s", "epoch ms", "isoT hms", "compact compact", "ymd/ hm", "iso hms0")
WITH_OFFSET = ("iso offset", "isoT offset", "isoT offset0", "iso named", "iso zone")


def draw_style(rng: np.random.Generator, language: str, own: tuple[str, ...], difficult: bool) -> str:
    """Return a style of times: a brand's own, or one usual in the language."""
    own = tuple(style for style in own if style.split()[1] not in ("offset", "z") and not style.startswith("epoch"))
    if difficult:
        return str(rng.choice(DIFFICULT[language] + (ANYWHERE if rng.random() < 0.5 else ())))
    if own and rng.random() < 0.7:
        return str(rng.choice(own))
    return str(rng.choice(ORDINARY[language]))


def split(style: str, language: str) -> tuple[Write, Write, str]:
    """Return the writers of date and clock and what joins them."""
    words = style.split()
    joint = " kl. " if "kl." in words else " "
    if words[0] == "isoT":
        words[0], joint = "iso", "T"
    return date_writers(language)[words[0]], CLOCKS[words[-1]], joint


def write_times(
    style: str, language: str, local: list[datetime], offsets: list[int], unix: list[int], ends: bool
) -> list[str]:
    """Return the times as text; `ends` writes the midnight that closes a day as 24:00 of that day."""
    if style == "epoch s":
        return [str(second) for second in unix]
    if style == "epoch ms":
        return [f"{second}000" for second in unix]
    if style.split()[-1] in ("z", "offset", "offset0", "named", "zone"):
        return _with_offset(style, local, offsets)
    date, clock, joint = split(style, language)
    texts = [f"{date(time)}{joint}{clock(time)}" for time in local]
    if ends:
        for place, time in enumerate(local):
            if time.hour == 0 and time.minute == 0 and place:
                texts[place] = (
                    f"{date(datetime.fromordinal(time.toordinal() - 1))}{joint}{clock(time).replace('00', '24', 1)}"
                )
    return texts


def _with_offset(style: str, local: list[datetime], offsets: list[int]) -> list[str]:
    base, kind = style.split()
    joint = "T" if base == "isoT" else " "
    texts = []
    for time, offset in zip(local, offsets, strict=True):
        hours = offset // 3600
        tail = {
            "z": "Z", "offset": f"+{hours:02}:00", "offset0": f"+{hours:02}00", "zone": f"+{hours:02}",
            "named": f" {('UTC', 'CET', 'CEST')[hours]}+{hours:02}00",
        }[kind]  # fmt: skip
        texts.append(f"{time:%Y-%m-%d}{joint}{time:%H:%M:%S}{tail}")
    return texts
