"""The embedded Airflow: where it lives, how it is configured, what it consists of."""

import base64
import json
import os
import secrets
import sys
from collections.abc import Mapping
from configparser import RawConfigParser
from io import StringIO
from pathlib import Path

from dags.workflows import POOLS
from infra.settings import Settings
from infra.up.private import PRIVATE, write_private
from tiles.clock import Clock, iso

DAGS_FOLDER = Path(__file__).resolve().parents[2] / "dags"
USER = "admin"
# What only the API has a use for, and nobody else should see.
_NOT_THEIRS = ("SOLFLIS_SECRET", "SOLFLIS_DATABASE", "SOLFLIS_RATE_STORE", "SOLFLIS_SMTP")
# Of these, what the `solflis` commands need that workflows call.
_OF_COMMANDS = ("SOLFLIS_SECRET", "SOLFLIS_DATABASE")


def home(settings: Settings) -> Path:
    """Return Airflow's folder."""
    return settings.state / "airflow"


def password(settings: Settings) -> str:
    """Return the password of the one user; it is made once, in a file that only its owner reads."""
    file = home(settings) / "passwords.json"
    if not file.exists():
        write_private(file, json.dumps({USER: secrets.token_urlsafe(12)}))
    return str(json.loads(file.read_text())[USER])


def start_date(settings: Settings) -> str:
    """Return the moment from which runs are scheduled: as set, else the first start, kept in a file."""
    if settings.start_date:
        return settings.start_date
    file = settings.state / "start_date"
    if not file.exists():
        file.write_text(iso(Clock().now()))
    return file.read_text().strip()


def argv(*words: str) -> list[str]:
    """Return a command line of Airflow, such as that of `api-server`, `dag-processor` or `scheduler`."""
    return [sys.executable, "-m", "airflow", *words]


def environment(settings: Settings, base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of Airflow's processes, without some other Airflow's settings and the API's secrets."""
    others = ("AIRFLOW_", "_AIRFLOW_", *_NOT_THEIRS)
    clean = {name: value for name, value in base.items() if not name.startswith(others)}
    return {
        **clean,
        **settings.child_environment(),
        "SOLFLIS_START_DATE": start_date(settings),
        PRIVATE: str(_private_file(settings)),
        "AIRFLOW_HOME": str(home(settings)),
    }


def write_private_settings(settings: Settings, base: Mapping[str, str]) -> None:
    """Write what the commands need that workflows call, and Airflow's own processes do not see, for its owner alone."""
    write_private(_private_file(settings), json.dumps({name: base[name] for name in _OF_COMMANDS if name in base}))


def _private_file(settings: Settings) -> Path:
    return home(settings) / "private.json"


def write_configuration(settings: Settings) -> None:
    """Write `airflow.cfg`, which only its owner reads; its keys are made once and kept.

    Left to itself each component would make keys of its own at a first start, and refuse the others' tokens.
    """
    folder = home(settings)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / "airflow.cfg"
    present = RawConfigParser()
    present.read(file)
    fernet = base64.urlsafe_b64encode(os.urandom(32)).decode()
    configuration = RawConfigParser()
    configuration.read_dict(
        {
            "core": {
                "dags_folder": DAGS_FOLDER,
                "load_examples": False,
                "executor": "LocalExecutor",
                # a full pool never keeps another's tasks waiting
                "parallelism": sum(slots for slots, _ in POOLS.values()),
                "dags_are_paused_at_creation": False,
                "fernet_key": present.get("core", "fernet_key", fallback=fernet),
                "simple_auth_manager_users": f"{USER}:admin",
                "simple_auth_manager_passwords_file": folder / "passwords.json",
                "execution_api_server_url": f"http://127.0.0.1:{settings.airflow_port}/execution/",
            },
            "api": {
                "host": "127.0.0.1",
                "port": settings.airflow_port,
                "base_url": f"http://127.0.0.1:{settings.airflow_port}",
                "workers": 1,
            },
            "api_auth": {
                "jwt_secret": present.get("api_auth", "jwt_secret", fallback=secrets.token_urlsafe(64)),
            },
            "database": {"sql_alchemy_conn": f"sqlite:///{folder}/airflow.db"},
            "logging": {
                "base_log_folder": settings.state / "logs" / "airflow",
                "dag_processor_child_process_log_directory": settings.state / "logs" / "airflow" / "dag_processor",
            },
            # Two cores are easily busy with a build: a slow answer is no reason to fail a task.
            "workers": {"execution_api_timeout": 60},
            "dag_processor": {"parsing_processes": 1, "min_file_process_interval": 60},
            "usage_data_collection": {"enabled": False},
        }
    )
    text = StringIO()
    configuration.write(text)
    write_private(file, text.getvalue())
