"""Heights that cannot be had, come late, come damaged, or cannot be kept; and never two questions for one square."""

import asyncio
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import httpx
import numpy as np
import pytest

from api.data.heights.block import CELLS, Square
from api.data.heights.squares import Squares
from api.horizon import problems
from api.horizon import service as of_horizons
from api.horizon.rooftop.heights import around
from tests.api.conftest import MovableClock
from tests.api.horizon.rooftop.conftest import PATH, Roofs, Serve, held_up
from tests.api.horizon.rooftop.made import OSLO, place
from tests.support.coverages import EXCEPTION, Asked, Coverages, Instead, Surface, flat
from tests.support.worker import until, workers

SQUARES = around(*place(*OSLO))


def kept(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "state/readthrough/kartverket_wcs").iterdir() if path.is_file()]


async def until_there(roofs: Roofs) -> None:
    """Ask again while squares are under way whose question was answered with the fault."""
    deadline = time.monotonic() + 60
    while (await roofs.ask()).status != 200:
        assert time.monotonic() < deadline


async def test_the_service_is_down(serve: Serve) -> None:
    roofs = await serve(kartverket_wcs_url="http://127.0.0.1:9")
    asked = await roofs.ask()
    assert (asked.status, asked.json) == (502, {"error": problems.BACKEND_FAILED.nb, "code": "BACKEND_ERROR"})
    assert int(asked.headers["Retry-After"]) > 0
    assert asked.headers["X-API-Tier"] == "rooftop"


