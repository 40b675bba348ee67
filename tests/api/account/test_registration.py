"""The whole way: an address, a mail, its link, the button, the key, an answer with it."""

import asyncio
import base64
import hashlib
import logging
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urljoin

import pytest
from yarl import URL

from api.account import problems
from tests.api.account.conftest import Accounts
from tests.api.conftest import Asked

POINT = "/api/forecast?lat=59.91&lon=10.75"
_CONTACT = '<a href="mailto:hjelp@example.com" target="_blank" rel="noopener noreferrer">hjelp@example.com</a>'
HTML = "text/html; charset=utf-8"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
_FORM = re.compile(
    r'<form method="post" action="(.*?)" target="_blank".*?name="token" value="(.*?)".*?<button>', re.DOTALL
)
_KEY = re.compile(r"sk_live_[A-Za-z0-9]{64}")


def _said(text: str) -> str:
    """What a page makes of a text."""
    return text.format(contact=_CONTACT)


async def test_the_whole_way_to_a_key(accounts: Accounts, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    asked = await accounts.register("Kari.Nordmann@EXAMPLE.com", language="en")
    assert (asked.status, asked.json["ok"], asked.json["message"][:19]) == (200, True, "We have sent a link")
    [mail] = accounts.mailbox.mails
    assert (mail["From"], mail["To"]) == ("solflis@example.com", "Kari.Nordmann@example.com")
    assert accounts.mailbox.envelopes == [("solflis@example.com", ["Kari.Nordmann@example.com"])]
    [link] = re.findall(r"https://\S+", str(mail.get_content()))
    assert link.startswith("https://sol.example.com/under/api/verify?token=")

    path = link.removeprefix("https://sol.example.com/under")
    for method in ("HEAD", "GET", "GET"):
        page = await accounts.api.ask(path, method, headers={"Purpose": "prefetch", "Sec-Purpose": "prefetch"})
        assert page.status == 200
    [(action, token)] = _FORM.findall(page.text)
    assert urljoin(link, action) == "https://sol.example.com/under/api/verify"
    shown = await accounts.press(token)
    assert shown.status == 200
    [key] = set(_KEY.findall(shown.text))
    assert len(key) == 72

    with_key = await accounts.api.ask(POINT, headers={"X-API-Key": key})
    without = await accounts.api.ask(POINT)
    assert with_key.status == without.status == 200
    assert int(with_key.headers["X-Quota-Limit"]) > int(without.headers["X-Quota-Limit"])
    assert [tuple(row) for row in accounts.rows("SELECT email, plan FROM account")] == [
        ("kari.nordmann@example.com", "free")
    ]

    again = await accounts.press(token, **BROWSER)  # in another tab, where the key is not: it says where it is
    assert (again.status, _said(problems.LINK_UNKNOWN.nb) in again.text) == (404, True)
    assert not _KEY.search(again.text)
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name != "mail.log").lower()
    for secret in (token, key, "nordmann"):
        assert secret.lower() not in logged


