"""The accounts as the operator works on them: the API's own database, secret and plans, without the API."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import click
import sqlalchemy as sa
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from api.access.keys import KeyRefused
from api.access.plans import Plans, read_plans
from api.access.secret import FILE, Secret, load_secret
from api.core.settings import Settings, SettingsError
from api.database.database import Database
from api.database.engine import DatabaseError, address, sqlite_file
from api.jobs.bell import make_bell
from api.jobs.queue import Jobs
from infra.up.private import with_private_settings

_T = TypeVar("_T")
_REFUSALS = (KeyRefused, SettingsError, DatabaseError)


class AccountsError(click.ClickException):
    """What is asked for cannot be done; the text is one line."""


@dataclass(frozen=True)
class Accounts:
    """What one needs to work on accounts.

    Parameters
    ----------
    engine : AsyncEngine
        Of a database that has this code's schema and belongs to the secret.
    url : URL
        Of the same.
    secret : Secret
    plans : Plans
    state : Path
        Folder of the installation.
    now : datetime
    jobs : Jobs
    """

    engine: AsyncEngine
    url: URL
    secret: Secret
    plans: Plans
    state: Path
    now: datetime
    jobs: Jobs

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


def on_accounts(work: Callable[[Accounts], Awaitable[_T]], on_made: Callable[[str], None] = lambda _: None) -> _T:
    """Do something with the accounts of the API's settings; a database or secret that is missing is made.

    Parameters
    ----------
    work : callable
    on_made : callable
        Told what was made, and where: who is in the wrong folder sees it.

    Raises
    ------
    AccountsError
    """
    try:
        settings = Settings.from_environment(with_private_settings(os.environ))
        return asyncio.run(_working(settings, work, on_made))
    except (*_REFUSALS, sa.exc.SQLAlchemyError, OSError) as error:
        text = f"the database cannot be asked: {error.orig}" if isinstance(error, sa.exc.DBAPIError) else str(error)
        raise AccountsError(" ".join(text.split())) from error


async def _working(settings: Settings, work: Callable[[Accounts], Awaitable[_T]], on_made: Callable[[str], None]) -> _T:
    plans = read_plans(settings.plans)
    url = address(settings.database, settings.state)
    files = {"database": sqlite_file(url), "secret": None if settings.secret else settings.state / FILE}
    missing = {what: file for what, file in files.items() if file is not None and not file.exists()}
    secret = load_secret(settings.secret, settings.state)
    database = Database(url, secret)
    try:
        await database.prepare()
        bell = make_bell(url, settings.state)
        jobs = Jobs(database, bell, settings.clock)
        return await work(Accounts(database.engine, url, secret, plans, settings.state, settings.clock.now(), jobs))
    finally:
        await database.engine.dispose()
        for what, file in missing.items():
            if file.exists():
                on_made(f"made a new {what}: {file}")
