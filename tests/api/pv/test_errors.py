"""Every row of the contract's errors, and what is missing, damaged or half there."""

from pathlib import Path

import pytest

from api.data.location import SIMULATED
from tests.api.conftest import Api, Start, damage
from tests.api.pv.conftest import production, pv
from tests.api.tmy.test_errors import assert_refused
from tests.support import tmy as made_up
from tests.support.tmy import OPEN_SEA, OSLO, OSLO_CELL, QUAY
from tiles.grid import Cell
from tiles.store import open_store


@pytest.mark.parametrize(
    ("place", "status", "code", "words"),
    [
        (("x", 10), 400, "INVALID_INPUT", "Oppgi lat og lon som tall"),
        ((56.99, 10.0), 400, "INVALID_INPUT", "57 til 71.5"),
        (OPEN_SEA, 404, "NO_LAND", "6 km"),
    ],
)
async def test_a_place_that_cannot_be_answered(
    api: Api, place: tuple[float, float], status: int, code: str, words: str
) -> None:
    asked = await api.ask(pv(place))
    assert_refused(asked, status, words)
    assert asked.json["code"] == code


@pytest.mark.parametrize(
    ("product", "variable", "words", "without"),
    [
        ("ens_tmy30", "wind_speed", "Prøv igjen senere", {}),
        ("tmy_stats", "annual_ghi_p95", "Prøv igjen senere", {}),
        ("horizon", "elevation", "horizon=0", {"horizon": 0}),
        ("snow_history", "snow_depth", "snowloss=0", {"snowloss": 0}),
    ],
)
async def test_damaged_data_are_never_an_answer(
    start: Start, own: Path, product: str, variable: str, words: str, without: dict[str, object]
) -> None:
    damage(own, product, variable)
    api = await start(store_folder=own)
    for _ in range(2):
        assert_refused(await api.ask(pv(snowloss=1)), 503, words)
    if without:
        assert (await api.ask(pv(**{"snowloss": 1, **without}))).status == 200


@pytest.mark.parametrize(
    ("published", "place", "why"),
    [
        (False, OSLO, "no horizon is published yet"),
        (True, QUAY, "no horizon is built for this position yet"),
    ],
)
async def test_where_no_horizon_is_known_the_production_is_unshaded_and_says_so(
    start: Start, climate: Path, hilly: Path, published: bool, place: tuple[float, float], why: str
) -> None:
    api = await start(store_folder=hilly if published else climate)
    answer, off = await production(api, place), await production(api, place, horizon=0)
    assert answer["warnings"] == [
        f"The production is unshaded: {why}, so no terrain was taken into account.",
        SIMULATED,
    ]
    assert answer["method"]["horizon"] == f"not applied: {why}"
    assert off["warnings"] == [SIMULATED]
    assert off["method"]["horizon"] == "turned off: horizon=0"
    assert off["annual"] == answer["annual"]


async def test_a_year_that_statistics_do_not_know(start: Start, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    annual = made_up.annual_of

    def without_p95(name: str, cell: Cell) -> dict[str, float]:
        return {which: value for which, value in annual(name, cell).items() if (which, cell) != ("p95", OSLO_CELL)}

    monkeypatch.setattr(made_up, "annual_of", without_p95)
    made_up.publish_stats(open_store(str(own)), "1991-2026")
    api = await start(store_folder=own)
    refused = await api.ask(pv(confidence="p95"))
    assert_refused(refused, 503, "p95", "ens_tmy30", "annen confidence")
    assert refused.json["parameter"] == "confidence"
    assert (await production(api, confidence="p90"))["annual"]["percentiles_kwh"]["p95"] is None
