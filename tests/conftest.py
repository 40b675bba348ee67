"""Fixtures that several rooms share."""

from pathlib import Path

import pytest

pytest_plugins = ["tests.support.database"]

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real input files beside the checkout; the test is skipped, with this reason, where it is absent."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"real input files are not here: {folder} does not exist")
    return folder
