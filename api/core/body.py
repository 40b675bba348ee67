"""Reading request bodies: size, time, media type, strict JSON or a form; problems name the field.

A route declares a `Body` with a pydantic model; the OpenAPI document comes from the same declaration. Fields that are
not declared are ignored. Nothing of pydantic's wording is answered.
"""

import asyncio
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import orjson
from aiohttp import StreamReader, web
from aiohttp.http_exceptions import HttpProcessingError
from multidict import istr
from pydantic import AfterValidator, BaseModel, TypeAdapter, ValidationError, ValidatorFunctionWrapHandler
from pydantic_core import ErrorDetails, PydanticCustomError

from api.core import problems
from api.core.errors import ApiError

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"

MAX_BYTES = 1_000_000
MAX_DEPTH = 32
MAX_FORM_FIELDS = 100
MAX_NAME_CHARACTERS = 80
# Reading a larger one would hold up everybody else on the event loop.
_THREAD_BYTES = 32_768
_UNKNOWN = "extra_forbidden"
_CONTENT_TYPE, _EXPECT = istr("Content-Type"), istr("Expect")
# Spelling out 85,000, which a body has room for, holds the interpreter for 0.2 s.
_MOST_FAULTS = 1000


class _Unreadable(Exception):
    """The bytes are no JSON, or no form, that can be meant."""


@dataclass(frozen=True)
class Body:
    """Declaration of a request body.

    Parameters
    ----------
    model : type of BaseModel
    example : object
        A body that works, for the document and for whoever sends one that cannot be read.
    media : str
        `JSON` or `FORM`.
    max_bytes : int
        Largest size.
    seconds : float
        How long it may take to arrive, s.
    """

    model: type[BaseModel]
    example: Any
    media: str = JSON
    max_bytes: int = MAX_BYTES
    seconds: float = 10.0

    @cached_property
    def _validate(self) -> Callable[..., BaseModel]:
        """The model's validator itself: `model_validate` is 3 % of such a request."""
        return TypeAdapter(self.model).validator.validate_python

    async def read(self, request: web.BaseRequest) -> tuple[BaseModel, tuple[str, ...]]:
        """Read a request's body.

        Returns
        -------
        BaseModel
        tuple of str
            Names of fields that the model does not declare.

        Raises
        ------
        ApiError
            It is not one that the route takes.
        """
        require_media(request, self.media)
        raw = await receive(request, self.max_bytes, self.seconds, self._unreadable)
        if len(raw) > _THREAD_BYTES:
            return await asyncio.to_thread(self._parse, raw)
        return self._parse(raw)

    def _parse(self, raw: bytes) -> tuple[BaseModel, tuple[str, ...]]:
        try:
            fields = _json(raw) if self.media == JSON else _form(raw)
            try:
                return self._validate(fields, extra="forbid"), ()
            except ValidationError as error:  # what is unknown is told; what is wrong fails again
                faults = error.errors() if error.error_count() <= _MOST_FAULTS else ()
                unknown = [str(one["loc"][-1]) for one in faults if one["type"] == _UNKNOWN]
                return self._validate(fields), tuple(dict.fromkeys(unknown)) if faults else ("...",)
        except _Unreadable:
            raise self._unreadable() from None
        except ValidationError as error:
            raise field_error(error) from None

    def _unreadable(self) -> ApiError:
        if self.media == JSON:
            return problems.INVALID_JSON(fields={"example": self.example})
        return problems.INVALID_FORM()


def require_media(request: web.BaseRequest, expected: str) -> None:
    """Refuse a body that is said to be something else.

    Raises
    ------
    ApiError
        `WRONG_MEDIA`.
    """
    content_type = request.headers.get(_CONTENT_TYPE, "")
    if content_type == expected:
        return
    media = content_type.partition(";")[0].strip().lower()
    if media not in ("", expected) and not (expected == JSON and media.endswith("+json")):
        raise problems.WRONG_MEDIA(media=expected)


