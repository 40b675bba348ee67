"""Running Python in a process that has an Airflow of its own; terrain and borders of real files, built once."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.versions import Entry
from dags.build.borders import municipality, municipality_borders
from dags.build.snow import authority as snow_asking
from dags.build.terrain import terrain
from tests.kernels.horizon.land import FINSE, OSLO
from tests.support.context import context_of
from tests.support.snow_authority import FakeAuthority
from tiles.store import Store, open_store

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return open_store(str(tmp_path / "tiles"))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeAuthority:
    """A snow authority that is asked in the place of the real one."""
    authority = FakeAuthority()
    monkeypatch.setattr(snow_asking, "nve_gts", authority)
    return authority


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
            "SOLFLIS_START_DATE": "2026-06-21T00:00:00Z",
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


@pytest.fixture(scope="session")
def real_terrain(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Entry]:
    """The terrain of Oslo, of 2015, and later of Finse, of no year; no test publishes other terrain here."""
    folder, files = tmp_path_factory.mktemp("terrain"), shared_data / "terrain"
    terrain.build(context_of(folder, "2026-06-21T10:20:00Z!", paths=(str(files / OSLO),), year=2015))
    entry = terrain.build(context_of(folder, "2026-06-21T11:00:00Z!", paths=(str(files / FINSE),)))
    return open_store(str(folder)), entry


@pytest.fixture(scope="session")
def real_borders(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with the land, the municipalities and their borders; no test publishes anything else here."""
    folder, addresses = tmp_path_factory.mktemp("borders"), {"kartverket": str(shared_data / "borders")}
    for product in (municipality, municipality_borders):  # the land is built with them
        product.build(context_of(folder, "2026-06-21T10:00:00Z!", addresses=addresses))
    return open_store(str(folder))
