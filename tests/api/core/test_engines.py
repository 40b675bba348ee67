"""Kernels come behind the first answers, whole, and without what they do not need."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from api.core.engines import Engines, load_behind


def test_an_application_takes_in_no_numba_and_its_kernels_nothing_beside_it() -> None:
    code = (
        "import pkgutil, sys, api, api.core.app;"
        "groups = [m.name for m in pkgutil.walk_packages(api.__path__, 'api.') if m.name.endswith('.routes')];"
        "[__import__(group) for group in groups]; assert len(groups) > 5; print('numba' in sys.modules);"
        "print(*({'rasterio', 'geopandas', 'pandas', 'matplotlib', 'typst', 'scipy'} & set(sys.modules)));"
        "from api.core.engines import load; load(lambda: None);"
        "print('numba' in sys.modules, *({'scipy', 'cffi', 'yaml'} & set(sys.modules)));"
        "import cffi, scipy.linalg, yaml; print(scipy.linalg.norm([3, 4]))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["False", "True", "5.0"]


async def test_who_needs_a_kernel_waits_for_it_and_the_rest_is_loaded_behind() -> None:
    called, go_on, behind = list[str](), threading.Event(), threading.Event()

    def slow(begun: Callable[[], object]) -> None:
        called.append("begun")
        begun()
        assert go_on.wait(60)
        called.append("kernels")

    engines = Engines(slow, behind.set, at_start_s=60.0)
    async with engines.lifespan():
        waiting = asyncio.create_task(engines.ready())
        await engines.begun()  # a start waits for the first part, and only for that
        assert (called, waiting.done(), behind.is_set()) == (["begun"], False, False)
        go_on.set()
        await waiting
        assert await asyncio.to_thread(behind.wait, 60)
    assert called == ["begun", "kernels"]


async def test_kernels_that_cannot_be_loaded_are_logged_and_hold_up_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: object) -> None:
        raise ImportError("no LLVM here")

    engines = Engines(broken, lambda: None, at_start_s=60.0)
    async with engines.lifespan():
        await engines.begun()
        await engines.ready()
    assert "the kernels cannot be loaded" in caplog.text


def test_what_cannot_be_loaded_behind_is_logged_and_the_rest_is_loaded(caplog: pytest.LogCaptureFixture) -> None:
    sys.modules.pop("colorsys", None)
    load_behind(("api.no_such_room", "colorsys"))
    assert "api.no_such_room cannot be loaded" in caplog.text
    assert "colorsys" in sys.modules
