"""Every row of the contract's errors, and what is damaged."""

from pathlib import Path

import pytest

from tests.api.conftest import Api, MovableClock, Start, damage
from tests.api.snow.conftest import DAYS, MONTHS, MORNING, asking
from tests.api.tmy.test_errors import assert_refused
from tests.support import snow as made_up
from tests.support.tmy import NOT_BUILT, NOT_IN_BLOCK, OPEN_SEA
from tiles.grid import NORWAY3KM
from tiles.store import open_store

PATHS = (MONTHS, DAYS)
ANYWHERE = [
    ({"angle": 90.1}, "0 til 90"),
    ({"aspect": -181}, "-180 til 180. Retningen er regnet fra sør"),
    ({"height_mm": 5001}, "0 til 5000"),
    ({"mounting": "wall"}, "roof, rack, flat"),
    ({"lossmode": "all"}, "linear, strings"),
    ({"strings": 7}, "heltall fra 1 til 6"),
    ({"method": "long"}, "short, full"),
]
OF_MONTHS = [
    ({"start": 1956}, "heltall fra 1957 til 2015"),
    ({"soiling": 5.01}, "0 til 5"),
    ({"format": "xlsx"}, "json, csv"),
]
OF_DAYS = [
    ({"burial_mm": 10_001}, "0 til 10000"),
    ({"days": 11}, "fra 1 til 10"),
]


@pytest.mark.parametrize(
    ("path", "more", "words"),
    [
        *((path, *row) for path in PATHS for row in ANYWHERE),
        *((MONTHS, *row) for row in OF_MONTHS),
        *((DAYS, *row) for row in OF_DAYS),
    ],
)
async def test_bad_parameters_are_named(api: Api, path: str, more: dict[str, object], words: str) -> None:
    asked = await api.ask(asking(path, **more))
    [name] = more
    assert_refused(asked, 400, words, f"Parameteren {name}")
    assert (asked.json["code"], asked.json["parameter"]) == ("INVALID_INPUT", name)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("place", "status", "code", "words"),
    [
        (("x", 10), 400, "INVALID_INPUT", "Oppgi lat og lon som tall"),
        ((56.99, 10.0), 400, "INVALID_INPUT", "57 til 71.5"),
        (OPEN_SEA, 404, "NO_LAND", "6 km"),
        (NOT_BUILT, 503, "NOT_BUILT", "ikke bygd"),
        (NORWAY3KM.centre(NOT_IN_BLOCK), 503, "NOT_BUILT", "ikke bygd"),
    ],
)
async def test_a_place_that_cannot_be_answered(
    api: Api, path: str, place: tuple[float, float], status: int, code: str, words: str
) -> None:
    asked = await api.ask(asking(path, place))
    assert_refused(asked, status, words)
    assert asked.json["code"] == code
    if code == "NOT_BUILT":
        near = asked.json["nearest"]
        assert asked.json["build"] == "solflis build tmy"
        assert (await api.ask(asking("/api/tmy/stats", (near["lat"], near["lon"])))).status == 200


@pytest.mark.parametrize(
    ("path", "product", "variable"),
    [
        (MONTHS, "snow_history", "new_snow_depth"),
        (DAYS, "snow_outlook", "temp_air"),
        (DAYS, "horizon", "elevation"),
    ],
)
async def test_damaged_data_are_never_an_answer(
    start: Start, own: Path, tmp_path: Path, path: str, product: str, variable: str
) -> None:
    damage(own, product, variable)
    api = await start(store_folder=own, state_folder=tmp_path, clock=MovableClock(MORNING))
    for _ in range(2):
        asked = await api.ask(asking(path))
        assert_refused(asked, 503, product)
        assert asked.json["code"] == "DAMAGED"


@pytest.mark.parametrize(("path", "words"), [(MONTHS, "ingen hele måneder fra 1991"), (DAYS, "ingen verdier")])
async def test_a_cell_without_values(start: Start, own_bare: Path, tmp_path: Path, path: str, words: str) -> None:
    store = open_store(str(own_bare))
    made_up.publish_history(store, of=made_up.missing_since(made_up.FIRST))
    made_up.publish_outlook(store, MORNING.date(), made_up.missing_since(made_up.FIRST))
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    asked = await api.ask(asking(path))
    assert asked.status == 502
    assert words in asked.json["error"]
