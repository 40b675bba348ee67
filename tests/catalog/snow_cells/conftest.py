"""An authority and a clock."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.snow_cells import SnowCells
from catalog.sources.nve_gts import asking
from tests.support.nve_gts import SnowAuthority
from tests.support.snow_cells import At, cells, height


@pytest.fixture
def nine_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than nine cells of two years go into a question, as of 69 years."""
    monkeypatch.setattr(asking, "MOST_VALUES", 9 * 2 * 365)


@pytest.fixture
def clock() -> At:
    return At()


@pytest.fixture
def kept(authority: SnowAuthority, tmp_path: Path, clock: At) -> SnowCells:
    """What is kept in a folder of the test's own."""
    return cells(authority, tmp_path, clock)


@pytest.fixture
def authority() -> Iterator[SnowAuthority]:
    with SnowAuthority(height) as server:
        yield server
