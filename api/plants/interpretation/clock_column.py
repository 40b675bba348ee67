"""Times of day that are numbers, in a column beside the dates: 13, 13.45, 1345, 134500, or parts of a day."""

import numpy as np

from api.plants.interpretation.frame import Frame
from api.plants.interpretation.headings import plain, words
from api.plants.interpretation.stamp_text import NUMERIC_CLOCKS
from api.plants.interpretation.times import Stamps, stamps_of

_LEAST_TIMES = 6


def find_clock(frame: Frame) -> None:
    """Take a column of numbers for times of day, where its heading says so or it stands behind the dates."""
    pattern = words()["time"]["hour"]
    behind = max(frame.moments) + 1
    named = [column for column, one in enumerate(frame.headings) if pattern.search(plain(one.text))]
    for column in (*named, behind):
        if column >= len(frame.headings) or column in frame.moments or frame.headings[column].unit:
            continue
        for style in NUMERIC_CLOCKS:
            found = stamps_of(frame.cells(column), style)
            if _is_clock(frame, found, is_named=column in named):
                frame.moments[column] = found
                frame.numeric = [one for one in frame.numeric if one != column]
                return


def _is_clock(frame: Frame, found: Stamps, *, is_named: bool) -> bool:
    """Return whether numbers run through the hours of each date."""
    if found.valid.mean() < 0.95 or np.unique(found.second[found.valid]).size < _LEAST_TIMES:
        return False
    if is_named and found.style == "hour":
        return True
    dates = next(one for one in frame.moments.values() if one.has_date).date
    same = (dates[1:] == dates[:-1]).all(axis=1)
    steps = np.diff(found.second)[same]
    if same.mean() < 0.7 or not steps.size:
        return False
    ways = max((steps > 0).mean(), (steps < 0).mean())
    usual = np.abs(steps) == np.median(np.abs(steps))
    return bool(ways > 0.9 and usual.mean() > (0.5 if is_named else 0.9) and np.median(np.abs(steps)) > 0)
