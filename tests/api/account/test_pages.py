"""What the pages tell people: who we are, whom to ask, what the key allows and how it is sent."""

import re
import shlex
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import pytest

from api import texts
from api.account.contact import read_contact
from api.settings import PLANS, Settings
from tests.api.account.conftest import Accounts
from tests.api.conftest import Api, Asked, Start
from tests.support.mailbox import token_of

NOBODY = "den som drifter denne tjenesten"


async def _key_page(api: Api, state: Path) -> tuple[Asked, Asked]:
    """Register where no mail server is set; return the page with the button and the one with the key."""
    assert (await api.ask("/api/register", "POST", json={"email": "kari@example.com"})).status == 200
    [mail] = (state / "outbox").iterdir()
    token = token_of(mail.read_text(encoding="utf-8"))
    return await api.ask(f"/api/verify?token={token}"), await api.ask("/api/verify", "POST", data={"token": token})


def _codes(page: Asked) -> list[str]:
    return [unescape(code) for code in re.findall(r"<code>(.*?)</code>", page.text, re.DOTALL)]


async def test_the_page_names_us_and_the_address(accounts: Accounts) -> None:
    strange = "a'b&c@example.com"
    await accounts.register(strange)
    page = await accounts.api.ask(f"/api/verify?token={accounts.mailbox.tokens[0]}")
    assert "<h1>Solflis</h1>" in page.text
    assert "<strong>a&#x27;b&amp;c@example.com</strong>" in page.text
    assert strange not in page.text


async def test_the_example_on_the_page_of_the_key_works(start: Start, tmp_path: Path) -> None:
    state = tmp_path / "state"
    api = await start(state_folder=state, access="keys", base_url="https://sol.example.com/under")
    _, page = await _key_page(api, state)
    [key, example] = [code for code in _codes(page) if "sk_live_" in code]
    program, option, header, url = shlex.split(example)
    assert (program, option, header) == ("curl", "-H", f"X-API-Key: {key}")
    path = url.removeprefix("https://sol.example.com/under")
    answer = await api.ask(path, headers=dict([header.split(": ")]))
    assert "X-Quota-Limit" in answer.headers
    assert (await api.ask(path, headers={"X-API-Key": key + "x"})).status == 401
    [docs] = re.findall(r'href="([^"]*docs)"', page.text)
    assert urljoin("https://sol.example.com/under/api/verify", docs) == "https://sol.example.com/under/docs"


async def test_the_limits_are_those_of_the_plan(start: Start, tmp_path: Path) -> None:
    plans, state = tmp_path / "plans.toml", tmp_path / "state"
    plans.write_text(
        PLANS.read_text(encoding="utf-8").replace("= 1000\nplants_per_day = 10\n", "= 77\nplants_per_day = 5\n")
    )
    _, page = await _key_page(await start(state_folder=state, access="keys", plans=plans), state)
    assert "77 forespørsler om prognoser og 5 ulike anlegg" in page.text


async def test_where_nothing_is_counted_no_limits_are_named(start: Start, tmp_path: Path) -> None:
    _, page = await _key_page(await start(state_folder=tmp_path / "state", access="open"), tmp_path / "state")
    assert _codes(page)
    assert "per døgn" not in page.text


async def test_without_contact_the_texts_are_still_true(start: Start, tmp_path: Path) -> None:
    state = tmp_path / "state"
    api = await start(state_folder=state)
    _, page = await _key_page(api, state)
    spent = await api.ask("/api/verify?token=" + "A" * 43)
    registered = await api.ask("/api/register", "POST", json={"email": "kari@example.com"})
    assert registered.status == 409
    for text in (page.text, spent.text, registered.json["error"]):
        assert f"kontakt {NOBODY} for å få" in text


async def test_the_contact_that_is_set(start: Start, tmp_path: Path) -> None:
    help_page, state = "https://x.no/hjelp?a=1&b=2", tmp_path / "state"
    api = await start(state_folder=state, contact=help_page)
    _, page = await _key_page(api, state)
    spent = await api.ask("/api/verify?token=" + "A" * 43)
    link = f'<a href="{help_page.replace("&", "&amp;")}" target="_blank"'
    assert link in page.text
    assert link in spent.text
    registered = await api.ask("/api/register", "POST", json={"email": "kari@example.com"})
    assert registered.json == {"error": texts.REGISTERED.format(contact=help_page)}
    document = (await api.ask("/openapi.json")).json
    said = document["paths"]["/api/register"]["post"]["responses"]["409"]
    assert help_page in str(said)


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("hjelp@example.com", "mailto:hjelp@example.com"),
        ("a?b&c@example.com", "mailto:a%3Fb%26c@example.com"),
        ("https://x.no", "https://x.no"),
        ("http://127.0.0.1:8080/h", "http://127.0.0.1:8080/h"),
        ("https://[::1]:1/h#x", "https://[::1]:1/h#x"),
    ],
)
def test_contacts(value: str, target: str) -> None:
    contact = read_contact(value)
    assert contact.text == value
    assert f'<a href="{target}" ' in contact.html


@pytest.mark.parametrize(
    "value",
    ["driften", "x.no", "javascript:alert(1)", "https://", "https://x:99999/", "https://[x", "https://x.no/a b",
     'https://x.no/"onclick="x', "https://x.no/<b>", "https://u:p@x.no/", "ftp://x.no", "mailto:a@b.no"],
)  # fmt: skip
async def test_what_is_no_contact(value: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^SOLFLIS_CONTACT: expected"):
        read_contact(value)


def test_the_setting() -> None:
    assert Settings.from_environment({}).contact is None
    assert Settings.from_environment({"SOLFLIS_CONTACT": " a@b.no "}).contact == "a@b.no"
