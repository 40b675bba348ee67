"""Obstacles of a picture against the heights."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from shapely import Polygon, box

from api.roof import job
from api.roof.image import Look
from api.roof.obstacles import placed
from kernels.roof import analysis
from kernels.roof.field import Field
from kernels.roof.roof import Obstacle, Plane, Roof, Surface
from tests.api.roof.conftest import Analyse, house, point_of

LEVEL = [Surface(1, Plane(0, 0, 10), box(0, 0, 20, 20))]
GABLE = [Surface(1, Plane(0, 0.5, 5), box(0, 0, 20, 10)), Surface(2, Plane(0, -0.5, 15), box(0, 10, 20, 20))]
SHAFT = box(8, 2, 12, 6)


def field(cell: float, high: Polygon | None = None) -> Field:
    """A level roof of 20 x 20 m at 10 m, 2 m higher over a polygon."""
    count = round(20 / cell)
    made = Field(
        np.full((count, count), 10.0), np.zeros((count, count)), np.array([cell / 2, cell / 2, cell, 0, 0, cell])
    )
    if high is not None:
        made.z[shapely.contains_xy(high, *made.positions())] = 12
    return made


def sorted_out(
    kind: str, polygon: Polygon, heights: Field, surfaces: list[Surface] = LEVEL
) -> tuple[list[Obstacle], list[Obstacle]]:
    roof = Roof(box(0, 0, 20, 20), tuple(surfaces), (), "sammensatt", 0, 12)
    return placed([Obstacle(polygon, kind, None, "bilde")], roof, heights, 0.3)


@pytest.mark.parametrize(
    ("kind", "polygon", "cell", "high", "is_refused"),
    [
        ("heissjakt", SHAFT, 1.0, None, True),
        ("heissjakt", SHAFT, 1.0, SHAFT, False),
        ("takoppbygg", SHAFT, 0.5, None, True),
        ("kjoleaggregat", box(8, 2, 9.2, 3.2), 1.0, None, False),  # too small for the cells
        ("pipe", box(8, 2, 9, 3), 0.25, None, True),
        ("pipe", box(8, 2, 10, 4), 1.0, None, False),
        ("overlys", SHAFT, 0.25, None, False),
    ],
)
def test_what_must_be_tall_and_is_not_is_refused(
    kind: str, polygon: Polygon, cell: float, high: Polygon | None, is_refused: bool
) -> None:
    found, refused = sorted_out(kind, polygon, field(cell, high))
    assert (len(found), len(refused)) == ((0, 1) if is_refused else (1, 0))


def test_a_shaft_whose_top_is_a_surface_of_its_own_is_an_obstacle() -> None:
    surfaces = [Surface(1, Plane(0, 0, 10), box(0, 0, 20, 20) - SHAFT), Surface(2, Plane(0, 0, 12), SHAFT)]
    found, _ = sorted_out("heissjakt", SHAFT, field(0.5, SHAFT), surfaces)
    assert [one.surface for one in found] == [2]


@pytest.mark.parametrize(("south", "surface"), [(9.6, 2), (9.5, 1), (9.4, 1)])
def test_an_obstacle_across_a_ridge_is_on_the_surface_with_most_of_it(south: float, surface: int) -> None:
    found, _ = sorted_out("overlys", box(5, south, 6, south + 1), field(1.0), GABLE)
    assert [one.surface for one in found] == [surface]


def test_a_claimed_shaft_on_a_level_roof_takes_no_modules(analyse: Analyse, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for kind, obstacles in {
        "none": (),
        "heissjakt": (Obstacle(box(-2, -2, 2, 2), "heissjakt", None, "bilde"),),
    }.items():
        seen: Any = Look("flatt", 0.0, obstacles=obstacles, confidence=0.9, method="test"), None
        monkeypatch.setattr(job, "look", lambda *_, seen=seen: seen)
        found[kind] = analyse(**point_of(house("flatt")))
    assert found["heissjakt"]["resultat"]["moduler"] == found["none"]["resultat"]["moduler"] > 0
    assert found["heissjakt"]["utelukkelser"] == found["none"]["utelukkelser"]
    [note] = [one for one in found["heissjakt"]["kvalitetssjekk"]["merknader"] if "heissjakt" in one]
    assert "ikke tatt med" in note


@pytest.mark.parametrize(("confidence", "form"), [(0.4, "saltak"), (0.6, "valm")])
def test_a_form_that_a_picture_only_guesses_does_not_win(
    analyse: Analyse, monkeypatch: pytest.MonkeyPatch, confidence: float, form: str
) -> None:
    def unsure(*given: Any) -> Roof:
        roof = analysis.analyse(*given)
        return replace(roof, surfaces=tuple(replace(one, confidence=0.3) for one in roof.surfaces))

    monkeypatch.setattr(job, "analyse", unsure)
    monkeypatch.setattr(job, "look", lambda *_: (Look("valm", None, confidence=confidence, method="test"), None))
    building = analyse(**point_of(house("saltak")))["bygning"]
    assert (building["takform"], building["takform_korrigert"]) == (form, True)
