"""Running Python in a process that has an Airflow of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
START_DATE = "2026-06-21T00:00:00Z"


@pytest.fixture(scope="module")
def in_airflow(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Runs code in a fresh process with its own Airflow home; returns what it prints last, as JSON."""

    tmp_path = tmp_path_factory.mktemp("airflow")

    def run(code: str, **settings: str) -> Any:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "_AIRFLOW", "SOLFLIS_"))}
        environment = {
            "AIRFLOW_HOME": str(tmp_path / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{tmp_path}/airflow.db",
            "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(tmp_path / "logs"),
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            "SOLFLIS_START_DATE": START_DATE,
            "SOLFLIS_STORE": str(tmp_path / "tiles"),
            "SOLFLIS_MET_NORDIC_URL": "http://127.0.0.1:1",
        }
        result = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**clean, **environment, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-4000:]
        return json.loads(result.stdout.splitlines()[-1])

    return run
