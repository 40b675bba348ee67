"""Which columns hold the stamps, and in which order day and month stand in them."""

import re
from typing import Any

import numpy as np

from api.plants.interpretation.answers import Answers
from api.plants.interpretation.dates import Order, local_seconds, orders_of
from api.plants.interpretation.doubts import Doubts
from api.plants.interpretation.frame import Frame
from api.plants.interpretation.frames import time_columns
from api.plants.interpretation.mapping import OSLO, Mapping
from api.plants.interpretation.times import DAY_S

HOUR_S = 3600
_TELLING = 0.1
_NAMES: dict[Order, str] = {"dmy": "dag/måned", "mdy": "måned/dag"}


def decide_dates(frame: Frame, answers: Answers, doubts: Doubts) -> Mapping:
    """Return a mapping with the time columns and the order of dates.

    Raises
    ------
    ApiError
        `NOT_INTERPRETED`: there are no moments, or dates alone.
    """
    dated, clock = time_columns(frame)
    columns = (dated,) if clock is None else (dated, clock)
    orders = orders_of(frame.moments[dated])
    if "dmy" in orders and np.mean([_has_points(cell) for cell in frame.cells(dated)[:20]]) > 0.5:
        orders = ("dmy",)  # nobody writes months first with points
    order = orders[0]
    if answers.order is not None:
        order = answers.order
    elif len(orders) > 1:
        disorder = {one: _disorder(frame, columns, one) for one in orders}
        order = min(disorder, key=disorder.__getitem__)
        if np.ptp(list(disorder.values())) < _TELLING:
            doubts.ask("order", 0.7, order=_NAMES[order])
    return Mapping(frame.sheet, columns, order, OSLO, "start", HOUR_S, (), "kWh", "energi")


def _has_points(cell: Any) -> bool:
    return isinstance(cell, str) and bool(re.match(r"\d{1,2}\.", cell.strip()))


def _disorder(frame: Frame, columns: tuple[int, ...], order: Order) -> float:
    """Return the part of days that do not follow the day before in an order of day and month, 0 to 1."""
    clock = frame.moments[columns[1]] if len(columns) > 1 else None
    local, valid = local_seconds(frame.moments[columns[0]], clock, order)
    days = local[valid] // DAY_S
    days = days[np.append(True, np.diff(days) != 0)] if days.size else days
    if days.size < 2:
        return 1.0
    return 1 - float((np.abs(np.diff(days)) <= 1).mean() * valid.mean())
