"""Terrain category of a site: the job alone, and `POST /api/terrain/category` over HTTP.

The land is the simulator's, around Oslo. Each request comes from an address of its own: an address may ask once a
second.
"""

import json
import time
from pathlib import Path

import numpy as np
import orjson

from api.core.settings import Settings
from api.jobs.run import Run
from api.terrain.job import run
from api.terrain.schemas import TerrainRequest
from tests.bench.asking import Paths, in_rounds
from tests.bench.serving import process, settings_of
from tests.bench.timing import SIMULATED, SIMULATOR, service
from tests.support.worker import job_worker, until

PLACE = 59.9139, 10.7522
SOURCES = ("ar50", "ar5", "corine", "kartverket_wcs")
QUESTIONS = 2000


def question(number: int, *, maps: bool) -> dict[str, object]:
    """Return a question about one of 400 places within 200 m."""
    row, column = divmod(number % 400, 20)
    where = {"lat": PLACE[0] + 1e-4 * row, "lon": PLACE[1] + 2e-4 * column}
    return {**where, "hoyde_m": 10 + number / 1000, "v_b0": 22, "kart": maps}


def requests(first: int, *, maps: bool) -> Paths:
    """Return them as requests."""
    found = []
    for number in range(first, first + QUESTIONS):
        body = json.dumps(question(number, maps=maps))
        found.append(
            "POST /api/terrain/category HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"X-Forwarded-For: 2001:db8:2:{number:x}::1\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )
    return Paths(tuple(found))


def measure(folder: Path, seconds: float = 5.0, runs: int = 20) -> None:
    """Fetch the land, run jobs, serve, and print the figures."""
    with service(*SIMULATOR, STATE=str(folder)):
        settings = settings_of(folder, **{f"{name.upper()}_URL": f"{SIMULATED}/{name}" for name in SOURCES})
        print(f"a site whose land is fetched from the simulator: {_job(folder, settings, 0, maps=True):.2f} s")
        for label, maps in (("JSON, GeoJSON, PDF, HTML (bar 4 s)", False), ("the same with maps (bar 8 s)", True)):
            took = [_job(folder, settings, number, maps=maps) for number in range(1, runs + 1)]
            p50, p95 = np.percentile(took, [50, 95])
            print(f"a site, land at hand, {label}: p50 {p50:.2f} s, p95 {p95:.2f} s")
        with (
            job_worker(**{name.removeprefix("SOLFLIS_"): value for name, value in settings.items()}),
            process(settings) as api,
        ):
            until(api.url, "/health", 200)
            targets = {"new sites": requests(QUESTIONS, maps=False), "new sites with maps": requests(9000, maps=True)}
            in_rounds({label: (api, paths) for label, paths in targets.items()}, seconds)


def _job(folder: Path, settings: dict[str, str], number: int, *, maps: bool) -> float:
    """Return how long a job runs in this process, s."""
    request = TerrainRequest.model_validate(question(number, maps=maps)).model_dump()
    content = orjson.dumps({"terrain": None, "landcover": None, "request": request})
    its = Run("bench", 1, content, Settings.from_environment(settings), f"job{number}/1", folder / "progress")
    begun = time.perf_counter()
    run(its)
    return time.perf_counter() - begun
