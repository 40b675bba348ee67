"""E-mail addresses: what is one, and which are the same."""

from dataclasses import dataclass

from email_validator import EmailNotValidError, validate_email

MAX_CHARACTERS = 254


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
