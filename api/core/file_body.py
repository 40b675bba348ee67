"""Reading request bodies that are a file: as it is, or as a field of a form (multipart/form-data)."""

import asyncio
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from aiohttp import (
    BadContentDispositionHeader,
    BadContentDispositionParam,
    BodyPartReader,
    MultipartReader,
    StreamReader,
    web,
)
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_exceptions import HttpProcessingError
from multidict import istr

from api.core.body import receive
from api.core.errors import Problem

MULTIPART = "multipart/form-data"
BINARY = "application/octet-stream"

_CONTENT_TYPE = istr("Content-Type")
# Boundaries, heads and short fields beside the file.
_FORM_BYTES = 65_536
_MOST_PARTS, _FIELD_BYTES = 20, 1000
# Taking a larger form apart would hold up everybody else on the event loop.
_THREAD_BYTES = 32_768


for _category in (BadContentDispositionHeader, BadContentDispositionParam):
    warnings.simplefilter("ignore", _category)  # they quote names of files


class SentFile(NamedTuple):
    """A file that a request brings.

    Parameters
    ----------
    content : bytes
    name : str
        As a form says it; empty where it says none.
    fields : mapping of str to str
        Declared fields of the form beside the file.
    """

    content: bytes
    name: str
    fields: Mapping[str, str]


class _Unreadable(Exception):
    """The bytes are no form that can be meant."""


@dataclass(frozen=True)
class FileBody:
    """Declaration of a body that is a file.

    Parameters
    ----------
    field : str
        Of a form that holds the file; any other body is the file itself, whatever its `Content-Type` says.
    max_bytes : int
        Largest file.
    too_large, unreadable : Problem
        The latter of a form that cannot be read, or has no file, and of an empty file.
    fields : tuple of str
        Names of texts that a form may hold beside the file.
    seconds : float
        How long it may take to arrive, s.
    """

    field: str
    max_bytes: int
    too_large: Problem
    unreadable: Problem
    fields: tuple[str, ...] = ()
    seconds: float = 45.0

    async def read(self, request: web.BaseRequest) -> tuple[SentFile, tuple[str, ...]]:
        """Read a request's body.

        Returns
        -------
        SentFile
        tuple of str
            Names of fields that are not declared.

        Raises
        ------
        ApiError
            It is not one that the route takes.
        """
        kind = request.headers.get(_CONTENT_TYPE, "")
        is_form = kind.partition(";")[0].strip().lower() == MULTIPART
        limit = self.max_bytes + _FORM_BYTES * is_form
        raw = await receive(request, limit, self.seconds, self.unreadable, self.too_large)
        file, unknown = await self._of_form(kind, raw) if is_form else (SentFile(raw, "", {}), ())
        if len(file.content) > self.max_bytes:
            raise self.too_large()
        if not file.content:
            raise self.unreadable()
        return file, unknown

    @property
    def content(self) -> dict[str, Any]:
        """Return the media of the body, for the document."""
        file = {"type": "string", "format": "binary"}
        texts = {name: {"type": "string"} for name in self.fields}
        form = {"type": "object", "properties": {self.field: file, **texts}, "required": [self.field]}
        return {BINARY: {"schema": file}, MULTIPART: {"schema": form}}

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return its own problems."""
        return self.too_large, self.unreadable

    async def _of_form(self, kind: str, raw: bytes) -> tuple[SentFile, tuple[str, ...]]:
        try:
            if len(raw) > _THREAD_BYTES:
                return await asyncio.to_thread(asyncio.run, self._parts(kind, raw))
            return await self._parts(kind, raw)
        except _Unreadable:
            raise self.unreadable() from None

    async def _parts(self, kind: str, raw: bytes) -> tuple[SentFile, tuple[str, ...]]:
        """Take a form apart; of several files, and of a field that comes twice, the first counts."""
        loop = asyncio.get_running_loop()
        stream = StreamReader(BaseProtocol(loop), len(raw) + 1, loop=loop)
        stream.feed_data(raw)
        stream.feed_eof()
        file: SentFile | None = None
        fields: dict[str, str] = {}
        unknown: dict[str, None] = {}
        try:
            reader = MultipartReader({_CONTENT_TYPE: kind}, stream)
            for _ in range(_MOST_PARTS):
                if (part := await reader.next()) is None:
                    break
                if not isinstance(part, BodyPartReader):
                    raise _Unreadable
                if part.name == self.field:
                    file = file or SentFile(bytes(await part.read()), _legible(part.filename or ""), fields)
                elif part.name in self.fields:
                    fields.setdefault(part.name, (await part.read())[:_FIELD_BYTES].decode())
                else:
                    unknown[part.name or "?"] = None
        except (ValueError, RuntimeError, AssertionError, LookupError, HttpProcessingError):
            raise _Unreadable from None
        if file is None:
            raise _Unreadable
        return file, tuple(unknown)


def _legible(name: str) -> str:
    """Return a name with `?` for bytes that are no UTF-8, which nobody could write down again."""
    return name.encode(errors="replace").decode()
