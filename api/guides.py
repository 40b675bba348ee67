"""What `/docs` says of keys and quotas, with the numbers of the plans that hold here."""

from typing import NamedTuple

from api.access.plans import Plan, Plans


class Guide(NamedTuple):
    """A section of the page.

    Parameters
    ----------
    title : str
    text : str
        One paragraph a line; what stands between backticks is code.
    table : tuple of rows
        The first row is the head; empty where there is none.
    """

    title: str
    text: str
    table: tuple[tuple[str, ...], ...] = ()


_KEYS = Guide(
    "Keys",
    "Some routes need no key, some give more with one; `POST /api/register` sends a free one by mail. Send it as "
    "header `X-API-Key: <key>`, as header `Authorization: Bearer <key>`, or as query parameter `api_key=<key>`; "
    "where several are sent, the first of these counts. The query form is for testing only: the key ends up in "
    "logs and history. A key that is unknown or deactivated is answered 401.",
)
_OPEN = Guide("Keys and quotas", "This installation is open: everybody may do everything, and keys are not looked at.")
_HEAD = ("Plan", "Requests a day", "Plants a day", "kWp per plant", "Systems per bulk call")
_QUOTAS = (
    "Counted routes count requests and plants per day: for the account that a key belongs to, whichever of its keys is "
    "sent, or for the IP address without one. A plant is a coordinate rounded to 4 decimals; one that was asked for "
    "today may be asked for again. HEAD, and an answer 304, count as a request too; an error costs nothing. "
    "The counters reset 00:00 UTC. Power is the sum of a plant's arrays, where production is calculated. A bulk call "
    "is one request, and a plant for each coordinate that gets an answer.\n"
    "The answers of these routes say how things stand: `X-Quota-Limit` and `X-Quota-Plants-Limit`, requests and "
    "plants a day; `X-Quota-Remaining` and `X-Quota-Plants-Remaining`, how many are left; `X-Quota-Reset`, when the "
    "counters reset, in seconds since 1970. The 503 that comes while the database of keys and quotas is away has "
    "none of them.\n"
    "When the requests are used up, the answer is 401; to one plant too many it is 429, with `quota` in its body. Some "
    "routes also limit how often they may be called: 429 with `Retry-After`, in seconds."
)


def guides(plans: Plans | None) -> tuple[Guide, ...]:
    """Return the sections; None is an installation that counts nothing."""
    if plans is None:
        return (_OPEN,)
    rows = (_row("without key, per IP address", plans.anonymous), *(_row(*plan) for plan in plans.plans.items()))
    return _KEYS, Guide("Quotas", _QUOTAS, (_HEAD, *rows))


def _row(name: str, plan: Plan) -> tuple[str, ...]:
    numbers = plan.requests_per_day, plan.plants_per_day, f"{plan.kwp_per_plant:g}", plan.systems_per_bulk
    return name, *map(str, numbers)
