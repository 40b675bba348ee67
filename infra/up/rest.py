"""The part of Airflow's REST API that `solflis up` needs."""

import urllib.parse
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import httpx

from infra.up.airflow import USER

TIMEOUT_S = 30.0


class AirflowRefused(Exception):
    """Airflow answered with an error; the text says which."""

    def __init__(self, status: int, request: str, detail: str) -> None:
        super().__init__(f"Airflow answered {status} to {request}: {detail}")
        self.status = status


class AirflowUnwell(ConnectionError):
    """Airflow could not answer now (its database was locked, say): ask again, as after any lost connection."""


class Airflow:
    """A client of the embedded Airflow.

    Parameters
    ----------
    port : int
        Where its api-server listens on loopback.
    password : callable
        Returns that of the one user.
    """

    def __init__(self, port: int, password: Callable[[], str]) -> None:
        # loopback is never reached through a proxy, whatever the environment says
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=TIMEOUT_S, trust_env=False)
        self._password = password

    def is_ready(self) -> bool:
        """Whether people and tasks are answered.

        The first request to the tasks' API takes seconds, because its versions are put together then: it
        comes from here, not from a task.
        """
        try:
            self._request("GET", "/api/v2/version")
            self._request("GET", "/execution/health")
        except (AirflowRefused, OSError):
            return False
        return True

    def dags(self) -> set[str]:
        """Return the DAGs that the DAG processor has registered."""
        return {dag["dag_id"] for dag in self._call("GET", "/dags?limit=100")["dags"]}

    def import_errors(self) -> list[str]:
        """Return what is wrong with DAG files."""
        errors = self._call("GET", "/importErrors")["import_errors"]
        return [f"{error['filename']}: {error['stack_trace'].strip().splitlines()[-1]}" for error in errors]

    def trigger(self, dag: str, partition: str) -> str:
        """Start a run for a partition; return its id."""
        body = {"logical_date": None, "partition_key": partition}
        return str(self._call("POST", f"/dags/{dag}/dagRuns", body)["dag_run_id"])

    def runs(self, dag: str, partition: str) -> dict[str, str]:
        """Return the states of a partition's runs by run id."""
        runs = self._call("GET", f"/dags/{dag}/dagRuns?order_by=-run_after&limit=100")["dag_runs"]
        return {run["dag_run_id"]: run["state"] for run in runs if run["partition_key"] == partition}

    def task_states(self, dag: str, run: str) -> dict[str, tuple[str | None, int]]:
        """Return state and number of the attempt of each task of a run."""
        path = f"/dags/{dag}/dagRuns/{urllib.parse.quote(run)}/taskInstances"
        tasks = self._call("GET", path)["task_instances"]
        return {task["task_id"]: (task["state"], task["try_number"]) for task in tasks}

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Ask `/api/v2`; a token that is missing or has expired is fetched once."""
        try:
            return self._request(method, f"/api/v2{path}", body)
        except AirflowRefused as error:
            if error.status != HTTPStatus.UNAUTHORIZED:
                raise
        token = self._request("POST", "/auth/token", {"username": USER, "password": self._password()})
        self._client.headers["Authorization"] = f"Bearer {token['access_token']}"
        return self._request(method, f"/api/v2{path}", body)

    def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        try:
            answer = self._client.request(method, path, json=body)
        except httpx.TransportError as error:
            raise AirflowUnwell(f"{method} {path}: {error!r}") from error
        if answer.is_success:
            return answer.json()
        refused = AirflowRefused(answer.status_code, f"{method} {path}", answer.text[:500])
        raise AirflowUnwell(str(refused)) if answer.is_server_error else refused
