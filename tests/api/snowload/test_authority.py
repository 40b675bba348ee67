"""Cells that are not published: the authority is asked, and what fails takes no cell with it that is there."""

import asyncio
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from infra.simulator.keys import CLOCK
from tests.api.conftest import NOBODY, Api, MovableClock, Start
from tests.api.snow.conftest import Authority, Later
from tests.api.snowload.conftest import NOVEMBER, asking, calc
from tests.api.snowload.test_numbers import by_scipy
from tests.support.snowload import CENTRE, REACH

EAST = (CENTRE[0] + 1000 * (REACH + 1), CENTRE[1])
"""The first cell to the east that is not built."""
AT_SEA = (-60_500, 6_600_500)
MANY = "/nve_gts/api/MultiPointTimeSeries/*"


def _listed(*points: tuple[int, int]) -> str:
    return ",".join(f"{x}_{y}" for x, y in points)


@pytest_asyncio.fixture
async def api(start: Start, loaded: Path, authority: Authority, tmp_path: Path) -> Api:
    """An application of its own, beside the authority."""
    authority.clock.moment = NOVEMBER
    return await start(
        store_folder=loaded, state_folder=tmp_path / "state", clock=authority.clock, nve_gts_url=authority.url
    )


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail soon where nothing comes; a busy machine has time for its first simulated winters."""
    monkeypatch.setattr("api.upstream.WITHIN_S", 28.0)
    monkeypatch.setattr("catalog.sources.http.FIRST_WAIT_S", 0.01)


async def test_a_cell_that_is_not_built_is_fetched_beside_those_that_are(api: Api, authority: Authority) -> None:
    answer = await calc(api, cells=_listed(CENTRE, EAST))
    assert [(cell["x"], cell["y"]) for cell in answer["cells"]] == [CENTRE, EAST]
    assert [cell["n_years"] for cell in answer["cells"]] == [50, 50]
    assert "1 of 2 cells fetched from the authority on demand" in answer["method"]["data_source"]
    assert "simulated" in answer["method"]["data_source"]
    assert any("simulated" in warning for warning in answer["warnings"])
    authority.misbehave(mode="error", status=503)
    asked = await api.ask(asking(cells=_listed(CENTRE, EAST)))
    assert asked.json == answer  # it is kept
    assert asked.headers["X-Data-Origin"] == "simulated"
    assert asked.headers["Cache-Control"] == "public, max-age=86400"


async def test_what_is_fetched_is_what_the_authority_says(api: Api, authority: Authority) -> None:
    """Against its own JSON: stamps of 2 September to 1 September are the days of a winter."""
    [cell] = (await calc(api, cells=_listed(EAST)))["cells"]
    address = f"{authority.url}/api/GridTimeSeries/{EAST[0]}/{EAST[1]}/1976-09-02/2026-09-01/swe.json"
    async with api.session.get(address) as answered:
        told = await answered.json()
    stamps = [date(1976, 9, 2) + timedelta(days=i) for i in range(len(told["Data"]))]
    highest: dict[int, float] = {}
    for stamp, swe in zip(stamps, told["Data"], strict=True):
        began = (stamp - timedelta(days=1 + 243)).year  # of the day that ended; 243: from 1 January to 31 August
        highest[began] = max(highest.get(began, 0.0), swe)
    assert sorted(highest) == list(range(1976, 2026))
    assert cell["max_swe_mm"] == max(highest.values())
    assert cell["altitude_m"] == told["Altitude"]
    fits = by_scipy(np.array([highest[year] for year in sorted(highest)]), 50)
    assert cell["char_swe_mm"] == pytest.approx(float(np.mean(fits)), abs=0.051)


async def test_where_the_authority_is_down_the_cells_that_are_there_answer(
    api: Api,
    authority: Authority,
    later: Later,
) -> None:
    authority.misbehave(mode="error", status=503, retry_after=240)
    asked = await api.ask(asking(cells=_listed(CENTRE, EAST)))
    assert asked.status == 200, asked.text
    assert asked.json["aggregate"]["n_cells"] == 1
    [error] = asked.json["cell_errors"]
    assert (error["x"], error["y"]) == EAST
    assert "kan ikke hentes fra vannmyndigheten" in error["error"]
    assert asked.headers["Cache-Control"] == "public, max-age=60"
    none = await api.ask(asking(cells=_listed(EAST)))
    assert none.status == 502
    assert [(one["x"], one["y"]) for one in none.json["cell_errors"]] == [EAST]
    assert int(none.headers["Retry-After"]) > 0
    authority.behave()
    later.by(3600)
    whole = await api.ask(asking(cells=_listed(CENTRE, EAST)))
    assert whole.json["aggregate"]["n_cells"] == 2
    assert whole.headers["ETag"] != asked.headers["ETag"]


async def test_the_sea_has_no_snow_and_says_so(api: Api) -> None:
    answer = await calc(api, cells=_listed(CENTRE, AT_SEA))
    [error] = answer["cell_errors"]
    assert (error["x"], error["y"]) == AT_SEA
    assert "ingen snødata" in error["error"]
    nothing = await api.ask(asking(lat=57.5, lon=5.0))
    assert nothing.status == 502
    assert len(nothing.json["cell_errors"]) == 9


async def test_nobody_listens(start: Start, loaded: Path, tmp_path: Path) -> None:
    api = await start(
        store_folder=loaded, state_folder=tmp_path / "state", clock=MovableClock(NOVEMBER), nve_gts_url=NOBODY
    )
    assert (await calc(api))["aggregate"]["n_cells"] == 9
    refused = await api.ask(asking(cells=_listed(EAST)))
    assert (refused.status, refused.headers["Retry-After"]) == (502, "60")


@pytest.mark.slow
async def test_an_authority_that_hangs_holds_up_nobody_whose_cells_are_there(
    api: Api,
    authority: Authority,
) -> None:
    authority.misbehave(mode="slow", seconds=4)
    waiting = [asyncio.create_task(api.ask(asking(cells=_listed((EAST[0] + 1000 * k, EAST[1]))))) for k in range(10)]
    await asyncio.sleep(0)
    begun = time.monotonic()
    assert (await calc(api))["aggregate"]["n_cells"] == 9
    assert time.monotonic() - begun < 3.5
    assert not any(task.done() for task in waiting)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_after_the_summer_the_winter_that_is_not_published_is_told(
    start: Start, loaded: Path, tmp_path: Path
) -> None:
    september = MovableClock(datetime(2027, 9, 20, tzinfo=UTC))
    api = await start(store_folder=loaded, state_folder=tmp_path / "state", clock=september, nve_gts_url=NOBODY)
    answer = await calc(api)
    assert answer["inputs"]["series_start"] == "1977-09-01"
    assert {cell["n_years"] for cell in answer["cells"]} == {49}
    assert any("2026-2027 on are not in the data yet (9 of 9 cells)" in warning for warning in answer["warnings"])


async def test_in_september_what_was_kept_before_the_summer_is_better_than_nothing(
    start: Start,
    loaded: Path,
    authority: Authority,
    tmp_path: Path,
    later: Later,
) -> None:
    clock = MovableClock(datetime(2026, 8, 25, 12, tzinfo=UTC))
    authority.server.app[CLOCK].moment = clock.moment  # type: ignore[misc]
    api = await start(store_folder=loaded, state_folder=tmp_path / "state", clock=clock, nve_gts_url=authority.url)
    before = await calc(api, cells=_listed(EAST))
    assert before["cells"][0]["period"] == "1975-2025"
    authority.misbehave(mode="error", status=503)
    clock.moment += timedelta(days=14)
    later.by(3600)
    asked = await api.ask(asking(cells=_listed(EAST)))
    assert asked.headers["Cache-Control"] == "public, max-age=60"
    after = asked.json
    assert after["cells"][0]["period"] == "1976-2025"
    assert any("2025-2026 on are not in the data yet" in warning for warning in after["warnings"])
