"""An application that sends mails to a server of ours, on either database."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa

from api.core.settings import LOOPBACK
from api.database.engine import address, make_engine
from tests.api.conftest import Api, Asked, MovableClock, Start
from tests.api.fabricated import entry, hydrate
from tests.support.database import SQLITE_MOSTLY, migrated
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

    async def register(self, email: Any, network: str = "192.0.2.1", language: str = "nb") -> Asked:
        """Ask for a key, from a network."""
        headers = {"X-Forwarded-For": network, "Accept-Language": language}
        return await self.api.ask("/api/register", "POST", json={"email": email}, headers=headers)

    async def press(self, token: str, **headers: str) -> Asked:
        """Send what the button sends."""
        return await self.api.ask("/api/verify", "POST", data={"token": token}, headers=headers)

    def rows(self, sql: str) -> list[Any]:
        """Look into the database."""
        engine = make_engine(address(self.database_url, self.state))
        try:
            with engine.begin() as connection:
                result = connection.execute(sa.text(sql))
                return list(result) if result.returns_rows else []
        finally:
            engine.dispose()


@pytest.fixture(params=SQLITE_MOSTLY)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a migrated database."""
    return migrated(request, tmp_path)


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
