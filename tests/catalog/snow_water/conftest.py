"""An authority, a clock, and years few enough that a question is answered at once."""

from collections.abc import Iterator
from datetime import date

import pytest

from catalog.sources import http
from catalog.sources.nve_gts import asking
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import At, Later
from tests.support.snow_water import height

FIRST = date(2024, 9, 1)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


@pytest.fixture(autouse=True)
def _few_years(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of them, of which no more than nine cells go into a question."""
    if "whole_years" not in request.fixturenames:
        monkeypatch.setattr("catalog.snow_water.FIRST_DAY", FIRST)
        monkeypatch.setattr(asking, "MOST_VALUES", 9 * 2 * 365)


@pytest.fixture
def whole_years() -> None:
    """Those since 1957."""


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def authority() -> Iterator[SnowAuthority]:
    with SnowAuthority(height) as server:
        yield server


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    passing = Later()
    monkeypatch.setattr("catalog.snow_service.time", passing)
    return passing
