"""The pages behind the link of the mail: a button, the key, or what is the matter. They need no script."""

import base64
import hashlib
import re
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from aiohttp import web

from api.access.plans import Plan
from api.core.email_address import read_address
from api.core.errors import ApiError

_HTML, _BUTTON, _KEY = (
    Path(__file__).with_name(f"{name}.html").read_text(encoding="utf-8") for name in ("page", "button", "key")
)
_STYLE = _HTML.partition("<style>")[2].partition("</style>")[0]
_STYLE_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; form-action 'self'; frame-ancestors 'none'; "
        "base-uri 'none'"
    ),
}
_LIMITS = "Nøkkelen gir {requests} forespørsler om prognoser og {plants} ulike anlegg (koordinater) per døgn. "
# What stands in an address as it is: blanks, quotes and the like would have to be encoded.
_PAGE = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+([/?#][\w./~%?#=&+,;:@!$*()-]*)?", re.ASCII)
_NOBODY, NOBODY_EN = "den som drifter denne tjenesten", "whoever runs this service"


class Contact(NamedTuple):
    """Contact of the operator, as a phrase within a sentence.

    Parameters
    ----------
    text, html : str
    """

    text: str
    html: str


def read_contact(value: str | None) -> Contact:
    """Return the contact that is set, an e-mail address or a page; where there is none, words that are still true.

    Raises
    ------
    ValueError
        It is neither.
    """
    if value is None:
        return Contact(_NOBODY, _NOBODY)
    if (address := read_address(value)) is not None:
        return _linked(address.mailbox, f"mailto:{quote(address.mailbox, safe='@')}")
    try:
        if _PAGE.fullmatch(value) and urlsplit(value).hostname and urlsplit(value).port != 0:
            return _linked(value, value)
    except ValueError:
        pass  # Its port or its IPv6 address is none.
    raise ValueError(
        "SOLFLIS_CONTACT: expected an address such as help@example.com, or a page such as https://example.com/help"
    )


def _linked(text: str, target: str) -> Contact:
    # In a tab of its own: the page with the key is shown once.
    link = f'<a href="{escape(target)}" target="_blank" rel="noopener noreferrer">{escape(text)}</a>'
    return Contact(text, link)


class Pages:
    """The pages of an installation.

    Parameters
    ----------
    contact : Contact
        Whom people ask who have lost a key.
    base_url : str
        Where callers reach the API.
    plan : Plan or None
        What a key that is shown allows; None where nothing is counted.
    """

    def __init__(self, contact: Contact, base_url: str, plan: Plan | None) -> None:
        self.contact, self.base_url = contact, base_url
        self._limits = ""
        if plan is not None:
            self._limits = _LIMITS.format(requests=plan.requests_per_day, plants=plan.plants_per_day)

    def button(self, token: str, email: str) -> web.Response:
        """Return the page that the link opens: looking at it, as mail scanners do, spends nothing."""
        # The form's address is relative: in front of us may be a proxy that adds a path. Each answer gets a tab of its
        # own: on a second click, the page about the spent link must not take the place of the one with the key.
        return _page(200, "Få API-nøkkelen din", _BUTTON, token=escape(token), email=escape(email))

    def key(self, shown: str) -> web.Response:
        """Return the page with the key."""
        values = {"key": shown, "base_url": escape(self.base_url), "limits": self._limits}
        return _page(200, "Din API-nøkkel", _KEY, contact=self.contact.html, **values)

    def refusal(self, error: ApiError) -> web.Response:
        """Return the page about a link that is not valid."""
        text = escape(error.text()).replace(escape(self.contact.text), self.contact.html)
        return _page(error.status, "Lenken kan ikke brukes", "<p>$text</p>", text=text)


def _page(status: int, title: str, template: str, **values: str) -> web.Response:
    content = Template(template).substitute(values).rstrip()
    body = Template(_HTML).substitute(title=escape(title), content=content)
    return web.Response(status=status, body=body.encode(), headers=_HEADERS)
