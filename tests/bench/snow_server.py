"""A snow authority of national size: `python -m tests.bench.snow_server` prints its address and ends with its input.

It answers lists of points with JSON as long and as varied as the real one's, from winters made before: what is
measured is asking, reading and storing, not making weather up.
"""

import json
import sys
import threading
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

KINDS = 64
"""Different series; cells take turns."""
COLUMNS = 1195
FORECAST_DAYS = 9
UNITS = {"swe": "mm", "sd": "mm", "fsw": "mm", "sdfsw": "mm", "tm": "Celcius"}
_EPOCH = date(1957, 9, 1)
_DAYS = 26_000


def winters() -> dict[str, list[list[str]]]:
    """Of each theme, its series as they are written, a text for each day since 1957."""
    rng = np.random.default_rng(8)
    phase = 2 * np.pi * (np.arange(_DAYS) - 140) / 365.2425
    found: dict[str, list[list[str]]] = {theme: [] for theme in UNITS}
    for kind in range(KINDS):
        temp = 3 - 9 * np.cos(phase) - kind / 10 + rng.normal(0, 4, _DAYS)
        fell = np.where((rng.random(_DAYS) < 0.4) & (temp < 1), rng.exponential(6, _DAYS), 0).round()
        lies = np.zeros(_DAYS)
        for i in range(1, _DAYS):
            lies[i] = max(0.0, lies[i - 1] + fell[i] - 3 * max(0.0, temp[i]))
        values = {"swe": lies, "sd": 3 * lies, "fsw": fell, "sdfsw": 8 * fell, "tm": temp}
        for theme, series in values.items():
            found[theme].append([f"{v:.1f}" if theme == "tm" else f"{v:.0f}" for v in series])
    return found


class Answers(BaseHTTPRequestHandler):
    """Answers POSTs."""

    protocol_version = "HTTP/1.1"
    made: dict[str, list[list[str]]]

    def do_POST(self) -> None:
        """Answer a list of points."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        first, last = (date.fromisoformat(asked[name]) for name in ("StartDate", "EndDate"))
        days = slice((first - _EPOCH).days, (last - _EPOCH).days + 1)
        data = [",".join(series[days]) for series in self.made[asked["Theme"]]]
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
            rows.append(
                f'{{"X":{x},"Y":{y},"Altitude":{index % 1500},"CellIndex":{index},"Data":[{data[index % KINDS]}]}}'
            )
        body = f'{json.dumps(head)[:-1]},"CellTimeSeries":[{",".join(rows)}]}}'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    """Serve until the input ends."""
    Answers.made = winters()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