async def test_pages_leak_nothing(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    asked = await accounts.api.ask(f"/api/verify?token={token}")
    shown = await accounts.press(token)
    spent = await accounts.press(token, **BROWSER)
    for page in (asked, shown, spent):
        assert page.headers["Content-Type"] == HTML
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["Referrer-Policy"] == "no-referrer"
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "form-action 'self'" in policy
        assert "unsafe" not in policy
        [style] = re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
        assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in policy
        assert not re.search(r"<(script|link|img|iframe)\b|style=|(src|href)=[\"']?(https?:)?//", page.text)
        for link in re.findall(r"<a .*?>", page.text, re.DOTALL):
            assert 'target="_blank" rel="noopener noreferrer"' in link
    assert token not in shown.text + spent.text


async def test_what_is_stored_opens_nothing(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    assert len(token) == 43
    [row] = accounts.rows("SELECT * FROM registration")
    stored = b"".join(bytes(v) if isinstance(v, bytes | memoryview) else str(v).encode() for v in row)
    for guess in (token.encode(), base64.urlsafe_b64decode(token + "="), hashlib.sha256(token.encode()).digest()):
        assert guess not in stored


@pytest.mark.parametrize("email", ["kari@example.com\r\nBcc: ola@example.com", ["kari@example.com"]])
async def test_what_is_no_address(accounts: Accounts, email: Any) -> None:
    asked = await accounts.register(email)
    assert (asked.status, asked.json) == (
        400,
        {"error": "Feltet email må være en gyldig e-postadresse.", "code": "INVALID_INPUT", "parameter": "email"},
    )
    assert accounts.mailbox.mails == []


@pytest.mark.parametrize(
    ("written", "reached"),
    [("a=b?c!#$%&'*+-/^_`{|}~.d@example.com",) * 2, ("kari@blåbær.no", "kari@xn--blbr-roah.no")],
)
async def test_the_mail_goes_to_the_mailbox_and_the_account_is_its(
    accounts: Accounts, written: str, reached: str
) -> None:
    assert (await accounts.register(written)).status == 200
    assert accounts.mailbox.envelopes == [("solflis@example.com", [reached])]
    assert accounts.mailbox.mails[0]["To"] == reached
    await accounts.press(accounts.mailbox.tokens[0])
    assert (await accounts.register(reached)).status == 409


async def test_a_new_mail_brings_the_same_link_which_is_then_valid_for_longer(accounts: Accounts) -> None:
    for email in ("kari@example.com", "KARI@example.com"):
        assert (await accounts.register(email)).status == 200
        accounts.clock.moment += timedelta(hours=23)
    first, second = accounts.mailbox.tokens
    assert first == second
    assert (await accounts.press(first)).status == 200


@pytest.mark.parametrize("back", [timedelta(seconds=5), timedelta(days=400)], ids=["hosts differ", "far back"])
async def test_a_link_outlives_a_clock_that_goes_back(accounts: Accounts, back: timedelta) -> None:
    await accounts.register("kari@example.com")
    accounts.clock.moment -= back
    assert (await accounts.register("kari@example.com")).status == 200
    assert len(set(accounts.mailbox.tokens)) == 1
    assert (await accounts.press(accounts.mailbox.tokens[0])).status == 200


async def test_only_an_account_is_a_conflict(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    assert (await accounts.press(accounts.mailbox.tokens[0])).status == 200
    *conflicts, held_back = [await accounts.register("Kari@Example.com", "192.0.2.2") for _ in range(4)]
    for asked in conflicts:
        assert (asked.status, asked.json) == (409, problems.REGISTERED(contact="hjelp@example.com").body())
    assert held_back.status == 429, "nobody tries many addresses for accounts"
    assert len(accounts.mailbox.mails) == 1


_SAME_INBOX = ("kari.n@gmail.com", "KariN+sol@googlemail.com", "k.a.r.i.n+x+y@gmail.com")


async def test_a_network_has_three_mails_an_hour_which_do_not_lock_an_address_out(accounts: Accounts) -> None:
    statuses = [(await accounts.register("kari@example.com", f"2001:db8::{i}")).status for i in range(4)]  # one /64
    assert statuses == [200, 200, 200, 429]
    assert (await accounts.register("ola@example.com", "2001:db8::9")).status == 429
    assert (await accounts.register("kari@example.com", "2001:db8:0:1::1")).status == 200


async def test_an_inbox_gets_twelve_mails_an_hour_however_it_is_written(accounts: Accounts) -> None:
    statuses = [(await accounts.register(_SAME_INBOX[i % 3], f"192.0.2.{i}")).status for i in range(12)]
    assert statuses == [200] * 12
    refused = await accounts.register("karin@gmail.com", "192.0.2.99")
    assert refused.status == 429
    assert 3580 <= int(refused.headers["Retry-After"]) <= 3600
    assert refused.json["error"].startswith("For mange forespørsler")
    assert (await accounts.register("kari.n@example.com", "192.0.2.99")).status == 200  # a refusal takes nothing
    assert (await accounts.press(accounts.mailbox.tokens[0])).status == 200


async def test_a_link_is_valid_for_a_day(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    path = f"/api/verify?token={token}"
    accounts.clock.moment += timedelta(hours=23, minutes=59, seconds=59)
    assert (await accounts.api.ask(path)).status == 200
    accounts.clock.moment += timedelta(seconds=1)
    for expired in (await accounts.api.ask(path), await accounts.press(token), await accounts.press(token)):
        assert (expired.status, expired.json["error"]) == (410, problems.LINK_EXPIRED.nb)
        assert expired.json["parameter"] == "token"
    assert accounts.rows("SELECT * FROM account") == []
    assert (await accounts.register("kari@example.com")).status == 200
    assert (await accounts.press(accounts.mailbox.tokens[1])).status == 200


async def test_addresses_that_never_came_back_are_forgotten(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    accounts.clock.moment += timedelta(days=3, seconds=1)
    await accounts.register("ola@example.com")
    assert [row.email for row in accounts.rows("SELECT email FROM registration")] == ["ola@example.com"]


@pytest.mark.parametrize(
    ("token", "status", "text"),
    [
        *((token, 400, problems.LINK_DAMAGED.nb) for token in ("", "A" * 44, "A" * 42 + "ø", "<script>" * 6)),
        ("A" * 43, 404, problems.LINK_UNKNOWN.nb),
    ],
)
async def test_a_link_that_is_not_valid_is_a_page_where_html_is_asked_for(
    accounts: Accounts, token: str, status: int, text: str
) -> None:
    path = str(URL("/api/verify").with_query(token=token))
    for page in (await accounts.api.ask(path, headers=BROWSER), await accounts.press(token, **BROWSER)):
        assert (page.status, _said(text) in page.text, page.headers["Content-Type"]) == (status, True, HTML)
        assert "<script" not in page.text
    for error in (await accounts.api.ask(path), await accounts.press(token, Accept="application/json")):
        assert (error.status, error.json["error"]) == (status, text.format(contact="hjelp@example.com"))


async def test_thirty_links_a_minute_for_a_network(accounts: Accounts) -> None:
    statuses = [(await accounts.press("A" * 43)).status for _ in range(31)]
    assert statuses == [404] * 30 + [429]
    assert (await accounts.press("A" * 43, **{"X-Forwarded-For": "192.0.2.9"})).status == 404


async def test_ten_press_at_once(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens

    async def press() -> Asked:
        while (page := await accounts.press(token)).status == 503:  # the others had the database all the time
            pass
        return page

    pages = await asyncio.gather(*(press() for _ in range(10)))
    assert sorted(page.status for page in pages) == [200] + [404] * 9
    assert len(accounts.rows("SELECT * FROM account")) == len(accounts.rows("SELECT * FROM api_key")) == 1


async def test_an_account_that_came_in_between(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    accounts.rows("INSERT INTO account (email, plan, created_at) VALUES ('kari@example.com', 'pro', '2026-01-01')")
    for error in (await accounts.api.ask(f"/api/verify?token={token}"), await accounts.press(token)):
        assert (error.status, error.json["error"]) == (409, problems.REGISTERED.text(contact="hjelp@example.com"))
    assert [row.plan for row in accounts.rows("SELECT plan FROM account")] == ["pro"]
    assert accounts.rows("SELECT * FROM api_key") == []


async def test_a_mail_server_that_refuses(accounts: Accounts, caplog: pytest.LogCaptureFixture) -> None:
    await accounts.register("kari@example.com")
    accounts.mailbox.refuse = "550 no such user"
    for _ in range(2):
        asked = await accounts.register("kari@example.com")
        assert (asked.status, asked.json) == (500, problems.NO_MAIL().body())
    assert (await accounts.register("kari@example.com")).status == 429, "nobody has us ask a mail server without end"
    assert f"a mail was not sent: 127.0.0.1:{accounts.mailbox.port}: SMTPRecipientsRefused 550\n" in caplog.text
    assert not re.search("no such user|kari", caplog.text)
    assert (await accounts.press(accounts.mailbox.tokens[0])).status == 200, "the earlier link stays valid"
