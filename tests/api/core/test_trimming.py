"""What is kept goes when it is old, also where nobody asks any more; trouble with one folder spares the others."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from tests.api.conftest import Start


async def test_the_application_looks_after_its_folders(
    start: Start, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = tmp_path / "own"
    left = [own / folder / "old" for folder in ("answers", "readthrough/locationforecast")]
    for path in left:
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (0, 0))
    (own / "snowsoil").touch()  # which is no folder
    await start(state_folder=own)
    deadline = time.monotonic() + 30
    while any(path.exists() for path in left) or "cannot be trimmed: Not a directory" not in caplog.text:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
