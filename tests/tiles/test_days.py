"""The axis of days: none is missing or there twice, and its length is allowed."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tiles.product import Context
from tiles.products.registry import PRODUCTS, product
from tiles.validators import EvenAxis

NOW = np.datetime64("2026-11-23T08:00:00", "s")
CONTEXT = Context("2026-11-23", NOW, NOW)
FIRST = int(np.datetime64("2026-09-01", "D").astype(int))


def judged(days: Any, name: str = "snow_outlook", axis: str = "time") -> str | None:
    draft: Any = SimpleNamespace(axis=lambda asked: {axis: np.asarray(days)}[asked])
    return EvenAxis(axis).check(draft, product(name), CONTEXT)


@pytest.mark.parametrize("length", [1, 92, 376])
def test_days_in_order_are_accepted(length: int) -> None:
    assert judged(FIRST + np.arange(length)) is None


@pytest.mark.parametrize(
    "days", [[0, 1, 3], [0, 1, 1, 2], [2, 1, 0], [0, 1, 2, 1]], ids=["missing", "twice", "backwards", "back"]
)
def test_a_day_that_is_missing_or_twice_is_named(days: list[int]) -> None:
    wrong = judged(FIRST + np.array(days))
    assert wrong is not None
    assert "is not followed by the next step" in wrong
    assert wrong.startswith("2026-09-0")


@pytest.mark.parametrize("length", [0, 377])
def test_a_length_that_is_not_declared_is_refused(length: int) -> None:
    assert judged(FIRST + np.arange(length)) == f"the axis time has {length} steps, not 1 to 376"


def test_factors_have_their_days_on_another_axis() -> None:
    assert judged(FIRST + np.arange(10), "snow_factors", "day") is None
    assert "has 1 steps, not 2 to 11" in str(judged([FIRST], "snow_factors", "day"))


def test_every_product_of_snow_holds_its_days_to_it() -> None:
    for name, axis in (("snow_history", "time"), ("snow_outlook", "time"), ("snow_factors", "day")):
        assert EvenAxis(axis) in PRODUCTS[name].validators


def test_time_axes_of_days_say_when_a_day_begins() -> None:
    for name in ("snow_history", "snow_outlook"):
        (time,) = product(name).dimensions
        assert "from 06 UTC" in time.comment
        assert time.units == "days since 1970-01-01"
    assert product("forecast").dimensions[0].comment == "Start of the hour, UTC."
