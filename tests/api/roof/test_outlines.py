"""Outlines of the map: touching and overlapping ones."""

from typing import Any

import numpy as np
import pytest
from shapely import Polygon
from shapely.geometry import shape

from api.roof import outlines
from infra.simulator.buildings.record import Building
from kernels import utm
from tests.api.roof.conftest import Analyse, house, point_of


def test_of_two_touching_buildings_each_gets_its_own_part(analyse: Analyse, monkeypatch: pytest.MonkeyPatch) -> None:
    building = house("saltak")
    halves = {side: half(building, side) for side in (-1, 1)}

    def around(_: Any, frame: Any, __: Any) -> outlines.Buildings:
        return outlines.Buildings([Polygon(frame.into(one)) for one in halves.values()], "simulated")

    whole = analyse(**point_of(building))
    monkeypatch.setattr(outlines, "buildings_around", around)
    found = []
    for side in (-1, 1):
        x, y = building.at(np.array([[side * building.length / 4, 0.5]]))[0]
        lat, lon = utm.inverse(x, y)
        found.append(analyse(lat=float(lat), lon=float(lon)))
    areas = [sum(one["areal_m2"] for one in each["takflater"]) for each in found]
    assert sum(areas) == pytest.approx(sum(one["areal_m2"] for one in whole["takflater"]), rel=0.12)
    assert areas[0] == pytest.approx(areas[1], rel=0.25)
    first, second = (shape(each["bygning"]["omriss"]) for each in found)
    assert first.intersection(second).area < 0.05 * first.area


def half(building: Building, side: int) -> Any:
    return rectangle(building, (0, side / 2), (-0.5, 0.5))


def rectangle(building: Building, along: tuple[float, float], across: tuple[float, float]) -> Any:
    """Corners of a part of a building, by shares of its length and width from its middle."""
    (a, b), (c, d) = along, across
    return building.at(np.array([[a, c], [b, c], [b, d], [a, d]]) * (building.length, building.width))


@pytest.mark.parametrize(
    ("along", "across"),
    [((-0.4995, 0.4995), (-0.4995, 0.4995)), ((0, 0.5), (-0.5, 0.5)), ((-0.3, 0.3), (-0.7, -0.3))],
    ids=["the same but smaller", "a part of it", "a porch that reaches into it"],
)
def test_an_overlapping_outline_takes_nothing_of_the_roof(
    analyse: Analyse, monkeypatch: pytest.MonkeyPatch, along: tuple[float, float], across: tuple[float, float]
) -> None:
    building = house("saltak")
    rings = [rectangle(building, (-0.5, 0.5), (-0.5, 0.5)), rectangle(building, along, across)]

    def area(count: int) -> float:
        def around(_: Any, frame: Any, __: Any) -> outlines.Buildings:
            return outlines.Buildings([Polygon(frame.into(ring)) for ring in rings[:count]], "simulated")

        monkeypatch.setattr(outlines, "buildings_around", around)
        return sum(one["areal_m2"] for one in analyse(**point_of(building))["takflater"])

    assert area(2) == pytest.approx(area(1), rel=0.05)
