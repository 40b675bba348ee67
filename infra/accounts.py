"""The accounts as the operator works on them: the API's own database, secret and plans, without the API."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from api.access.keys import KeyRefused
from api.access.plans import Plans, PlansError, read_plans
from api.access.secret import FILE, Secret, SecretError, load_secret
from api.database.database import Database
from api.database.engine import DatabaseError, address, sqlite_file
from api.settings import Settings, SettingsError

_T = TypeVar("_T")


class AccountsError(Exception):
    """What is asked for cannot be done; the text is one line."""


@dataclass(frozen=True)
class Accounts:
    """What one needs to work on accounts.

    Parameters
    ----------
    engine : AsyncEngine
        Of a database that has this code's schema and belongs to the secret.
    secret : Secret
    plans : Plans
    now : datetime
    """

    engine: AsyncEngine
    secret: Secret
    plans: Plans
    now: datetime

    def known(self, plan: str) -> str:
        """Return the name of a plan.

        Raises
        ------
        KeyRefused
            There is none of that name.
        """
        if plan not in self.plans.plans:
            raise KeyRefused(f"there is no plan '{plan}'; there are {', '.join(self.plans.plans)}")
        return plan


def on_accounts(
    settings: Settings, work: Callable[[Accounts], Awaitable[_T]], on_made: Callable[[str], None] = lambda _: None
) -> _T:
    """Do something with the accounts of an installation; a database or secret that is missing is made.

    Parameters
    ----------
    settings : Settings
    work : callable
    on_made : callable
        Told what was made, and where: who is in the wrong folder sees it.

    Raises
    ------
    AccountsError
    """
    try:
        return asyncio.run(_working(settings, work, on_made))
    except sa.exc.DBAPIError as error:
        raise AccountsError(_line(f"the database cannot be asked: {error.orig}")) from error
    except (KeyRefused, PlansError, SecretError, DatabaseError, sa.exc.SQLAlchemyError, OSError) as error:
        raise AccountsError(_line(str(error))) from error


def api_settings() -> Settings:
    """Return the API's settings, from the environment.

    Raises
    ------
    AccountsError
    """
    try:
        return Settings.from_environment()
    except SettingsError as error:
        raise AccountsError(str(error)) from error


async def _working(settings: Settings, work: Callable[[Accounts], Awaitable[_T]], on_made: Callable[[str], None]) -> _T:
    plans = read_plans(settings.plans)
    url = address(settings.database, settings.state)
    missing = [(what, file) for what, file in _files(settings, url) if not file.exists()]
    secret = load_secret(settings.secret, settings.state)
    database = Database(url, secret)
    try:
        await database.prepare()
        return await work(Accounts(database.engine, secret, plans, settings.clock.now()))
    finally:
        await database.engine.dispose()
        for what, file in missing:
            if file.exists():
                on_made(f"made a new {what}: {file}")


def _files(settings: Settings, url: URL) -> Iterable[tuple[str, Path]]:
    """Yield what an installation keeps in files: its database and its secret, unless they are elsewhere."""
    if (file := sqlite_file(url)) is not None:
        yield "database", file
    if settings.secret is None:
        yield "secret", settings.state / FILE


def _line(text: str) -> str:
    return " ".join(text.split())
