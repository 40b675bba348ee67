"""Registration: a link's token is sent, and exchanged for an account and its key, once."""

import base64
import logging
import re
import tomllib
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from string import Template
from typing import Any

import sqlalchemy as sa
from aiohttp import web

from api.access.keys import add_key, make_account
from api.account import problems
from api.account.pages import NOBODY_EN, Pages, read_contact
from api.account.schemas import Register, Registered, Verify, VerifyQuery
from api.core.errors import ApiError, language_of
from api.core.mail import MailFailed, checked_sender, compose, limits_of, make_mailer
from api.core.resources import Resources
from api.core.response import respond_model
from api.database.database import to_its_end
from api.database.engine import READS
from api.database.tables import account, insert, registration

VALID_HOURS = 24
PLAN = "free"
HTML = "text/html"
_LINK_SENT = {
    "nb": f"Vi har sendt en lenke til adressen. Den gjelder i {VALID_HOURS} timer; siden som åpnes, viser nøkkelen.",
    "en": f"We have sent a link to the address. It is valid for {VALID_HOURS} hours; the page it opens shows your key.",
}
# After that, a link that has expired is as unknown as any other, and the address is forgotten.
_REMEMBERED = timedelta(days=2)
_MAIL = tomllib.loads(Path(__file__).with_name("mail.toml").read_text(encoding="utf-8"))
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")

log = logging.getLogger("solflis.api")


def confirmation(sender: str, to: str, link: str) -> EmailMessage:
    """Return the mail with the link that shows the address to be somebody's."""
    return compose(sender, to, _MAIL["subject"], Template(_MAIL["text"]).substitute(link=link, hours=VALID_HOURS))


class AccountService:
    """Answers those who want a key."""

    def __init__(self, resources: Resources) -> None:
        settings, contact = resources.settings, read_contact(resources.settings.contact)
        self._database, self._secret, self._rates = resources.database, resources.secret, resources.rates
        self._mailer, self._clock = make_mailer(settings.smtp, settings.state), resources.clock
        self._sender, self._clients = checked_sender(settings.mail_from), resources.clients
        plan = resources.plans.plans[PLAN] if resources.counted else None
        self._pages = Pages(contact, settings.base_url, plan)
        english = contact.text if settings.contact else NOBODY_EN
        self._contact: dict[str, Any] = {"contact": contact.text, "contact_en": english}

    async def register(self, request: web.BaseRequest, body: Register) -> web.StreamResponse:
        """Ask for a free key.

        A mail brings a link; its page shows the key once. Whoever asks again before opening the link gets it once more,
        valid for longer. The free key is for private, non-commercial use.

        Raises
        ------
        ApiError
            `REGISTERED`, `TOO_MANY`, `NO_ACCOUNTS`; `NO_MAIL`, and a link that was sent before stays valid.
        """
        address = body.email
        async with self._database.transaction(problems.NO_ACCOUNTS, READS) as connection:
            known = sa.select(account.c.id).where(account.c.email == address.account)
            has_account = await connection.scalar(known) is not None
        # Also whoever asks which addresses have accounts is held back.
        await self._rates.hit(limits_of(self._clients.of(request), address.inbox))
        if has_account:
            raise problems.REGISTERED(**self._contact)
        # Before the mail: where nothing can be written, its link would be dead.
        token = await self._remember(address.account, self._clock.now())
        link = f"{self._pages.base_url}/api/verify?token={token}"
        try:
            mail = confirmation(self._sender, address.mailbox, link)
            await self._mailer.send(self._sender, address.mailbox, mail)
        except MailFailed as error:
            log.error("a mail was not sent: %s", error)
            raise problems.NO_MAIL() from None
        language = language_of(request.headers.get("Accept-Language", ""))
        return respond_model(request, Registered(message=_LINK_SENT[language]))

    @to_its_end
    async def _remember(self, email: str, now: datetime) -> str:
        """Store a registration, or extend the one that is valid, and return its token."""
        row, theirs = registration.c, registration.c.email == email
        ended = (row.expires_at < now - _REMEMBERED) | (theirs & (row.expires_at <= now))
        new = {"email": email, "expires_at": now + timedelta(hours=VALID_HOURS), "created_at": now}
        new["token_digest"] = self._digest(self._token(email, now))
        async with self._database.transaction(problems.NO_ACCOUNTS) as connection:
            await connection.execute(sa.delete(registration).where(ended))
            stored = insert(registration, connection.dialect.name).values(new)
            extended = stored.on_conflict_do_update(index_elements=["email"], set_={"expires_at": new["expires_at"]})
            return self._token(email, await connection.scalar(extended.returning(row.created_at)))

    def _token(self, email: str, created_at: datetime) -> str:
        """Return the token of a registration: only who has the secret can make it, at any time."""
        digest = self._secret.digest("link", f"{email} {created_at.isoformat()}")
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    async def page(self, request: web.BaseRequest, query: VerifyQuery) -> web.Response:
        """The page that the mailed link opens.

        It has a button; opening the page spends nothing.
        """
        try:
            return self._pages.button(query.token, await self._look(query.token))
        except ApiError as error:
            return self._refusal(request, error)

    async def verify(self, request: web.BaseRequest, form: Verify) -> web.Response:
        """Confirmation by the page's button: shows the key, once."""
        try:
            return self._pages.key(await self._confirm(form.token))
        except ApiError as error:
            return self._refusal(request, error)

    def _refusal(self, request: web.BaseRequest, error: ApiError) -> web.Response:
        """Return an error as a page where the client asks for HTML, else raise it."""
        if error.status >= 500 or HTML not in request.headers.get("Accept", ""):
            raise error
        return self._pages.refusal(error)

    async def _look(self, token: str) -> str:
        """Return the address that a token would confirm; spend nothing.

        Raises
        ------
        ApiError
            One of `problems.OF_LINKS`.
        """
        if not _TOKEN.fullmatch(token):
            raise problems.LINK_DAMAGED("token")
        # One statement: what another one commits meanwhile is seen in both tables, or in none.
        with_account = registration.outerjoin(account, account.c.email == registration.c.email)
        query = sa.select(registration.c.email, registration.c.expires_at, account.c.id).select_from(with_account)
        async with self._database.transaction(problems.NO_ACCOUNTS, READS) as connection:
            found = await connection.execute(query.where(registration.c.token_digest == self._digest(token)))
        if (row := found.first()) is None:
            raise problems.LINK_UNKNOWN("token", **self._contact)
        if row.expires_at <= self._clock.now():
            raise problems.LINK_EXPIRED("token")
        if row.id is not None:
            raise problems.REGISTERED(**self._contact)
        return str(row.email)

    @to_its_end
    async def _confirm(self, token: str) -> str:
        """Exchange a token for a new account and its key; return the key. Errors are those of `_look`.

        Of several that do so at once, one gets the key.
        """
        await self._look(token)  # SQLite has one lock for all who write, and made-up tokens shall not hold it
        now = self._clock.now()
        valid = (registration.c.token_digest == self._digest(token)) & (registration.c.expires_at > now)
        async with self._database.transaction(problems.NO_ACCOUNTS) as connection:
            email = await connection.scalar(sa.delete(registration).where(valid).returning(registration.c.email))
            account_id = None if email is None else await make_account(connection, email, PLAN, now)
            if account_id is None:  # others press at once
                raise problems.LINK_UNKNOWN("token", **self._contact)
            return await add_key(connection, self._secret, account_id, now)

    def _digest(self, token: str) -> bytes:
        return self._secret.digest("token", token)
