"""Reading request bodies: how much, how long, what kind, and each refusal in our own words, naming the field.

A route declares a `Body` with a pydantic model; the OpenAPI document comes from the same declaration. Fields that are
not declared are ignored. A validator of a model refuses by raising `api.query.Refused`.
"""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

import orjson
from aiohttp import StreamReader, web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import BaseModel, TypeAdapter, ValidationError

from api import texts
from api.errors import ApiError, BadRequest, RequestTimeout, TooLarge, UnsupportedMedia
from api.query import Refused
from api.refusals import refusal

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"

MAX_BYTES = 1_000_000
MAX_DEPTH = 32
MAX_FORM_FIELDS = 100
# Reading a larger one would hold up everybody else on the event loop.
_THREAD_BYTES = 32_768
_NAME_ENDS = re.compile(rb'"\s*:')


class _Unreadable(Exception):
    """The bytes are no JSON, or no form, that can be meant."""


@dataclass(frozen=True)
class Body:
    """What a route takes as its body.

    Parameters
    ----------
    model : type of BaseModel
    example : object
        A body that works, for the document and for whoever sends one that cannot be read.
    media : str
        `JSON` or `FORM`.
    max_bytes : int
        Largest size, decompressed.
    seconds : float
        How long it may take to arrive, s.
    """

    model: type[BaseModel]
    example: Any
    media: str = JSON
    max_bytes: int = MAX_BYTES
    seconds: float = 10.0

    @cached_property
    def _validate(self) -> Callable[[Any], BaseModel]:
        """The model's validator itself: `model_validate` is 3 % of such a request."""
        return TypeAdapter(self.model).validator.validate_python

    async def read(self, request: web.Request) -> BaseModel:
        """Read a request's body.

        Raises
        ------
        ApiError
            It is none that the route takes.
        """
        if not self._is_expected(request.headers.get("Content-Type", "")):
            raise UnsupportedMedia(texts.WRONG_MEDIA.format(media=self.media))
        raw = await self._receive(request)
        if len(raw) > _THREAD_BYTES:
            return await asyncio.to_thread(self._parse, raw)
        return self._parse(raw)

    def _is_expected(self, content_type: str) -> bool:
        if content_type == self.media:
            return True
        media = content_type.partition(";")[0].strip().lower()
        return media in ("", self.media) or (self.media == JSON and media.endswith("+json"))

    async def _receive(self, request: web.Request) -> bytes:
        """Return the bytes; `request.read()` knows neither this route's limit nor any deadline."""
        if (request.content_length or 0) > self.max_bytes:
            raise self._too_large()
        content = request.content
        try:
            if content.is_eof():  # it came along with its head, as small ones do: no timer is needed
                received = content.read_nowait()
            else:
                async with asyncio.timeout(self.seconds):
                    received = await self._gather(content)
        except TimeoutError:
            raise RequestTimeout(texts.BODY_TOO_SLOW.format(seconds=self.seconds)) from None
        except (HttpProcessingError, web.RequestPayloadError, ConnectionError):  # damaged, or cut off
            raise self._unreadable() from None
        if len(received) > self.max_bytes:
            raise self._too_large()
        return received

    async def _gather(self, content: StreamReader) -> bytes:
        """Return a body that is still arriving, or the beginning of one that is too large."""
        received = bytearray()
        while len(received) <= self.max_bytes and (chunk := await content.readany()):
            received += chunk
        return bytes(received)

    def _parse(self, raw: bytes) -> BaseModel:
        try:
            return self._validate(_json(raw) if self.media == JSON else _form(raw))
        except _Unreadable:
            raise self._unreadable() from None
        except Refused as refused:
            raise BadRequest(refused.text.format(name=refused.name)) from None
        except ValidationError as error:
            raise BadRequest(refusal(error)) from None

    def _too_large(self) -> ApiError:
        return TooLarge(texts.BODY_TOO_LARGE.format(limit=self.max_bytes))

    def _unreadable(self) -> ApiError:
        if self.media == JSON:
            return BadRequest(texts.INVALID_JSON, fields={"example": self.example})
        return BadRequest(texts.INVALID_FORM)


def _json(raw: bytes) -> dict[str, Any]:
    """Return the object that some bytes are: strict JSON in UTF-8, not too deep, no name given twice.

    orjson takes the last of two equal names in silence: then it returns fewer pairs than there are. What looks like
    the end of a name may stand inside a text too, so that only equal numbers prove something; else names are looked at.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise _Unreadable from None
    if not isinstance(value, dict):
        raise _Unreadable
    if not _is_plain(raw, value) and _count_pairs(value) != len(_NAME_ENDS.findall(raw)):
        json.loads(raw, object_pairs_hook=_once)
    return value


def _is_plain(raw: bytes, value: dict[str, Any]) -> bool:
    """Return whether it is quickly seen that no name is given twice, and nothing too deep: of most small bodies.

    Without escapes, what orjson writes has the colons of what it read, but for those of the names that it dropped.
    """
    few = raw.count(b"{") + raw.count(b"[") <= MAX_DEPTH
    return few and b"\\" not in raw and raw.count(b":") == orjson.dumps(value).count(b":")


def _count_pairs(value: dict[str, Any]) -> int:
    """Return how many names an object holds, at any depth."""
    pairs = 0
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        below = []
        for item in level:
            if type(item) is dict:
                pairs += len(item)
                item = item.values()
            below += [child for child in item if type(child) is dict or type(child) is list]
        if not below:
            return pairs
        level = below
    raise _Unreadable


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _Unreadable


def _form(raw: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(raw.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FORM_FIELDS)
    except ValueError:  # no UTF-8, or too many fields
        raise _Unreadable from None
    _once(pairs)
    return dict(pairs)
