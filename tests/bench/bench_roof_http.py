"""Roof analysis over HTTP: a full queue of 20 jobs with pictures and drawings, one worker, buildings of the simulator.

Each job comes from an address of its own: an address may ask once a second. Heights of the part of town are kept.
"""

import time
from collections import Counter
from pathlib import Path

import httpx
import numpy as np

from infra.simulator.buildings.record import buildings_in
from kernels import utm
from tests.bench.serving import process, settings_of
from tests.bench.timing import SIMULATED, SIMULATOR, service
from tests.support.worker import job_worker, until

JOBS = 20
SERVICES = {
    "KARTVERKET_WCS_URL": "kartverket_wcs",
    "BYGNINGER_URL": "bygninger",
    "BYGNINGSPUNKT_URL": "bygningspunkt",
    "ORTOFOTO_URL": "ortofoto?LAYERS=ortofoto",
}
_WAIT_S = 200.0


def measure(folder: Path) -> None:
    """Serve, queue, and print the figures."""
    with service(*SIMULATOR, STATE=str(folder)):
        settings = settings_of(folder, **{name: f"{SIMULATED}/{path}" for name, path in SERVICES.items()})
        own = {name.removeprefix("SOLFLIS_"): value for name, value in settings.items()}
        with process(settings) as api, job_worker(**own):
            until(api.url, "/health", 200)
            places = points(JOBS + 1)
            [(first, _)] = analysed(api.url, places[:1], 0)
            found = analysed(api.url, places[1:], 1)
    print(f"the first job, whose heights are fetched: {first:.1f} s")
    states = Counter(state for _, state in found)
    took = [seconds for seconds, _ in found]
    p50, p95 = np.percentile(took, [50, 95])
    print(f"{JOBS} jobs at once: {dict(states)}, {JOBS - states['done']} lost (bar 0)")
    print(f"from question to result: p50 {p50:.1f} s, p95 {p95:.1f} s (bar 120); {max(took) / JOBS:.2f} s a job")


def analysed(url: str, places: list[dict[str, float]], first: int) -> list[tuple[float, str]]:
    """Queue analyses of places at once and wait for all; return how long each took, s, and its state."""
    begun, ended = time.perf_counter(), dict[str, tuple[float, str]]()
    with httpx.Client(base_url=url, timeout=30) as client:
        jobs = []
        for number, place in enumerate(places, first):
            answer = client.post("/api/roof/jobs", json=place, headers={"X-Forwarded-For": f"2001:db8:3:{number:x}::1"})
            jobs.append(answer.raise_for_status().json()["jobb_id"])
        while len(ended) < len(jobs) and time.perf_counter() - begun < _WAIT_S:
            for job in (one for one in jobs if one not in ended):
                state = client.get(f"/api/roof/jobs/{job}").json()["status"]
                if state in ("done", "failed"):
                    ended[job] = time.perf_counter() - begun, state
            time.sleep(0.1)
    return [ended.get(job, (_WAIT_S, "waiting")) for job in jobs]


def points(count: int) -> list[dict[str, float]]:
    """Return points on buildings in a part of Oslo."""
    known = (one for one in buildings_in(262_000, 6_649_000, 262_800, 6_649_800) if not one.newer)
    places = [utm.inverse(one.x, one.y) for one, _ in zip(known, range(count), strict=False)]
    return [{"lat": float(lat), "lon": float(lon)} for lat, lon in places]
