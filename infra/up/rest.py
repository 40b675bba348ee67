"""The part of Airflow's REST API that `solflis up` needs."""

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from infra.up.airflow import USER

TIMEOUT_S = 30.0


# Loopback is never reached through a proxy, whatever the environment says.
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


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
        self._base = f"http://127.0.0.1:{port}"
        self._password = password
        self._token = ""

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

    def knows(self, dag: str) -> bool:
        """Whether the DAG processor has registered a DAG."""
        try:
            self._call("GET", f"/dags/{dag}")
        except AirflowRefused:
            return False
        return True

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
        """Ask `/api/v2`; a token that has expired is renewed once."""
        if self._token:
            try:
                return self._request(method, f"/api/v2{path}", body)
            except AirflowRefused as error:
                if error.status != HTTPStatus.UNAUTHORIZED:
                    raise
        self._token = ""
        self._token = self._request("POST", "/auth/token", {"username": USER, "password": self._password()})[
            "access_token"
        ]
        return self._request(method, f"/api/v2{path}", body)

    def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, headers, method=method)  # noqa: S310 -- loopback
        try:
            with _DIRECT.open(request, timeout=TIMEOUT_S) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            refused = AirflowRefused(error.code, f"{method} {path}", error.read(500).decode(errors="replace"))
            if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                raise AirflowUnwell(str(refused)) from error
            raise refused from error
        except http.client.HTTPException as error:
            raise AirflowUnwell(f"{method} {path}: {error!r}") from error
