"""The one gate: who calls, what the caller's plan allows, and what the call is charged."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Literal, NamedTuple

from aiohttp import web

from api import texts
from api.access.callers import Clients
from api.access.clerk import LedgerDown
from api.access.keys import digest_of
from api.access.ledger import ANSWER_WITHIN_S, Ledger
from api.access.plans import UNLIMITED, Plan, Plans
from api.access.quota import (
    Account,
    Allowance,
    Charge,
    NoSuchKey,
    NoSuchPlan,
    PlantsUsedUp,
    Quota,
    RequestsUsedUp,
    point_of,
)
from api.access.required import Access, key_of
from api.access.secret import Secret
from api.access.settlement import payer_of
from api.errors import ANSWER_HEADERS, ServerError, TooMany, Unauthorized, Unavailable
from api.observing.request_id import current_id

log = logging.getLogger("solflis.api")

_RETRY_S = 5
# For how long a key's account and plan are remembered between requests. Every charge looks anew.
_REMEMBERED_S = 10.0
_MAX_REMEMBERED = 10_000
_NO_ALLOWANCE = Allowance("", 0, None)


class Caller(NamedTuple):
    """Who calls.

    Parameters
    ----------
    plan : Plan
    meter : str
    payer : str
    allowance : Allowance
    key : bytes or None
        Digest of the key that was shown.
    by_account : bool
        Whether the key's account pays, by the plan that it has then.
    """

    plan: Plan
    meter: str = ""
    payer: str = ""
    allowance: Allowance = _NO_ALLOWANCE
    key: bytes | None = None
    by_account: bool = False


_ANYBODY = Caller(UNLIMITED)
_CALLER = web.RequestKey("caller", Caller)
_CHARGED = web.RequestKey("charged", bool)
_ORDERED = web.RequestKey("ordered", bool)
_PATIENCE_S = web.RequestKey("patience_s", float)


class Gate:
    """Admits callers and charges them.

    Parameters
    ----------
    secret : Secret
    plans : Plans
    clients : Clients
    ledger : Ledger or None
        None lets everybody do everything and counts nothing.
    on_refusal : callable
        Told `requests` or `plants` when a quota is used up.
    """

    def __init__(
        self,
        secret: Secret,
        plans: Plans,
        clients: Clients,
        ledger: Ledger | None,
        on_refusal: Callable[[Literal["requests", "plants"]], None],
    ) -> None:
        self._secret, self._plans, self._clients = secret, plans, clients
        self._ledger, self._on_refusal = ledger, on_refusal
        self._remembered: dict[bytes, tuple[float, Account]] = {}

    async def admit(self, request: web.Request, access: Access) -> Caller:
        """Return who calls.

        Raises
        ------
        Unauthorized
            The key is unknown or deactivated.
        Unavailable
            The database cannot be asked.
        """
        if self._ledger is None:
            return _ANYBODY
        key = key_of(request) if access.keyed else None
        digest = None if key is None else digest_of(self._secret, key)
        account = None if digest is None else await self._account(request, digest, access)
        if access.meter is None:
            return Caller(self._plan_of(account), key=digest)
        if account is None or access.meter == "tmy":
            caller = self._by_address(request, access.meter, account, digest)
        else:
            caller = self._by_account(account, access.meter, digest)
        request[_CALLER] = caller
        return caller

    def _plan_of(self, account: Account | None) -> Plan:
        if account is None:
            return self._plans.anonymous
        plan = self._plans.plans.get(account.plan)
        if plan is None:
            log.error("account %d has the plan %s, which the file of plans lacks", account.id, account.plan)
            raise ServerError(texts.INTERNAL)
        return plan

    def _by_account(self, account: Account, meter: str, digest: bytes | None) -> Caller:
        plan = self._plan_of(account)
        allowance = Allowance(account.plan, plan.requests_per_day, plan.plants_per_day)
        return Caller(plan, meter, payer_of(account.id, meter), allowance, digest, by_account=True)

    def _by_address(self, request: web.Request, meter: str, account: Account | None, digest: bytes | None) -> Caller:
        plan = self._plan_of(account)
        # Hashed: the table of counts tells nobody who has asked.
        address = self._secret.digest("address", self._clients.of(request)).hex()[:32]
        allowance = Allowance("", plan.requests_per_day, plan.plants_per_day)
        if meter == "tmy":
            allowance = Allowance("", self._plans.tmy.requests_per_day, None)
        return Caller(plan, meter, f"{meter}:address:{address}", allowance, digest)

    async def _account(self, request: web.Request, digest: bytes, access: Access) -> Account:
        remembered = self._remembered.get(digest)
        if remembered is not None and remembered[0] > time.monotonic():
            return remembered[1]
        assert self._ledger is not None  # noqa: S101 -- admit has looked
        try:
            asked = time.monotonic()
            account = await self._ledger.find(digest)
            request[_PATIENCE_S] = ANSWER_WITHIN_S - (time.monotonic() - asked)
        except LedgerDown as error:
            raise Unavailable(texts.NO_COUNTING, _RETRY_S) from error
        if account is None:
            if access.meter is not None:
                request[ANSWER_HEADERS] = self._nothing()
            raise Unauthorized(texts.INVALID_KEY)
        if len(self._remembered) >= _MAX_REMEMBERED:
            self._remembered.clear()
        self._remembered[digest] = (time.monotonic() + _REMEMBERED_S, account)
        return account

    async def charge(self, request: web.Request, points: Iterable[tuple[float, float]]) -> None:
        """Charge a request for the plants that it asks for; call it when the answer is at hand.

        Parameters
        ----------
        request : Request
            Of a route with a meter.
        points : iterable of (float, float)
            Latitude and longitude of each plant; several arrays of one plant are one.

        Raises
        ------
        Unauthorized
            No request is left today, or the key is no longer active.
        TooMany
            The new plants are more than are left today; nothing is charged.
        Unavailable
            The database cannot be asked.
        """
        if self._ledger is None:
            return
        caller: Caller = request[_CALLER]
        payer, allowance = (None, None) if caller.by_account else (caller.payer, caller.allowance)
        plants = tuple(point_of(lat, lon) for lat, lon in points) if caller.allowance.plants is not None else ()
        charge = Charge(current_id(), caller.meter, caller.key, payer, allowance, plants)
        request[_ORDERED] = True
        try:
            settled = await self._ledger.charge(charge, request.get(_PATIENCE_S, ANSWER_WITHIN_S))
        except LedgerDown as error:
            request[ANSWER_HEADERS] = {}  # nothing can be said of quota: `conclude` need not ask, and wait, again
            raise Unavailable(texts.NO_COUNTING, _RETRY_S) from error
        if isinstance(settled, Quota):
            request[ANSWER_HEADERS] = settled.headers()
            request[_CHARGED] = True
            return
        self._refuse(request, caller, settled)

    def _refuse(
        self, request: web.Request, caller: Caller, settled: NoSuchKey | NoSuchPlan | RequestsUsedUp | PlantsUsedUp
    ) -> None:
        if isinstance(settled, NoSuchKey | NoSuchPlan):
            self._remembered.pop(caller.key or b"", None)
            if isinstance(settled, NoSuchPlan):
                self._plan_of(settled.account)
            request[ANSWER_HEADERS] = self._nothing()
            raise Unauthorized(texts.INVALID_KEY)
        quota = settled.quota
        request[ANSWER_HEADERS] = {**quota.headers(), "Retry-After": str(self._seconds_to(quota))}
        if isinstance(settled, PlantsUsedUp):
            self._on_refusal("plants")
            text = texts.PLANTS_USED if caller.by_account else texts.ANONYMOUS_PLANTS_USED
            raise TooMany(text.format(limit=quota.allowance.plants), fields={"quota": settled.body()})
        self._on_refusal("requests")
        if caller.by_account:
            text = texts.PLAN_REQUESTS_USED
        else:
            text = texts.TMY_REQUESTS_USED if caller.meter == "tmy" else texts.ANONYMOUS_REQUESTS_USED
        raise Unauthorized(text.format(limit=quota.allowance.requests, plan=quota.allowance.plan))

    def _nothing(self) -> dict[str, str]:
        """Return what is said of quota to whoever has none."""
        assert self._ledger is not None  # noqa: S101 -- it was asked for the key
        return Quota(_NO_ALLOWANCE, 0, 0, self._ledger.now().date()).headers()

    def _seconds_to(self, quota: Quota) -> int:
        assert self._ledger is not None  # noqa: S101 -- it made the quota
        return max(1, int((quota.resets_at - self._ledger.now()).total_seconds()) + 1)

    async def conclude(self, request: web.Request, status: int) -> None:
        """See to a counted request that got no good answer: refund it if it is our fault, and say what is left.

        Parameters
        ----------
        request : Request
        status : int
            Of the answer.
        """
        caller: Caller | None = request.get(_CALLER)
        if self._ledger is None or caller is None:
            return
        charged = request.get(_CHARGED, False)
        if (charged and status < 500) or (not charged and request[ANSWER_HEADERS] is not None):
            return
        with suppress(LedgerDown):  # what cannot be said now is not said; a refund is made later
            if charged:
                await self._ledger.refund(current_id())
            quota = await self._ledger.look(caller.payer, caller.allowance, request.get(_PATIENCE_S, ANSWER_WITHIN_S))
            request[ANSWER_HEADERS] = quota.headers()

    def abandon(self, request: web.Request) -> None:
        """Refund a request that was broken off by us, without waiting for it."""
        if self._ledger is not None and request.get(_ORDERED, False):
            refund = asyncio.ensure_future(self._ledger.refund(current_id()))
            refund.add_done_callback(lambda done: done.cancelled() or done.exception())


GATE = web.AppKey("gate", Gate)
