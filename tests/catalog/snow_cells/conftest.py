"""An authority, a clock, and the time by which the authority is spared."""

from collections.abc import Iterator

import pytest

from catalog.sources import http
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import At, Later


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def authority() -> Iterator[SnowAuthority]:
    with SnowAuthority(lambda *_: 2.0) as server:
        yield server


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    passing = Later()
    for module in ("snow_cells", "snow_service"):
        monkeypatch.setattr(f"catalog.{module}.time", passing)
    return passing