@pytest.mark.parametrize(
    "instead",
    [
        EXCEPTION,
        Instead(200, b"II*\0 half"),
        pytest.param(Instead(200, b"<html>busy</html>", "text/html"), marks=pytest.mark.slow),
    ],
    ids=["exception with 200", "half a file", "a page"],
)
async def test_the_service_answers_nonsense(
    service: Coverages, roofs: Roofs, instead: Instead, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service.instead = lambda _: instead
    asked = await roofs.ask()
    assert (asked.status, asked.json["code"]) == (502, "BACKEND_ERROR")
    assert any(service.url in record.message for record in caplog.records)  # the log says what was answered
    assert kept(tmp_path) == []
    service.instead = lambda _: None
    await until_there(roofs)


async def test_who_sends_us_away_is_left_alone(service: Coverages, roofs: Roofs) -> None:
    service.instead = lambda _: Instead(429, b"later", retry_after=600)
    asked = await roofs.ask()
    assert (asked.status, asked.json["code"]) == (502, "BACKEND_ERROR")
    assert 540 <= int(asked.headers["Retry-After"]) <= 600
    service.instead = lambda _: None
    deadline, before = time.monotonic() + 60, -1
    while before != len(service.asked):  # what was under way then
        assert time.monotonic() < deadline
        before = len(service.asked)
        assert (await roofs.ask(lat=59.95)).status == 502
    assert before <= len(SQUARES)


async def test_one_square_that_fails_fails_all_and_the_others_are_kept(service: Coverages, roofs: Roofs) -> None:
    service.instead = lambda asked: EXCEPTION if asked.model == "dtm" else None
    assert (await roofs.ask()).status == 502
    service.instead = lambda _: None
    await until_there(roofs)
    assert len([one for one in service.asked if one.model == "dom"]) == len(SQUARES) - 1


async def test_who_waits_too_long_is_told_and_the_retry_is_answered(
    service: Coverages, roofs: Roofs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_horizons, "WITHIN_S", 0.5)
    with held_up(service):
        asked = await roofs.ask()
        assert (asked.status, asked.json["code"]) == (504, "BACKEND_TIMEOUT")
        assert asked.headers["Retry-After"] == "5"
        again = await roofs.ask()  # while it is still under way: no second question
        assert again.status == 504
    monkeypatch.setattr(of_horizons, "WITHIN_S", 120)
    assert (await roofs.ask()).status == 200
    assert len(service.asked) == len(SQUARES)


async def test_many_clients_one_question_a_square(service: Coverages, roofs: Roofs) -> None:
    with held_up(service):
        asking = [asyncio.create_task(roofs.ask(observer_height_m=i)) for i in range(12)]
        while not service.asked:
            await asyncio.sleep(0.02)
    assert {(await one).status for one in asking} == {200}
    assert len(service.asked) == len({(one.model, one.box) for one in service.asked}) == len(SQUARES)


async def test_neighbours_share_squares(service: Coverages, roofs: Roofs) -> None:
    assert (await roofs.ask()).status == 200
    before = len(service.asked)
    assert (await roofs.ask(lat=OSLO[0] + 0.0002)).status == 200  # 22 m to the north
    assert len(service.asked) - before <= 3


async def test_what_is_cut_short_in_the_folder_is_fetched_anew(
    service: Coverages, roofs: Roofs, tmp_path: Path
) -> None:
    whole = (await roofs.ask()).json["elevation_deg"]
    first, second, *_ = kept(tmp_path)
    first.write_bytes(first.read_bytes()[:-1000])
    body = bytearray(second.read_bytes())
    body[-1] ^= 1
    second.write_bytes(body)
    service.asked.clear()
    assert (await roofs.ask()).json["elevation_deg"] == whole
    assert len(service.asked) == 2


async def test_a_folder_too_small_for_a_point_makes_it_slow_not_wrong(service: Coverages, serve: Serve) -> None:
    roofs = await serve(heights_bytes=1_000_000)
    for height in (3, 4):
        asked = await roofs.ask(observer_height_m=height)
        assert (asked.status, asked.json.get("observer_z_masl")) == (200, 100 + height)
    assert len(service.asked) > len(SQUARES)


async def test_the_same_roof_is_calculated_once_and_has_no_etag(service: Coverages, roofs: Roofs) -> None:
    first, second = [await roofs.ask() for _ in range(2)]
    assert first.text == second.text
    assert "ETag" not in first.headers
    service.surfaces["dom"] = flat(120.0)
    other = await roofs.ask(lat=OSLO[0] + 0.02)
    assert other.json["near_horizon_only"] != first.json["near_horizon_only"]


@pytest.mark.parametrize(
    ("surface", "life"),
    [
        (flat(100.0), timedelta(days=180)),
        (lambda x, y: np.where(x + 0 * y < CELLS * 500 + 1, math.nan, 100.0), timedelta(days=7)),
        (flat(math.nan), timedelta(hours=6)),
    ],
    ids=["whole", "holed", "empty"],
)
def test_the_less_a_square_holds_the_sooner_it_is_asked_for_again(
    service: Coverages, tmp_path: Path, surface: Surface, life: timedelta
) -> None:
    clock, square = MovableClock(), Square("dom", 500, 12_900)
    service.surfaces["dom"] = surface
    kept = Squares(tmp_path, service.url, 10_000_000, "test", clock)
    kept.fetch(square, 20)
    begun = clock.moment
    clock.moment = begun + life - timedelta(minutes=1)
    assert kept.held([square])
    clock.moment = begun + life
    assert not kept.held([square])


def test_bounded_on_disk(service: Coverages, tmp_path: Path) -> None:
    squares = Squares(tmp_path, service.url, 2_000_000, "test")
    for column in range(8):
        squares.fetch(Square("dom", 500 + column, 12_900), 20)
    assert sum(path.stat().st_size for path in tmp_path.iterdir() if path.is_file()) <= 2_000_000
    wanted = [Square("dom", 500 + column, 12_900) for column in range(8)]
    assert [square.column for square in squares.held(wanted)] == [505, 506, 507]
    elsewhere = Squares(tmp_path, "http://127.0.0.1:9", 2_000_000, "test")
    assert elsewhere.held(wanted) == {}  # what came from one address is not taken for another's


@pytest.mark.slow
def test_two_workers_one_question_a_square(hills: Path, service: Coverages, tmp_path: Path) -> None:
    def slow(asked: Asked) -> None:
        threading.Event().wait(0.2)  # so that the second worker comes while the first one asks

    service.before = slow
    settings = {"KARTVERKET_WCS_URL": service.url}
    with workers(2, str(hills), tmp_path / "state", "2026-06-01T02:30:00Z!", tmp_path / "log", **settings) as running:
        until(running.url, "/health", 200)

        def ask(number: int) -> int:
            status = 504
            while status == 504:  # a busy machine is late
                status = httpx.post(
                    running.url + PATH, json={"lat": OSLO[0], "lon": OSLO[1]}, timeout=60,
                    headers={"X-Forwarded-For": f"192.0.2.{number}"},
                ).status_code  # fmt: skip
            return status

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(ask, range(8))) == [200] * 8
    assert len(service.asked) == len(SQUARES)
