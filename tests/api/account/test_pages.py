"""What the pages tell people: who we are, whom to ask, what the key allows and how it is sent."""

import re
import shlex
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import pytest

from api.account import problems
from api.account.pages import read_contact
from api.core.settings import PLANS
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
    key, example = [unescape(code) for code in re.findall(r"<code>(.*?)</code>", page.text) if "sk_live_" in code]
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
    assert "77 forespørsler om prognoser og 5 ulike anlegg (koordinater) per døgn" in page.text


@pytest.mark.parametrize("contact", [None, "https://x.no/hjelp?a=1&b=2"])
async def test_pages_and_errors_say_whom_to_ask(start: Start, tmp_path: Path, contact: str | None) -> None:
    state = tmp_path / "state"
    api = await start(state_folder=state, contact=contact)
    _, page = await _key_page(api, state)
    spent = await api.ask("/api/verify?token=" + "A" * 43, headers={"Accept": "text/html"})
    assert "per døgn" not in page.text, "nothing is counted here"
    link = NOBODY if contact is None else f'<a href="{contact.replace("&", "&amp;")}" target="_blank"'
    assert f"kontakt {link}" in page.text
    assert f"kontakt {link}" in spent.text
    registered = await api.ask("/api/register", "POST", json={"email": "kari@example.com"})
    assert registered.json == problems.REGISTERED(contact=contact or NOBODY).body()
    english = await api.ask(
        "/api/register?x=1", "POST", json={"email": "kari@example.com"}, headers={"Accept-Language": "en"}
    )
    assert f"contact {contact or 'whoever runs this service'} for a new one" in english.json["error"]


@pytest.mark.parametrize(
    ("value", "target"),
    [("a?b&c@example.com", "mailto:a%3Fb%26c@example.com"), ("https://[::1]:1/h#x", "https://[::1]:1/h#x")],
)
def test_contacts(value: str, target: str) -> None:
    contact = read_contact(value)
    assert contact.text == value
    assert f'<a href="{target}" ' in contact.html


@pytest.mark.parametrize(
    "value",
    ["x.no", "javascript:alert(1)", "https://x:99999/", "https://[x", 'https://x.no/"onclick="x', "https://u:p@x.no/"],
)
def test_what_is_no_contact(value: str) -> None:
    with pytest.raises(ValueError, match=r"^SOLFLIS_CONTACT: expected"):
        read_contact(value)
