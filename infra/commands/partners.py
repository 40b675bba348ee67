"""`solflis partners`."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from api.access.partners import Purpose
    from infra.accounts import Accounts

_T = TypeVar("_T")
_MAX_NAME = 100


def _purpose(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option `--for`; its words are those of `api.access.partners.Purpose`."""
    choices = click.Choice(("tak", "anlegg"))
    text = "What the agreement is on: roof analyses, or plants (header X-Anlegg-Beta)."
    return click.option("--for", "purpose", type=choices, default="tak", show_default=True, help=text)(command)


@click.group(short_help="Add, list and revoke partners of roof analyses and plants.")
def command() -> None:
    """Add, list and revoke the partners who may ask for roof analyses, or try plants, in the API's database
    (SOLFLIS_DATABASE).

    A password is shown once, as the last line of standard output; only its hash is kept.

    \b
    Examples:
      solflis partners add "Takfirma AS"
      solflis partners add "Kari" --for anlegg
      solflis partners list
      solflis partners revoke "Takfirma AS"
      solflis partners revoke "Kari" --for anlegg
    """


@command.command("add", short_help="Add a partner and print its password, once.")
@click.argument("name")
@_purpose
def add(name: str, purpose: "Purpose") -> None:
    """Add the partner NAME and print its password: the last line of standard output."""
    from api.access import partners

    if not 0 < len(name.strip()) <= _MAX_NAME:
        raise click.ClickException(f"a name has 1 to {_MAX_NAME} characters")
    password = _do(lambda accounts: partners.add(accounts.engine, accounts.secret, name.strip(), accounts.now, purpose))
    click.echo(f"{name.strip()} is a partner ({purpose}); its password is shown this once:", err=True)
    click.echo(password)


@command.command("list", short_help="List partners.")
def listing() -> None:
    """List all partners, the oldest first."""
    from api.access import partners

    for one in _do(lambda accounts: partners.listing(accounts.engine)):
        state = "active" if one.revoked_at is None else f"revoked {one.revoked_at:%Y-%m-%d %H:%M}"
        click.echo(f"{one.created_at:%Y-%m-%d %H:%M}  {one.purpose:<6}  {state}  {one.name}")


@command.command("revoke", short_help="Make a partner's password invalid.")
@click.argument("name")
@_purpose
def revoke(name: str, purpose: "Purpose") -> None:
    """Make the password of the partner NAME invalid."""
    from api.access import partners

    _do(lambda accounts: partners.revoke(accounts.engine, name.strip(), accounts.now, purpose))
    click.echo(f"revoked {name.strip()}")


def _do(work: "Callable[[Accounts], Awaitable[_T]]") -> _T:
    from infra.accounts import on_accounts

    return on_accounts(work, lambda made: click.echo(made, err=True))
