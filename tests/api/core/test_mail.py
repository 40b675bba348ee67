"""Mail servers of every kind, those that fail, and the folder for mails where there is none."""

import asyncio
import datetime
import ipaddress
import logging
import ssl
import time
from pathlib import Path

import orjson
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from api.account import problems
from api.core.errors import ApiError
from api.core.mail import MailFailed, SmtpMailer, checked_sender, compose, deliver, make_mailer
from api.core.settings import Settings
from api.jobs.run import Later, Run
from tests.api.conftest import Start
from tests.support.database import sqlite_locked
from tests.support.mailbox import STAGES, hanging_server, mail_server, token_of

FROM, TO = "solflis@example.com", "kari@example.com"
MAIL = FROM, TO, compose(FROM, TO, "Lenke", "https://x.example/api/verify?token=abc")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 and its key in one file; nobody trusts it of itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - day, now + day)
    host = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = made.add_extension(host, critical=False).sign(key, hashes.SHA256())
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def context(certificate: Path) -> ssl.SSLContext:
    """What a server needs to encrypt."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def remote(url: str) -> SmtpMailer:
    """Return a mailer to which loopback is any other host."""
    return SmtpMailer(url, 5, is_local=lambda _: False)


async def test_starttls_is_used_and_the_envelope_does_not_come_from_the_header(context: ssl.SSLContext) -> None:
    with mail_server(starttls=context) as mailbox:
        mailer = SmtpMailer(f"smtp://127.0.0.1:{mailbox.port}", 5)
        await mailer.send("a@b.no", "ola@example.com", MAIL[2])
    assert (mailbox.encrypted, mailbox.tokens) == ([True], ["abc"])
    assert mailbox.envelopes == [("a@b.no", ["ola@example.com"])]


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
async def test_certificates_count(
    context: ssl.SSLContext, certificate: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    with mail_server(**{"smtp": {"starttls": context}, "smtps": {"implicit": context}}[scheme]) as mailbox:
        url = f"{scheme}://127.0.0.1:{mailbox.port}"
        with pytest.raises(MailFailed, match=rf"^127\.0\.0\.1:{mailbox.port}: .*CERTIFICATE_VERIFY_FAILED"):
            await remote(url).send(*MAIL)
        assert mailbox.mails == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        await remote(url).send(*MAIL)
    assert mailbox.encrypted == [True]


async def test_login(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with mail_server(login=True) as mailbox:
        await SmtpMailer(f"smtp://k%40x:p%3Aw%2Fd@127.0.0.1:{mailbox.port}", 5).send(*MAIL)
        with pytest.raises(MailFailed, match=r"SMTPAuthenticationError 535") as failed:
            await SmtpMailer(f"smtp://kari:wrong@127.0.0.1:{mailbox.port}", 5).send(*MAIL)
    assert mailbox.users[0] == ("k@x", "p:w/d")
    assert len(mailbox.mails) == 1
    assert "wrong" not in caplog.text + str(failed.value)


async def test_a_password_is_never_sent_in_clear() -> None:
    said = r"^127\.0\.0\.1:\d+: SMTPException: SMTP STARTTLS extension not supported by server\.$"
    with mail_server(login=True) as mailbox, pytest.raises(MailFailed, match=said):
        await remote(f"smtp://kari:s3cr3t@127.0.0.1:{mailbox.port}").send(*MAIL)
    assert mailbox.users == []


@pytest.mark.parametrize("url", ["localhost:25", "smtp://", "smtp://u:s3cr3t@mail:99999", "smtp://[x"])
def test_what_is_no_mail_server(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^SOLFLIS_SMTP: expected") as refused:
        make_mailer(url, tmp_path)
    assert "s3cr3t" not in str(refused.value)


@pytest.mark.parametrize("text", ["solflis", "x@example.com\nBcc: y@example.com", "x\n@localhost"])
def test_what_is_no_sender(text: str) -> None:
    with pytest.raises(ValueError, match="SOLFLIS_MAIL_FROM"):
        checked_sender(text)


def test_headers_cannot_be_injected() -> None:
    with pytest.raises(ValueError, match=r"[Hh]eader"):
        compose("a@example.com", "b@example.com\r\nBcc: c@example.com", "Lenke", "https://x")


@pytest.mark.slow
async def test_the_deadline_holds_at_every_stage() -> None:
    async def seconds(stage: str) -> float:
        server = await hanging_server(stage)
        begun = time.monotonic()
        with pytest.raises(MailFailed, match="no answer within 3 s"):
            await SmtpMailer(f"smtp://127.0.0.1:{server.port}", 3).send(*MAIL)
        took = time.monotonic() - begun
        await server.stop()
        return took

    stages = [stage for stage in STAGES if stage != "QUIT"]
    took = await asyncio.gather(*map(seconds, stages))
    assert all(2.9 < one < 5.7 for one in took), dict(zip(stages, took, strict=True))


async def test_a_mail_that_was_taken_is_sent_whatever_comes_then() -> None:
    server = await hanging_server("QUIT")
    begun = time.monotonic()
    await SmtpMailer(f"smtp://127.0.0.1:{server.port}", 10).send(*MAIL)
    assert time.monotonic() - begun < 5
    await server.stop()


async def test_a_server_that_is_gone_is_named_without_the_password() -> None:
    with mail_server() as mailbox:
        pass
    said = rf"^127\.0\.0\.1:{mailbox.port}: SMTPConnectError: .*(refused|[Cc]onnect call failed)"
    with pytest.raises(MailFailed, match=said) as failed:
        await SmtpMailer(f"smtp://kari:s3cr3t@127.0.0.1:{mailbox.port}", 5).send(*MAIL)
    assert "s3cr3t" not in str(failed.value)


async def test_without_mail_server_mails_lie_in_a_folder(
    start: Start, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "solflis.api")
    state = tmp_path / "state"
    api = await start(state_folder=state)
    assert (await api.ask("/api/register", "POST", json={"email": "kari@example.com"})).status == 200
    [file] = (state / "outbox").glob("*.eml")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    token = token_of(file.read_text(encoding="utf-8"))
    assert str(file) in caplog.text
    assert token not in caplog.text
    assert (await api.ask("/api/verify", "POST", data={"token": token})).status == 200


async def test_an_outbox_that_cannot_be_written(start: Start, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "outbox").write_text("in the way")
    api = await start(state_folder=state)
    asked = await api.ask("/api/register", "POST", json={"email": "kari@example.com"})
    assert (asked.status, asked.json) == (500, problems.NO_MAIL().body())


async def test_a_locked_database(start: Start, tmp_path: Path) -> None:
    """A link that nobody remembers is not sent; who cannot spend one now is told so in time."""
    file, state = tmp_path / "solflis.sqlite", tmp_path / "state"  # the first one is of `start`
    api = await start(state_folder=state)
    await api.ask("/api/register", "POST", json={"email": "kari@example.com"})
    [mail] = (state / "outbox").iterdir()
    spend = {"data": {"token": token_of(mail.read_text(encoding="utf-8"))}}
    with sqlite_locked(file):
        for path, options in (("verify", spend), ("register", {"json": {"email": "ola@example.com"}})):
            begun = time.monotonic()
            asked = await api.ask(f"/api/{path}", "POST", **options)
            assert time.monotonic() - begun < 5
            assert (asked.status, asked.json) == (503, problems.NO_ACCOUNTS().body())
            assert asked.headers["Retry-After"] == "5"
    assert list((state / "outbox").iterdir()) == [mail]
    assert (await api.ask("/api/verify", "POST", **spend)).status == 200


@pytest.mark.parametrize(("refuse", "expected"), [("550 no such user", ApiError), ("450 busy", Later)])
def test_a_mail_whose_recipient_is_refused_for_good_is_not_tried_again(
    tmp_path: Path, refuse: str, expected: type[Exception]
) -> None:
    with mail_server() as mailbox:
        mailbox.refuse = refuse
        with pytest.raises(expected):
            deliver(mail_run(tmp_path, mailbox.port))


def test_a_mail_that_is_sent_twice_has_one_id_so_that_servers_drop_one(tmp_path: Path) -> None:
    with mail_server() as mailbox:
        for runs in (1, 2):
            deliver(mail_run(tmp_path, mailbox.port, runs))
    first, second = mailbox.mails
    assert first["Message-ID"] == second["Message-ID"] == "<job@example.com>"


def mail_run(folder: Path, port: int, runs: int = 1) -> Run:
    settings = Settings(store=str(folder), state=folder, smtp=f"smtp://127.0.0.1:{port}", mail_from=FROM)
    content = orjson.dumps({"to": TO, "subject": "Lenke", "text": "https://x.example/api/verify?token=abc"})
    return Run("", runs, content, settings, f"job/{runs}", folder / "progress")
