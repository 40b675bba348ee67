"""E-mail addresses: what is one, and which are the same."""

from dataclasses import dataclass
from typing import Annotated

from email_validator import EmailNotValidError, validate_email
from pydantic import PlainValidator, WithJsonSchema

from api.core import problems

MAX_CHARACTERS = 254
# Of these, dots in the local part are ignored, and both names are one domain.
_DOTLESS = {"gmail.com": "gmail.com", "googlemail.com": "gmail.com"}


@dataclass(frozen=True)
class Address:
    """An e-mail address.

    Parameters
    ----------
    mailbox : str
        Where mails go: as it was typed, the domain in lower case and as ASCII.
    account : str
        What the account is known by: all in lower case, so that one mailbox gets one account.
    """

    mailbox: str
    account: str

    @property
    def inbox(self) -> str:
        """Return the address without what reaches the same inbox: `+tag`, and dots where the provider ignores them."""
        local, _, domain = self.account.rpartition("@")
        local = local.partition("+")[0] or local
        if domain in _DOTLESS:
            local, domain = local.replace(".", ""), _DOTLESS[domain]
        return f"{local}@{domain}"


def read_address(text: str) -> Address | None:
    """Return the address that a text is, blanks around it aside, or None; nobody is asked whether it exists."""
    text = text.strip()
    # `=?` begins an encoded word, which whoever reads a mail's header decodes: it would be another address there.
    if len(text) > MAX_CHARACTERS or "=?" in text:
        return None
    try:
        # Letters beyond ASCII before the @ need mail servers that most people do not have.
        read = validate_email(text, check_deliverability=False, allow_smtputf8=False, strict=True)
    except EmailNotValidError:
        return None
    if read.ascii_email is None or len(read.ascii_email) > MAX_CHARACTERS:
        return None
    return Address(read.ascii_email, read.ascii_email.lower())


def _address(value: object) -> Address:
    address = read_address(value) if isinstance(value, str) else None
    if address is None:
        raise problems.NOT_AN_ADDRESS("email")
    return address


_SCHEMA = {"type": "string", "format": "email", "maxLength": MAX_CHARACTERS}

EmailAddress = Annotated[Address, PlainValidator(_address), WithJsonSchema(_SCHEMA)]
"""Address in a field that is called `email`."""
