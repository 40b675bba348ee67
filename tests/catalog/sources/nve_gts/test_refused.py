"""Answers that cannot be interpreted, or are none: one sentence each, and no more questions than help."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from catalog.sources import nve_gts
from catalog.sources.errors import SourceError
from catalog.sources.nve_gts import NoCell
from tests.support.nve_gts import Fault, SnowAuthority, asked_by, error
from tests.support.reading import sentence_of

OSLO, LILLESTROM = (262_500, 6_649_500), (280_500, 6_652_500)
FIRST, LAST = date(2026, 11, 10), date(2026, 11, 19)


def ask(authority: SnowAuthority) -> nve_gts.SnowData:
    points = [OSLO, LILLESTROM]
    return asked_by(authority.url).at_points(points, FIRST, LAST, today=LAST)


def sentence(kind: type[SourceError] = SourceError, **settings: Any) -> str:
    with SnowAuthority(lambda *_: 3.0) as authority:
        for name, setting in settings.items():
            setattr(authority, name, setting)
        text = sentence_of("nve_gts", lambda: ask(authority), kind)
    assert not {"262500", "6649500", "280500"} & set(text.replace("/", " ").split()), "it says where somebody lives"
    return text


def with_field(name: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda answer: {**answer, name: value}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (with_field("Unit", "m"), "in 'm', which is neither mm nor cm"),
        (with_field("TimeResolution", 60), "values every 60 minutes"),
        (with_field("Theme", "sd"), "theme 'sd' where swe was asked for"),
        (with_field("StartDate", "12.11.2026 06:00:00"), "from 2026-11-12 on where 2026-11-11 was asked for"),
        (with_field("StartDate", "11.11.2026 12:00:00"), "no date at 06:00"),
        (with_field("PrognoseStartDate", "soon"), "no date at 06:00"),
        (with_field("NoDataValue", None), "something else than daily values"),
        (lambda answer: [], "something else than an object"),
    ],
)
def test_an_answer_to_something_else_is_refused(change: Any, why: str) -> None:
    assert why in sentence(changed=change)


def in_cell(**fields: Any) -> Callable[[dict[str, Any]], Any]:
    """Change the first cell of the answer."""

    def change(answer: dict[str, Any]) -> dict[str, Any]:
        answer["CellTimeSeries"][0].update(fields)
        return answer

    return change


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"Data": [1.0] * 11}, "answered 11 values of swe for 10 days"),
        ({"Data": [1.0, -0.5]}, "swe as -0.5 mm, beyond 0..60000"),
        ({"Data": [60_001]}, "swe as 60001 mm"),
        ({"Data": ["1,5"]}, "no list of numbers"),
        ({"Altitude": 9000}, "height of 9000 m"),
        ({"X": 300_500}, "a cell that was not asked for"),
        ({"X": None}, "something else than daily values"),
    ],
)
def test_a_cell_that_cannot_be_is_refused(fields: dict[str, Any], why: str) -> None:
    assert why in sentence(changed=in_cell(**fields))


@pytest.mark.parametrize(
    ("theme", "value", "why"),
    [
        ("sd", 2_500.5, "sd as 25005 mm, beyond 0..25000"),
        ("sdfsw", -1, "sdfsw as -10 mm"),
        ("fsw", 1_001, "fsw as 1001 mm"),
        ("tm", -75.5, "tm as -75.5 degrees C, beyond -75..50"),
    ],
)
def test_values_that_cannot_be_are_refused(theme: str, value: float, why: str) -> None:
    assert why in sentence(value=lambda t, *_: value if t == theme else 1)


def test_one_cell_twice_is_refused() -> None:
    def twice(answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "CellTimeSeries": answer["CellTimeSeries"][:1] * 2}

    assert "answered twice for one cell" in sentence(changed=twice)


def test_places_that_contradict_the_cells_numbers_are_refused() -> None:
    def swapped(answer: dict[str, Any]) -> dict[str, Any]:
        first, second = answer["CellTimeSeries"]
        first["CellIndex"], second["CellIndex"] = second["CellIndex"], first["CellIndex"]
        return answer

    assert "two different places of one cell" in sentence(changed=swapped)


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100_000])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    assert "answered no JSON" in sentence(down=Fault(200, {}, body))


@pytest.mark.parametrize(("status", "questions"), [(200, 1), (400, 1), (500, 4)])
def test_an_error_of_the_authority_is_quoted(status: int, questions: int) -> None:
    with SnowAuthority(lambda *_: 3.0) as authority:
        authority.down = error("Tema: swe.\r\n  Database 262500 6649500 is away " + "x" * 500, status)
        with pytest.raises(SourceError) as caught:
            ask(authority)
        assert len(authority.questions) == questions, "what may pass is asked again, and nothing else"
    text = str(caught.value)
    assert "Tema: swe. Database … … is away xxx" in text
    assert len(text) < 320
    assert (f"HTTP {status}" in text) == (status != 200)


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    "text",
    ["Tema: swe. No cell exists for coordinates 262500 6649500", "The given key was not present in the dictionary."],
)
def test_a_place_without_a_cell_is_not_asked_for_again(status: int, text: str) -> None:
    with SnowAuthority(lambda *_: 3.0) as authority:
        authority.down = error(text, status)
        with pytest.raises(NoCell):
            ask(authority)
        # both, then each alone; or without the one that is named
        assert len(authority.questions) == (3 if "key" in text else 2)


def test_a_long_error_is_understood_by_its_beginning() -> None:
    long = json.dumps({"Error": "Tema: swe. No cell exists"})[:-1] + " " * 200_000 + "}"
    sentence(NoCell, down=Fault(500, {}, long.encode()))
