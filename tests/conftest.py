"""Fixtures that several rooms share."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.database"]

# Neither time nor chance decides of `make test`; `make test-all` tries other examples each time.
settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("random"), derandomize=True)
settings.load_profile("same")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real input files beside the checkout; the test is skipped, with this reason, where it is absent."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"real input files are not here: {folder} does not exist")
    return folder


@pytest.fixture(scope="session")
def climate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the climate line of a few cells alone (`tests.support.tmy`), which no test changes."""
    from tests.support.tmy import publish_climate  # only where a test asks for it
    from tiles.store import open_store

    folder = tmp_path_factory.mktemp("climate")
    publish_climate(open_store(str(folder)))
    return folder
