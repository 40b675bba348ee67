"""A point forecast service that answers any place at once, with the simulator's weather of one place.

with PointForecasts(moment) as service:
    Settings(..., locationforecast_url=service.url)
"""

import json
from datetime import datetime

from infra.simulator.locationforecast import forecast
from tests.support.http_server import Request, Server, Status


class PointForecasts(Server):
    """Threaded server on loopback; a context manager."""

    def __init__(self, made: datetime) -> None:
        super().__init__(self._answer_of)
        self._document = forecast(59.91, 10.75, made)

    def _answer_of(self, request: Request) -> Status:
        where = [float(request.query[name][0]) for name in ("lon", "lat")]
        document = {**self._document, "geometry": {"type": "Point", "coordinates": [*where, 100]}}
        return Status(200, {"Content-Type": "application/json"}, json.dumps(document).encode())
