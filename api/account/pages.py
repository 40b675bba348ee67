"""The pages behind the link of the mail: a button, the key, or what is the matter. They need no script."""

import base64
import hashlib
from html import escape
from pathlib import Path
from string import Template

from aiohttp import web

from api import texts
from api.access.plans import Plan
from api.account.contact import Contact
from api.account.registration import Link

_HTML = (Path(__file__).parent / "page.html").read_text(encoding="utf-8")
_FRAME = Template(_HTML)
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
# The address of the form is relative: in front of us may be a proxy that adds a path. Each answer gets a tab of its
# own: on a second click, the page about the spent link must not take the place of the one with the key.
_ASK = """\
<p>Noen, trolig du, har bedt om en gratis API-nøkkel til Solflis for <strong>{email}</strong>.</p>
<p>Trykk på knappen for å bekrefte adressen og få nøkkelen. Den vises bare én gang: ha et trygt sted klart.
Den åpnes i en ny fane.</p>
<form method="post" action="verify" target="_blank" rel="noopener"><input type="hidden" name="token" value="{token}">
<button>Vis nøkkelen</button></form>"""
_KEY = """\
<p>Dette er din gratis nøkkel. Ta vare på den nå: vi har den ikke, og siden kan ikke vises igjen.</p>
<p class="key"><code>{key}</code></p>
<p>Send den i hodet på forespørslene, <code>X-API-Key</code>. Prøv den:</p>
<p class="key"><code>{example}</code></p>
<p>{limits}Den er for privat, ikke-kommersiell bruk. Alt du kan spørre om står i
<a href="../docs" target="_blank" rel="noopener noreferrer">dokumentasjonen</a>.</p>
<p>Kommer nøkkelen på avveie, kontakt {contact} for å få den slått av og få en ny.</p>"""
_LIMITS = "Nøkkelen gir {requests} forespørsler om prognoser og {plants} ulike anlegg (koordinater) per døgn. "
_EXAMPLE = "curl -H 'X-API-Key: {key}' '{base_url}/api/forecast?lat=59.91&lon=10.75'"
REFUSALS = {
    Link.DAMAGED: (400, texts.LINK_DAMAGED),
    Link.UNKNOWN: (404, texts.LINK_UNKNOWN),
    Link.TAKEN: (409, texts.REGISTERED),
    Link.EXPIRED: (410, texts.LINK_EXPIRED),
}
"""Status and sentence of a link that is not valid; the sentence may have room for a contact."""


class Pages:
    """The pages of an installation.

    Parameters
    ----------
    contact : Contact
    base_url : str
        Where callers reach the API.
    plan : Plan or None
        What a key that is shown allows; None where nothing is counted.
    """

    def __init__(self, contact: Contact, base_url: str, plan: Plan | None) -> None:
        self._contact, self._base_url = contact, base_url
        self._limits = ""
        if plan is not None:
            self._limits = _LIMITS.format(requests=plan.requests_per_day, plants=plan.plants_per_day)

    def button(self, token: str, email: str) -> web.Response:
        """Return the page that the link opens: looking at it, as mail scanners do, spends nothing."""
        return _page(200, "Få API-nøkkelen din", _ASK.format(token=escape(token), email=escape(email)))

    def key(self, shown: str) -> web.Response:
        """Return the page with the key."""
        example = _EXAMPLE.format(key=shown, base_url=self._base_url)
        content = _KEY.format(
            key=escape(shown), example=escape(example), limits=self._limits, contact=self._contact.html
        )
        return _page(200, "Din API-nøkkel", content)

    def refusal(self, link: Link) -> web.Response:
        """Return the page about a link that is not valid."""
        status, text = REFUSALS[link]
        return _page(status, "Lenken kan ikke brukes", f"<p>{escape(text).format(contact=self._contact.html)}</p>")


def _page(status: int, title: str, content: str) -> web.Response:
    body = _FRAME.substitute(title=escape(title), content=content)
    return web.Response(status=status, body=body.encode(), headers=_HEADERS)
