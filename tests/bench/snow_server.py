"""A snow authority of national size: `python -m tests.bench.snow_server` prints its address and serves until SIGTERM.

It answers lists of points with JSON as long and as varied as the real one's, from winters made before: what is
measured is asking, reading and storing, not making weather up.
"""

import json
import socket
from datetime import date, timedelta

from aiohttp import web

from tests.kernels.snow.winters import mountain

KINDS = 64
"""Different series; cells take turns."""
COLUMNS = 1195
FORECAST_DAYS = 9
UNITS = {"swe": "mm", "sd": "mm", "fsw": "mm", "sdfsw": "mm", "tm": "Celcius"}
_FIRST = date(1957, 9, 1)


def series() -> dict[str, list[list[str]]]:
    """Of each theme, its series as they are written, a text for each day since 1957."""
    found: dict[str, list[list[str]]] = {theme: [] for theme in UNITS}
    for seed in range(KINDS):
        _, snow = mountain(f"{_FIRST}", "2030-08-31", seed)
        for theme, values, form in (
            ("swe", snow.snow_depth / 3, ".0f"),
            ("sd", snow.snow_depth, ".0f"),
            ("fsw", snow.new_snow, ".0f"),
            ("sdfsw", snow.new_snow_depth, ".0f"),
            ("tm", snow.temp_air, ".1f"),
        ):
            found[theme].append([format(value, form) for value in values.tolist()])
    return found


SERIES = series()


async def answer(request: web.Request) -> web.Response:
    """Answer a list of points."""
    asked = await request.json()
    first, last = (date.fromisoformat(asked[name]) for name in ("StartDate", "EndDate"))
    days = slice((first - _FIRST).days, (last - _FIRST).days + 1)
    data = [",".join(one[days]) for one in SERIES[asked["Theme"]]]
    forecast = last - timedelta(days=FORECAST_DAYS - 1)
    head = {
        "Theme": asked["Theme"], "NoDataValue": 255 if asked["Theme"] == "fsw" else 65535,
        "Unit": UNITS[asked["Theme"]], "TimeResolution": 1440, "data_origin": "simulated",
        "StartDate": f"{first:%d.%m.%Y} 06:00:00", "EndDate": f"{last:%d.%m.%Y} 06:00:00",
        "PrognoseStartDate": f"{forecast:%d.%m.%Y} 06:00:00" if first < last else None,
    }  # fmt: skip
    rows = []
    for pair in asked["MapCoordinateCsv"].split(","):
        x, y = (int(number) for number in pair.split())
        index = (1549 - (y - 6_450_000) // 1000) * COLUMNS + (x + 75_000) // 1000
        rows.append(f'{{"X":{x},"Y":{y},"Altitude":{index % 1500},"CellIndex":{index},"Data":[{data[index % KINDS]}]}}')
    text = f'{json.dumps(head)[:-1]},"CellTimeSeries":[{",".join(rows)}]}}'
    return web.Response(text=text, content_type="application/json")


if __name__ == "__main__":
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/{path:.*}", answer)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        print(f"http://127.0.0.1:{sock.getsockname()[1]}", flush=True)
        web.run_app(app, sock=sock, print=None, access_log=None)
