"""A morning publishes the borders of the municipalities where there are none, and waits for nobody's."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from catalog.sources.errors import SourceError
from catalog.versions import read_index
from dags.build.borders import municipality_borders
from tests.support.snow_authority import FakeAuthority
from tests.support.snow_morning import by_day
from tiles.store import Store

BORDERS = "municipality_borders"


@pytest.fixture
def without(store: Store, fake: FakeAuthority, tmp_path: Path) -> Store:
    """The store without these borders, before any morning."""
    fake.values = by_day()
    shutil.rmtree(tmp_path / "tiles" / BORDERS)
    assert not read_index(store, BORDERS).entries
    return store


def test_it_publishes_the_borders(without: Store, build: Any) -> None:
    assert any("borders of 357 municipalities" in line for line in build())
    assert len(read_index(without, BORDERS).entries) == 1


def test_without_them_the_snow_is_published(without: Store, build: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*asked: Any, **more: Any) -> Any:
        raise SourceError("kartverket: http://x/Fylker-M.geojson answers HTTP 500")

    monkeypatch.setattr(municipality_borders, "counties", away)
    assert "the borders of the municipalities are not published: kartverket: http://x/Fylker-M.geojson" in "\n".join(
        build()
    )
    assert read_index(without, "snow_factors").entries
    assert not read_index(without, BORDERS).entries
