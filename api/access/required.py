"""What a route requires of its callers, and the key that they show."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web
from multidict import istr

from api.access.keys import PREFIX
from api.access.partners import Purpose
from api.access.plans import Plan
from api.core.query import KEY_PARAMETER

_X_API_KEY = istr("X-API-Key")
_AUTHORIZATION = istr("Authorization")
_BEARER = "bearer "


@dataclass(frozen=True)
class Access:
    """What a route asks of its callers.

    Parameters
    ----------
    keyed : bool
        Whether a key counts here; where it does not, one that is sent is ignored.
    key_required : bool
        Whether callers without key are always refused.
    rights : mapping of str to str
        Query flag -> the right that setting it takes.
    agreement : {"anlegg"} or None
        On what callers need an agreement: its password stands in `X-Anlegg-Beta`. A key is required then too.
    agreement_with : str or None
        Field of the query or body that needs the agreement; None: every request does.
    meter : str or None
        What its requests count for: `forecast` by key, else by address; `tmy` always by address.
    limits : callable or None
        Refuses (`Forbidden`) what is more than the caller's plan allows, of what is asked.
    """

    keyed: bool = False
    key_required: bool = False
    rights: Mapping[str, str] = field(default_factory=dict)
    agreement: Purpose | None = None
    agreement_with: str | None = None
    meter: Literal["forecast", "tmy"] | None = None
    limits: Callable[[Plan, Any], None] | None = None


OPEN = Access()


def key_of(request: web.BaseRequest) -> str | None:
    """Return the key that a request shows, by precedence: X-API-Key, Authorization: Bearer, `api_key`.

    An empty one is none.
    """
    headers = request.headers
    if key := headers.get(_X_API_KEY, "").strip():
        return key
    if authorization := headers.get(_AUTHORIZATION):
        if authorization.startswith(PREFIX):  # somebody forgot the word; without it, he would count as without key
            return authorization.strip()
        if authorization[:7].lower() == _BEARER and (key := authorization[7:].strip()):
            return key
    raw = request.rel_url.raw_query_string
    if KEY_PARAMETER in raw or "%" in raw:  # a parameter's name may be percent-encoded; else save the parsing
        return request.rel_url.query.get(KEY_PARAMETER) or None
    return None


def require(plan: Plan, access: Access, query: object) -> None:
    """Refuse a query or body that sets a flag the plan has no right to, or asks for more than it allows.

    Raises
    ------
    Forbidden
    """
    for flag, right in access.rights.items():
        if getattr(query, flag):
            plan.require_right(right, flag)
    if access.limits is not None:
        access.limits(plan, query)
