"""`solflis partners`."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from infra.accounts import Accounts

_T = TypeVar("_T")
_MAX_NAME = 100


@click.group(short_help="Add, list and revoke partners of roof analyses.")
def command() -> None:
    """Add, list and revoke the partners who may ask for roof analyses, in the API's database (SOLFLIS_DATABASE).

    A password is shown once, as the last line of standard output; only its hash is kept.

    \b
    Examples:
      solflis partners add "Takfirma AS"
      solflis partners list
      solflis partners revoke "Takfirma AS"
    """


@command.command("add", short_help="Add a partner and print its password, once.")
@click.argument("name")
def add(name: str) -> None:
    """Add the partner NAME and print its password: the last line of standard output."""
    from api.access import partners

    if not 0 < len(name.strip()) <= _MAX_NAME:
        raise click.ClickException(f"a name has 1 to {_MAX_NAME} characters")
    password = _do(lambda accounts: partners.add(accounts.engine, accounts.secret, name.strip(), accounts.now))
    click.echo(f"{name.strip()} is a partner; its password is shown this once:", err=True)
    click.echo(password)


@command.command("list", short_help="List partners.")
def listing() -> None:
    """List all partners, the oldest first."""
    from api.access import partners

    for one in _do(lambda accounts: partners.listing(accounts.engine)):
        state = "active" if one.revoked_at is None else f"revoked {one.revoked_at:%Y-%m-%d %H:%M}"
        click.echo(f"{one.created_at:%Y-%m-%d %H:%M}  {state}  {one.name}")


@command.command("revoke", short_help="Make a partner's password invalid.")
@click.argument("name")
def revoke(name: str) -> None:
    """Make the password of the partner NAME invalid."""
    from api.access import partners

    _do(lambda accounts: partners.revoke(accounts.engine, name.strip(), accounts.now))
    click.echo(f"revoked {name.strip()}")


def _do(work: "Callable[[Accounts], Awaitable[_T]]") -> _T:
    from infra.accounts import on_accounts

    return on_accounts(work, lambda made: click.echo(made, err=True))
