"""Counts: of one process, and summed over those that share a folder."""

import re
import subprocess
import sys
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

import api
from api.core.errors import CATALOGUE, NOT_BUILT
from api.jobs.queue import question_of
from api.observing.metrics import Metrics
from tests.api.conftest import Api, MovableClock, Start
from tests.api.fabricated import CYCLE

POINT = "/api/forecast?lat=59.91&lon=10.75"


def samples(text: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return each sample by its name and the values of its labels."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_answers_are_counted_of_each_application_apart(start: Start) -> None:
    api, other = await start(), await start()
    for path in (POINT, POINT, "/api/forecast", "/nowhere/1", "/nowhere/2"):
        await api.ask(path)
    asked = await api.ask("/metrics")
    assert asked.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    got = samples(asked.text)
    assert got["solflis_requests_total", ("GET", "/api/forecast", "200")] == 2
    assert got["solflis_requests_total", ("GET", "/api/forecast", "400")] == 1
    assert got["solflis_requests_total", ("GET", "-", "404")] == 2
    assert got["solflis_request_seconds_count", ("/api/forecast",)] == 3
    assert got["solflis_request_seconds_bucket", ("+Inf", "/api/forecast")] == 3
    assert 0 < got["solflis_request_seconds_sum", ("/api/forecast",)] < 3
    assert not re.search(r"nowhere|59\.91", asked.text)
    assert 'route="/api/forecast"' not in (await other.ask("/metrics")).text


async def test_jobs_that_wait_and_runs_of_job_workers_are_counted(start: Start, tmp_path: Path) -> None:
    api, workers = await start(state_folder=tmp_path / "state"), Metrics(tmp_path / "state" / "metrics" / "jobs")
    workers.job_ran("mail", "done", 0.2)
    await api.app.resources.jobs.ask("mail", question_of("mail", 1), b"{}", b"somebody")
    got = samples((await api.ask("/metrics")).text)
    assert got["solflis_job_runs_total", ("mail", "done")] == 1
    assert got["solflis_job_seconds_sum", ("mail",)] == pytest.approx(0.2)
    assert got["solflis_jobs_queued", ("mail",)] == 1
    assert got["solflis_job_age_seconds", ("horizon_precise",)] == 0
    workers.close()


def test_refusals_are_counted(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path)
    for reason in ("rate", "rate", "plants"):
        metrics.rejected(reason)
    for route, code in (("/a", "NOT_BUILT"), ("/b", "NOT_BUILT"), ("/b", "DAMAGED")):
        metrics.answers(route, "GET", 503, code)(0.1)
    got = samples(metrics.text({}, True).decode())
    assert [got["solflis_quota_rejections_total", (reason,)] for reason in ("requests", "plants", "rate")] == [0, 1, 2]
    assert [got["solflis_refusals_total", (code,)] for code in ("NOT_BUILT", "DAMAGED")] == [2, 1]
    metrics.close()


async def test_the_age_of_what_is_served(start: Start) -> None:
    api = await start(clock=MovableClock(CYCLE + timedelta(hours=2.5)))
    assert samples((await api.ask("/metrics")).text)["solflis_tile_age_seconds", ("forecast",)] == 2.5 * 3600


@pytest.mark.parametrize("forwarded", ["192.0.2.7", "10.0.0.1, 192.0.2.7", "nonsense, 192.0.2.7", "unix:"])
async def test_only_trusted_addresses_read_them(api: Api, forwarded: str) -> None:
    asked = await api.ask("/metrics", headers={"X-Forwarded-For": forwarded})
    assert (asked.status, asked.json["code"]) == (403, "FORBIDDEN")


async def test_trusted_addresses_are_a_setting(start: Start) -> None:
    api = await start(trusted_proxies=(ip_network("192.0.2.0/24"),))
    assert (await api.ask("/metrics")).status == 403


def test_durations_fall_into_their_buckets(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path)
    count = metrics.answers("/a", "GET", 200)
    for seconds in (0.0, 0.001, 0.0011, 29.0, 31.0):
        count(seconds)
    got = samples(metrics.text({}, True).decode())
    buckets = {"0.0005": 1, "0.001": 2, "0.0025": 3, "10.0": 3, "30.0": 4, "+Inf": 5}
    assert {le: got["solflis_request_seconds_bucket", (le, "/a")] for le in buckets} == buckets
    assert got["solflis_request_seconds_sum", ("/a",)] == pytest.approx(60.0021)


COUNT = """
import os, signal, sys
from pathlib import Path
from api.observing.metrics import Metrics
count = Metrics(Path(sys.argv[1])).answers("/a", "GET", 200)
for _ in range(1000):
    count(0.5)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_processes_that_share_a_folder_are_summed_also_the_dead(tmp_path: Path) -> None:
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", COUNT, str(tmp_path)], check=False, timeout=30)
        assert ended.returncode == -9
    (tmp_path / "counter_1-1.db").touch()  # its maker died at once
    metrics = Metrics(tmp_path)
    metrics.answers("/a", "GET", 200)(0.5)
    got = samples(metrics.text({}, True).decode())
    assert got["solflis_requests_total", ("GET", "/a", "200")] == 3001
    assert got["solflis_request_seconds_count", ("/a",)] == 3001


def test_nothing_is_left_behind_that_nobody_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    metrics = Metrics(None)
    answered = metrics.answers("/a", "GET", 200)
    assert list(tmp_path.iterdir())
    assert open_files(tmp_path)
    metrics.close()
    metrics.rejected("rate")
    answered(0.1)
    metrics.answers("/b", "GET", 200)(0.1)
    assert not list(tmp_path.iterdir())
    assert not open_files(tmp_path)


def open_files(folder: Path) -> list[Path]:
    """Return this process's open files in a folder, also deleted ones; those of other tests are elsewhere."""
    files = [file.resolve() for file in list(Path("/proc/self/fd").iterdir())]
    return [file for file in files if file.is_relative_to(folder)]


def test_alerts_are_about_what_is_counted_and_what_is_not_built_wakes_nobody(tmp_path: Path) -> None:
    rules = yaml.safe_load((Path(api.__file__).parents[1] / "infra" / "alerts.yml").read_text())["groups"][0]["rules"]
    metrics = Metrics(tmp_path)
    metrics.answers("/a", "GET", 503, "DAMAGED")(0.1)
    metrics.job_ran("horizon_precise", "failed", 0.1)
    exported = metrics.text({"forecast": 1.0}, True, {"horizon_precise": (1, 130.0)}).decode()
    for rule in rules:
        for name in re.findall(r"solflis_\w+", rule["expr"]):
            assert f"# TYPE {name.removesuffix('_total')}" in exported
        for codes in re.findall(r'code=~?"([^"]+)"', rule["expr"]):
            assert set(codes.split("|")) <= {*CATALOGUE["codes"].values(), NOT_BUILT, "DAMAGED", "BUSY"}
        assert ("NOT_BUILT" in rule["expr"]) <= (rule["labels"]["severity"] == "ticket")
    metrics.close()
