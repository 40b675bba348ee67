"""Sending of mails by SMTP or into a folder; at once, or by a job that tries again."""

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime, make_msgid
from ipaddress import ip_address
from pathlib import Path
from tempfile import mkstemp
from typing import Any
from urllib.parse import unquote, urlsplit

import aiosmtplib
import orjson

from api.core import problems
from api.core.email_address import read_address
from api.jobs.run import Later, Run

_FIRST_DELAY_S = 60.0
_FORMS = "SOLFLIS_SMTP: expected smtp://user:password@host:port or smtps://user:password@host:port"

log = logging.getLogger("solflis.api")


MAILS = "3/hour"
"""For one network; tries count, or anybody could have us ask the mail server without end."""

MAILS_TO_INBOX = ("12/hour", "36/day")
"""For one inbox, whoever asks: more than a stranger's network may ask, and links that were sent stay valid."""


class MailFailed(Exception):
    """The mail was not accepted; the text names no address and no password."""

    for_good = False
    """Whether the server refuses the recipient, and would again."""


def limits_of(client: str, inbox: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the rates that a mail counts for, as `Rates.hit` takes them."""
    to_inbox = [(rule, ("mails to", inbox)) for rule in MAILS_TO_INBOX]
    return [(MAILS, ("mails for", client)), *to_inbox]


def compose(sender: str, to: str, subject: str, text: str, message_id: str = "") -> EmailMessage:
    """Return a mail; where it may be sent twice, give it the same `message_id`, so that one is dropped."""
    # 8bit: in the outbox, links stand in the file as they are.
    message = EmailMessage(policy=default.clone(cte_type="8bit"))
    message["From"] = sender
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.now(UTC))
    host = sender.rpartition("@")[2]
    message["Message-ID"] = f"<{message_id}@{host}>" if message_id else make_msgid(domain=host)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text, cte="8bit")
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
            failed = MailFailed(f"{self._where}: {type(error).__name__}{_detail(error)}")
            if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
                failed.for_good = all(refused.code >= 500 for refused in error.recipients)
            raise failed from error


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


def deliver(run: Run) -> None:
    """Send the mail of a job: `to`, `subject` and `text` as JSON.

    Raises
    ------
    Later
        The mail was not accepted; the delay doubles from run to run.
    ApiError
        `MAIL_REFUSED`: the recipient is refused for good.
    """
    asked, settings = orjson.loads(run.input), run.settings
    sender = checked_sender(settings.mail_from)
    message = compose(sender, asked["to"], asked["subject"], asked["text"], run.job_id)
    try:
        asyncio.run(make_mailer(settings.smtp, settings.state).send(sender, asked["to"], message))
    except MailFailed as error:
        log.error("a mail was not sent: %s", error)
        if error.for_good:
            raise problems.MAIL_REFUSED() from None
        raise Later(_FIRST_DELAY_S * 2 ** (run.runs - 1)) from None


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
