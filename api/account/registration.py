"""Registration in the database: a link's token is sent, and exchanged for an account and its key, once."""

import asyncio
import logging
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from enum import Enum

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from api import texts
from api.access.keys import add_key, make_account
from api.access.rates import Rates
from api.access.secret import Secret
from api.account.address import Address
from api.account.mail import Mailer, MailFailed, confirmation
from api.database.database import Database
from api.database.engine import READS
from api.database.insert import insert
from api.database.tables import account, registration
from api.errors import Conflict, ServerError, Unavailable
from tiles.clock import Clock

VALID_HOURS = 24
MAILS = "3/hour"
"""For one address, and for one network; tries count, or anybody could have us ask the mail server without end."""

PLAN = "free"
# After that, a link that has expired is as unknown as any other, and the address is forgotten.
_REMEMBERED = timedelta(days=2)
# Longer than it takes to send a mail and to remember it: two rows that are further apart were not sent at once.
_AT_ONCE = timedelta(seconds=15)
_TOKEN_BYTES = 32
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_ANSWER_WITHIN_S = 1.8
_COMMIT_WITHIN_S = 10.0
_RETRY_S = 5

log = logging.getLogger("solflis.api")


class Link(Enum):
    """What is the matter with a link that is not valid."""

    DAMAGED = "damaged"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    TAKEN = "taken"
    """The address has got an account in another way."""


class Registrations:
    """Registrations of an installation.

    Parameters
    ----------
    database : Database
    secret : Secret
    rates : Rates
    mailer : Mailer
    clock : Clock
    sender, base_url : str
        Of the mails and of their links.
    contact : str
        Whom people ask who have lost a key.
    """

    def __init__(
        self,
        database: Database,
        secret: Secret,
        rates: Rates,
        mailer: Mailer,
        clock: Clock,
        *,
        sender: str,
        base_url: str,
        contact: str,
    ) -> None:
        self._database, self._secret, self._rates = database, secret, rates
        self._mailer, self._clock = mailer, clock
        self._sender, self._base_url, self._contact = sender, base_url, contact

    async def register(self, address: Address, network: str) -> None:
        """Send a link to an address; the link that it may have had dies when the mail server has taken the new one.

        Raises
        ------
        Conflict
            The address has an account.
        TooMany
            It, or the caller's network, has asked too often.
        ServerError
            The mail cannot be sent; everything is as it was.
        Unavailable
            The database cannot be read or written.
        """
        async with self._connected() as connection:
            has_account = await _has_account(connection, address.account)
        # Also whoever asks which addresses have accounts is held back.
        await self._rates.hit_all([(MAILS, ("mails to", address.account)), (MAILS, ("mails for", network))])
        if has_account:
            raise Conflict(texts.REGISTERED.format(contact=self._contact))
        # Before the mail: where nothing can be written, its link would be dead.
        await self._forget_expired()
        token, now = secrets.token_urlsafe(_TOKEN_BYTES), self._clock.now()
        link = f"{self._base_url}/api/verify?token={token}"
        try:
            await self._mailer.send(confirmation(self._sender, address.mailbox, link, VALID_HOURS))
        except MailFailed as error:
            log.error("a mail was not sent: %s", error)
            raise ServerError(texts.NO_MAIL) from None
        async with self._connected(writes=True) as connection:
            await self._remember(connection, address.account, token, now)

    async def _forget_expired(self) -> None:
        old = registration.c.expires_at < self._clock.now() - _REMEMBERED
        async with self._connected(writes=True) as connection:
            await connection.execute(sa.delete(registration).where(old))

    async def _remember(self, connection: AsyncConnection, email: str, token: str, now: datetime) -> None:
        new = insert(registration, connection.dialect.name).values(
            email=email,
            token_digest=self._digest(token),
            expires_at=now + timedelta(hours=VALID_HOURS),
            created_at=now,
        )
        replaced = {name: new.excluded[name] for name in ("token_digest", "expires_at", "created_at")}
        # Of two that are sent at once, the younger one counts. A row from far ahead is old: the clock has gone back.
        known = registration.c.created_at
        older = (known <= now) | (known > now + _AT_ONCE)
        await connection.execute(new.on_conflict_do_update(index_elements=["email"], set_=replaced, where=older))

    async def look(self, token: str) -> str | Link:
        """Return the address that a token would confirm, or what is the matter with the link; spend nothing."""
        if not _TOKEN.fullmatch(token):
            return Link.DAMAGED
        async with self._connected() as connection:
            return await self._state(connection, token, self._clock.now())

    async def confirm(self, token: str) -> str | Link:
        """Exchange a token for a new account and its key; return the key, or what is the matter with the link.

        Of several that do so at once, one gets the key.
        """
        # SQLite has one lock for all who write, and made-up tokens shall not hold it.
        if isinstance(link := await self.look(token), Link):
            return link
        now = self._clock.now()
        valid = (registration.c.token_digest == self._digest(token)) & (registration.c.expires_at > now)
        async with self._connected(writes=True) as connection:
            spent = sa.delete(registration).where(valid).returning(registration.c.email)
            email = await connection.scalar(spent)
            if email is None:
                state = await self._state(connection, token, now)
                return state if isinstance(state, Link) else Link.UNKNOWN
            account_id = await make_account(connection, email, PLAN, now)
            if account_id is None:
                return Link.TAKEN
            return await add_key(connection, self._secret, account_id, now)

    async def _state(self, connection: AsyncConnection, token: str, now: datetime) -> str | Link:
        # One statement: what another one commits meanwhile is seen in both tables, or in none.
        with_account = registration.outerjoin(account, account.c.email == registration.c.email)
        query = sa.select(registration.c.email, registration.c.expires_at, account.c.id).select_from(with_account)
        query = query.where(registration.c.token_digest == self._digest(token))
        row = (await connection.execute(query)).first()
        if row is None:
            return Link.UNKNOWN
        if row.expires_at <= now:
            return Link.EXPIRED
        return str(row.email) if row.id is None else Link.TAKEN

    def _digest(self, token: str) -> bytes:
        return self._secret.digest("token", token)

    @asynccontextmanager
    async def _connected(self, *, writes: bool = False) -> AsyncIterator[AsyncConnection]:
        """Open a transaction; whatever is the matter with the database becomes one answer."""
        if not self._database.ready:
            raise Unavailable(texts.NO_ACCOUNTS, _RETRY_S)
        engine = self._database.engine
        if not writes:
            engine = engine.execution_options(**READS)
        try:
            async with asyncio.timeout(_ANSWER_WITHIN_S) as deadline, engine.begin() as connection:
                yield connection
                if writes:
                    # A commit cannot be taken back, and who does not wait for it throws away a key that is shown once.
                    deadline.reschedule(asyncio.get_running_loop().time() + _COMMIT_WITHIN_S)
        except (sa.exc.SQLAlchemyError, OSError) as error:
            log.error("accounts cannot be read or written: %s", type(error).__name__)
            raise Unavailable(texts.NO_ACCOUNTS, _RETRY_S) from error


async def _has_account(connection: AsyncConnection, email: str) -> bool:
    return await connection.scalar(sa.select(account.c.id).where(account.c.email == email)) is not None
