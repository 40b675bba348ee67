"""`POST /api/horizon/precise` over HTTP, heights kept: new panels, known ones, and the report by its link.

One API worker and one of jobs. Each request comes from an address of its own: an address may ask once a second.
"""

import json
from pathlib import Path
from urllib.request import Request, urlopen

from tests.api.fabricated import hydrate_turbidity
from tests.bench.asking import Paths, in_rounds
from tests.bench.bench_rooftop_http import ground, town
from tests.bench.serving import process, settings_of
from tests.support.coverages import Coverages
from tests.support.horizon import OSLO, publish_horizon
from tests.support.tmy import publish_climate
from tests.support.worker import job_worker, until
from tiles.store import open_store

PANELS = 2000


def panels(first: int, *, same: bool = False) -> Paths:
    """Return questions about panels within 100 m of each other."""
    requests = []
    for number in range(first, first + PANELS):
        panel = 0 if same else number
        where = {"lat": OSLO[0] + 1e-4 * (panel % 8), "lon": OSLO[1], "observer_height_m": 6 + panel / 1000}
        body = json.dumps({**where, "panel_az_deg": 180, "panel_tilt_deg": 35})
        requests.append(
            "POST /api/horizon/precise HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"X-Forwarded-For: 2001:db8:1:{number:x}::1\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )
    return Paths(tuple(requests))


def measure(folder: Path, seconds: float = 3.0) -> None:
    """Publish, serve, and print the figures."""
    store = open_store(str(folder / "tiles"))
    publish_horizon(store)
    publish_climate(store)
    hydrate_turbidity(folder / "state")
    with Coverages(dom=town, dtm=ground) as heights:
        settings = settings_of(folder, KARTVERKET_WCS_URL=heights.url)
        with (
            job_worker(**{name.removeprefix("SOLFLIS_"): value for name, value in settings.items()}),
            process(settings) as api,
        ):
            until(api.url, f"/api/horizon/terrain?lat={OSLO[0]}&lon={OSLO[1]}", 200)
            until(api.url, f"/api/tmy/stats?lat={OSLO[0]}&lon={OSLO[1]}", 200)
            head, _, body = panels(0, same=True).next().partition("\r\n\r\n")
            own = {"Content-Type": "application/json", "X-Forwarded-For": "192.0.2.1"}
            with urlopen(Request(f"{api.url}{head.split()[1]}", body.encode(), own)) as answer:
                link = str(json.load(answer)["pdf_url"])
            targets = {
                "new panels, with report (bar 400)": (api, panels(PANELS)),
                "known panel": (api, panels(10 * PANELS, same=True)),
                "report by its link": (api, Paths((link[link.index("/api/") :],))),
            }
            in_rounds(targets, seconds)
