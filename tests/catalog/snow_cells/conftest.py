"""An authority and a clock."""

from collections.abc import Iterator

import pytest

from catalog.sources import http
from catalog.sources.nve_gts import asking
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import At, height


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "FIRST_WAIT_S", 0.01)


@pytest.fixture
def nine_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than nine cells of two years go into a question, as of 69 years."""
    monkeypatch.setattr(asking, "MOST_VALUES", 9 * 2 * 365)


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def authority() -> Iterator[SnowAuthority]:
    with SnowAuthority(height) as server:
        yield server
