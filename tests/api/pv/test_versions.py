"""What is published anew is seen: by the ETag, and by cells that are kept."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from api.pv.told import SIMULATED
from tests.api.conftest import Api, Asked, Start
from tests.api.pv.conftest import pv
from tests.support import tmy as made_up
from tests.support.horizon import publish_horizon
from tests.support.tmy import OSLO, TROMSO
from tiles.grid import Cell
from tiles.store import open_store


async def another(api: Api, before: Asked, address: str) -> Asked:
    """Ask until the answer is one that the caller does not have; while a first version is opened it is a 503."""
    known = before.headers["ETag"]
    return await api.until(address, lambda asked: asked.headers.get("ETag", known) != known)


async def test_a_new_horizon_is_seen(start: Start, own: Path) -> None:
    api = await start(store_folder=own)
    before = await api.ask(pv())
    publish_horizon(open_store(str(own)), "2026-05-02T00", higher=10)
    after = await another(api, before, pv())
    assert after.json["annual"]["e_kwh"] < before.json["annual"]["e_kwh"]
    assert "2026-05-02T00" in after.json["method"]["horizon"]


@pytest.mark.parametrize("place", [OSLO, TROMSO])
async def test_the_first_horizon_is_seen_also_where_it_is_not_built(
    start: Start, climate: Path, tmp_path: Path, place: tuple[float, float]
) -> None:
    flat = Path(shutil.copytree(climate, tmp_path / "flat"))
    api = await start(store_folder=flat)
    before, off = await api.ask(pv(place)), await api.ask(pv(place, horizon=0))
    assert "no horizon is published yet" in before.json["warnings"][0]
    publish_horizon(open_store(str(flat)))
    after = await another(api, before, pv(place))
    if place == OSLO:
        assert after.json["warnings"] == [SIMULATED]
        assert after.json["annual"]["e_kwh"] < before.json["annual"]["e_kwh"]
    else:
        assert "no horizon is built for this position yet" in after.json["warnings"][0]
    assert (await api.ask(pv(place, horizon=0))).headers["ETag"] == off.headers["ETag"]


async def test_a_new_typical_year_is_seen(start: Start, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = await start(store_folder=own)
    before = await api.ask(pv())
    of_year = made_up.hours_of

    def warmer(name: str, cell: Cell) -> made_up.Series:
        hours = of_year(name, cell)
        return {**hours, "temp_air": hours["temp_air"] + 15}

    monkeypatch.setattr(made_up, "hours_of", warmer)
    made_up.publish_year(open_store(str(own)), "ens_tmy30", "1991-2026")
    after = await another(api, before, pv())
    assert "(archive 1991-2026)" in after.json["method"]["tmy"]
    assert after.json["annual"]["e_kwh"] < 0.98 * before.json["annual"]["e_kwh"]


async def test_new_statistics_are_seen(start: Start, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api = await start(store_folder=own)
    before = await api.ask(pv())
    annual = made_up.annual_of

    def sunnier(name: str, cell: Cell) -> dict[str, Any]:
        return {which: 1.1 * value for which, value in annual(name, cell).items()}

    monkeypatch.setattr(made_up, "annual_of", sunnier)
    made_up.publish_stats(open_store(str(own)), "1991-2026")
    after = await another(api, before, pv())
    assert after.json["annual"]["e_kwh"] > 1.05 * before.json["annual"]["e_kwh"]
