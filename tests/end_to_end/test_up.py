"""`solflis up` from an empty state: the real DAGs through Airflow, asked at the API, and nothing left afterwards.

Also keys, plans and quotas as a newcomer meets them.
"""

import json
import re
import shlex
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.up import POINT, ROOT, STOP_S, Up, free_ports
from tests.kernels.tmy.archives import series
from tests.support.archive import publish_archive
from tests.support.tmy import OSLO_CELL
from tiles.store import open_store

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Callable[..., Up]]:
    started: list[Up] = []

    def start(name: str = "state", **settings: str) -> Up:
        started.append(Up(tmp_path / name, **settings))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.stop()


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def test_dags_run_by_schedule_and_by_asset(up: Callable[..., Up]) -> None:
    # As if first started three hours ago: Airflow schedules the latest hour at once.
    begun = hour_of(datetime.now(UTC))
    one = up(SOLFLIS_START_DATE=f"{begun - timedelta(hours=3):%Y-%m-%dT%H:%M:%SZ}")
    one.until(lambda: "Ctrl-C stops everything" in one.said())
    body, headers = one.forecast()
    cycle = body["cycle_time"][:13]
    assert cycle in {f"{hour:%Y-%m-%dT%H}" for hour in (begun, begun + timedelta(hours=1))}
    assert headers["X-Data-Origin"] == "simulated"
    assert 59 <= len(body["ghi_timeseries"]) <= 67
    one.until(lambda: one.runs("forecast").get(("scheduled", cycle)) == "success")

    # By asset: the version that was published is read back.
    one.until(lambda: one.runs("verify").get(("asset_triggered", cycle)) == "success")
    # And the day is stitched to it, from 00 UTC on though nothing ran before `cycle`.
    one.until(lambda: one.runs("day").get(("asset_triggered", cycle)) == "success")
    day = one.until(lambda: (asked := one.json(f"{POINT}&daily=true"))["data_mode"] == "v23b_daily" and asked)
    assert day["ghi_timeseries"][0]["timestamp"][11:] == "00:00:00Z"
    # Of the day the counties are made, with borders that nothing else had to build before.
    one.until(lambda: one.runs("county_now").get(("asset_triggered", cycle)) == "success")
    one.until(lambda: one.ask("/api/production/now")[0] == 200)
    assert len(one.json("/api/production/now")["counties"]) == 15

    the_example_runs_as_printed(one)
    without_a_key_there_are_24_requests(one)
    whoever_registers_gets_a_key(one)
    metrics_are_shown(one)
    a_second_up_is_refused(one)
    secrets_are_kept(one)
    assert one.stop() < STOP_S, one.said()
    assert one.process.returncode == 0, one.said()
    assert one.left() == []


def an_older_cycle_is_built_by_hand(one: Up) -> None:
    """Configured, without a key of its own: it is verified too, and changes nothing for the reader."""
    older = "2026-06-21T08"
    for dag in ("forecast", "verify"):
        one.airflow(f"/dags/{dag}/dagRuns", {"logical_date": None, "conf": {"partition": older}})
        one.until(lambda dag=dag: one.runs(dag).get(("manual", None)) == "success")
    one.until(lambda: one.runs("verify").get(("asset_triggered", older)) == "success")
    assert one.forecast()[0]["cycle_time"][:13] > older


def the_example_runs_as_printed(one: Up) -> None:
    [example] = re.findall(r"^  Try +curl (.+)$", one.said(), re.MULTILINE)
    option, header, url = shlex.split(example)
    assert (option, header) == ("-H", f"X-API-Key: {one.key}")
    status, _, headers = one.ask(url.removeprefix(f"http://127.0.0.1:{one.port}"), **{"X-API-Key": one.key})
    assert (status, headers["X-Quota-Limit"]) == (200, "100000")


def the_forecast_group_answers(one: Up) -> None:
    """In summer, by day: every DAG of the group has run, and every route answers."""
    place = {"latitude": 59.91, "longitude": 10.75}
    arrays = [{"name": "south", "kwp": 5, "tilt_deg": 30, "azimuth_deg": 180}]
    produced = one.json("/api/forecast", {**place, "arrays": arrays, "precise": True})
    assert produced["pv_system"]["total_production_kwh"] > 10
    several = one.json("/api/forecast/bulk", {"systems": [{"id": "a", **place, "arrays": arrays}]})
    assert several["results"]["a"]["pv_system"]["total_production_kwh"] > 10
    assert one.json(POINT.replace("forecast", "forecast/extended"))["total_hours"] > 200
    nowcast = POINT.replace("forecast", "forecast/nowcast")
    seen = one.until(lambda: (asked := one.json(nowcast))["source"] == "v7_satellite_nowcast" and asked)
    assert seen["hours"][0]["clearsky_wm2"] > 400


