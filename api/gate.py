"""The one gate: who calls, and what the caller's plan allows, from what the route declares.

No keys exist yet, so whoever shows one shows a wrong one; everybody else is the anonymous caller.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web
from multidict import istr

from api import texts
from api.errors import Forbidden, Unauthorized

_X_API_KEY = istr("X-API-Key")
_AUTHORIZATION = istr("Authorization")
_BEARER = "bearer "


@dataclass(frozen=True)
class Plan:
    """What a caller may do.

    Parameters
    ----------
    name : str
    rights : frozenset of str
        Of the names that `texts.NEEDS_PLAN` words.
    """

    name: str
    rights: frozenset[str] = frozenset()


ANONYMOUS = Plan("anonymous")


@dataclass(frozen=True)
class Access:
    """What a route asks of its callers.

    Parameters
    ----------
    keyed : bool
        Whether a key counts here; where it does not, one that is sent is ignored.
    rights : mapping of str to str
        Query flag -> the right that setting it takes.
    """

    keyed: bool = False
    rights: Mapping[str, str] = field(default_factory=dict)


OPEN = Access()


def key_of(request: web.Request) -> str | None:
    """Return the key that a request shows, by precedence: X-API-Key, Authorization: Bearer, `api_key`.

    An empty one is none.
    """
    headers = request.headers
    if key := headers.get(_X_API_KEY, "").strip():
        return key
    authorization = headers.get(_AUTHORIZATION)
    if authorization and authorization[:7].lower() == _BEARER and (key := authorization[7:].strip()):
        return key
    raw = request.rel_url.raw_query_string
    if "api_key" in raw or "%" in raw:  # a parameter's name may be percent-encoded; else save the parsing
        return request.rel_url.query.get("api_key") or None
    return None


def admit(request: web.Request, access: Access) -> Plan:
    """Return the caller's plan.

    Raises
    ------
    Unauthorized
        The key does not exist.
    """
    if access.keyed and key_of(request) is not None:
        raise Unauthorized(texts.INVALID_KEY)
    return ANONYMOUS


def require(plan: Plan, access: Access, query: object) -> None:
    """Refuse a query that sets a flag the plan has no right to.

    Raises
    ------
    Forbidden
    """
    for flag, right in access.rights.items():
        if getattr(query, flag) and right not in plan.rights:
            raise Forbidden(texts.NEEDS_PLAN[right])
