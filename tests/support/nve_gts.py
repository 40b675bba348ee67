"""The snow authority's protocol as tests want it: cells whose values a function says, seas without any, every fault.

    with SnowAuthority(lambda theme, point, stamp: 3.5) as authority:
        authority.sea = {(262500, 6649500)}
        authority.faults = [Fault(429, {"Retry-After": "1"})]        # of the next questions, in turn
        asked_by(authority.url).at_points(...)
        authority.questions                                          # what was asked

Values are the authority's own: by the stamp's date, in the units that `units` names, None where it has no data.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from email.message import Message
from typing import Any

from catalog.sources import nve_gts
from catalog.sources.http import Deadline, make_client
from tests.support.http_server import Request, Server, Status

Point = tuple[int, int]
Value = Callable[[str, Point, date], float | None]
THEMES = ("swe", "sd", "fsw", "sdfsw", "tm")
UNITS = {"swe": "mm", "sd": "cm", "fsw": "mm", "sdfsw": "cm", "tm": "Celcius"}
NO_DATA = {"swe": 65535, "sd": 65535, "fsw": 255, "sdfsw": 65535, "tm": 65535}


Fault = Status
"""An answer in place of the true one."""


def error(text: str, status: int = 500) -> Fault:
    """The authority's own error."""
    return Fault(status, {}, json.dumps({"Error": text}).encode())


def asked_by(url: str, seconds: float = 20) -> nve_gts.Authority:
    """The authority as a caller asks it."""
    return nve_gts.Authority(url, make_client("test"), Deadline(seconds))


@dataclass(frozen=True)
class Question:
    """What was asked."""

    theme: str
    points: tuple[Point, ...]
    start: date
    end: date
    headers: Message


class SnowAuthority(Server):
    """A server on loopback; a context manager."""

    def __init__(self, value: Value) -> None:
        super().__init__(self._answer_of)
        self.value = value
        self.sea: set[Point] = set()
        self.names_the_sea = True
        self.most_values: int | None = None
        self.units = dict(UNITS)
        self.forecast_from: str | None = None
        self.origin: str | None = None
        self.ends: date | None = None
        self.faults: list[Fault | None] = []
        self.down: Fault | None = None
        self.changed: Callable[[dict[str, Any]], Any] = lambda answer: answer
        self.questions: list[Question] = []

    @property
    def asked(self) -> list[tuple[Point, ...]]:
        """The cells of each question so far."""
        return [question.points for question in self.questions]

    def _answer_of(self, request: Request) -> Status:
        assert (request.method, request.path) == ("POST", "/api/MultiPointTimeSeries/ByMapCoordinateCsv")
        asked = json.loads(request.body)
        assert asked["Format"] == "json"
        points = tuple((int(x), int(y)) for x, y in map(str.split, asked["MapCoordinateCsv"].split(",")))
        days = date.fromisoformat(asked["StartDate"]), date.fromisoformat(asked["EndDate"])
        question = Question(asked["Theme"], points, *days, request.headers)
        self.questions.append(question)
        if self.down:
            return self.down
        if self.faults and (fault := self.faults.pop(0)):
            return fault
        for point in question.points:
            if point in self.sea:
                where = f" No cell exists for coordinates X: {point[0]} Y: {point[1]}"
                known = error(f"Tema: {question.theme}.{where}")
                return known if self.names_the_sea else error("The given key was not present in the dictionary.")
        days = (question.end - question.start).days + 1
        if self.most_values is not None and days * len(question.points) > self.most_values:
            return Fault(500, {}, b"<html>Serialization: the value set on the maxJsonLength property.</html>")
        return Fault(200, {}, json.dumps(self.changed(self._told(question, days))).encode())

    def _told(self, question: Question, days: int) -> dict[str, Any]:
        theme = question.theme
        told: dict[str, Any] = {
            "Theme": theme, "FullName": "A theme v2.0.1", "NoDataValue": NO_DATA[theme],
            "StartDate": f"{question.start:%d.%m.%Y} 06:00:00", "EndDate": f"{question.end:%d.%m.%Y} 06:00:00",
            "PrognoseStartDate": self.forecast_from, "Unit": self.units[theme], "TimeResolution": 1440,
        }  # fmt: skip
        if self.origin:
            told["data_origin"] = self.origin
        cells = [self._cell(question, point, days) for point in question.points]
        for cell in cells:
            cell["CellIndex"] = (8_000_000 - cell["Y"]) // 1000 * 1195 + (cell["X"] + 75_000) // 1000
        return {**told, "CellTimeSeries": cells}

    def _cell(self, question: Question, point: Point, days: int) -> dict[str, Any]:
        stamps = [question.start + timedelta(days=d) for d in range(days)]
        values = [self.value(question.theme, point, s) for s in stamps if self.ends is None or s <= self.ends]
        data = [NO_DATA[question.theme] if value is None else value for value in values]
        return {"X": point[0], "Y": point[1], "Altitude": 100 + point[1] % 7000 // 1000, "Data": data}
