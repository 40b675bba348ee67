"""Drafts of what nobody has published are looked for beside everything else."""

import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from api.data.drafts import drafts, is_building
from api.data.hydration import Hydrator
from api.data.published import Published
from catalog.versions import Index
from tests.api.conftest import MovableClock
from tests.api.fabricated import CYCLE, entry
from tests.support.waiting import until

Folders = Callable[[str], Iterable[str]]


class Listed:
    """A store that can do nothing but list."""

    def __init__(self, folders: Folders) -> None:
        self._folders, self.asked = folders, list[str]()

    def folders(self, path: str) -> Iterable[str]:
        self.asked.append(path)
        return self._folders(path)


def following(store: Any, tmp_path: Path) -> tuple[Published, AbstractAsyncContextManager[None]]:
    """Return products of which only the forecast is published, and the search for drafts of the others."""
    clock = MovableClock()
    published = Published(store, clock, Hydrator("unused", tmp_path), 0.001, 0.0, lambda _: None)
    published.followed["forecast"].index = Index(()).with_entry(entry(CYCLE))
    return published, drafts(published, 0.001)


def young(path: str) -> list[str]:
    return [f"{path}/v"] if "/" not in path else [f"{path}/{datetime.now(UTC):%Y%m%dT%H%M%S}-1a2b.zarr"]


async def test_only_what_is_not_published_is_listed_and_a_young_draft_is_a_product_in_the_making(
    tmp_path: Path,
) -> None:
    store = Listed(lambda path: young(path) if path.startswith("day") else [])
    published, marking = following(store, tmp_path)
    async with marking:
        await until(lambda: store.asked.count("nowcast") >= 3)
    assert {name for name, one in published.followed.items() if one.building} == {"day"}
    assert "forecast" not in store.asked


async def test_a_store_that_hangs_holds_up_nothing(tmp_path: Path) -> None:
    """Of eight products that nobody had published, each was listed in turn while a question waited."""
    go_on = threading.Event()
    store = Listed(lambda _: [] * go_on.wait(60))
    try:
        async with following(store, tmp_path)[1]:
            await until(lambda: bool(store.asked))
            assert len(store.asked) == 1
    finally:
        go_on.set()


@pytest.mark.parametrize(
    "folders", [["day/v/yesterday.zarr"], ["day/v/20200101T000000-1a2b.zarr"], [], OSError("not for you")]
)
def test_what_is_no_young_draft(folders: list[str] | OSError) -> None:
    def listed(path: str) -> list[str]:
        if isinstance(folders, OSError):
            raise folders
        return folders if "/" in path else ["day/v"]

    assert not is_building(Listed(listed), "day")  # type: ignore[arg-type]
