"""Answers of other code are other answers."""

import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from api import code_version as code
from tests.api.conftest import Start

ROOT = Path(code.__file__).parents[1]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for room, name in (("kernels/snow", "cover.py"), ("api", "texts.py"), ("tests/api", "test_code_version.py")):
        (tmp_path / room).mkdir(parents=True)
        shutil.copy(ROOT / room / name, tmp_path / room / name)
    return tmp_path


def _mend(root: Path) -> None:
    path = root / "kernels" / "snow" / "cover.py"
    path.write_text(path.read_text().replace("0", "1", 1))


def _rename(root: Path) -> None:
    path = root / "kernels" / "snow" / "cover.py"
    path.rename(path.with_name("covered.py"))


def _add(root: Path) -> None:
    (root / "api" / "new.py").write_text("")


@pytest.mark.parametrize("change", [_mend, _rename, _add])
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
    assert code.fingerprint(source) == before


async def test_health_names_it(start: Start) -> None:
    shown = (await (await start()).ask("/health")).json["code_version"]
    assert shown == f"{version('solflis')}+{code.fingerprint(ROOT)}" == code.code_version()
