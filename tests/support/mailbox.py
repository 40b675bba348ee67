"""A mail server of our own on loopback, which keeps what it gets."""

import asyncio
import email.policy
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from typing import Any, cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session


@dataclass
class Mailbox:
    """What a server got.

    Parameters
    ----------
    port : int
    mails : list of EmailMessage
    envelopes : list of (sender, recipients)
    users : list of (user, password)
        Who logged in.
    encrypted : list of bool
        Whether each mail came over TLS.
    refuse : str
        What the server says to each recipient, where it takes none: `550 no such user`.
    """

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str | None, list[str]]] = field(default_factory=list)
    users: list[tuple[str, str]] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    refuse: str = ""

    @property
    def tokens(self) -> list[str]:
        """The token of each mail's link."""
        return [token_of(str(mail.get_content())) for mail in self.mails]

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _: SMTP, __: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take a recipient, or not."""
        if self.refuse:
            return self.refuse
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, _: Session, envelope: Envelope) -> str:  # noqa: N802
        """Keep a mail."""
        content = cast(bytes, envelope.content)
        self.mails.append(cast(EmailMessage, message_from_bytes(content, policy=email.policy.default)))
        self.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
        self.encrypted.append(cast(Any, server.transport).get_extra_info("sslcontext") is not None)
        return "250 taken"

    def authenticate(self, _: SMTP, __: Session, ___: Envelope, ____: str, data: Any) -> AuthResult:
        """Let everybody in but `wrong`."""
        user, password = data.login.decode(), data.password.decode()
        self.users.append((user, password))
        return AuthResult(success=password != "wrong", handled=False)


def token_of(text: str) -> str:
    """Return the token of the link in a mail's text."""
    [token] = re.findall(r"/api/verify\?token=(\S+)", text)
    return token


class _Controller(Controller):
    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        super()._trigger_server()


@contextmanager
def mail_server(
    *, implicit: ssl.SSLContext | None = None, starttls: ssl.SSLContext | None = None, login: bool = False
) -> Iterator[Mailbox]:
    """Run a mail server in a thread."""
    mailbox = Mailbox()
    options: dict[str, Any] = {"tls_context": starttls}
    if login:
        options.update(authenticator=mailbox.authenticate, auth_required=True, auth_require_tls=False)
    controller = _Controller(mailbox, "127.0.0.1", 0, ssl_context=implicit, server_kwargs=options)
    controller.start()
    mailbox.port = controller.port
    try:
        yield mailbox
    finally:
        controller.stop()


@dataclass
class Hanging:
    """A server that at some stage says nothing more, and stays."""

    port: int
    server: asyncio.Server
    writers: list[asyncio.StreamWriter]

    async def stop(self) -> None:
        """End it."""
        self.server.close()
        for writer in self.writers:
            writer.close()


# To the connection, to commands, and to the end of a mail.
_ANSWERS = {
    "connection": b"220 here",
    "EHLO": b"250 here",
    "MAIL": b"250 yes",
    "RCPT": b"250 yes",
    "DATA": b"354 go on",
    "mail": b"250 taken",
    "QUIT": b"221 bye",
}
STAGES = tuple(_ANSWERS)


async def hanging_server(silent_at: str = "connection") -> Hanging:
    """Start a server that does not answer at one of `STAGES`."""
    writers: list[asyncio.StreamWriter] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        stage = "connection"
        while stage != silent_at:
            writer.write(_ANSWERS[stage] + b"\r\n")
            if stage == "DATA":
                await reader.readuntil(b"\r\n.\r\n")
                stage = "mail"
            else:
                stage = (await reader.readline())[:4].decode()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    return Hanging(server.sockets[0].getsockname()[1], server, writers)
