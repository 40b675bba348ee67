"""The mail with the link, and how mails leave: by SMTP, or into a folder where somebody looks."""

import asyncio
import logging
import os
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime, make_msgid
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

import aiosmtplib

from api.account.address import read_address

DEADLINE_S = 10.0
"""How long sending a mail may take in all, s."""

_SUBJECT = "Bekreft e-postadressen din hos Solflis"
_TEXT = """\
Hei,

noen, trolig du, har bedt om en gratis API-nøkkel til Solflis for denne adressen.
Åpne lenken og trykk på knappen der for å få nøkkelen. Den vises bare én gang.

{link}

Lenken gjelder i {hours} timer og virker én gang. Ber du om en ny, slutter denne å virke.
Har du ikke bedt om dette, kan du se bort fra denne e-posten.
"""
_FORMS = "SOLFLIS_SMTP: expected smtp://user:password@host:port or smtps://user:password@host:port"

log = logging.getLogger("solflis.api")


class MailFailed(Exception):
    """The mail was not accepted; the text names no address and no password."""


class Mail(NamedTuple):
    """A mail, and its envelope: servers go by that alone, whatever the header says.

    Parameters
    ----------
    sender, to : str
    message : EmailMessage
    """

    sender: str
    to: str
    message: EmailMessage


class Mailer(Protocol):
    """Sends mails."""

    async def send(self, mail: Mail) -> None:
        """Send a mail.

        Raises
        ------
        MailFailed
        """
        ...


def confirmation(sender: str, to: str, link: str, hours: int) -> Mail:
    """Return the mail with the link that shows the address to be somebody's."""
    # 8bit: in the outbox, the link stands in the file as it is.
    message = EmailMessage(policy=default.clone(cte_type="8bit"))
    message["From"] = sender
    message["To"] = to
    message["Subject"] = _SUBJECT
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = make_msgid(domain=_host_of(sender))
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_TEXT.format(link=link, hours=hours), cte="8bit")
    return Mail(sender, to, message)


class SmtpMailer:
    """A mail server.

    STARTTLS is used where it is offered, and a password is never sent without encryption. A server on this machine
    may have any certificate, or none.

    Parameters
    ----------
    url : str
        `smtp://user:password@host:port`, or `smtps://...`.
    deadline_s : float

    Raises
    ------
    ValueError
        It is no such address.
    """

    def __init__(self, url: str, deadline_s: float) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise ValueError(_FORMS) from None
        if parts.scheme not in ("smtp", "smtps") or not host or parts.path.strip("/"):
            raise ValueError(_FORMS)
        self._host, self._deadline_s = host, deadline_s
        self._tls = parts.scheme == "smtps"
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._port = port or (465 if self._tls else 587 if self._user else 25)
        self._where = f"[{host}]:{self._port}" if ":" in host else f"{host}:{self._port}"

    async def send(self, mail: Mail) -> None:
        """Send a mail."""
        try:
            client = self._client(_host_of(mail.sender))
            try:
                async with asyncio.timeout(self._deadline_s):
                    await client.connect()
                    await client.send_message(mail.message, sender=mail.sender, recipients=[mail.to])
                # The mail is taken: the answer to QUIT, which `aiosmtplib.send` would wait for, changes nothing.
                with suppress(aiosmtplib.SMTPException):
                    await client.quit(timeout=0)
            finally:
                client.close()
        except TimeoutError as error:
            raise MailFailed(f"{self._where}: no answer within {self._deadline_s:g} s") from error
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            raise MailFailed(f"{self._where}: {type(error).__name__}{_detail(error)}") from error

    def _client(self, our_name: str) -> aiosmtplib.SMTP:
        here = _is_here(self._host)
        return aiosmtplib.SMTP(
            hostname=self._host,
            port=self._port,
            username=self._user or None,
            password=self._password or None,
            local_hostname=our_name,
            timeout=self._deadline_s,
            use_tls=self._tls,
            start_tls=False if self._tls else (True if self._user and not here else None),
            validate_certs=not here,
        )


class Outbox:
    """A folder: mails lie there as `.eml`, readable by us alone, and the log names them.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def send(self, mail: Mail) -> None:
        """Write a mail."""
        try:
            file = await asyncio.to_thread(self._write, mail.message.as_bytes())
        except OSError as error:
            raise MailFailed(f"{self._folder}: {error.strerror}") from error
        log.info("no mail server is set (SOLFLIS_SMTP); a mail lies in %s", file)

    def _write(self, content: bytes) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}.eml"
        draft, file = self._folder / f".{name}", self._folder / name
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        draft.rename(file)
        return file


def make_mailer(smtp: str | None, state: Path) -> Mailer:
    """Return what sends mails: a mail server where one is set, else the folder `outbox` of the state folder."""
    return Outbox(state / "outbox") if smtp is None else SmtpMailer(smtp, DEADLINE_S)


def checked_sender(text: str) -> str:
    """Return the sender of mails, `name@host`.

    Raises
    ------
    ValueError
        It is none.
    """
    local, _, host = text.rpartition("@")
    if host == "localhost" and local.isascii() and local.isalnum():
        return text
    if (read := read_address(text)) is None:
        raise ValueError("SOLFLIS_MAIL_FROM: expected an address such as solflis@example.com")
    return read.mailbox


def _detail(error: Exception) -> str:
    # Not what a server says, nor what could not be sent: an address or the password may be in it.
    match error:
        case aiosmtplib.SMTPRecipientsRefused():
            return "".join(f" {refused.code}" for refused in error.recipients)
        case aiosmtplib.SMTPResponseException():
            return f" {error.code}"
        case aiosmtplib.SMTPException():
            return f": {error.message}"
        case OSError():
            return f": {error.strerror}"
    return ""


def _host_of(address: str) -> str:
    return address.rpartition("@")[2]


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
