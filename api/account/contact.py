"""Whom people ask who have lost a key: an address or a page, as text and as a link."""

import re
from html import escape
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from api import texts
from api.account.address import read_address

# What stands in an address as it is: blanks, quotes and the like would have to be encoded.
_PAGE = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+([/?#][\w./~%?#=&+,;:@!$*()-]*)?", re.ASCII)


class Contact(NamedTuple):
    """Who runs this installation, to stand within a sentence.

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
        return Contact(texts.NO_CONTACT, escape(texts.NO_CONTACT))
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