def the_snow_of_the_morning_is_built(one: Up) -> None:
    """At the start, without being asked for: forecasts know that no snow lies in June."""
    one.until(lambda: one.runs("snow_daily") == {("manual", "2026-06-21"): "success"})
    arrays = [{"name": "south", "kwp": 5, "tilt_deg": 30, "azimuth_deg": 180}]
    asked = {"latitude": 59.91, "longitude": 10.75, "arrays": arrays, "snow": True}
    snow = one.until(lambda: (told := one.json("/api/forecast", asked)["snow"])["snow_applied"] and told)
    assert snow["issued_utc"][:13] == "2026-06-21T06"


def the_history_of_snow_is_built_by_hand(one: Up) -> None:
    """Where there are typical years, both routes answer from what is published."""
    place = "lat=59.91&lon=10.75"
    one.airflow("/dags/snow_history/dagRuns", {"logical_date": None})
    one.until(lambda: "success" in one.states("snow_history"))
    soiling = one.until(lambda: (asked := one.ask(f"/api/snowsoiling/calc?{place}"))[0] == 200 and asked)
    monthly = json.loads(soiling[1])["monthly"]
    assert monthly[0]["snow_loss_pct_mean"] > monthly[6]["snow_loss_pct_mean"] == 0
    outlook = one.until(lambda: (asked := one.ask(f"/api/snow/outlook?{place}"))[0] == 200 and asked)
    days = json.loads(outlook[1])["days"]
    assert {day["date"]: day["is_forecast"] for day in days}["2026-06-21"]
    assert max(day["loss_pct"] for day in days) == 0


def the_winters_maxima_are_built_by_hand(one: Up) -> None:
    """What was fetched on demand before is then published; the municipality is the simulator's."""
    asked = "/api/snowload/calc?lat=59.91&lon=10.75"
    before = one.json(asked)
    assert "fetched from the authority on demand" in before["method"]["data_source"]
    assert before["eurocode_comparison"]["kommunenummer"] == "0301"
    one.airflow("/dags/snowload/dagRuns", {"logical_date": None})
    one.until(lambda: "success" in one.states("snowload"))
    after = one.until(lambda: "published as snowload" in (told := one.json(asked))["method"]["data_source"] and told)
    assert after["cells"] == before["cells"]
    assert after["aggregate"]["characteristic_snow_load_kn_m2"] > 0.5


def what_cannot_be_built_is_skipped(one: Up) -> None:
    """There is nothing yet to judge and nothing to learn from: runs by hand say so, and do not fail."""
    for dag, partition in (("skill", "2026-06-20"), ("correction", "2026-06-21")):
        one.airflow(f"/dags/{dag}/dagRuns", {"logical_date": None, "conf": {"partition": partition}})
        one.until(lambda dag=dag: one.runs(dag).get(("manual", None)) in ("success", "failed"))
        [run] = one.airflow(f"/dags/{dag}/dagRuns")["dag_runs"]
        tasks = one.airflow(f"/dags/{dag}/dagRuns/{urllib.parse.quote(run['dag_run_id'])}/taskInstances")
        assert [task["state"] for task in tasks["task_instances"]] == ["skipped"], dag


