"""The headers of answers, as the document declares them; which answer has which follows from the route."""

from typing import Any

from api.headers import EXPOSED_HEADERS
from api.routing import Route


def _header(text: str, kind: str = "string", *, always: bool = False) -> dict[str, Any]:
    header: dict[str, Any] = {"description": text, "schema": {"type": kind}}
    return {**header, "required": True} if always else header


_NOT_COUNTED = "absent where quotas cannot be looked up now, or the operator counts nothing"
_EVERYWHERE = {
    "X-Request-Id": _header("Names this answer; the operator finds it in the log.", always=True),
    "Access-Control-Allow-Origin": _header("Always `*`.", always=True),
    "Access-Control-Expose-Headers": _header(EXPOSED_HEADERS, always=True),
}
_COUNTED = {
    "X-Quota-Limit": _header(f"Requests a day; {_NOT_COUNTED}.", "integer"),
    "X-Quota-Remaining": _header("Requests left today.", "integer"),
    "X-Quota-Reset": _header("When the counters reset, in seconds since 1970.", "integer"),
}
_PLANTS = {
    "X-Quota-Plants-Limit": _header("Plants a day.", "integer"),
    "X-Quota-Plants-Remaining": _header("Plants left today.", "integer"),
}
_CHALLENGE = {"WWW-Authenticate": _header("`Bearer`.", always=True)}
_LATER = {"Retry-After": _header("When to come back, in seconds.", "integer")}

SHARED = {**_EVERYWHERE, **_COUNTED, **_PLANTS, **_CHALLENGE, **_LATER}
"""By name, for the document's components."""


def of(route: Route, status: int) -> dict[str, Any]:
    """Return the headers of a route's answers of a status, beside those that it declares itself."""
    names = dict(_EVERYWHERE)
    if route.access.meter is not None:
        names |= _COUNTED
    if route.access.meter == "forecast":
        names |= _PLANTS
    if status == 401:
        names |= _CHALLENGE
    if status in (401, 429, 503, 504):
        names |= _LATER
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
