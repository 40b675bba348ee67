"""How `solflis up` configures its Airflow."""

from configparser import RawConfigParser
from pathlib import Path

from dags.workflows import POOLS
from infra.settings import Settings
from infra.up import airflow


def test_as_many_tasks_run_at_once_as_all_pools_have_slots(tmp_path: Path) -> None:
    """Fewer, and a forecast would wait for a process though its pool is free."""
    settings = Settings.from_environment({"SOLFLIS_STATE": str(tmp_path)})
    airflow.write_configuration(settings)
    written = RawConfigParser()
    written.read(airflow.home(settings) / "airflow.cfg")
    assert written.getint("core", "parallelism") == sum(slots for slots, _ in POOLS.values())


def test_housekeeping_is_told_where_logs_are_and_how_long_they_are_kept(tmp_path: Path) -> None:
    settings = Settings.from_environment({"SOLFLIS_STATE": str(tmp_path), "SOLFLIS_LOG_DAYS": "3"})
    environment = airflow.environment(settings, {})
    assert (environment["SOLFLIS_LOGS"], environment["SOLFLIS_LOG_DAYS"]) == (str(tmp_path / "logs"), "3")
