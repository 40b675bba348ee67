"""Answers of other code are other answers."""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from api.core import code_version as code
from tests.api.conftest import Start
from tests.support.place_search import PlaceSearches

ROOT = Path(code.__file__).parents[2]
ROOMS = {
    "kernels/snow": "cover.py",
    "tiles": "grid.py",
    "catalog": "versions.py",
    "api/core": "cache.py",
    "api/pv": "prose.toml",
    "tests/api/core": "test_wire.py",
}
SYSTEM = {
    "id": "a",
    "latitude": 59.91,
    "longitude": 10.75,
    "arrays": [{"name": "a", "kwp": 5, "tilt_deg": 30, "azimuth_deg": 180}],
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for room, name in ROOMS.items():
        (tmp_path / room).mkdir(parents=True)
        (tmp_path / room / name).write_text("x = 1")
    return tmp_path


@pytest.mark.parametrize("room", [room for room in ROOMS if not room.startswith("tests")])
def test_what_is_mended_shows(source: Path, room: str) -> None:
    before, path = code.fingerprint(source), source / room / ROOMS[room]
    path.write_text("x = 2")
    mended = code.fingerprint(source)
    path.rename(path.with_stem("renamed"))
    assert len({before, mended, code.fingerprint(source)}) == 3


def test_what_makes_no_answer_does_not(source: Path) -> None:
    before = code.fingerprint(source)
    (source / "tests" / "api" / "core" / "test_wire.py").write_text("")
    (source / "kernels" / "__pycache__").mkdir()
    (source / "kernels" / "__pycache__" / "cover.nbi").write_bytes(b"compiled")
    (source / "kernels" / ".#cover.py").symlink_to("someone@somewhere.1")  # as an editor that has it open
    assert code.fingerprint(source) == before


def test_the_version_names_the_package_and_its_source() -> None:
    assert code.code_version() == f"{version('solflis')}+{code.fingerprint(ROOT)}"


@pytest.fixture
def searches() -> Iterator[str]:
    """Address of searches for places."""
    with PlaceSearches() as service:
        yield service.url


async def test_answers_of_other_code_are_other_answers(
    start: Start, full_store: Path, searches: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mended model went on answering from before, for a week."""
    tags, cached = list[set[str]](), list[str | None]()
    for shown in ("as it was", "mended"):
        monkeypatch.setattr("api.core.resources.code_version", lambda name=shown: name)
        api = await start(store_folder=full_store, urls={"kartverket_adresser": searches})
        assert (await api.ask("/health")).json["code_version"] == shown
        document = (await api.ask("/openapi.json")).json["paths"]
        described = [item for path, item in document.items() if path not in ("/docs", "/openapi.json")]
        told = [item["get"] for item in described if "304" in item.get("get", {}).get("responses", {})]
        examples = [example for operation in told for example in operation["x-examples"]]
        assert len(told) >= 8
        answers = [await api.ask(example) for example in examples]
        assert {answer.status for answer in answers} == {200}
        tags.append({f"{example} {answer.headers['ETag']}" for example, answer in zip(examples, answers, strict=True)})
        bulk = await api.ask("/api/forecast/bulk", "POST", json={"systems": [SYSTEM]})
        for answer in (bulk, *answers):
            cached += [value for name, value in answer.headers.items() if name.endswith("-Cache")]
    assert not tags[0] & tags[1]
    assert cached
    assert set(cached) == {"MISS"}
