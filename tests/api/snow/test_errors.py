"""Every row of the contract's errors, and what is damaged."""

import asyncio
import shutil
from pathlib import Path

import pytest

from api import press, upstream
from api.snow import routes
from api.snow.choice import Chosen
from tests.api.conftest import Api, MovableClock, Start
from tests.api.pv.test_errors import _damage
from tests.api.snow.conftest import DAYS, MONTHS, MORNING, asking
from tests.api.tmy.test_errors import assert_refused
from tests.support import snow as made_up
from tests.support.tmy import NO_HOURS, NOT_BUILT, NOT_IN_BLOCK, OPEN_SEA, OSLO
from tiles.grid import NORWAY3KM
from tiles.store import open_store

PATHS = (MONTHS, DAYS)
ANYWHERE = [
    ({"angle": 90.1}, ("angle", "0 til 90")),
    ({"angle": "steep"}, ("angle", "0 til 90")),
    ({"aspect": -181}, ("aspect", "-180 til 180", "0 = sør")),
    ({"height_mm": 5001}, ("height_mm", "0 til 5000")),
    ({"height_mm": -1}, ("height_mm", "0 til 5000")),
    ({"mounting": "wall"}, ("mounting", "roof, rack, flat")),
    ({"lossmode": "all"}, ("lossmode", "linear, strings")),
    ({"angle": "1&angle=2"}, ("angle", "mer enn én gang")),
]
OF_MONTHS = [
    ({"strings": 0}, ("strings", "heltall fra 1 til 6")),
    ({"strings": 7}, ("strings", "heltall fra 1 til 6")),
    ({"strings": 2.5}, ("strings", "heltall fra 1 til 6")),
    ({"start": 1956}, ("start", "heltall fra 1957 til 2015")),
    ({"start": 2016}, ("start", "heltall fra 1957 til 2015")),
    ({"start": "1991-01-01"}, ("start", "heltall fra 1957 til 2015")),
    ({"soiling": 5.01}, ("soiling", "0 til 5")),
    ({"format": "xlsx"}, ("format", "json, csv")),
]
OF_DAYS = [
    ({"burial_mm": 10_001}, ("burial_mm", "0 til 10000")),
    ({"burial_mm": "nan"}, ("burial_mm", "0 til 10000")),
    ({"days": 0}, ("days", "heltall fra 1 til 10")),
    ({"days": 11}, ("days", "heltall fra 1 til 10")),
]


@pytest.mark.parametrize(
    ("path", "more", "words"),
    [
        *((path, *row) for path in PATHS for row in ANYWHERE),
        *((MONTHS, *row) for row in OF_MONTHS),
        *((DAYS, *row) for row in OF_DAYS),
    ],
)
async def test_bad_parameters(api: Api, path: str, more: dict[str, object], words: tuple[str, ...]) -> None:
    assert_refused(await api.ask(asking(path, **more)), 400, *words)


@pytest.mark.parametrize("path", PATHS)
async def test_what_lies_on_the_edge_is_no_error(api: Api, path: str) -> None:
    more = {"strings": 6, "start": 2015, "soiling": 0} if path == MONTHS else {"burial_mm": 0, "days": 1}
    asked = await api.ask(asking(path, angle=90, aspect=-180, height_mm=0, **more))
    assert asked.status == 200, asked.text


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("query", "word"), [("", "lat"), ("?lat=59.9", "lon"), ("?lat=x&lon=10", "lat")])
async def test_lat_and_lon_must_be_numbers(api: Api, path: str, query: str, word: str) -> None:
    assert_refused(await api.ask(path + query), 400, "Oppgi lat og lon som tall", f"Parameteren {word}")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("place", [(56.99, 10.0), (71.51, 25.0), (60.0, 3.99), (70.0, 31.51)])
async def test_outside_the_coverage(api: Api, path: str, place: tuple[float, float]) -> None:
    assert_refused(await api.ask(asking(path, place)), 400, "57 til 71.5", "4 til 31.5")


@pytest.mark.parametrize("path", PATHS)
async def test_no_cell_is_near(api: Api, path: str) -> None:
    assert_refused(await api.ask(asking(path, OPEN_SEA)), 404, "6 km")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("cell", [NOT_BUILT, NORWAY3KM.centre(NOT_IN_BLOCK)])