def typical_years_are_built_by_hand(one: Up) -> None:
    """One year of the archive by its DAG; no typical year of that alone; and of thirty-five, made up, by its DAG."""
    one.airflow("/dags/climate_archive/dagRuns", {"logical_date": None, "conf": {"partition": "1991"}})
    one.until(lambda: one.runs("climate_archive").get(("manual", None)) == "success")
    run = one.airflow("/dags/tmy/dagRuns", {"logical_date": None})["dag_run_id"]
    tasks = f"/dags/tmy/dagRuns/{urllib.parse.quote(run)}/taskInstances"
    one.until(lambda: {task["state"] for task in one.airflow(tasks)["task_instances"]} == {"skipped"})
    told = "\n".join(log.read_text(errors="replace") for log in (one.state / "logs").rglob("*.log"))
    assert "the climate archive lacks 1992, 1993" in told
    assert "URGENCY" not in told
    place = "lat=59.91&lon=10.75"
    assert one.ask(f"/api/tmy?{place}")[0] == 503
    publish_archive(open_store(str(one.state / "tiles")), {OSLO_CELL: series("oslo")}, range(1992, 2026))
    one.airflow("/dags/tmy/dagRuns", {"logical_date": None})
    one.until(lambda: "success" in one.states("tmy"))
    status, text, headers = one.until(lambda: (asked := one.ask(f"/api/tmy?{place}&format=csv"))[0] == 200 and asked)
    assert (status, headers["X-Tmy-Product"], headers["X-Data-Origin"]) == (200, "ens_tmy30", "simulated")
    assert text.count("\n") == 8761
    asked = f"/api/pv/calc?{place}&peakpower=8&optimize=both"
    one.until(lambda: all(one.ask(asked)[0] == 200 for _ in range(8)))  # of both workers each looks every second
    production = one.json(asked)
    assert 400 < production["annual"]["specific_yield_kwh_kwp"] < 1400
    assert production["tmy"]["data_origin"] == "simulated"
    assert "no horizon is published yet" in production["warnings"][0]
    # what the tasks' pools of processes left was collected
    children = psutil.Process(one.process.pid).children
    one.until(lambda: not [child for child in children() if child.status() == psutil.STATUS_ZOMBIE], 10)


def horizons_are_built_by_hand(one: Up) -> None:
    """Terrain is fetched first, since none is published; then who asks gets a profile, and PV calc counts with it."""
    place = "lat=59.91&lon=10.75"
    assert one.ask(f"/api/horizon/terrain?{place}")[0] != 200
    one.airflow("/dags/horizon/dagRuns", {"logical_date": None})
    one.until(lambda: "success" in one.states("horizon"))
    one.until(lambda: all(one.ask(f"/api/horizon/terrain?{place}")[0] == 200 for _ in range(8)))
    status, text, headers = one.ask(f"/api/horizon/terrain?{place}")
    assert (status, headers["X-Data-Origin"], headers["X-Api-Tier"]) == (200, "simulated", "terrain")
    profile = json.loads(text)
    assert len(profile["elevation_deg"]) == 720
    assert max(profile["elevation_deg"]) > 0.5
    # a run that finds everything there publishes nothing anew
    one.airflow("/dags/horizon/dagRuns", {"logical_date": None})
    one.until(lambda: one.states("horizon").count("success") == 2)
    [attempt] = (one.state / "tiles" / "horizon").glob("*/*.zarr")
    assert attempt.is_dir()


def without_a_key_there_are_24_requests(one: Up) -> None:
    """None of them was used up by `solflis up` itself."""
    while True:
        answers = [one.ask(POINT) for _ in range(25)]
        if len({headers["X-Quota-Reset"] for *_, headers in answers}) == 1:
            break  # else it was midnight
    assert [(status, headers["X-Quota-Remaining"]) for status, _, headers in answers] == [
        *((200, str(left)) for left in reversed(range(24))),
        (401, "0"),
    ]
    _, text, headers = answers[-1]
    assert "24" in json.loads(text)["error"]
    assert int(headers["Retry-After"]) <= 24 * 3600
    assert one.ask("/api/sites")[0] == 200, "what is not counted goes on"
    assert one.forecast()[0]["cycle_time"]