async def receive(
    request: web.BaseRequest,
    max_bytes: int,
    seconds: float,
    unreadable: Callable[[], ApiError],
    too_large: Callable[[], ApiError] | None = None,
) -> bytes:
    """Return the bytes of a body; `request.read()` knows neither a route's limit nor any deadline.

    Parameters
    ----------
    request : Request
    max_bytes : int
    seconds : float
        How long it may take to arrive, s.
    unreadable : callable
        The error of one that is damaged or cut off.
    too_large : callable, optional
        By default `BODY_TOO_LARGE`.

    Raises
    ------
    ApiError
    """
    content, refusal = request.content, too_large or partial(problems.BODY_TOO_LARGE, limit=max_bytes)
    try:
        if content.is_eof() and _EXPECT not in request.headers:  # it came along with its head, as small ones do
            received = content.read_nowait()
        else:
            if (request.content_length or 0) > max_bytes:
                raise refusal()
            if _EXPECT in request.headers:
                await _continue(request)
            async with asyncio.timeout(seconds):
                received = await _gather(content, max_bytes)
    except TimeoutError:
        raise problems.BODY_TOO_SLOW(seconds=seconds) from None
    except (HttpProcessingError, web.RequestPayloadError, ConnectionError):  # damaged, or cut off
        raise unreadable() from None
    if len(received) > max_bytes:
        raise refusal()
    return received


async def _gather(content: StreamReader, max_bytes: int) -> bytes:
    """Return a body that is still arriving, or the beginning of one that is too large."""
    received = bytearray()
    while len(received) <= max_bytes and (chunk := await content.readany()):
        received += chunk
    return bytes(received)


async def _continue(request: web.BaseRequest) -> None:
    """Ask for a body that the client holds back (Expect: 100-continue, RFC 9110)."""
    if request.headers[_EXPECT].lower() != "100-continue":
        raise problems.NOT_EXPECTED()
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    request.writer.output_size = 0  # the answer has not begun


def _json(raw: bytes) -> dict[str, Any]:
    """Return the object that some bytes are: strict JSON in UTF-8, not too deep, no name given twice."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise _Unreadable from None
    if not isinstance(value, dict):
        raise _Unreadable
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH:
        _check_depth(value)
    # orjson takes the last of two equal names in silence. Without escapes, what it writes has the colons of what it
    # read, but for those of the names that it dropped.
    if b"\\" in raw or raw.count(b":") != orjson.dumps(value).count(b":"):
        json.loads(raw, object_pairs_hook=_once)
    return value


def _check_depth(value: dict[str, Any]) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        items = (item.values() if type(item) is dict else item for item in level)
        level = [child for children in items for child in children if type(child) is dict or type(child) is list]
        if not level:
            return
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


def field_error(error: ValidationError, name: str = "") -> ApiError:
    """Return the problem of the first field that is wrong; `name` is put before the field's."""
    return field_problem(error.errors()[0], name)


def field_problem(fault: ErrorDetails, name: str = "") -> ApiError:
    """Return the problem of one field that is wrong."""
    context: dict[str, Any] = {name: _shown(value) for name, value in fault.get("ctx", {}).items()}
    kind, place = fault["type"], (*fault["loc"], *fault.get("ctx", {}).get("within", ()))
    if kind == "literal_error" and place[-1:] == ("[key]",):
        kind, place = "key_unknown", place[:-1]
    name += "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    shown = name.removeprefix(".")[:MAX_NAME_CHARACTERS]
    return problems.FIELDS.get(kind, problems.FIELD_INVALID)(shown, **context)


class Faulty(NamedTuple):
    """An item of a list of which a field is wrong; its id is not."""

    id: str
    error: ApiError


def isolate(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """Return an item, or what is wrong with it: the validator of lists whose items are answered one by one, by id."""
    try:
        return read(value)
    except ValidationError as error:
        # Without an id there is no place for its error in the answer: the call is refused.
        many = error.error_count() > _MOST_FAULTS
        if many or any(one["loc"][:1] in ((), ("id",)) or one["type"] == _UNKNOWN for one in error.errors()):
            raise
        return Faulty(value["id"], field_error(error))


def distinct(field: str, reserved: str = "") -> AfterValidator:
    """Return the validator of a list whose items differ in a field, also for a reader that composes characters.

    Parameters
    ----------
    field : str
        `<field>_taken` and `<field>_reserved` are the problems.
    reserved : str
        What no item may have there.
    """

    def check(items: Sequence[Any]) -> Sequence[Any]:
        taken = {reserved}
        for index, item in enumerate(items):
            text = unicodedata.normalize("NFC", str(getattr(item, field)))
            if text in taken:
                problem = f"{field}_{'reserved' if text == reserved else 'taken'}"
                raise PydanticCustomError(problem, field, {"within": (index, field)})  # type: ignore[arg-type]
            taken.add(text)
        return items

    return AfterValidator(check)


def _shown(value: Any) -> str:
    if isinstance(value, int | float):
        return f"{value:.10g}"
    choices = re.findall(r"'([^']*)'", str(value))  # "'roof', 'rack' or 'flat'"
    return ", ".join(choices) or str(value)
