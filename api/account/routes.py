"""`POST /api/register` and `/api/verify`."""

from aiohttp import web

from api import texts
from api.access.callers import CLIENTS
from api.account.models import Register, Registered, Verify, VerifyQuery
from api.account.pages import REFUSALS, Pages
from api.account.registration import MAILS, VALID_HOURS, Link, Registrations
from api.body import FORM, Body
from api.routing import Failure, Route

TAG = "Account"
_HTML = "text/html"
_PRESSES = ("30/minute",)
_SENT = Registered(message=texts.LINK_SENT.format(hours=VALID_HOURS)).model_dump_json().encode()
_NO_ACCOUNTS = Failure(503, texts.NO_ACCOUNTS, "the database of accounts cannot be asked now")
_REFUSED = tuple(Failure(status, text, f"the link is {link.value}", _HTML) for link, (status, text) in REFUSALS.items())


class AccountHandlers:
    """Answers for those who want a key.

    Parameters
    ----------
    registrations : Registrations
    pages : Pages
    """

    def __init__(self, registrations: Registrations, pages: Pages) -> None:
        self._registrations, self._pages = registrations, pages

    async def register(self, request: web.Request, asked: Register) -> web.Response:
        """Send a link."""
        await self._registrations.register(asked.email, request.app[CLIENTS].of(request))
        return web.Response(body=_SENT, headers={"Content-Type": "application/json", "Cache-Control": "no-store"})

    async def page(self, _: web.Request, query: VerifyQuery) -> web.Response:
        """Show the button: HEAD, GET and whatever looks at links before people do, spend nothing."""
        link = await self._registrations.look(query.token)
        return self._pages.refusal(link) if isinstance(link, Link) else self._pages.button(query.token, link)

    async def verify(self, _: web.Request, form: Verify) -> web.Response:
        """Show the key."""
        confirmed = await self._registrations.confirm(form.token)
        return self._pages.refusal(confirmed) if isinstance(confirmed, Link) else self._pages.key(confirmed)


def routes(registrations: Registrations, pages: Pages, contact: str) -> tuple[Route, ...]:
    """Return the declarations of this group; `contact` stands in a text."""
    handlers = AccountHandlers(registrations, pages)
    return (
        Route(
            "POST",
            "/api/register",
            handlers.register,
            tag=TAG,
            summary="Ask for a free key",
            description=(
                f"A mail brings a link that is valid for {VALID_HOURS} hours; its page shows the key once. "
                "Whoever asks again before opening the link gets a fresh one, and the old one dies. "
                "The free key is for private, non-commercial use."
            ),
            body=Body(Register, {"email": "kari@example.com"}),
            response=Registered,
            errors=(
                Failure(400, texts.NOT_AN_ADDRESS.format(name="email"), "`email` is missing or no e-mail address"),
                Failure(409, texts.REGISTERED.format(contact=contact), "the address has an account"),
                Failure(
                    429, texts.TOO_MANY.format(wait="..."), f"more tries than {MAILS} per address, or per IP address"
                ),
                Failure(500, texts.NO_MAIL, "the mail could not be sent; an earlier link is still valid"),
                Failure(503, texts.NO_RATES, "mails cannot be counted now"),
                _NO_ACCOUNTS,
            ),
        ),
        Route(
            "GET",
            "/api/verify",
            handlers.page,
            tag=TAG,
            summary="The page that the mailed link opens",
            description="It has a button; opening the page spends nothing.",
            query=VerifyQuery,
            media_type=_HTML,
            rates=_PRESSES,
            errors=(*_REFUSED, _NO_ACCOUNTS),
        ),
        Route(
            "POST",
            "/api/verify",
            handlers.verify,
            tag=TAG,
            summary="What the page's button sends: shows the key, once",
            body=Body(Verify, {"token": "..."}, media=FORM),
            media_type=_HTML,
            rates=_PRESSES,
            errors=(*_REFUSED, _NO_ACCOUNTS),
        ),
    )
