"""Mail servers of every kind, those that fail, and the folder for mails where there is none."""

import asyncio
import datetime
import ipaddress
import logging
import re
import ssl
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from api import texts
from api.account.mail import DEADLINE_S, MailFailed, SmtpMailer, checked_sender, confirmation, make_mailer
from tests.api.account.conftest import Accounts
from tests.api.conftest import Start
from tests.support.mailbox import STAGES, hanging_server, mail_server, token_of

MAIL = confirmation("solflis@example.com", "kari@example.com", "https://x.example/api/verify?token=abc", 24)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 and its key in one file; nobody trusts it of itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def context(certificate: Path) -> ssl.SSLContext:
    """What a server needs to encrypt."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback counts as any other host."""
    monkeypatch.setattr("api.account.mail._is_here", lambda _: False)


async def test_starttls_is_used_where_it_is_offered(context: ssl.SSLContext) -> None:
    with mail_server(starttls=context) as mailbox:
        await SmtpMailer(f"smtp://127.0.0.1:{mailbox.port}", 5).send(MAIL)
    assert mailbox.encrypted == [True]
    assert mailbox.tokens == ["abc"]


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
async def test_certificates_count(
    context: ssl.SSLContext, certificate: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    with mail_server(**{"smtp": {"starttls": context}, "smtps": {"implicit": context}}[scheme]) as mailbox:
        url = f"{scheme}://127.0.0.1:{mailbox.port}"
        with pytest.raises(MailFailed, match=rf"^127\.0\.0\.1:{mailbox.port}: .*CERTIFICATE_VERIFY_FAILED"):
            await SmtpMailer(url, 5).send(MAIL)
        assert mailbox.mails == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        await SmtpMailer(url, 5).send(MAIL)
    assert mailbox.encrypted == [True]


async def test_login(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with mail_server(login=True) as mailbox:
        await SmtpMailer(f"smtp://k%40x:p%3Aw%2Fd@127.0.0.1:{mailbox.port}", 5).send(MAIL)
        with pytest.raises(MailFailed, match=r"SMTPAuthenticationError 535") as failed:
            await SmtpMailer(f"smtp://kari:wrong@127.0.0.1:{mailbox.port}", 5).send(MAIL)
    assert mailbox.users[0] == ("k@x", "p:w/d")
    assert len(mailbox.mails) == 1
    assert "wrong" not in caplog.text + str(failed.value)


@pytest.mark.usefixtures("elsewhere")
async def test_a_password_is_never_sent_in_clear() -> None:
    said = r"^127\.0\.0\.1:\d+: SMTPException: SMTP STARTTLS extension not supported by server\.$"
    with mail_server(login=True) as mailbox, pytest.raises(MailFailed, match=said):
        await SmtpMailer(f"smtp://kari:s3cr3t@127.0.0.1:{mailbox.port}", 5).send(MAIL)
    assert mailbox.users == []


@pytest.mark.parametrize(
    "url",
    [
        "localhost:25",
        "http://x:s3cr3t@mail",
        "smtp://",
        "smtp://u:s3cr3t@:25",
        "smtp://u:s3cr3t@mail:99999",
        "smtp://[x",
    ],
)
def test_what_is_no_mail_server(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^SOLFLIS_SMTP: expected") as refused:
        make_mailer(url, tmp_path)
    assert "s3cr3t" not in str(refused.value)


@pytest.mark.parametrize(
    "text", ["solflis", "a@b@example.com", "x@example.com\nBcc: y@example.com", "x\n@localhost", ""]
)
def test_what_is_no_sender(text: str) -> None:
    with pytest.raises(ValueError, match="SOLFLIS_MAIL_FROM"):
        checked_sender(text)


def test_senders() -> None:
    assert checked_sender("solflis@localhost") == "solflis@localhost"
    assert checked_sender("solflis@Example.com") == "solflis@example.com"


def test_headers_cannot_be_injected() -> None:
    with pytest.raises(ValueError, match=r"[Hh]eader"):
        confirmation("a@example.com", "b@example.com\r\nBcc: c@example.com", "https://x", 24)


async def test_the_envelope_does_not_come_from_the_header() -> None:
    with mail_server() as mailbox:
        await SmtpMailer(f"smtp://127.0.0.1:{mailbox.port}", 5).send(
            MAIL._replace(sender="a@b.no", to="ola@example.com")
        )
    assert mailbox.envelopes == [("a@b.no", ["ola@example.com"])]


async def test_a_mail_server_that_hangs(accounts: Accounts, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 within the deadline, and the link that was sent before is as good as ever."""
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    before = accounts.rows("SELECT * FROM registration")
    server = await hanging_server()
    monkeypatch.setattr("api.account.mail.DEADLINE_S", 0.5)
    api = await start(
        clock=accounts.clock,
        state_folder=accounts.state,
        access="keys",
        database=accounts.database_url,
        smtp=f"smtp://127.0.0.1:{server.port}",
    )
    begun = time.monotonic()
    for email in ("kari@example.com", "ola@example.com"):
        asked = await api.ask("/api/register", "POST", json={"email": email})
        assert (asked.status, asked.json) == (500, {"error": texts.NO_MAIL})
    assert time.monotonic() - begun < 8  # twice the deadline that is usual would be 20
    assert len(server.writers) == 2
    await server.stop()
    assert accounts.rows("SELECT * FROM registration") == before
    assert (await accounts.press(token)).status == 200


async def test_the_deadline_holds_at_every_stage() -> None:
    async def seconds(stage: str) -> float:
        server = await hanging_server(stage)
        begun = time.monotonic()
        with pytest.raises(MailFailed, match="no answer within 3 s"):
            await SmtpMailer(f"smtp://127.0.0.1:{server.port}", 3).send(MAIL)
        took = time.monotonic() - begun
        await server.stop()
        return took

    stages = [stage for stage in STAGES if stage != "QUIT"]
    took = await asyncio.gather(*map(seconds, stages))
    assert all(2.9 < one < 5.7 for one in took), dict(zip(stages, took, strict=True))


async def test_a_mail_that_was_taken_is_sent_whatever_comes_then() -> None:
    server = await hanging_server("QUIT")
    begun = time.monotonic()
    await SmtpMailer(f"smtp://127.0.0.1:{server.port}", 10).send(MAIL)
    assert time.monotonic() - begun < 5
    await server.stop()


def test_the_deadline_is_ten_seconds() -> None:
    assert DEADLINE_S == 10


@pytest.mark.parametrize("answer", ["550 no such user", "451 later"])
async def test_a_mail_server_that_refuses(accounts: Accounts, answer: str, caplog: pytest.LogCaptureFixture) -> None:
    accounts.mailbox.refuse = answer
    asked = await accounts.register("kari@example.com")
    assert (asked.status, asked.json) == (500, {"error": texts.NO_MAIL})
    assert accounts.rows("SELECT * FROM registration") == []
    where = f"127.0.0.1:{accounts.mailbox.port}"
    assert f"a mail was not sent: {where}: SMTPRecipientsRefused {answer[:3]}\n" in caplog.text
    assert answer[4:] not in caplog.text
    assert "kari" not in caplog.text
    accounts.mailbox.refuse = ""
    assert (await accounts.register("kari@example.com")).status == 200


async def test_mails_that_fail_count(accounts: Accounts) -> None:
    """Nobody can have us ask a mail server without end."""
    accounts.mailbox.refuse = "550 no such user"
    statuses = [(await accounts.register(f"a{i}@example.com")).status for i in range(4)]
    assert statuses == [500, 500, 500, 429]


async def test_a_mail_server_without_login() -> None:
    said = r"^127\.0\.0\.1:\d+: SMTPException: The SMTP AUTH extension is not supported by this server"
    with mail_server() as mailbox, pytest.raises(MailFailed, match=said) as failed:
        await SmtpMailer(f"smtp://kari:s3cr3t@127.0.0.1:{mailbox.port}", 5).send(MAIL)
    assert not re.search("kari|s3cr3t", str(failed.value))


async def test_the_log_says_which_server_and_why(
    start: Start, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with mail_server() as mailbox:
        pass
    api = await start(state_folder=tmp_path / "state", smtp=f"smtp://kari:s3cr3t@127.0.0.1:{mailbox.port}")
    assert (await api.ask("/api/register", "POST", json={"email": "ola@example.com"})).status == 500
    said = rf"a mail was not sent: 127\.0\.0\.1:{mailbox.port}: SMTPConnectError: .*(refused|[Cc]onnect call failed)"
    assert re.search(said, caplog.text)
    for secret in ("kari", "s3cr3t", "ola"):
        assert secret not in caplog.text


async def test_a_mail_server_that_is_gone(start: Start, tmp_path: Path) -> None:
    with mail_server() as mailbox:
        pass
    api = await start(state_folder=tmp_path / "state", smtp=f"smtp://127.0.0.1:{mailbox.port}")
    asked = await api.ask("/api/register", "POST", json={"email": "kari@example.com"})
    assert (asked.status, asked.json) == (500, {"error": texts.NO_MAIL})


async def test_without_mail_server_mails_lie_in_a_folder(
    start: Start, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "solflis.api")
    state = tmp_path / "state"
    api = await start(state_folder=state)
    asked = await api.ask("/api/register", "POST", json={"email": "kari@example.com"})
    assert asked.status == 200
    [file] = (state / "outbox").iterdir()
    assert file.suffix == ".eml"
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
    assert (asked.status, asked.json) == (500, {"error": texts.NO_MAIL})


async def test_a_locked_database(start: Start, tmp_path: Path) -> None:
    """Whoever cannot get the lock is told so in time; made-up links do not ask for it."""
    file, state = tmp_path / "solflis.sqlite", tmp_path / "state"  # the first one is of `start`
    api = await start(state_folder=state)
    await api.ask("/api/register", "POST", json={"email": "kari@example.com"})
    [mail] = (state / "outbox").iterdir()
    token = token_of(mail.read_text(encoding="utf-8"))
    engine = sa.create_engine(f"sqlite:///{file}", isolation_level="AUTOCOMMIT")
    with engine.connect() as holder:
        holder.exec_driver_sql("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        press = api.ask("/api/verify", "POST", data={"token": token})
        made_up = api.ask("/api/verify", "POST", data={"token": "A" * 43})
        register = api.ask("/api/register", "POST", json={"email": "ola@example.com"})
        answers = await asyncio.gather(press, register, made_up)
        assert time.monotonic() - begun < 6
        holder.exec_driver_sql("ROLLBACK")
    engine.dispose()
    for unavailable in answers[:2]:
        assert (unavailable.status, unavailable.json) == (503, {"error": texts.NO_ACCOUNTS})
        assert unavailable.headers["Retry-After"] == "5"
    assert answers[2].status == 404
    assert list((state / "outbox").iterdir()) == [mail]  # a link that nobody remembers is not sent
    assert (await api.ask("/api/verify", "POST", data={"token": token})).status == 200
