"""The file that the authority's web page hands out for one cell and theme: a line that says what it is, then days.

Known from one real file: `# Theme: swe; ...; Unit: mm; ...`, `Date;swe(mm)`, `26.08.1957 06:00:00;65535`. Numbers have
a decimal comma at times. Unlike `Data` of the other answers it has dates, so that a day that is there twice is seen:
with one value it counts once, with two different ones the file is refused.
"""

import math
from typing import NamedTuple

import numpy as np

from catalog.sources.errors import Origin
from catalog.sources.nve_gts.answers import Head, read_date, read_head
from catalog.sources.nve_gts.model import NAME, Point, SnowData, centre_of, day_of_stamp
from catalog.sources.nve_gts.themes import THEMES, Theme

_FIELDS = ("Theme", "NoDataValue", "X", "Y", "StartDate", "PrognoseStartDate", "Unit", "TimeResolution", "Altitude")
# in the file they have other capitals than in the answers
_SPELLED = {name.lower(): name for name in _FIELDS}
_LONGEST_DAYS = 100_000


class _What(NamedTuple):
    theme: Theme
    head: Head
    point: Point
    altitude: float


def read_export(text: str, name: str = "an export") -> SnowData:
    """Return the days of an export.

    Parameters
    ----------
    text : str
        The whole file.
    name : str
        Of the file, for sentences.

    Returns
    -------
    SnowData
        `values` holds the one quantity of the export; days that the file skips are NaN.

    Raises
    ------
    SourceError
        It is no export, or contradicts itself.
    """
    origin = Origin(NAME, name)
    lines = [line.strip() for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    try:
        what = _what(origin, lines[0])
        found = _days(origin, lines[1:])
    except (IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise origin.error(f"is no export of the snow authority: {error!r:.100}") from error
    if not found:
        raise origin.error("holds no day")
    first, last = min(found), max(found)
    if last - first >= _LONGEST_DAYS:
        raise origin.error(f"reaches over {last - first} days")
    days = np.arange(first, last + 1, dtype=np.int64)
    raw = np.full((days.size, 1), np.nan)
    raw[np.fromiter(found, np.int64) - first, 0] = np.fromiter(found.values(), np.float64)
    raw[raw == what.head.no_data] = np.nan
    values = what.theme.ours(origin, raw, what.head.unit).astype(np.float32)
    observed = last if what.head.forecast_from is None else min(last, what.head.forecast_from - 1)
    return SnowData(
        days=days,
        points=(what.point,),
        altitude=np.array([what.altitude]),
        values={what.theme.quantity: values},
        observed_until=observed,
        data_origin="live",
        requests=0,
    )


def _what(origin: Origin, line: str) -> _What:
    told = {}
    for field in line.lstrip("# ").split(";"):
        key, _, value = field.partition(":")
        told[_SPELLED.get(key.strip().lower(), key.strip())] = value.strip()
    themes = [theme for theme in THEMES if theme.name == told["Theme"].lower()]
    if not themes:
        raise origin.error(f"holds theme {told['Theme']!r:.40}, which is none of {', '.join(t.name for t in THEMES)}")
    point = centre_of(_number(told["X"]), _number(told["Y"]))
    if point is None:
        raise origin.error("is of a place outside of the snow authority's grid")
    numbers = {key: _number(told[key]) for key in ("NoDataValue", "TimeResolution", "Altitude")}
    head = read_head(origin, themes[0], {**told, **numbers}, None)
    return _What(themes[0], head, point, numbers["Altitude"])


def _days(origin: Origin, lines: list[str]) -> dict[int, float]:
    """Return the values as they stand, by our day."""
    found: dict[int, float] = {}
    for line in lines:
        if line.lower().startswith("date;"):
            continue
        stamp, _, value = line.partition(";")
        day, number = day_of_stamp(read_date(stamp)), _number(value)
        if found.setdefault(day, number) != number:
            raise origin.error(f"has two different values of {stamp[:10]}: {found[day]:g} and {number:g}")
    return found


def _number(text: str) -> float:
    number = float(text.strip().rstrip(";").replace(",", "."))
    if not math.isfinite(number):
        raise ValueError(f"{text!r:.40} is no number")
    return number
