"""Answers of other code are other answers."""

import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from api import code_version as code
from tests.api.conftest import Start

ROOT = Path(code.__file__).parents[1]
ROOMS = {
    "kernels/snow": "cover.py",
    "tiles": "grid.py",
    "catalog": "versions.py",
    "api": "texts.py",
    "tests/api": "test_code_version.py",
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
        shutil.copy(ROOT / room / name, tmp_path / room / name)
    return tmp_path


def _rename(root: Path) -> None:
    path = root / "kernels" / "snow" / "cover.py"
    path.rename(path.with_name("covered.py"))


def _add(root: Path) -> None:
    (root / "api" / "new.py").write_text("")


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "tests/api"])
def test_what_is_mended_shows(source: Path, room: str) -> None:
    before, path = code.fingerprint(source), source / room / ROOMS[room]
    path.write_bytes(path.read_bytes() + b" ")
    assert code.fingerprint(source) != before


@pytest.mark.parametrize("change", [_rename, _add])
def test_what_changes_shows(source: Path, change: Callable[[Path], None]) -> None:
    before = code.fingerprint(source)
    assert code.fingerprint(source) == before
    change(source)
    assert code.fingerprint(source) != before


def test_what_makes_no_answer_does_not(source: Path) -> None:
    before = code.fingerprint(source)
    (source / "tests" / "api" / "test_code_version.py").write_text("")
    (source / "kernels" / "__pycache__").mkdir()
    (source / "kernels" / "__pycache__" / "cover.nbi").write_bytes(b"compiled")
    (source / "kernels" / ".#cover.py").symlink_to("someone@somewhere.1")  # as an editor that has it open
    assert code.fingerprint(source) == before


async def test_health_names_it(start: Start) -> None:
    shown = (await (await start()).ask("/health")).json["code_version"]
    assert shown == f"{version('solflis')}+{code.fingerprint(ROOT)}" == code.code_version()


async def test_other_code_gives_other_answers(start: Start, full_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mended model went on answering from before, for a week."""
    tags, kept = list[set[str]](), list[str | None]()
    for version_of in ("as it was", "mended"):
        monkeypatch.setattr("api.app.code_version", lambda name=version_of: name)
        api = await start(store_folder=full_store)
        document = (await api.ask("/openapi.json")).json["paths"].values()
        told = [item["get"] for item in document if "304" in item.get("get", {}).get("responses", {})]
        examples = [example for operation in told for example in operation["x-examples"]]
        assert len(told) >= 8
        answers = [await api.ask(example) for example in examples]
        assert {answer.status for answer in answers} == {200}
        tags.append({f"{example} {answer.headers['ETag']}" for example, answer in zip(examples, answers, strict=True)})
        bulk = await api.ask("/api/forecast/bulk", "POST", json={"systems": [SYSTEM]})
        for answer in (bulk, *answers):
            kept += [value for name, value in answer.headers.items() if name.endswith("-Cache")]
    assert not tags[0] & tags[1]
    assert kept
    assert set(kept) == {"MISS"}
