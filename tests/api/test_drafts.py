"""Drafts are looked for beside everything else."""

import threading
from pathlib import Path

import pytest

from tests.api.conftest import Start
from tests.api.fabricated import entry, write_index
from tiles.store import LocalFolder


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was listed."""
    paths, real = list[str](), LocalFolder.folders

    def folders(store: LocalFolder, path: str) -> list[str]:
        paths.append(path)
        return real(store, path)

    monkeypatch.setattr(LocalFolder, "folders", folders)
    return paths


async def test_a_store_that_hangs_holds_up_no_start_no_question_and_no_look(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of eight products that nobody had published, each was listed in turn while the question waited."""
    go_on = threading.Event()

    def hanging(_: LocalFolder, __: str) -> list[str]:
        go_on.wait(120)
        return []

    monkeypatch.setattr(LocalFolder, "folders", hanging)
    try:
        api = await start(store_folder=tmp_path / "empty")
        assert (await api.ask("/health")).json["products"]["forecast"]["state"] == "missing"
        write_index(tmp_path / "empty", entry(), product="correction")
        await api.until("/health", lambda asked: asked.json["products"]["correction"]["version"], seconds=30)
    finally:
        go_on.set()


async def test_only_what_is_not_published_is_listed_and_seldom(start: Start, tmp_path: Path, listed: list[str]) -> None:
    write_index(tmp_path / "own", entry(), product="correction")
    api = await start(store_folder=tmp_path / "own", poll_s=0.05)
    looks = 0

    def looked(_: object) -> bool:
        nonlocal looks
        looks += 1
        return listed.count("forecast") >= 3

    await api.until("/health", looked)
    assert "correction" not in listed
    assert looks > len(listed) / len(set(listed)), "nor does a question list anything"


async def test_a_store_that_cannot_be_listed_is_no_trouble(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    def folders(_: LocalFolder, path: str) -> list[str]:
        asked.append(path)
        raise OSError("not for you")

    monkeypatch.setattr(LocalFolder, "folders", folders)
    api = await start(store_folder=tmp_path / "empty")
    await api.until("/health", lambda _: asked.count("forecast") >= 2)
    forecast = (await api.ask("/health")).json["products"]["forecast"]
    assert (forecast["state"], forecast["catalog_readable"]) == ("missing", True)
