"""An application that sends mails to a server of ours, on either database."""

from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import pytest_asyncio
import sqlalchemy as sa

from api.database.engine import address, make_engine
from api.settings import LOOPBACK
from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.api.fabricated import entry, hydrate
from tests.support.mailbox import Mailbox, mail_server


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    """A mail server."""
    with mail_server() as box:
        yield box


@dataclass
class Accounts:
    """A running application with what registration needs."""

    api: Api
    mailbox: Mailbox
    clock: MovableClock
    database_url: str
    state: Path

    async def register(self, email: Any, network: str = "192.0.2.1") -> Asked:
        """Ask for a key, from a network."""
        return await self.api.ask("/api/register", "POST", json={"email": email}, headers={"X-Forwarded-For": network})

    async def press(self, token: str) -> Asked:
        """Send what the button sends."""
        return await self.api.ask("/api/verify", "POST", data={"token": token})

    def rows(self, sql: str) -> list[Any]:
        """Look into the database."""
        engine = make_engine(address(self.database_url, self.state))
        try:
            with engine.begin() as connection:
                result = connection.execute(sa.text(sql))
                return list(result) if result.returns_rows else []
        finally:
            engine.dispose()


@pytest_asyncio.fixture
async def accounts(start: Start, mailbox: Mailbox, database_url: str, tmp_path: Path) -> Accounts:
    """The application."""
    clock, state = MovableClock(), tmp_path / "state"
    hydrate(state, entry())
    api = await start(
        clock=clock,
        state_folder=state,
        access="keys",
        database=database_url,
        smtp=f"smtp://127.0.0.1:{mailbox.port}",
        mail_from="solflis@example.com",
        base_url="https://sol.example.com/under",
        contact="hjelp@example.com",
        trusted_proxies=LOOPBACK,
    )
    return Accounts(api, mailbox, clock, database_url, state)


class Form(HTMLParser):
    """The form of a page, as a browser reads it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.method, self.action, self.tab, self.fields, self.buttons = "", "", "", dict[str, str](), 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what belongs to a form."""
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.method, self.action, self.tab = given["method"], given["action"], given.get("target", "")
        elif tag == "input":
            self.fields[given["name"]] = given["value"]
        elif tag == "button":
            self.buttons += 1

    def target(self, page_url: str) -> str:
        """Return where the form goes."""
        return urljoin(page_url, self.action)
