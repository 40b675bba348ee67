"""The whole way: an address, a mail, its link, the button, the key, an answer with it."""

import asyncio
import base64
import hashlib
import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncTransaction
from yarl import URL

from api import texts
from tests.api.account.conftest import Accounts, Form

POINT = "/api/forecast?lat=59.91&lon=10.75"
_CONTACT = '<a href="mailto:hjelp@example.com" target="_blank" rel="noopener noreferrer">hjelp@example.com</a>'
_KEY = re.compile(r"sk_live_[A-Za-z0-9]{64}")


def _said(text: str) -> str:
    """What a page makes of a text."""
    return text.format(contact=_CONTACT)


async def test_the_whole_way_to_a_key(accounts: Accounts, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    asked = await accounts.register("Kari.Nordmann@EXAMPLE.com")
    assert (asked.status, asked.json) == (200, {"ok": True, "message": texts.LINK_SENT.format(hours=24)})
    [mail] = accounts.mailbox.mails
    assert (mail["From"], mail["To"]) == ("solflis@example.com", "Kari.Nordmann@example.com")
    assert accounts.mailbox.envelopes == [("solflis@example.com", ["Kari.Nordmann@example.com"])]
    [link] = re.findall(r"https://\S+", str(mail.get_content()))
    assert link.startswith("https://sol.example.com/under/api/verify?token=")

    path = link.removeprefix("https://sol.example.com/under")
    for method in ("HEAD", "GET", "GET"):
        page = await accounts.api.ask(path, method, headers={"Purpose": "prefetch", "Sec-Purpose": "prefetch"})
        assert page.status == 200
    form = Form(page.text)
    assert (form.method, form.buttons) == ("post", 1)
    assert form.target(link) == "https://sol.example.com/under/api/verify"
    shown = await accounts.api.ask("/api/verify", "POST", data=form.fields)
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

    token = form.fields["token"]
    again = await accounts.press(token)
    assert (again.status, _said(texts.LINK_UNKNOWN) in again.text) == (404, True)
    assert not _KEY.search(again.text)
    logged = "\n".join(record.getMessage() for record in caplog.records if record.name != "mail.log").lower()
    for secret in (token, key, "nordmann"):
        assert secret.lower() not in logged


async def test_pages_leak_nothing(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    asked = await accounts.api.ask(f"/api/verify?token={token}")
    shown = await accounts.press(token)
    spent = await accounts.press(token)
    for page in (asked, shown, spent):
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
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
    assert token.encode() not in stored
    assert hashlib.sha256(token.encode()).digest() not in stored


@pytest.mark.parametrize(
    "email",
    [
        "kari",
        "kari@example.com\r\nBcc: ola@example.com",
        "=?utf-8?q?kari?=@example.com",
        "=?utf-8?q?victim=40evil.com=2C?=@example.com",
        "=?utf-8?q?a=0d=0aBcc=3a?=@example.com",
        "",
        None,
        1,
        ["kari@example.com"],
    ],
)
async def test_what_is_no_address(accounts: Accounts, email: Any) -> None:
    asked = await accounts.register(email)
    assert (asked.status, asked.json) == (400, {"error": "Feltet email må være en gyldig e-postadresse."})
    assert accounts.mailbox.mails == []


async def test_the_envelope_is_what_was_asked_for(accounts: Accounts) -> None:
    strange = "a=b?c!#$%&'*+-/^_`{|}~.d@example.com"
    assert (await accounts.register(strange)).status == 200
    assert accounts.mailbox.envelopes == [("solflis@example.com", [strange])]
    assert accounts.mailbox.mails[0]["To"] == strange


async def test_bodies_without_address(accounts: Accounts) -> None:
    missing = await accounts.api.ask("/api/register", "POST", json={})
    assert (missing.status, missing.json) == (400, {"error": "Feltet email mangler."})
    broken = await accounts.api.ask("/api/register", "POST", data=b"{", headers={"Content-Type": "application/json"})
    assert broken.json == {"error": "Invalid JSON body", "example": {"email": "kari@example.com"}}


async def test_an_address_beyond_ascii(accounts: Accounts) -> None:
    assert (await accounts.register("kari@blåbær.no")).status == 200
    assert accounts.mailbox.envelopes[0][1] == ["kari@xn--blbr-roah.no"]
    await accounts.press(accounts.mailbox.tokens[0])
    assert (await accounts.register("kari@xn--blbr-roah.no")).status == 409


async def test_a_fresh_link_and_the_old_one_dies(accounts: Accounts) -> None:
    for email in ("kari@example.com", "KARI@example.com"):
        assert (await accounts.register(email)).status == 200
    old, new = accounts.mailbox.tokens
    assert (await accounts.api.ask(f"/api/verify?token={old}")).status == 404
    assert (await accounts.press(old)).status == 404
    assert (await accounts.api.ask(f"/api/verify?token={new}")).status == 200
    assert (await accounts.press(new)).status == 200


@pytest.mark.parametrize(
    ("back", "valid"),
    [(timedelta(seconds=5), 0), (timedelta(minutes=5), 1), (timedelta(days=400), 1)],
    ids=["sent at once", "the clock went back", "far back"],
)
async def test_one_of_two_links_is_valid(accounts: Accounts, back: timedelta, valid: int) -> None:
    await accounts.register("kari@example.com")
    accounts.clock.moment -= back
    assert (await accounts.register("kari@example.com")).status == 200
    tokens = accounts.mailbox.tokens
    assert (await accounts.press(tokens[1 - valid])).status == 404
    assert (await accounts.press(tokens[valid])).status == 200


async def test_only_an_account_is_a_conflict(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    assert (await accounts.press(accounts.mailbox.tokens[0])).status == 200
    asked = await accounts.register("Kari@Example.com", "192.0.2.2")
    assert (asked.status, asked.json) == (409, {"error": texts.REGISTERED.format(contact="hjelp@example.com")})
    assert len(accounts.mailbox.mails) == 1


async def test_three_mails_an_hour_for_an_address(accounts: Accounts) -> None:
    statuses = [(await accounts.register("kari@example.com", f"192.0.2.{i}")).status for i in range(4)]
    assert statuses == [200, 200, 200, 429]
    refused = await accounts.register("KARI@example.com", "192.0.2.99")
    assert refused.status == 429
    assert 3590 <= int(refused.headers["Retry-After"]) <= 3600
    assert refused.json["error"].startswith("For mange forespørsler")
    assert (await accounts.register("ola@example.com", "192.0.2.99")).status == 200  # a refusal takes nothing


async def test_three_mails_an_hour_for_a_network(accounts: Accounts) -> None:
    networks = [f"2001:db8::{i}" for i in range(4)]  # one /64
    statuses = [(await accounts.register(f"a{i}@example.com", network)).status for i, network in enumerate(networks)]
    assert statuses == [200, 200, 200, 429]
    assert (await accounts.register("a3@example.com", "2001:db8:0:1::1")).status == 200


async def test_who_asks_for_accounts_is_held_back(accounts: Accounts) -> None:
    accounts.rows("INSERT INTO account (email, plan, created_at) VALUES ('a@example.com', 'pro', '2026-01-01')")
    statuses = [(await accounts.register("a@example.com")).status for _ in range(4)]
    assert statuses == [409, 409, 409, 429]


async def test_a_link_is_valid_for_a_day(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    path = f"/api/verify?token={token}"
    accounts.clock.moment += timedelta(hours=23, minutes=59, seconds=59)
    assert (await accounts.api.ask(path)).status == 200
    accounts.clock.moment += timedelta(seconds=1)
    for expired in (await accounts.api.ask(path), await accounts.press(token), await accounts.press(token)):
        assert (expired.status, texts.LINK_EXPIRED in expired.text) == (410, True)
    assert accounts.rows("SELECT * FROM account") == []
    assert (await accounts.register("kari@example.com")).status == 200
    assert (await accounts.press(accounts.mailbox.tokens[1])).status == 200


async def test_addresses_that_never_came_back_are_forgotten(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    accounts.clock.moment += timedelta(days=3, seconds=1)
    await accounts.register("ola@example.com")
    assert [row.email for row in accounts.rows("SELECT email FROM registration")] == ["ola@example.com"]


@pytest.mark.parametrize("token", ["", "x", "A" * 42, "A" * 44, "A" * 42 + "ø", "<script>" * 6, "'" * 43, "A" * 5000])
async def test_damaged_links(accounts: Accounts, token: str) -> None:
    path = str(URL("/api/verify").with_query(token=token))
    for page in (await accounts.api.ask(path), await accounts.press(token)):
        assert (page.status, texts.LINK_DAMAGED in page.text) == (400, True)
        assert "<script" not in page.text


async def test_links_that_nobody_was_sent(accounts: Accounts) -> None:
    for page in (await accounts.api.ask("/api/verify?token=" + "A" * 43), await accounts.press("A" * 43)):
        assert (page.status, _said(texts.LINK_UNKNOWN) in page.text) == (404, True)
    assert (await accounts.api.ask("/api/verify")).status == 400
    assert (
        await accounts.api.ask("/api/verify", "POST", data=b"", headers={"Content-Type": "text/plain"})
    ).status == 415


async def test_thirty_links_a_minute_for_a_network(accounts: Accounts) -> None:
    path, token = "/api/verify", "A" * 43
    for _ in range(15):
        assert (await accounts.press(token)).status == 404
        assert (await accounts.api.ask(f"{path}?token={token}")).status == 404
    for refused in (await accounts.press(token), await accounts.api.ask(f"{path}?token={token}")):
        assert refused.status == 429
        assert refused.json["error"].startswith("For mange forespørsler")
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
    elsewhere = await accounts.api.ask(f"{path}?token={token}", headers={"X-Forwarded-For": "192.0.2.9"})
    assert elsewhere.status == 404


async def test_a_second_click_does_not_hide_the_key(accounts: Accounts) -> None:
    """Every answer opens in a tab of its own, and the one about the spent link says where the key is, or who helps."""
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    assert Form((await accounts.api.ask(f"/api/verify?token={token}")).text).tab == "_blank"
    first, second = await accounts.press(token), await accounts.press(token)
    assert (first.status, second.status) == (200, 404)
    assert _KEY.search(first.text)
    assert not _KEY.search(second.text)
    assert "i en annen fane" in second.text
    assert "hjelp@example.com" in second.text


@pytest.mark.usefixtures("patient_database")
async def test_ten_press_at_once(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    pages = await asyncio.gather(*(accounts.press(token) for _ in range(10)))
    assert sorted(page.status for page in pages) == [200] + [404] * 9
    assert len(accounts.rows("SELECT * FROM account")) == len(accounts.rows("SELECT * FROM api_key")) == 1


async def test_a_commit_that_takes_long_loses_no_key(accounts: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    end = AsyncTransaction.__aexit__

    async def end_late(transaction: AsyncTransaction, *error: Any) -> None:
        await end(transaction, *error)
        if accounts.rows("SELECT * FROM account"):
            await asyncio.sleep(2)

    monkeypatch.setattr(AsyncTransaction, "__aexit__", end_late)
    shown = await accounts.press(token)
    assert (shown.status, len(set(_KEY.findall(shown.text)))) == (200, 1)


async def test_an_account_that_came_in_between(accounts: Accounts) -> None:
    await accounts.register("kari@example.com")
    [token] = accounts.mailbox.tokens
    accounts.rows("INSERT INTO account (email, plan, created_at) VALUES ('kari@example.com', 'pro', '2026-01-01')")
    for page in (await accounts.api.ask(f"/api/verify?token={token}"), await accounts.press(token)):
        assert (page.status, _said(texts.REGISTERED) in page.text) == (409, True)
    assert [row.plan for row in accounts.rows("SELECT plan FROM account")] == ["pro"]
    assert accounts.rows("SELECT * FROM api_key") == []