def whoever_registers_gets_a_key(one: Up) -> None:
    body = json.dumps({"email": "kari@example.com"}).encode()
    assert one.ask("/api/register", body, **{"Content-Type": "application/json"})[0] == 200
    [mail] = (one.state / "outbox").glob("*.eml")
    assert stat.S_IMODE(mail.stat().st_mode) == 0o600
    [(place, token)] = re.findall(r"(http://\S+/api/verify)\?token=(\S+)", mail.read_text())
    assert place == f"http://127.0.0.1:{one.port}/api/verify"
    form = urllib.parse.urlencode({"token": token}).encode()
    for _ in range(2):
        assert "<button>" in one.ask(f"/api/verify?token={token}")[1], "looking spends nothing"
    page = one.ask("/api/verify", form, **{"Content-Type": "application/x-www-form-urlencoded"})[1]
    [key] = set(re.findall(r"sk_live_\w{64}", page))
    status, _, headers = one.ask(POINT, Authorization=f"Bearer {key}")
    assert (status, headers["X-Quota-Limit"], headers["X-Quota-Remaining"]) == (200, "1000", "999")
    assert one.ask(f"/api/verify?token={token}")[0] == 404
    listed = subprocess.run(
        [sys.executable, "-m", "infra.cli", "keys", "list"],
        cwd=ROOT,
        env=one.environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert {row.split()[0]: row.split()[1] for row in listed.splitlines()[1:]} == {
        "demo@localhost": "pro",
        "kari@example.com": "free",
    }


def metrics_are_shown(one: Up) -> None:
    counted = r'^solflis_requests_total\{method="GET",route="/api/forecast",status="(\d+)"\} (\S+)$'

    def both_workers_are_added_up() -> bool:  # each counts every 0.2 s
        found = re.findall(counted, one.ask("/metrics")[1], re.MULTILINE)
        answers = {status: float(count) for status, count in found}
        return answers.get("401") == 1 and answers.get("200", 0) >= 24

    one.until(both_workers_are_added_up, 10)
    assert one.ask("/metrics", **{"X-Forwarded-For": "203.0.113.7"})[0] == 403


def a_second_up_is_refused(one: Up) -> None:
    def refusal(**settings: str) -> str:
        result = subprocess.run(
            [sys.executable, "-m", "infra.cli", "up"],
            cwd=ROOT,
            env={**one.environment, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 1
        assert "Traceback" not in result.stderr
        return result.stderr

    assert f"SOLFLIS_PORT: port {one.port}: address already in use" in refusal()
    others = dict(zip(("PORT", "AIRFLOW_PORT", "SIMULATOR_PORT"), map(str, free_ports(3)), strict=True))
    said = refusal(**{f"SOLFLIS_{name}": port for name, port in others.items()})
    assert f"already runs with the state folder {one.state} (process {one.process.pid})" in said


def secrets_are_kept(one: Up) -> None:
    folder = one.state / "airflow"
    password = json.loads((folder / "passwords.json").read_text())["admin"]
    assert f"user admin, password {password}" in one.said()
    for name in ("passwords.json", "airflow.cfg"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    keys = [
        line.split(" = ")[1]
        for line in (folder / "airflow.cfg").read_text().splitlines()
        if "_key " in line or "_secret " in line
    ]
    assert len(keys) == 2
    assert stat.S_IMODE((one.state / "demo_key").stat().st_mode) == 0o600
    assert (one.state / "demo_key").read_text().strip() == one.key
    for log in (one.state / "logs").rglob("*.log"):
        text = log.read_text(errors="replace")
        assert not [secret for secret in (password, one.key, *keys) if secret in text], log


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_clock_triggers_its_own_hours_and_a_dead_process_stops_everything(up: Callable[..., Up]) -> None:
    one = up(SOLFLIS_CLOCK="2026-06-21T09:58:00Z", SOLFLIS_AREAS="Oslo:59.91,10.75")
    one.until(lambda: "Ctrl-C stops everything" in one.said())
    assert "schedules are off" in one.said()
    one.until(lambda: one.runs("forecast")["manual", "2026-06-21T09"] == "success")
    # The clock ticks: its next hour is triggered when it comes, and then served.
    one.until(lambda: one.runs("forecast").get(("manual", "2026-06-21T10")) == "success")
    one.until(lambda: one.forecast()[0]["cycle_time"] == "2026-06-21T10:00:00Z")
    assert not [run for run in one.runs("forecast") if run[0] == "scheduled"]
    the_forecast_group_answers(one)
    an_older_cycle_is_built_by_hand(one)
    the_snow_of_the_morning_is_built(one)
    what_cannot_be_built_is_skipped(one)
    typical_years_are_built_by_hand(one)
    the_history_of_snow_is_built_by_hand(one)
    the_winters_maxima_are_built_by_hand(one)
    horizons_are_built_by_hand(one)
    key = one.key

    scheduler = next(
        child
        for child in psutil.Process(one.process.pid).children()
        if any("scheduler" in part for part in child.cmdline())
    )
    scheduler.kill()
    assert one.process.wait(3 * STOP_S) == 1
    assert "airflow-scheduler was killed by signal 9" in one.said()
    assert one.left() == []

    # From the same state, the same cycle is there at once; what was cut off does not stand in the way.
    again = up(SOLFLIS_CLOCK="2026-06-21T10:05:00Z!")
    again.until(lambda: "Ctrl-C stops everything" in again.said())
    assert again.key == key, "what was copied at the first start still works"
    assert again.forecast()[0]["cycle_time"] == "2026-06-21T10:00:00Z"
    assert "forecast: 2026-06-21T10 is published already" in again.said()

    # Killed without a word, it still takes its children with it.
    again.look()
    again.process.kill()
    again.process.wait()
    deadline = time.monotonic() + 2 * STOP_S
    while again.left():
        assert time.monotonic() < deadline, again.left()
        time.sleep(0.2)
