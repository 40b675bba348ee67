"""Fixtures that several rooms share."""

from pathlib import Path

import pytest

pytest_plugins = ["tests.support.database"]

# The same tests on a second database, a second kind of store: of these files, the first of each is enough every time.
SECOND = {"tests/faults/access": "postgres", "tests/catalog/test_publish.py": "s3"}

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real input files beside the checkout; the test is skipped, with this reason, where it is absent."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"real input files are not here: {folder} does not exist")
    return folder


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the second of each to `make test-all`."""
    for item in items:
        for place, second in SECOND.items():
            if place in item.nodeid and second in item.name.partition("[")[2]:
                item.add_marker(pytest.mark.slow)
