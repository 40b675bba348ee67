"""The one gate: who calls, what the caller's plan allows, and what the call is charged."""

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Literal, NamedTuple

from aiohttp import web

from api.access.callers import Clients
from api.access.keys import digest_of
from api.access.ledger import ANSWER_WITHIN_S, Ledger
from api.access.partners import PLANT_HEADER, Purpose
from api.access.plans import Plan, Plans
from api.access.quota import Account, Allowance, Charge, Quota, UsedUp, allowance_of, point_of
from api.access.quota_worker import LedgerDown
from api.access.required import Access, key_of
from api.access.secret import Secret
from api.access.settlement import payer_of
from api.core import problems
from api.core.errors import ApiError
from api.core.request_keys import ANSWER_HEADERS, ANSWERED
from api.observing.request_id import current_id
from tiles.clock import Clock

log = logging.getLogger("solflis.api")

# For how long a key's account and plan are remembered between requests. Every charge looks anew.
_REMEMBERED_S = 10.0
_MAX_REMEMBERED = 10_000
_NO_ALLOWANCE = Allowance("", 0, None)


class Caller(NamedTuple):
    """Caller of a request.

    Parameters
    ----------
    plan : Plan
    payer : str
        Of a route with a meter.
    allowance : Allowance
        With the plan's name where an account pays.
    key : bytes or None
        Digest of the key that was shown.
    """

    plan: Plan
    payer: str = ""
    allowance: Allowance = _NO_ALLOWANCE
    key: bytes | None = None


_CALLER = web.RequestKey("caller", Caller)
_ACCOUNT = web.RequestKey("account", int)
_ORDERED = web.RequestKey("ordered", bool)
_PATIENCE_S = web.RequestKey("patience_s", float)