async def test_land_without_a_typical_year(api: Api, path: str, cell: tuple[float, float]) -> None:
    assert_refused(await api.ask(asking(path, cell)), 503, "TMY-data er ikke tilgjengelige", "ikke bygd")


@pytest.mark.parametrize("path", PATHS)
async def test_a_cell_with_statistics_and_no_hours(start: Start, own_bare: Path, tmp_path: Path, path: str) -> None:
    store = open_store(str(own_bare))
    made_up.publish_history(store, cells=[NO_HOURS])
    made_up.publish_outlook(store, MORNING.date(), cells=[NO_HOURS])
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    assert_refused(await api.ask(asking(path, NORWAY3KM.centre(NO_HOURS))), 503, "TMY-data", "ikke bygd")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("missing", ["land", "tmy_stats", "ens_tmy30"])
async def test_typical_years_are_not_published(
    start: Start, own: Path, tmp_path: Path, path: str, missing: str
) -> None:
    shutil.rmtree(own / missing)
    api = await start(store_folder=own, state_folder=tmp_path, clock=MovableClock(MORNING))
    assert_refused(await api.ask(asking(path)), 503, f"«{missing}» er ikke publisert")


DAMAGED = [
    (MONTHS, "snow_history", "new_snow_depth", "Snødata"),
    (MONTHS, "snow_history", "snow_row", "Snødata"),
    (DAYS, "snow_outlook", "temp_air", "Snødata"),
    (MONTHS, "ens_tmy30", "wind_speed", "TMY-data"),
    (DAYS, "horizon", "elevation", "Horisonten"),
]


@pytest.mark.parametrize(("path", "product", "variable", "word"), DAMAGED)
async def test_what_is_damaged_is_never_an_answer(
    start: Start, own: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    path: str, product: str, variable: str, word: str,
) -> None:  # fmt: skip
    _damage(own, product, variable)
    api = await start(store_folder=own, state_folder=tmp_path, clock=MovableClock(MORNING))
    for _ in range(2):
        assert_refused(await api.ask(asking(path)), 503, word)
    assert product in caplog.text


async def test_a_whole_cell_without_values(start: Start, own_bare: Path, tmp_path: Path) -> None:
    made_up.publish_history(open_store(str(own_bare)), of=made_up.missing_since(made_up.FIRST))
    api = await start(store_folder=own_bare, state_folder=tmp_path, clock=MovableClock(MORNING))
    asked = await api.ask(asking(MONTHS, OSLO))
    assert asked.status == 502
    assert list(asked.json) == ["error"]
    assert "ingen hele måneder fra 1991" in asked.json["error"]


@pytest.mark.parametrize("path", PATHS)
async def test_the_line_has_an_end(
    start: Start, snowy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(press, "_LARGEST_LINE", 2)
    go_on, begun = asyncio.Event(), asyncio.Semaphore(0)
    place = routes.SnowHandlers._place

    async def slow(self: routes.SnowHandlers, chosen: Chosen) -> object:
        begun.release()
        await go_on.wait()
        return await place(self, chosen)

    monkeypatch.setattr(routes.SnowHandlers, "_place", slow)
    api = await start(store_folder=snowy, state_folder=tmp_path, clock=MovableClock(MORNING))
    async with asyncio.TaskGroup() as group:
        places = [OSLO, (69.65, 18.96)]
        first = [group.create_task(api.ask(asking(path, where))) for where in places]
        for _ in first:
            await begun.acquire()
        refused = await api.ask(asking(path, angle=3))
        assert_refused(refused, 503, "for mange steder")
        assert refused.headers["Retry-After"] == "1"
        assert (await api.ask("/health")).status in (200, 503)
        go_on.set()
    assert [task.result().status for task in first] == [200, 200]
    assert (await api.ask(asking(path, angle=3))).status == 200


def test_an_authority_that_wants_to_be_left_alone_is_believed_within_reason() -> None:
    from catalog.sources.errors import Throttled

    assert upstream.retry_after() == {"Retry-After": str(upstream.RETRY_S)}
    assert upstream.retry_after(Throttled("slow down", 240.0)) == {"Retry-After": "240"}
    assert upstream.retry_after(Throttled("slow down", 86_400.0)) == {"Retry-After": "3600"}
