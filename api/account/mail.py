"""The mail with the link, and how mails leave: by SMTP, or into a folder where somebody looks."""

import asyncio
import logging
import os
import tomllib
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime, make_msgid
from ipaddress import ip_address
from pathlib import Path
from string import Template
from tempfile import mkstemp
from typing import Any
from urllib.parse import unquote, urlsplit

import aiosmtplib

from api.core.email_address import read_address

_MAIL = tomllib.loads(Path(__file__).with_name("mail.toml").read_text(encoding="utf-8"))
_FORMS = "SOLFLIS_SMTP: expected smtp://user:password@host:port or smtps://user:password@host:port"

log = logging.getLogger("solflis.api")


class MailFailed(Exception):
    """The mail was not accepted; the text names no address and no password."""


def confirmation(sender: str, to: str, link: str, hours: int) -> EmailMessage:
    """Return the mail with the link that shows the address to be somebody's."""
    # 8bit: in the outbox, the link stands in the file as it is.
    message = EmailMessage(policy=default.clone(cte_type="8bit"))
    message["From"] = sender
    message["To"] = to
    message["Subject"] = _MAIL["subject"]
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(Template(_MAIL["text"]).substitute(link=link, hours=hours), cte="8bit")
    return message


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class SmtpMailer:
    """A mail server.

    STARTTLS is used where it is offered, and a password is never sent without encryption. A server on this machine
    may have any certificate, or none.

    Parameters
    ----------
    url : str
        `smtp://user:password@host:port`, or `smtps://...`.
    deadline_s : float
        How long sending a mail may take in all, s.
    is_local : callable
        Whether a host is this machine.

    Raises
    ------
    ValueError
        It is no such address.
    """

    def __init__(self, url: str, deadline_s: float = 10.0, is_local: Callable[[str], bool] = is_loopback) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise ValueError(_FORMS) from None
        if parts.scheme not in ("smtp", "smtps") or not host or parts.path.strip("/"):
            raise ValueError(_FORMS)
        tls, local = parts.scheme == "smtps", is_local(host)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        port = port or (465 if tls else 587 if user else 25)
        self._where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._deadline_s = deadline_s
        self._options: dict[str, Any] = {
            "hostname": host,
            "port": port,
            "username": user or None,
            "password": password or None,
            "timeout": deadline_s,
            "use_tls": tls,
            "start_tls": False if tls else (True if user and not local else None),
            "validate_certs": not local,
        }

    async def send(self, sender: str, to: str, message: EmailMessage) -> None:
        """Send a mail to an envelope: servers go by that alone, whatever the header says.

        Raises
        ------
        MailFailed
        """
        try:
            with closing(aiosmtplib.SMTP(local_hostname=sender.rpartition("@")[2], **self._options)) as client:
                async with asyncio.timeout(self._deadline_s):
                    await client.connect()
                    await client.send_message(message, sender=sender, recipients=[to])
                # The mail is taken: the answer to QUIT, which `aiosmtplib.send` would wait for, changes nothing.
                with suppress(aiosmtplib.SMTPException):
                    await client.quit(timeout=0)
        except TimeoutError as error:
            raise MailFailed(f"{self._where}: no answer within {self._deadline_s:g} s") from error
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            raise MailFailed(f"{self._where}: {type(error).__name__}{_detail(error)}") from error


class Outbox:
    """A folder: mails lie there as `.eml`, readable by us alone, and the log names them.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def send(self, sender: str, to: str, message: EmailMessage) -> None:  # noqa: ARG002
        """Write a mail; raises as that of a mail server does."""
        try:
            file = await asyncio.to_thread(self._write, message.as_bytes())
        except OSError as error:
            raise MailFailed(f"{self._folder}: {error.strerror}") from error
        log.info("no mail server is set (SOLFLIS_SMTP); a mail lies in %s", file)

    def _write(self, content: bytes) -> str:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = mkstemp(".eml", f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-", self._folder)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        return name


Mailer = SmtpMailer | Outbox


def make_mailer(smtp: str | None, state: Path) -> Mailer:
    """Return what sends mails: a mail server where one is set, else the folder `outbox` of the state folder."""
    return Outbox(state / "outbox") if smtp is None else SmtpMailer(smtp)


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