class Gate:
    """Admits callers and charges them.

    Parameters
    ----------
    secret : Secret
    plans : Plans
    clients : Clients
    clock : Clock
        As the ledger's.
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
        clock: Clock,
        ledger: Ledger | None,
        on_refusal: Callable[[Literal["requests", "plants"]], None],
    ) -> None:
        self._secret, self._plans, self._clients, self._clock = secret, plans, clients, clock
        self._ledger, self._on_refusal = ledger, on_refusal
        self._remembered: dict[bytes, tuple[float, Account]] = {}

    @property
    def is_open(self) -> bool:
        """True where quotas are off: no caller is checked against a plan."""
        return self._ledger is None

    async def admit(self, request: web.BaseRequest, access: Access) -> Caller:
        """Return who calls; where everybody may do everything, nobody need be asked.

        Raises
        ------
        ApiError
            `INVALID_KEY`, `NO_COUNTING`; `API_KEY_REQUIRED`, `BETA` where an agreement is needed.
        """
        key = key_of(request) if access.keyed else None
        digest = None if key is None else digest_of(self._secret, key)
        account = None if digest is None else await self._account(request, digest, access)
        if account is not None:
            request[_ACCOUNT] = account.id
        if access.agreement is not None and access.agreement_with is None:
            await self.require_agreement(request, access.agreement)
        plan = self._plans.anonymous if account is None else self._plans.plans.get(account.plan)
        if plan is None:
            log.error("the file of plans lacks the plan of %s", account)
            raise problems.INTERNAL()
        if access.meter is None:
            return Caller(plan)
        if account is not None and access.meter == "forecast":
            caller = Caller(plan, payer_of(account.id), allowance_of(account.plan, plan), digest)
        else:
            # Hashed: the table of counts tells nobody who has asked.
            address = self._secret.digest("address", self._clients.of(request)).hex()[:32]
            per_address = Allowance("", self._plans.tmy.requests_per_day, None)
            allowance = per_address if access.meter == "tmy" else allowance_of("", plan)
            caller = Caller(plan, f"{access.meter}:address:{address}", allowance, digest)
        request[_CALLER] = caller
        return caller

    @staticmethod
    def account_of(request: web.BaseRequest) -> int:
        """Return the account whose key an admitted request showed; 0 where keys do not count."""
        account: int = request.get(_ACCOUNT, 0)
        return account

    @staticmethod
    def plan_of(request: web.BaseRequest) -> Plan | None:
        """Return the plan of an admitted request on a route with a meter; None where everybody may do everything."""
        caller: Caller | None = request.get(_CALLER)
        return None if caller is None else caller.plan

    async def require_agreement(self, request: web.BaseRequest, purpose: Purpose) -> None:
        """Refuse an admitted request without a key, or without the password of an agreement.

        Raises
        ------
        ApiError
            `API_KEY_REQUIRED`, `BETA`, `NO_COUNTING`.
        """
        assert self._ledger is not None  # noqa: S101 -- an open gate admits nobody
        if _ACCOUNT not in request:
            raise problems.API_KEY_REQUIRED()
        password, patience_s = request.headers.get(PLANT_HEADER, "").strip(), request.get(_PATIENCE_S, ANSWER_WITHIN_S)
        try:
            if password and await self._ledger.has_agreement(self._secret, password, purpose, patience_s):
                return
        except LedgerDown as error:
            raise problems.NO_COUNTING() from error
        raise problems.BETA()

    async def _account(self, request: web.BaseRequest, digest: bytes, access: Access) -> Account:
        remembered = self._remembered.get(digest)
        if remembered is not None and remembered[0] > time.monotonic():
            return remembered[1]
        assert self._ledger is not None  # noqa: S101 -- an open gate admits nobody
        try:
            begun = time.monotonic()
            account = await self._ledger.find(digest)
            request[_PATIENCE_S] = ANSWER_WITHIN_S - (time.monotonic() - begun)
        except LedgerDown as error:
            raise problems.NO_COUNTING() from error
        if account is None:
            raise self._unknown_key(request, metered=access.meter is not None)
        if len(self._remembered) >= _MAX_REMEMBERED:
            self._remembered.clear()
        self._remembered[digest] = (time.monotonic() + _REMEMBERED_S, account)
        return account

    def _unknown_key(self, request: web.BaseRequest, *, metered: bool = True) -> ApiError:
        if metered:
            request[ANSWER_HEADERS] = Quota(_NO_ALLOWANCE, 0, 0, self._clock.now().date()).headers()
        return problems.INVALID_KEY()

    async def charge(self, request: web.BaseRequest, points: Iterable[tuple[float, float]]) -> None:
        """Charge a request for the plants that it asks for; call it when the answer is at hand.

        Parameters
        ----------
        request : Request
            Of a route with a meter.
        points : iterable of (float, float)
            Latitude and longitude of each plant; several arrays of one plant are one.

        Raises
        ------
        ApiError
            `INVALID_KEY`, `NO_COUNTING`; the requests of the day are used up, or the plants: then nothing is charged.
        """
        if self._ledger is None:
            return
        caller: Caller = request[_CALLER]
        identity, allowance = current_id(), caller.allowance
        plants = tuple(point_of(lat, lon) for lat, lon in points) if allowance.plants is not None else ()
        charge = Charge(identity, caller.key, None if allowance.plan else caller.payer, allowance, plants)
        request[_ORDERED] = True
        try:
            settled = await self._ledger.charge(charge, request.get(_PATIENCE_S, ANSWER_WITHIN_S))
        except LedgerDown as error:
            request[ANSWER_HEADERS] = {}  # nothing can be said of quota: `conclude` need not ask, and wait, again
            raise problems.NO_COUNTING() from error
        if settled is None:
            self._remembered.pop(caller.key or b"", None)
            raise self._unknown_key(request)
        if isinstance(settled, UsedUp):
            request[ANSWER_HEADERS] = settled.quota.headers()
            raise self._refusal(settled)
        request[ANSWER_HEADERS] = settled.headers()
        answered: Callable[[], None] = partial(self._ledger.answered, identity)
        request[ANSWERED] = answered

    def _refusal(self, settled: UsedUp) -> ApiError:
        quota = settled.quota
        plan, requests, plants = quota.allowance
        wait_s = (quota.resets_at - self._clock.now()).total_seconds()
        if settled.rejected:
            self._on_refusal("plants")
            problem = problems.PLANTS_USED if plan else problems.ANONYMOUS_PLANTS_USED
            return problem(limit=plants, fields={"quota": settled.body()}, retry_after_s=wait_s)
        self._on_refusal("requests")
        if plan:
            problem = problems.PLAN_REQUESTS_USED
        else:
            problem = problems.TMY_REQUESTS_USED if plants is None else problems.ANONYMOUS_REQUESTS_USED
        return problem(limit=requests, plan=plan, retry_after_s=wait_s)

    async def conclude(self, request: web.BaseRequest, status: int) -> None:
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
        charged = ANSWERED in request
        if (charged and status < 500) or (not charged and request.get(ANSWER_HEADERS) is not None):
            return
        with suppress(LedgerDown):  # what cannot be said now is not said; a refund is made later
            if charged:
                self.abandon(request)
            quota = await self._ledger.look(caller.payer, caller.allowance, request.get(_PATIENCE_S, ANSWER_WITHIN_S))
            request[ANSWER_HEADERS] = quota.headers()

    def abandon(self, request: web.BaseRequest) -> None:
        """Refund a request that was broken off by us."""
        if self._ledger is not None and request.get(_ORDERED, False):
            request.pop(ANSWERED, None)  # what is sent instead is no answer
            self._ledger.refund(current_id())
