"""What borders are refused: rings that are open, of several municipalities, too short, or out of order."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from tiles.product import FILL, Context
from tiles.products.municipality_borders import PRODUCT, WholeRings

NOW = np.datetime64(datetime(2026, 11, 23, tzinfo=UTC).replace(tzinfo=None), "s")
CONTEXT = Context("borders-0", NOW, NOW)


class InMemory:
    """A draft that was never written."""

    version = "borders-0"

    def __init__(self, **packed: list[int]) -> None:
        self._packed = {name: np.array(values, np.uint16) for name, values in packed.items()}

    def names(self) -> list[str]:
        return list(self._packed)

    def packed(self, name: str) -> Any:
        return self._packed[name]


def squares(count: int = 150, **other: list[int]) -> InMemory:
    """Rings of a municipality each, with some columns replaced."""
    table = {
        "easting_km": [1200, 1201, 1201, 1200, 1200] * count,
        "easting_m": [0, 5, 9999, 7, 0] * count,
        "northing_km": [7600, 7600, 7601, 7601, 7600] * count,
        "northing_m": [3, 0, 0, 0, 3] * count,
        "ring": np.repeat(np.arange(count), 5).tolist(),
        "number": np.repeat(1101 + np.arange(count), 5).tolist(),
    }
    return InMemory(**{**table, **other})


def wrong(draft: InMemory) -> str | None:
    said = (validator.check(draft, PRODUCT, CONTEXT) for validator in PRODUCT.validators)
    return next(filter(None, said), None)


def test_whole_rings_are_accepted() -> None:
    assert wrong(squares()) is None


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (squares(99), "99 municipalities have land, 100 to 400 are expected"),
        (squares(easting_m=[0, 5, 9999, 7, 0] * 149 + [0, 5, 9999, 7, 1]), "ring 149 is not closed"),
        (squares(northing_km=[7600, 7600, 7601, 7601, 7601] * 150), "ring 0 is not closed"),
        (squares(number=[1101, 1102] * 375), "of several municipalities"),
        (squares(ring=np.repeat(1 + np.arange(150), 5).tolist()), "not numbered from 0 on"),
        (squares(ring=np.repeat(2 * np.arange(150), 5).tolist()), "not numbered from 0 on"),
        (squares(ring=[*([0] * 5), *([1] * 3), 2, 2, *np.repeat(3 + np.arange(148), 5).tolist()]), "ring 1 has fewer"),
        (squares(easting_m=[0, 5, 10_000, 7, 0] * 150), "easting_m reaches from 0 to 1000 m"),
        (squares(northing_km=[1200, 1201, 1201, 1200, 1200] * 150), "outside 6400 to 8000"),
        (squares(northing_m=[3, FILL, 0, 0, 3] * 150), "northing_m is missing in 150 places"),
    ],
)
def test_what_are_no_borders_is_refused(draft: InMemory, said: str) -> None:
    assert said in (wrong(draft) or "")


def test_a_draft_without_numbers_is_refused() -> None:
    draft = squares()
    del draft._packed["number"]
    assert wrong(draft) == "required variables are absent: number"
    assert WholeRings() in PRODUCT.validators
