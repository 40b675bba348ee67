"""Cells that are not published: the authority is asked, and what fails takes no cell with it that is there."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from api.core.errors import Language
from api.data.snow.reader import FAILED
from api.snowload import problems
from infra.simulator.keys import CLOCK
from kernels.snowload.fits import levels
from tests.api.conftest import NOBODY, Api, MovableClock, Start
from tests.api.snow.conftest import Later
from tests.api.snowload.conftest import NOVEMBER, address, calc, listed, points_of, warns
from tests.support.simulated import Simulated
from tests.support.snowload import CENTRE, REACH

EAST = (CENTRE[0] + 1000 * (REACH + 1), CENTRE[1])
"""The first cell to the east that is not built."""
AT_SEA = (-60_500, 6_600_500)


@pytest_asyncio.fixture
async def api(start: Start, loaded: Path, authority: Simulated, tmp_path: Path) -> Api:
    """An application of its own, beside the authority."""
    authority.clock.moment = NOVEMBER
    return await start(
        store_folder=loaded, state_folder=tmp_path / "state", clock=authority.clock, nve_gts_url=authority.url
    )


async def test_a_cell_that_is_not_built_is_fetched_once_beside_those_that_are(api: Api, authority: Simulated) -> None:
    answer = await calc(api, cells=listed(CENTRE, EAST))
    assert points_of(answer["cells"]) == [CENTRE, EAST]
    assert [cell["n_years"] for cell in answer["cells"]] == [50, 50]
    assert "1 of 2 cells fetched from the authority on demand" in answer["method"]["data_source"]
    assert warns(answer, "simulated")
    authority.misbehave(mode="error", status=503)
    again = await api.ask(address(cells=listed(CENTRE, EAST)))
    assert again.json == answer
    assert again.headers["X-Data-Origin"] == "simulated"
    assert again.headers["Cache-Control"] == "public, max-age=86400"


async def test_what_is_fetched_is_what_the_authority_says(api: Api, authority: Simulated) -> None:
    """Against its own JSON: stamps of 2 September to 1 September are the days of a winter."""
    [cell] = (await calc(api, cells=listed(EAST)))["cells"]
    series = f"{authority.url}/api/GridTimeSeries/{EAST[0]}/{EAST[1]}/1976-09-02/2026-09-01/swe.json"
    async with api.session.get(series) as answer:
        published = await answer.json()
    highest: dict[int, float] = {}
    for i, swe in enumerate(published["Data"]):
        year = (date(1976, 9, 1) + timedelta(days=i - 243)).year  # 243: from 1 January to 31 August
        highest[year] = max(highest.get(year, 0.0), swe)
    assert sorted(highest) == list(range(1976, 2026))
    assert (cell["max_swe_mm"], cell["altitude_m"]) == (max(highest.values()), published["Altitude"])
    fits = levels(np.array([highest[year] for year in sorted(highest)]), (50,))
    assert cell["char_swe_mm"] == pytest.approx(float(np.mean(fits)), abs=0.051)


async def test_where_the_authority_is_down_the_cells_that_are_there_answer(
    api: Api, authority: Simulated, later: Later
) -> None:
    authority.misbehave(mode="error", status=503, retry_after=240)
    some = await api.ask(address(cells=listed(CENTRE, EAST)))
    assert (some.status, some.json["aggregate"]["n_cells"]) == (200, 1)
    error = {"x": EAST[0], "y": EAST[1], "error": FAILED.nb, "code": "BACKEND_ERROR"}
    assert some.json["cell_errors"] == [error]
    assert some.headers["Cache-Control"] == "public, max-age=60"
    none = await api.ask(address(cells=listed(EAST)))
    assert (none.status, none.json["code"], none.json["cell_errors"]) == (502, "BACKEND_ERROR", [error])
    assert 0 < int(none.headers["Retry-After"]) <= 240
    authority.behave()
    later.by(3600)
    whole = await api.ask(address(cells=listed(CENTRE, EAST)))
    assert whole.json["aggregate"]["n_cells"] == 2
    assert whole.headers["ETag"] != some.headers["ETag"]


@pytest.mark.parametrize("language", ["nb", "en"])
async def test_the_sea_has_no_snow_and_says_so(api: Api, language: Language) -> None:
    headers = {"Accept-Language": language}
    some = await api.ask(address(cells=listed(CENTRE, AT_SEA)), headers=headers)
    error = problems.CELL_AT_SEA.text(language)
    assert some.json["cell_errors"] == [{"x": AT_SEA[0], "y": AT_SEA[1], "error": error, "code": "NO_LAND"}]
    for form in ("json", "csv", "png"):
        nothing = await api.ask(address(x=AT_SEA[0], y=AT_SEA[1], format=form), headers=headers)
        assert (nothing.status, nothing.json["code"]) == (502, "NO_LAND")
        assert nothing.json["error"] == problems.NO_LAND.text(language)
        assert [(cell["error"], cell["code"]) for cell in nothing.json["cell_errors"]] == [(error, "NO_LAND")] * 9
        assert "Retry-After" not in nothing.headers


async def test_without_the_authority_what_is_published_answers(start: Start, loaded: Path, tmp_path: Path) -> None:
    september = MovableClock(datetime(2027, 9, 20, tzinfo=UTC))
    api = await start(store_folder=loaded, state_folder=tmp_path / "state", clock=september, nve_gts_url=NOBODY)
    answer = await calc(api)
    assert answer["inputs"]["series_start"] == "1977-09-01"
    assert {cell["n_years"] for cell in answer["cells"]} == {49}
    assert warns(answer, "2026-2027 on are not in the data yet (9 of 9 cells)")
    refused = await api.ask(address(cells=listed(EAST)))
    assert (refused.status, refused.headers["Retry-After"]) == (502, "60")


async def test_in_september_what_was_fetched_before_the_summer_is_better_than_nothing(
    start: Start, loaded: Path, authority: Simulated, tmp_path: Path, later: Later
) -> None:
    clock = MovableClock(datetime(2026, 8, 25, 12, tzinfo=UTC))
    authority.server.app[CLOCK].moment = clock.moment  # type: ignore[misc]
    api = await start(store_folder=loaded, state_folder=tmp_path / "state", clock=clock, nve_gts_url=authority.url)
    assert (await calc(api, cells=listed(EAST)))["cells"][0]["period"] == "1975-2025"
    authority.misbehave(mode="error", status=503)
    clock.moment += timedelta(days=14)
    later.by(3600)
    after = await api.ask(address(cells=listed(EAST)))
    assert after.headers["Cache-Control"] == "public, max-age=60"
    assert after.json["cells"][0]["period"] == "1976-2025"
    assert warns(after.json, "2025-2026 on are not in the data yet")
