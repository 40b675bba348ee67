"""The frame of a workbook that holds its production: sheets of one form together, wide tables upright."""

import numpy as np

from api.plants.interpretation.columns import GRID_ROLES
from api.plants.interpretation.date_parts import with_dates, with_dates_above
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, read_heading, words
from api.plants.interpretation.problems import not_interpreted
from api.plants.interpretation.tables import add_units, frame_of
from api.plants.interpretation.wide import is_daily, melted, stood_up, upright
from api.plants.reading.workbook import Workbook

LEAST_VALUES = 12
_DIFFERENT = 0.1  # of the moments, night too


def frame_of_workbook(workbook: Workbook) -> Frame:
    """Return the frame with the most rows that hold production, or else the most rows.

    Raises
    ------
    ApiError
        `NOT_INTERPRETED`: no sheet has moments or rows enough, or all have one value a day.
    """
    found: dict[tuple[str, str], list[Frame]] = {}
    for number, sheet in enumerate(workbook.sheets):
        if is_daily(sheet):
            continue
        sheet = with_dates(stood_up(upright(sheet)))
        frame = frame_of(sheet, number, workbook.delimiter) or frame_of(
            with_dates_above(sheet), number, workbook.delimiter
        )
        if frame is not None:
            if (tall := melted(frame)) is not None:
                frame = tall
                add_units(frame)
            found.setdefault((frame.fingerprint, _role(sheet.name)), []).append(frame)
    if not found:
        is_short = all(len(sheet.rows) < LEAST_VALUES for sheet in workbook.sheets)
        raise not_interpreted("daily" if any(map(is_daily, workbook.sheets)) else "few" if is_short else "no_time")
    joined = {key: _joined(some, [workbook.sheets[one.sheet].name for one in some]) for key, some in found.items()}

    def rank(key: tuple[str, str]) -> tuple[bool, bool, bool, int]:
        frame = joined[key]
        is_production = key[1] == "production" or not key[1]
        return is_production, _has_production(frame), _has_time(frame), len(frame.rows) * bool(frame.numeric)

    return joined[max(joined, key=rank)]


def _role(name: str) -> str:
    """Return what a sheet's name says that all of it is, such as consumption; empty where it says nothing."""
    role = read_heading(name).role
    return role if role in ("production", *GRID_ROLES, "battery", "self_use", "price") else ""


def _joined(frames: list[Frame], names: list[str]) -> Frame:
    """Return sheets of one form and their names, such as a sheet for each month, as one frame."""
    first = frames[0]
    styles = {column: one.style for column, one in first.moments.items()}
    if any({column: one.style for column, one in other.moments.items()} != styles for other in frames):
        return max(frames, key=lambda one: len(one.rows))
    if any(_differ(first, other) for other in frames[1:]):  # a sheet for each inverter
        first, *rest = [one.labelled(name) for one, name in zip(frames, names, strict=True)]
        return first.followed_by(rest)
    return first.followed_by(frames[1:]) if len(frames) > 1 else first


def _differ(one: Frame, other: Frame) -> bool:
    """Return whether most moments of a frame are in another too, with other numbers."""
    keys = [next(iter(frame.moments.values())) for frame in (one, other)]
    times = [stamps.date @ np.array([10**9, 10**7, 10**5]) + stamps.second for stamps in keys]
    shared, ours, theirs = np.intersect1d(*times, return_indices=True)
    if shared.size <= 0.5 * min(map(len, times)):
        return False
    return any(
        (one.numbers(column)[ours] != other.numbers(column)[theirs]).mean() > _DIFFERENT for column in one.numeric
    )


def _has_production(frame: Frame) -> bool:
    return any(frame.headings[column].role in ("production", "generic", "unknown") for column in frame.numeric)


def _has_time(frame: Frame) -> bool:
    return any(one.has_time for one in frame.moments.values())


def time_columns(frame: Frame) -> tuple[int, int | None]:
    """Return the columns of date and time of day; the second is None where one column holds both.

    Raises
    ------
    ApiError
        `NOT_INTERPRETED`: there are dates alone.
    """
    patterns = words()["time"]
    both = [column for column, one in frame.moments.items() if one.has_date and one.has_time]
    dates = [column for column, one in frame.moments.items() if one.has_date and not one.has_time]
    clocks = [column for column, one in frame.moments.items() if not one.has_date]

    def begins(column: int) -> tuple[bool, bool, int]:
        name = plain(frame.headings[column].text)
        return bool(patterns["updated"].search(name)), bool(patterns["end"].search(name)), column

    if both:
        return min(both, key=begins), None
    if dates and clocks:
        return min(dates, key=begins), min(clocks, key=begins)
    raise not_interpreted("daily" if dates else "no_time")
