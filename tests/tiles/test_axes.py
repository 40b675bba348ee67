"""Axes of days and seasons: no step is missing or there twice, and the length is allowed."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tiles.product import Context
from tiles.products.registry import product
from tiles.products.snowload import MOST_SEASONS, SeasonsFromTheFirst
from tiles.validators import EvenAxis

NOW = np.datetime64("2026-11-23T08:00:00", "s")
FIRST = int(np.datetime64("2026-09-01", "D").astype(int))
AXES = {
    "snow_outlook": ("time", EvenAxis()),
    "snow_factors": ("day", EvenAxis("day")),
    "snowload": ("season", SeasonsFromTheFirst()),
}


def judged(name: str, steps: Any) -> str | None:
    """Judge an axis of days since 1 September, or of years."""
    axis, validator = AXES[name]
    values = np.array(steps, int) + (0 if axis == "season" else FIRST)
    draft: Any = SimpleNamespace(axis=lambda asked: {axis: values}[asked])
    return validator.check(draft, product(name), Context("2026-11-23", NOW, NOW))


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        *[("snow_outlook", range(length)) for length in (1, 92, 376)],
        ("snow_factors", range(10)),
        *[("snowload", range(1957, 1957 + length)) for length in (1, 69, MOST_SEASONS)],
    ],
)
def test_steps_in_order_are_accepted(name: str, steps: Any) -> None:
    assert judged(name, steps) is None


@pytest.mark.parametrize(
    ("name", "steps", "said"),
    [
        ("snow_outlook", [0, 1, 3], "2026-09-02 is not followed by the next step of the axis time"),
        ("snow_outlook", [0, 1, 1, 2], "2026-09-02 is not followed by the next step of the axis time"),
        ("snow_outlook", [2, 1, 0], "2026-09-03 is not followed by the next step of the axis time"),
        ("snow_outlook", [], "the axis time has 0 steps, not 1 to 376"),
        ("snow_outlook", range(377), "the axis time has 377 steps, not 1 to 376"),
        ("snow_factors", [0], "the axis day has 1 steps, not 2 to 11"),
        ("snowload", [1957, 1958, 1960], "1958 is not followed by the next step of the axis season"),
        ("snowload", [1958, 1959], "the first season begins in 1958, not in 1957"),
        ("snowload", range(1957, 2068), "the axis season has 111 steps, not 1 to 110"),
    ],
)
def test_other_steps_are_refused(name: str, steps: Any, said: str) -> None:
    assert judged(name, steps) == said
