"""A point forecast service that answers any place at once, with the simulator's weather of one place.

with PointForecasts(moment) as service:
    Settings(..., locationforecast_url=service.url)
"""

import json
import threading
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from infra.simulator.locationforecast import forecast


class PointForecasts:
    """Threaded server on loopback; a context manager."""

    def __init__(self, made: datetime) -> None:
        handler = type("Handler", (_Handler,), {"told": forecast(59.91, 10.75, made)})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> "PointForecasts":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    told: dict[str, Any]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        where = [float(query["lon"][0]), float(query["lat"][0]), 100]
        body = json.dumps({**self.told, "geometry": {"type": "Point", "coordinates": where}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
