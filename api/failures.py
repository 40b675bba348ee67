"""What a route can answer that is no success, beside its own: it follows from what the route declares."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from api import texts
from api.access.required import Access
from api.body import JSON, Body
from api.error_bodies import CodedError, CodedUnreadable, Error, PlantsUsedUp, Unreadable
from api.error_codes import CODES
from api.routing import Failure, Route

_QUOTA: dict[str, Any] = {
    "plan": "free",
    "limit": 10,
    "used": 10,
    "remaining": 0,
    "resets_at": "2026-09-16T00:00:00Z",
    "rejected_coords": [{"latitude": 59.91, "longitude": 10.75}],
}
_WITH_CODE: Mapping[type[BaseModel], type[BaseModel]] = {Error: CodedError, Unreadable: CodedUnreadable}
_ANONYMOUS_QUOTA = {**_QUOTA, "plan": "anonymous", "limit": 1, "used": 1}


def failures_of(route: Route) -> Iterable[Failure]:
    """Yield what a route can answer, its own failures first."""
    for failure in _failures_of(route):
        yield _coded(failure) if route.coded and failure.body in _WITH_CODE else failure
    if route.coded:
        allowed = "OPTIONS, ..."
        text = texts.WRONG_METHOD.format(method="...", allowed=allowed)
        yield _coded(Failure(405, text, "another method; see `Allow`"))


def _coded(failure: Failure) -> Failure:
    fields = {"code": CODES[failure.status], **failure.fields}
    return replace(failure, body=_WITH_CODE[failure.body], fields=fields)


def _failures_of(route: Route) -> Iterable[Failure]:
    yield from route.errors
    yield from _of_access(route.access)
    if route.rates:
        rules = " and ".join(route.rates)
        yield Failure(429, texts.TOO_MANY.format(wait="..."), f"more than {rules} per IP address; see `Retry-After`")
        yield Failure(503, texts.NO_RATES, "calls cannot be counted now")
    if route.query is not None:
        yield Failure(400, texts.REPEATED.format(name="..."), "a parameter is given more than once")
    if route.body is not None:
        yield from _of_body(route.body)


def _of_access(access: Access) -> Iterable[Failure]:
    if access.keyed:
        yield Failure(401, texts.INVALID_KEY, "the key does not exist or is deactivated")
    if access.meter == "forecast":
        used_up = "no request is left today"
        yield Failure(401, texts.ANONYMOUS_REQUESTS_USED.format(limit="N"), f"no key, and {used_up} for the IP address")
        yield Failure(401, texts.PLAN_REQUESTS_USED.format(limit="N", plan="..."), f"{used_up} on the key's plan")
        too_many = "more new coordinates than are left today; nothing is counted"
        for text, quota, whose in (
            (texts.ANONYMOUS_PLANTS_USED, _ANONYMOUS_QUOTA, "no key, and "),
            (texts.PLANTS_USED, _QUOTA, ""),
        ):
            cause = f"{whose}{too_many}"
            yield Failure(429, text.format(limit="N"), cause, body=PlantsUsedUp, fields={"quota": quota})
    elif access.meter == "tmy":
        yield Failure(401, texts.TMY_REQUESTS_USED.format(limit="N"), "no request is left today for the IP address")
    for flag, right in access.rights.items():
        yield Failure(403, texts.NEEDS_PLAN[right], f"`{flag}=true`, which the caller's plan does not include")
    if access.keyed or access.meter is not None:
        yield Failure(503, texts.NO_COUNTING, "keys and quotas cannot be looked up now")


def _of_body(body: Body) -> Iterable[Failure]:
    if body.media == JSON:
        cause, fields = "the body cannot be read", {"example": body.example}
        yield Failure(400, texts.INVALID_JSON, cause, body=Unreadable, fields=fields)
    else:
        yield Failure(400, texts.INVALID_FORM, "the form cannot be read")
    yield Failure(400, texts.FIELD_INVALID.format(name="..."), "a field is missing or wrong")
    yield Failure(408, texts.BODY_TOO_SLOW.format(seconds=body.seconds), "the body did not arrive in time")
    yield Failure(413, texts.BODY_TOO_LARGE.format(limit=body.max_bytes), "the body is too large")
    yield Failure(415, texts.WRONG_MEDIA.format(media=body.media), "the `Content-Type` says something else")
