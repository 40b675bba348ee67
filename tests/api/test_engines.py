"""Kernels come behind the first answers, whole, and without what they do not need."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from api import engines
from tests.api.conftest import Start

OSLO = "/api/forecast?lat=59.91&lon=10.75"
PLANT = {
    "latitude": 59.91,
    "longitude": 10.75,
    "arrays": [{"name": "a", "kwp": 5, "tilt_deg": 30, "azimuth_deg": 180}],
}


def test_an_application_takes_in_no_numba_and_its_kernels_nothing_beside_it() -> None:
    code = (
        "import sys, api.app; print('numba' in sys.modules);"
        "from api.engines import load; load(lambda: None);"
        "print('numba' in sys.modules, *({'scipy', 'cffi', 'yaml'} & set(sys.modules)));"
        "import cffi, scipy.linalg, yaml; print(scipy.linalg.norm([3, 4]))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["False", "True", "5.0"]


async def test_who_needs_a_kernel_waits_for_it_and_nobody_else_does(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, go_on, called = asyncio.get_running_loop(), asyncio.Event(), []

    def slow(begun: Callable[[], object]) -> None:
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.2), loop).result(30)
        called.append("begun")  # before it is told: the start may be over before this thread has its turn again
        begun()
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(30)

    monkeypatch.setattr(engines, "load", slow)
    monkeypatch.setattr(engines, "_AT_START_S", 20.0)
    api = await start()
    assert called  # a start waits for the first part, and only for that
    waiting = asyncio.create_task(api.ask("/api/forecast", "POST", json=PLANT))
    assert (await api.ask(OSLO)).status == 200
    without_arrays: dict[str, Any] = {name: PLANT[name] for name in ("latitude", "longitude")}
    assert (await api.ask("/api/forecast", "POST", json=without_arrays)).status == 200
    assert not waiting.done()
    go_on.set()
    assert (await waiting).status in (200, 503)


async def test_kernels_that_cannot_be_loaded_are_logged_and_answers_without_them_go_on(
    start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object) -> None:
        raise ImportError("no LLVM here")

    monkeypatch.setattr(engines, "load", broken)
    api = await start()
    assert (await api.ask(OSLO)).status == 200
    assert "the kernels cannot be loaded" in caplog.text


def test_what_cannot_be_loaded_behind_is_logged_and_the_rest_is_loaded(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engines, "_BEHIND", ("api.no_such_room", "colorsys"))
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    engines.load_behind()
    assert "api.no_such_room cannot be loaded" in caplog.text
    assert "colorsys" in sys.modules


async def test_what_is_left_is_loaded_once_all_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the tiles, which are opened meanwhile, it held up the first answer."""
    called, go_on = list[str](), threading.Event()

    def slow(begun: Callable[[], object]) -> None:
        begun()
        go_on.wait(30)
        called.append("kernels")

    def slower() -> None:
        time.sleep(0.3)
        called.append("behind")

    monkeypatch.setattr(engines, "load", slow)
    monkeypatch.setattr(engines, "load_behind", slower)
    app, loading = web.Application(), engines.Engines()
    running = loading.lifespan(app)
    await anext(running)
    await loading.begun(app)
    await asyncio.sleep(0.5)
    assert not called, "the kernels come first"
    go_on.set()
    await loading.ready()
    with pytest.raises(StopAsyncIteration):
        await anext(running)
    assert called == ["kernels", "behind"], "the end waits for it"


async def test_nothing_is_loaded_behind_a_start_that_is_not_over(monkeypatch: pytest.MonkeyPatch) -> None:
    called = list[str]()
    monkeypatch.setattr(engines, "load", lambda begun: begun())
    monkeypatch.setattr(engines, "load_behind", lambda: called.append("behind"))
    running = engines.Engines().lifespan(web.Application())
    await anext(running)
    await asyncio.sleep(0.3)
    with pytest.raises(StopAsyncIteration):
        await anext(running)
    assert not called
