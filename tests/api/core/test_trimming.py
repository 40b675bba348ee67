"""What is kept goes when it is old, also where nobody asks any more; trouble with one folder spares the others."""

import os
from pathlib import Path

import pytest

from tests.api.conftest import Start
from tests.support.waiting import until


async def test_the_application_looks_after_its_folders(
    start: Start, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = tmp_path / "own"
    left = [own / folder / "old" for folder in ("answers", "readthrough/locationforecast", "readthrough/places")]
    for path in left:
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (0, 0))
    (own / "snowsoil").touch()  # which is no folder
    await start(state_folder=own)
    await until(lambda: not any(path.exists() for path in left))
    await until(lambda: "cannot be trimmed: Not a directory" in caplog.text)
