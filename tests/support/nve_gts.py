"""The snow authority's protocol as tests want it: cells whose values a function says, seas without any, every fault.

    with SnowAuthority(lambda theme, point, stamp: 3.5) as authority:
        authority.sea = {(262500, 6649500)}
        authority.faults = [Fault(429, {"Retry-After": "1"})]        # of the next questions, in turn
        asked_by(authority.url).at_points(...)
        authority.questions                                          # what was asked

Values are the authority's own: by the stamp's date, in the units that `units` names, None where it has no data.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from catalog.sources import nve_gts
from catalog.sources.http import Deadline, make_client

Point = tuple[int, int]
Value = Callable[[str, Point, date], float | None]
THEMES = ("swe", "sd", "fsw", "sdfsw", "tm")
UNITS = {"swe": "mm", "sd": "cm", "fsw": "mm", "sdfsw": "cm", "tm": "Celcius"}
NO_DATA = {"swe": 65535, "sd": 65535, "fsw": 255, "sdfsw": 65535, "tm": 65535}


@dataclass(frozen=True)
class Fault:
    """An answer in place of the true one."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def error(text: str, status: int = 500) -> Fault:
    """The authority's own error."""
    return Fault(status, {}, json.dumps({"Error": text}).encode())


def asked_by(url: str, seconds: float = 20, report: Callable[[str], None] | None = None) -> nve_gts.Authority:
    """The authority as a caller asks it."""
    return nve_gts.Authority(url, make_client("test"), Deadline(seconds), report)


@dataclass(frozen=True)
class Question:
    """What was asked."""

    method: str
    theme: str
    points: tuple[Point, ...]
    start: date
    end: date
    headers: dict[str, str]


class SnowAuthority:
    """A server on loopback; a context manager."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self.sea: set[Point] = set()
        self.names_the_sea = True
        self.most_values: int | None = None
        self.units = dict(UNITS)
        self.no_data = dict(NO_DATA)
        self.forecast_from: str | None = None
        self.origin: str | None = None
        self.ends: date | None = None
        self.faults: list[Fault | None] = []
        self.down: Fault | None = None
        self.changed: Callable[[dict[str, Any]], Any] = lambda answer: answer
        self.questions: list[Question] = []
        handler = type("Handler", (_Handler,), {"authority": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> "SnowAuthority":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def answer(self, question: Question) -> Fault:
        """What is sent."""
        self.questions.append(question)
        if self.down:
            return self.down
        if self.faults and (fault := self.faults.pop(0)):
            return fault
        for point in question.points:
            if point in self.sea:
                where = f" No cell exists for coordinates X: {point[0]} Y: {point[1]}"
                known = error(f"Tema: {question.theme}.{where}", 500 if question.method == "POST" else 400)
                return known if self.names_the_sea else error("The given key was not present in the dictionary.")
        days = (question.end - question.start).days + 1
        if self.most_values is not None and days * len(question.points) > self.most_values:
            return Fault(500, {}, b"<html>Serialization: the value set on the maxJsonLength property.</html>")
        return Fault(200, {}, json.dumps(self.changed(self._told(question, days))).encode())

    def _told(self, question: Question, days: int) -> dict[str, Any]:
        theme = question.theme
        told: dict[str, Any] = {
            "Theme": theme, "FullName": "A theme v2.0.1", "NoDataValue": self.no_data[theme],
            "StartDate": f"{question.start:%d.%m.%Y} 06:00:00", "EndDate": f"{question.end:%d.%m.%Y} 06:00:00",
            "PrognoseStartDate": self.forecast_from, "Unit": self.units[theme], "TimeResolution": 1440,
        }  # fmt: skip
        if self.origin:
            told["data_origin"] = self.origin
        cells = [self._cell(question, point, days) for point in question.points]
        if question.method == "GET":
            return {**told, **cells[0]}
        for cell in cells:
            cell["CellIndex"] = (8_000_000 - cell["Y"]) // 1000 * 1195 + (cell["X"] + 75_000) // 1000
        return {**told, "CellTimeSeries": cells}

    def _cell(self, question: Question, point: Point, days: int) -> dict[str, Any]:
        stamps = [question.start + timedelta(days=d) for d in range(days)]
        values = [self.value(question.theme, point, s) for s in stamps if self.ends is None or s <= self.ends]
        data = [self.no_data[question.theme] if value is None else value for value in values]
        return {"X": point[0], "Y": point[1], "Altitude": 100 + point[1] % 7000 // 1000, "Data": data}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # head and body at once, or each answer waits 40 ms for the head's receipt
    authority: SnowAuthority

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_GET(self) -> None:
        _, api, service, x, y, start, end, theme = self.path.split("/")
        assert (api, service, theme[-5:]) == ("api", "GridTimeSeries", ".json"), self.path
        self._send("GET", theme[:-5], ((int(x), int(y)),), start, end)

    def do_POST(self) -> None:
        assert self.path == "/api/MultiPointTimeSeries/ByMapCoordinateCsv", self.path
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["Format"] == "json"
        places = [place.split() for place in asked["MapCoordinateCsv"].split(",")]
        points = tuple((int(x), int(y)) for x, y in places)
        self._send("POST", asked["Theme"], points, asked["StartDate"], asked["EndDate"])

    def _send(self, method: str, theme: str, points: tuple[Point, ...], start: str, end: str) -> None:
        days = date.fromisoformat(start), date.fromisoformat(end)
        sent = self.authority.answer(Question(method, theme, points, *days, dict(self.headers.items())))
        self.send_response(sent.status)
        for name, value in {"Content-Length": str(len(sent.body)), **sent.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent.body)
