"""Fixtures that several rooms share."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.database"]

# Where one case of a kind is enough every time: of these tests, the cases that `make test-all` alone runs.
LATER = {
    "tests/faults/access": "postgres",
    "tests/faults/access/test_database_away.py::test_counted_": "sqlite_moved",
    "tests/api/access/test_ending.py": "postgres",
    "tests/api/access/test_outage.py": "postgres",
    "tests/api/access/test_rates.py::test_the_window_": "redis",
    "tests/api/account/test_registration.py": "postgres",
    "tests/api/account/test_mail.py": "postgres",
    "tests/infra/test_keys.py": "postgres",
    "tests/api/test_worker.py::test_a_bad_setting_": "RATE|MAIL|DATABASE|SITES",
    "tests/dags/test_terrain_files.py::test_heights_of_any_": "3035|4326",
    "tests/kernels/horizon/test_agreement.py::test_a_direction_": "block",
    "tests/kernels/horizon/test_bounds.py::test_a_horizon_lies_": "block",
    "tests/dags/test_terrain_files.py::test_a_file_whose_": "32632|4326|3035",
    "tests/dags/test_processes.py::test_workers_end_": "15",
    "tests/api/horizon/terrain/test_errors.py::test_damage_of_any_": "gone-|-ground",
    "tests/api/horizon/rooftop/test_faults.py::test_the_service_answers_": "404|page",
    "tests/kernels/horizon/test_close.py": "23-100|-61-90|^0-100",
    "tests/dags/test_build_forecast.py::test_a_cycle_that_": "5000",
    "tests/dags/test_build_horizon.py::test_horizons_published_": "computed",
    "tests/contract/test_schemathesis.py::test_whoever_": "used up",
    "tests/catalog/test_publish.py": "s3|folder-(written|validate|manifest|stac item|stac collection|published)",
    "tests/faults/test_upstream.py::test_a_bad_answer": "404|500|slow|breaks",
    "tests/infra/test_serve.py::test_settings_": "SMTP|PLANS|SECRET",
    "tests/infra/test_demo.py": "postgres",
    "tests/faults/test_damage.py::test_a_damaged_shard_": "deleted",
    "tests/dags/test_build_day.py::test_an_earlier_day_": "gone|cut",
    "tests/faults/test_upstream.py::test_a_bad_file": "wrong grid|empty|unreadable|too few hours|an old cycle",
    "tests/api/snow/test_authority.py::test_the_authority_fails": "error-429-240|garbage|empty|reset|slow-30",
    "tests/api/snow/test_authority.py::test_a_cell_that_is_kept_waits_": "outlook",
    "tests/dags/test_build_snow_history.py::test_a_year_that_the_authority_": "ends_early",
    "tests/contract/test_schemathesis.py::test_a_document_": "forget_503|a_number|a_header|say_text|take_any|reword",
}

# Neither time nor chance decides of `make test`; `make test-all` tries other examples each time.
settings.register_profile("random", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("random"), derandomize=True)
settings.load_profile("same")

# What tests write need not outlive a loss of power; a killed process leaves what it wrote all the same.
os.fsync = lambda _: None

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave them to `make test-all`."""
    for item in items:
        for place, cases in LATER.items():
            if place in item.nodeid and re.search(cases, item.name.partition("[")[2]):
                item.add_marker(pytest.mark.slow)
