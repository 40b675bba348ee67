"""The pages behind the link of the mail: a button, the key, or what is the matter. They need no script."""

import base64
import hashlib
from html import escape
from pathlib import Path
from string import Template

from aiohttp import web

from api import texts
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
<p>Trykk på knappen for å bekrefte adressen og få nøkkelen. Den vises bare én gang: ha et trygt sted klart.
Den åpnes i en ny fane.</p>
<form method="post" action="verify" target="_blank" rel="noopener"><input type="hidden" name="token" value="{token}">
<button>Vis nøkkelen</button></form>"""
_KEY = """\
<p>Dette er din gratis nøkkel. Ta vare på den nå: vi har den ikke, og siden kan ikke vises igjen.</p>
<p class="key"><code>{key}</code></p>
<p>Send den i hodet på forespørslene: <code>X-API-Key: &lt;nøkkelen&gt;</code>.
Den er for privat, ikke-kommersiell bruk.</p>
<p>Kommer den på avveie, kontakt driften av tjenesten: den slås av, og du får en ny.</p>"""
REFUSALS = {
    Link.DAMAGED: (400, texts.LINK_DAMAGED),
    Link.UNKNOWN: (404, texts.LINK_UNKNOWN),
    Link.TAKEN: (409, texts.REGISTERED),
    Link.EXPIRED: (410, texts.LINK_EXPIRED),
}
"""Status and sentence of a link that is not valid."""


def button(token: str) -> web.Response:
    """Return the page that the link opens: looking at it, as mail scanners do, spends nothing."""
    return _page(200, "Få API-nøkkelen din", _ASK.format(token=escape(token)))


def key(shown: str) -> web.Response:
    """Return the page with the key."""
    return _page(200, "Din API-nøkkel", _KEY.format(key=escape(shown)))


def refusal(link: Link) -> web.Response:
    """Return the page about a link that is not valid."""
    status, text = REFUSALS[link]
    return _page(status, "Lenken kan ikke brukes", f"<p>{escape(text)}</p>")


def _page(status: int, title: str, content: str) -> web.Response:
    body = _FRAME.substitute(title=escape(title), content=content)
    return web.Response(status=status, body=body.encode(), headers=_HEADERS)
