"""A version that is published anew is seen: by the ETag, and by what is cached of a location."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Start
from tests.api.pv.conftest import pv
from tests.support import snow
from tests.support import tmy as made_up
from tests.support.horizon import publish_horizon
from tiles.grid import Cell
from tiles.store import Store, open_store


def warmer_year(store: Store, patch: pytest.MonkeyPatch) -> None:
    of_year = made_up.hours_of
    hours: Callable[..., Any] = lambda *of: {**of_year(*of), "temp_air": of_year(*of)["temp_air"] + 15}  # noqa: E731
    patch.setattr(made_up, "hours_of", hours)
    made_up.publish_year(store, "ens_tmy30", "1991-2026")


def duller_statistics(store: Store, patch: pytest.MonkeyPatch) -> None:
    annual = made_up.annual_of
    patch.setattr(made_up, "annual_of", lambda *of: {name: 0.9 * value for name, value in annual(*of).items()})
    made_up.publish_stats(store, "1991-2026")


def higher_horizon(store: Store, _: pytest.MonkeyPatch) -> None:
    publish_horizon(store, "2026-05-02T00", higher=10)


def colder_snow(store: Store, _: pytest.MonkeyPatch) -> None:
    def colder(days: snow.Days, cell: Cell) -> snow.Values:
        values = snow.weather(days, cell)
        return {**values, "temp_air": values["temp_air"] - 6}

    snow.publish_history(store, "1957-2026", colder, last=date(2026, 8, 31))


@pytest.mark.parametrize("publish", [warmer_year, duller_statistics, higher_horizon, colder_snow])
async def test_a_new_version_is_seen(
    start: Start, own: Path, monkeypatch: pytest.MonkeyPatch, publish: Callable[..., None]
) -> None:
    api = await start(store_folder=own)
    before = await api.ask(pv(snowloss=1))
    publish(open_store(str(own)), monkeypatch)
    known = before.headers["ETag"]
    after = await api.until(pv(snowloss=1), lambda asked: asked.headers.get("ETag", known) != known)
    assert after.json["annual"]["e_kwh"] < 0.99 * before.json["annual"]["e_kwh"]
