"""`POST /api/horizon/rooftop` over HTTP: a roof whose heights are kept, in JSON, as a file and without level 1.

`first`: nothing is kept and the process that fetches does not run; the service is next door and answers at once. Then
`/health` while four clients ask, and what memory a worker has before and after.

One worker. Each request comes from an address of its own: an address may ask five times a second.
"""

import json
import time
from pathlib import Path

import numpy as np

from tests.bench.asking import Client, Paths, Routes, ask_routes
from tests.bench.serving import process, settings_of
from tests.support.coverages import Coverages, Floats
from tests.support.horizon import OSLO, publish_horizon
from tests.support.worker import until
from tiles.store import open_store

ADDRESSES = 20_000
FORMS = {
    "json (bar 300, aim 60)": "",
    "json, near field alone": "",
    "csv": "?format=csv",
    "export_e": "?format=export_e",
    "png": "?format=png",
}


def town(x: Floats, y: Floats) -> Floats:
    """Return houses of 10 x 10 m and 4-12 m height, 18 m apart, on a slope."""
    row, column = np.broadcast_arrays(y // 18, x // 18)
    high = 4 + 8 * ((row * 7919 + column * 104_729) % 97) / 97
    return ground(x, y) + np.where((x % 18 < 10) & (y % 18 < 10), high, 0)


def ground(x: Floats, y: Floats) -> Floats:
    """Return the slope."""
    return 50 + 0.05 * (x % 1000) + 0 * y


def roofs(name: str, first: int) -> Paths:
    """Return requests for eight roofs within 100 m of each other: the same squares, and each an observer of its own."""
    requests = []
    for number in range(first, first + ADDRESSES):
        lat, lon = (at + 1e-4 * (number % 8) for at in OSLO)
        more = {"include_tier1": False} if "near field" in name else {}
        body = json.dumps({"lat": lat, "lon": lon, "observer_height_m": 9 + number % 40_000 / 1000, **more})
        requests.append(
            f"POST /api/horizon/rooftop{FORMS[name]} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"X-Forwarded-For: 2001:db8:{number >> 16:x}:{number & 0xFFFF:x}::1\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        )
    return Paths(tuple(requests))


def measure(folder: Path, seconds: float = 3.0, old: str = "") -> None:
    """Publish, serve, and print the figures."""
    publish_horizon(open_store(str(folder / "tiles")))
    asked = {name: roofs(name, number * ADDRESSES) for number, name in enumerate(FORMS)}
    usual = next(iter(FORMS))
    with Coverages(dom=town, dtm=ground) as heights:
        with process(settings_of(folder, KARTVERKET_WCS_URL=heights.url)) as api:
            until(api.url, f"/api/horizon/terrain?lat={OSLO[0]}&lon={OSLO[1]}", 200)
            time.sleep(2)  # until it has loaded what comes behind the first answers
            first = Client(api.url).ask(asked[usual].next())
            print(f"first: {first * 1e3:.0f} ms, {len(heights.asked)} squares fetched")
        routes = Routes(lambda _: None, asked, (usual,), clients=4)
        ask_routes(folder, routes, seconds, old, KARTVERKET_WCS_URL=heights.url)
