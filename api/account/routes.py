"""`POST /api/register` and `/api/verify`."""

from dataclasses import replace

from api.account import problems as own
from api.account.schemas import Register, Registered, Verify, VerifyQuery
from api.account.service import HTML, VALID_HOURS, AccountService
from api.core import problems
from api.core.body import FORM, Body
from api.core.mail import MAILS, MAILS_TO_INBOX
from api.core.resources import Resources
from api.core.routing import Route

TAG = "Account"
_PRESSES = ("30/minute",)


def routes(resources: Resources) -> tuple[Route, ...]:
    """Return the declarations of this group."""
    service = AccountService(resources)
    return (
        Route(
            "POST",
            "/api/register",
            service.register,
            description=f"The link is valid for {VALID_HOURS} hours.",
            body=Body(Register, {"email": "kari@example.com"}),
            response=Registered,
            problems=(
                problems.NOT_AN_ADDRESS,
                own.REGISTERED,
                replace(
                    problems.TOO_MANY,
                    cause=f"more tries than {MAILS} per IP address, or {' and '.join(MAILS_TO_INBOX)} for an inbox",
                ),
                own.NO_MAIL,
                problems.NO_RATES,
                own.NO_ACCOUNTS,
            ),
        ),
        Route(
            "GET",
            "/api/verify",
            service.page,
            query=VerifyQuery,
            media_type=HTML,
            rates=_PRESSES,
            problems=own.OF_LINKS,
        ),
        Route(
            "POST",
            "/api/verify",
            service.verify,
            body=Body(Verify, {"token": "..."}, media=FORM),
            media_type=HTML,
            rates=_PRESSES,
            problems=own.OF_LINKS,
        ),
    )
