"""Answers that are no data: `{"Error": ...}`, with status 200, 400 or 500.

How sure we are. Seen by public clients: a point without a cell makes a whole batch fail, with "No cell exists for
coordinates ..." or, from the multi-point service, HTTP 500 and "The given key was not present in the dictionary"; an
answer that is too large ends in HTTP 500 and "maxJsonLength". Asking again does not help in any of these cases.
"""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from catalog.sources.errors import Origin, SourceError
from catalog.sources.nve_gts.model import NoCell, Point, centre_of

_NO_CELL = ("no cell exists", "given key was not present")
_TOO_LARGE = "maxjsonlength"
_ERRORS = ("Error", "error", "ExceptionMessage", "Message")
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


def explain(origin: Origin, body: bytes) -> str:
    """Return what the body of an error status says; raise where asking again does not help."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:  # a page for people
        answer = {}
    return refused(origin, answer if isinstance(answer, dict) else {}, body.decode("utf-8", "replace"))


def refused(origin: Origin, answer: Mapping[str, Any], page: str = "") -> str:
    """Return an answer's own words of what is wrong, empty where it has none.

    Parameters
    ----------
    origin : Origin
    answer : mapping
    page : str
        What is looked at where the answer has no words.

    Raises
    ------
    NoCellAmong, TooLarge
        They, or the page, say so.
    """
    words = next((str(answer[key]) for key in _ERRORS if answer.get(key) is not None), "")
    told = words or page
    if any(mark in told.lower() for mark in _NO_CELL):
        match = _NAMED.search(told)
        named = centre_of(float(match[1]), float(match[2])) if match else None
        raise NoCellAmong(str(origin.error("has no cell at a point")), named)
    if _TOO_LARGE in told.lower():
        raise TooLarge(str(origin.error("cannot send so many values at once")))
    # on one line, short, and without the place asked for
    return _PLACE.sub("…", " ".join(words.split()))[:_LONGEST]
