"""Answers that are no data: `{"Error": ...}`, with status 200, 400 or 500.

How sure we are. Seen by public clients: a point without a cell makes a whole batch fail, with "No cell exists for
coordinates ..." or, from the multi-point service, HTTP 500 and "The given key was not present in the dictionary"; an
answer that is too large ends in HTTP 500 and "maxJsonLength". Asking again does not help in any of these cases.
"""

import re
from typing import Any

import orjson

from catalog.sources.errors import Origin, SourceError
from catalog.sources.nve_gts.model import NoCell, Point, centre_of

_NO_CELL = ("no cell exists", "given key was not present")
_TOO_LARGE = "maxjsonlength"
_LONGEST = 160
# An easting and a northing, whatever stands between them; the exact wording is not known.
_NAMED = re.compile(r"coordinates\D{0,12}?(-?\d{1,6})(?:\.\d+)?\D{1,12}?(\d{7})(?!\d)", re.ASCII | re.IGNORECASE)
_PLACE = re.compile(r"-?\d{4,}", re.ASCII)


class NoCellAmong(NoCell):
    """A point of a question has no cell.

    Parameters
    ----------
    sentence : str
    named : Point or None
        The centre of the cell that the authority names.
    """

    def __init__(self, sentence: str, named: Point | None) -> None:
        super().__init__(sentence)
        self.named = named


class TooLarge(SourceError):
    """The answer would be longer than the authority sends."""


def refuse_told(origin: Origin, answer: Any) -> None:
    """Raise what an answer says is wrong; nothing where it says nothing of the kind."""
    if not isinstance(answer, dict):
        raise origin.error("answered something else than an object of JSON")
    if (told := _message(answer)) is not None:
        refuse(origin, told)
        raise origin.error(f"answered an error: {quoted(told)}")


def explain(origin: Origin, body: bytes) -> str:
    """Return what the body of an error status says; raise where asking again does not help."""
    text = body.decode("utf-8", "replace")
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:  # a page for people
        refuse(origin, text)
        return ""
    told = _message(answer) if isinstance(answer, dict) else None
    refuse(origin, text if told is None else told)
    return "" if told is None else quoted(told)


def refuse(origin: Origin, told: str) -> None:
    """Raise where a text says that there is no cell, or that the answer is too large."""
    said = told.lower()
    if any(mark in said for mark in _NO_CELL):
        match = _NAMED.search(told)
        named = centre_of(float(match[1]), float(match[2])) if match else None
        raise NoCellAmong(str(origin.error("has no cell at a point")), named)
    if _TOO_LARGE in said:
        raise TooLarge(str(origin.error("cannot send so many values at once")))


def quoted(told: str) -> str:
    """Return the authority's words for a sentence of ours: on one line, short, and without the place asked for."""
    return _PLACE.sub("…", " ".join(told.split()))[:_LONGEST]


def _message(answer: dict[str, Any]) -> str | None:
    for key in ("Error", "error", "ExceptionMessage", "Message"):
        if answer.get(key) is not None:
            return str(answer[key])
    return None
