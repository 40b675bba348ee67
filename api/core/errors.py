"""Errors: declared once as a `Problem`, raised as an `ApiError`, answered and documented from the declaration."""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import orjson
from aiohttp import web
from pydantic import Field

from api.core.fields import Closed, Maybe
from api.core.response import COMPRESSED_FROM, compress

Language = Literal["nb", "en"]

CATALOGUE: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("problems.toml").read_text(encoding="utf-8")
)
"""The problems of all groups, by group and name; `codes`: of a problem that declares none of its own, by status."""

NOT_BUILT = "NOT_BUILT"
"""The `code` of data that the operator has not built; metrics count it apart from data that should be there."""


class Error(Closed):
    """Body of an error."""

    error: str = Field(description="What is wrong: Norwegian unless quoted, English with `Accept-Language: en`.")
    code: str = Field(description="The same for programs.", examples=["INVALID_INPUT"])
    parameter: Maybe[str] = Field(None, description="The parameter or field at fault, where it is one.")


@dataclass(frozen=True, eq=False)
class Problem:
    """One error that callers can meet.

    Parameters
    ----------
    status : int
        HTTP status.
    nb, en : str
        The sentence in Norwegian and English; `{name}` is the parameter at fault, other places are values of the call.
    cause : str
        When it comes, for the document.
    code : str
        For programs; by default that of the status.
    retry_after_s : int or None
        Header Retry-After, s.
    model : type of Error
        Schema of the body.
    example : mapping
        Fields of an example beside `error` and `code`.
    """

    status: int
    nb: str
    en: str
    cause: str = ""
    code: str = ""
    retry_after_s: int | None = None
    model: type[Error] = Error
    example: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", self.code or CATALOGUE["codes"][str(self.status)])

    def __call__(
        self,
        parameter: str | None = None,
        *,
        retry_after_s: float | None = None,
        headers: Mapping[str, str] | None = None,
        fields: Mapping[str, Any] | None = None,
        **values: Any,
    ) -> "ApiError":
        """Return the error to raise.

        Parameters
        ----------
        parameter : str, optional
            Name of the parameter or field at fault.
        retry_after_s : float, optional
            In place of the declared one, s.
        headers, fields : mapping, optional
            Added to the answer and to its body.
        **values
            Of the places in the sentence.
        """
        retry = self.retry_after_s if retry_after_s is None else max(1, math.ceil(retry_after_s))
        more = {} if retry is None else {"Retry-After": str(retry)}
        if self.status == 401:
            more["WWW-Authenticate"] = "Bearer"
        return ApiError(self, parameter, {"name": parameter, **values}, {**more, **(headers or {})}, dict(fields or {}))

    def text(self, language: Language = "nb", **values: Any) -> str:
        """Return the sentence."""
        return (self.en if language == "en" else self.nb).format(**values)

    @property
    def pattern(self) -> str:
        """The Norwegian sentence with `...` for each value, for the document."""
        return re.sub(r"{[^}]*}", "...", self.nb)


def problem(name: str, model: type[Error] = Error, **fixed: object) -> Problem:
    """Return a problem of the catalogue, whose head says what it holds.

    Parameters
    ----------
    name : str
        Of the group and its own: `core.BUSY`.
    model : type of Error
        Schema of the body.
    **fixed
        Of the places in the sentence that are the same in every call.
    """
    group, _, own = name.partition(".")
    entry = {"status": 400, "en": CATALOGUE[group][own]["nb"], **CATALOGUE[group][own]}
    for place, value in fixed.items():
        entry |= {language: entry[language].replace(f"{{{place}}}", str(value)) for language in ("nb", "en")}
    return Problem(model=model, **entry)


class ApiError(Exception):
    """A problem that a request has met; made by calling a `Problem`."""

    def __init__(
        self,
        problem: Problem,
        parameter: str | None,
        values: Mapping[str, Any],
        headers: dict[str, str],
        fields: dict[str, Any],
    ) -> None:
        super().__init__(problem.text(**values))
        self.problem, self.parameter, self.headers, self.fields = problem, parameter, headers, fields
        self._values = values

    @property
    def status(self) -> int:
        """HTTP status."""
        return self.problem.status

    def text(self, language: Language = "nb") -> str:
        """Return the sentence."""
        return self.problem.text(language, **self._values)

    def body(self, language: Language = "nb") -> dict[str, Any]:
        """Return the body of the answer."""
        parameter = {} if self.parameter is None else {"parameter": self.parameter}
        return {"error": self.text(language), "code": self.problem.code, **parameter, **self.fields}


_LANGUAGE = re.compile(r"([a-zA-Z]{2})(?:-[^;]*)?(?:;q=([01]\.?[0-9]{0,3}))?")
_OURS: Mapping[str, Language] = {"en": "en", "nb": "nb", "no": "nb", "nn": "nb"}


def language_of(accept: str) -> Language:
    """Return the language of error texts that an Accept-Language header asks for; Norwegian by default (RFC 9110)."""
    best: tuple[float, Language] = (0.0, "nb")
    for part in "".join(accept.split()).split(","):
        match = _LANGUAGE.fullmatch(part)
        if match and (language := _OURS.get(match[1].lower())):
            best = max(best, (float(match[2] or 1), language), key=itemgetter(0))
    return best[1]


def error_response(error: ApiError, accept_language: str = "", *, gzip: bool = False) -> web.Response:
    """Return the answer of an error, compressed where `gzip` allows it and it is long."""
    language = language_of(accept_language)
    fixed = {
        "Content-Type": "application/json",
        "Cache-Control": "no-store",
        "Content-Language": language,
        "Vary": "Accept-Encoding, Accept-Language",
    }
    body = orjson.dumps(error.body(language))
    if gzip and len(body) >= COMPRESSED_FROM:
        body, fixed["Content-Encoding"] = compress(body), "gzip"
    return web.Response(status=error.status, body=body, headers={**fixed, **error.headers})
